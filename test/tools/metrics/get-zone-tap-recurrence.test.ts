import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';

const { call } = useTools({ credential: 'app' });

it('counts the taps of a screen view that had one, as among all metrics of the zone', async () => {
  const answer = await call('get_zone_tap_recurrence', { ...WEEK, zoneId: 'Filter' });
  const all = only(await call('get_zone_metrics', { ...WEEK, zoneId: 8120515 }));
  expect(only(answer)['tapRecurrence']).toBe(all['tapRecurrence']);
  expect(Number(all['tapRecurrence'])).toBeGreaterThan(0);
  expect(whole(answer)).toMatchSnapshot();
});
