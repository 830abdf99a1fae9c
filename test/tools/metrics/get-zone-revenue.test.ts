import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('is the revenue of those who tapped, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_revenue', { ...WEEK, zoneId: 'Cart / Cart / Checkout' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120633 }));
  expect(only(answer)['totalRevenueWithTap']).toBe(all['totalRevenueWithTap']);
  expect(Number(all['totalRevenueWithTap'])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});
