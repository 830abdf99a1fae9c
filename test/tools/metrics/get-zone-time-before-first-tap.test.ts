import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('is in seconds from the load of the screen, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_time_before_first_tap', { ...WEEK, zoneId: 'Product screen / Reviews' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120580 }));
  expect(only(answer)['timeBeforeFirstTap']).toBe(all['timeBeforeFirstTap']);
  expect(Number(all['timeBeforeFirstTap'])).toBeGreaterThan(0);
  expect(answer.structured['units']).toEqual({ timeBeforeFirstTap: 'seconds' });
  expect(whole(answer)).toMatchSnapshot();
});
