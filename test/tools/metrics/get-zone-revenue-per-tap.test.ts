import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('is revenue by tap, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_revenue_per_tap', ['Buy now', 8120574], 'revenuePerTap');
  expect(whole(answer)).toMatchSnapshot();
});
