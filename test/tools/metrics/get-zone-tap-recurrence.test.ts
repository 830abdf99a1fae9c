import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('counts the taps of a screen view that had one, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_tap_recurrence', ['Filter', 8120515], 'tapRecurrence');
  expect(whole(answer)).toMatchSnapshot();
});
