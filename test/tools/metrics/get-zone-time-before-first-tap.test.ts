import { expect, it } from 'vitest';
import { useZoneMetric, whole } from '../support.ts';

const metricOf = useZoneMetric();

it('is in seconds from the load of the screen, as among all metrics of the zone', async () => {
  const answer = await metricOf('get_zone_time_before_first_tap', ['Product screen / Reviews', 8120580], 'timeBeforeFirstTap');
  expect(answer.structured['units']).toEqual({ timeBeforeFirstTap: 'seconds' });
  expect(whole(answer)).toMatchSnapshot();
});
