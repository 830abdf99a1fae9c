import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('is the share of users who tapped, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_tap_rate', ['Feed / Hero banner', 8120463], 'tapRate');
  expect(whole(answer)).toMatchSnapshot();
});
