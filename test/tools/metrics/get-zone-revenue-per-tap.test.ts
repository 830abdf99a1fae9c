import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('is revenue by tap, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_revenue_per_tap', { ...WEEK, zoneId: 'Buy now' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120574 }));
  expect(only(answer)['revenuePerTap']).toBe(all['revenuePerTap']);
  expect(Number(all['revenuePerTap'])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});
