import { expect, it } from 'vitest';
import { only, useTools, WEEK, WIRE_WEEK, whole } from '../support.ts';

const { ask, call } = useTools({ credential: 'app' });

it.each([
  ['get_zone_revenue', 'Cart / Cart / Checkout', 8120633, 'totalRevenueWithTap'],
  ['get_zone_revenue_per_tap', 'Buy now', 8120574, 'revenuePerTap'],
  ['get_zone_swipe_rate', 'Category carousel', 8120466, 'dragFlickRate'],
  ['get_zone_swipe_recurrence', 'Image gallery', 8120577, 'dragFlickRecurrence'],
  ['get_zone_tap_rate', 'Feed / Hero banner', 8120463, 'tapRate'],
  ['get_zone_tap_recurrence', 'Filter', 8120515, 'tapRecurrence'],
  ['get_zone_time_before_first_tap', 'Product screen / Reviews', 8120580, 'timeBeforeFirstTap'],
])('%s of %s is that among all metrics of the zone', async (tool, zoneId, id, metric) => {
  const answer = await call(tool, { ...WEEK, zoneId });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: id }));
  expect(only(answer)[metric]).toBe(all[metric]);
  expect(Number(all[metric])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});

it('get_zone_conversion_rate_per_tap is the share of those who tapped that reached the goal, which no other metric tells', async () => {
  const asked = { ...WEEK, zoneId: 'Product screen / Add to cart', goalId: 'checkout started' };
  const answer = await call('get_zone_conversion_rate_per_tap', asked);
  const { values } = await ask('getZoneConversionRatePerTap', { ...WIRE_WEEK, zoneId: 8120571, goalId: 88130 }, 'app');
  expect(only(answer)).toMatchObject({ avgConversionAfterTap: values[0]?.value });
  expect(whole(answer)).toMatchSnapshot();
});

it('get_zone_metrics gives all metrics of a zone that its path names', async () => {
  const answer = await call('get_zone_metrics', { ...WEEK, zoneId: 'Home / Header / Search bar' });
  const { values } = await ask('getZoneMetrics', { ...WIRE_WEEK, zoneId: 8120447 }, 'app');
  expect(values).toHaveLength(8);
  expect(only(answer)).toMatchObject(Object.fromEntries(values.map(({ name, value }) => [name, value])));
  expect(only(answer)).not.toHaveProperty('avgConversionAfterTap');
  expect(whole(answer)).toMatchSnapshot();
});
