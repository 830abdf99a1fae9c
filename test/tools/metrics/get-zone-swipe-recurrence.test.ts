import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('counts the swipes of a screen view that had one, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_swipe_recurrence', { ...WEEK, zoneId: 'Image gallery' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120577 }));
  expect(only(answer)['dragFlickRecurrence']).toBe(all['dragFlickRecurrence']);
  expect(Number(all['dragFlickRecurrence'])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});
