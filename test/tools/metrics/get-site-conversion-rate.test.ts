import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('is the share of sessions that reached the goal, here of a magazine', async () => {
  const answer = await call('get_site_conversion_rate', { ...WEEK, projectId: 1203, goalId: 'Subscription' });
  const { conversions, visits } = sumOfWeek(platform(), { projectId: 1203, goal: 'Subscription' });
  expect(only(answer)['conversionRate']).toBeCloseTo((100 * conversions) / visits, 3);
  expect(whole(answer)).toMatchSnapshot();
});

it('shows the fall after the release on the device that it hit', async () => {
  const { device, startDay } = platform().stories.conversionFall;
  const eve = new Date(Date.parse(startDay) - DAY_MS).toISOString().slice(0, 10);
  const before = await call('get_site_conversion_rate', { startDate: '2026-10-01', endDate: eve, device });
  const after = await call('get_site_conversion_rate', { startDate: startDay, endDate: 'yesterday', device });
  expect(Number(only(after)['conversionRate'])).toBeLessThan(Number(only(before)['conversionRate']) * 0.9);
});
