import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('counts the swipes of a screen view that had one, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_swipe_recurrence', ['Image gallery', 8120577], 'dragFlickRecurrence');
  expect(whole(answer)).toMatchSnapshot();
});
