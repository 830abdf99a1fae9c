import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('is the share of users who swiped, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_swipe_rate', { ...WEEK, zoneId: 'Category carousel' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120466 }));
  expect(only(answer)['dragFlickRate']).toBe(all['dragFlickRate']);
  expect(Number(all['dragFlickRate'])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});
