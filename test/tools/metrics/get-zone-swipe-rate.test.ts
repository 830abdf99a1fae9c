import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('is the share of users who swiped, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_swipe_rate', ['Category carousel', 8120466], 'dragFlickRate');
  expect(whole(answer)).toMatchSnapshot();
});
