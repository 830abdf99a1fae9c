import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('is the revenue of those who tapped, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_revenue', ['Cart / Cart / Checkout', 8120633], 'totalRevenueWithTap');
  expect(whole(answer)).toMatchSnapshot();
});
