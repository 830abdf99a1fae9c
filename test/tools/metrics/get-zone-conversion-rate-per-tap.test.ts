import { expect, it } from 'vitest';
import { only, useTools, WEEK, WIRE_WEEK, whole } from '../support.ts';

const { ask, call } = useTools({ credential: 'app' });

it('is the share of those who tapped that reached the goal, which no other metric tells', async () => {
  const answer = await call('get_zone_conversion_rate_per_tap', {
    ...WEEK,
    zoneId: 'Product screen / Add to cart',
    goalId: 'checkout started',
  });
  const { values } = await ask('getZoneConversionRatePerTap', { ...WIRE_WEEK, zoneId: 8120571, goalId: 88130 }, 'app');
  expect(only(answer)).toMatchObject({ avgConversionAfterTap: values[0]?.value });
  expect(answer.structured['filters']).toEqual({ device: 'all', zoneId: 8120571, goalId: 88130 });
  expect(whole(answer)).toMatchSnapshot();
});
