import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('is the share of users who tapped, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_tap_rate', { ...WEEK, zoneId: 'Feed / Hero banner' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120463 }));
  expect(only(answer)['tapRate']).toBe(all['tapRate']);
  expect(Number(all['tapRate'])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});
