import { expect, it } from 'vitest';
import type { Platform } from '../../support/emulator.ts';
import { truthOf, type Wanted } from '../../support/truth.ts';
import { only, records, useTools, WEEK, WIRE_WEEK, whole } from '../support.ts';

/** Sums over the sessions of the test week. */
type SumOfWeek = ReturnType<typeof truthOf>;

/** What a metric of the test week is made of by its definition. */
function sumOfWeek(platform: Platform, wanted: Omit<Wanted, 'from' | 'to'> = {}): SumOfWeek {
  return truthOf(platform, { from: WIRE_WEEK.startDate, to: WIRE_WEEK.endDate, ...wanted });
}

const { call, platform } = useTools();

it.each<[string, Record<string, unknown>, string, (week: SumOfWeek) => number]>([
  ['get_site_bounce_rate', { device: 'tablet' }, 'bounceRate', ({ visits, bounces }) => (100 * bounces) / visits],
  ['get_site_cart_average', {}, 'cartAverage', ({ revenue, transactions }) => revenue / transactions],
  [
    'get_site_conversion_rate',
    { projectId: 1203, goalId: 'Subscription' },
    'conversionRate',
    ({ conversions, visits }) => (100 * conversions) / visits,
  ],
  ['get_site_conversions', { goalId: 'Account created' }, 'conversionCount', ({ conversions }) => conversions],
  ['get_site_pageview_average', {}, 'pageviewAverage', ({ views, visits }) => views / visits],
  ['get_site_revenue', { period: 'daily' }, 'revenueSum', ({ revenue }) => revenue],
  ['get_site_session_time_average', {}, 'sessionTimeAverage', ({ seconds, visits }) => seconds / visits],
  ['get_site_visits', {}, 'visits', ({ visits }) => visits],
])('a metric of the site %s is made of the sessions of the week', async (tool, more, metric, valueOf) => {
  const answer = await call(tool, { ...WEEK, ...more });
  const sum = records(answer).reduce((all, record) => all + Number(record[metric]), 0);
  const { goalId: goal, period: _, ...wanted } = more;
  expect(sum).toBeCloseTo(valueOf(sumOfWeek(platform(), { ...wanted, ...(typeof goal === 'string' && { goal }) })), 2);
  expect(whole(answer)).toMatchSnapshot();
});

it('all metrics of the site get_site_metrics gives them in one row, with their units', async () => {
  const answer = await call('get_site_metrics', WEEK);
  const { visits, bounces, views, seconds, transactions, revenue, conversions } = sumOfWeek(platform());
  expect(only(answer)).toMatchObject({
    start: '2026-11-09T00:00:00.000Z',
    end: '2026-11-15T23:59:59.999Z',
    visits,
    conversionCount: conversions,
    revenueSum: expect.closeTo(revenue, 2),
    bounceRate: expect.closeTo((100 * bounces) / visits, 3),
    conversionRate: expect.closeTo((100 * conversions) / visits, 3),
    cartAverage: expect.closeTo(revenue / transactions, 3),
    pageviewAverage: expect.closeTo(views / visits, 3),
    sessionTimeAverage: expect.closeTo(seconds / visits, 3),
  });
  expect(whole(answer)).toMatchSnapshot();
});

it('all metrics of the site get_site_metrics gives one row for each day, whose visits add up', async () => {
  const days = records(await call('get_site_metrics', { ...WEEK, period: 'daily' }));
  expect(days.map(({ day }) => day)).toEqual(['09', '10', '11', '12', '13', '14', '15'].map((day) => `2026-11-${day}`));
  expect(days.reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(sumOfWeek(platform()).visits);
});

it('counts the sale as conversion where a shop names no goal, and unknown devices only in all', async () => {
  expect(only(await call('get_site_conversions', WEEK))['conversionCount']).toBe(sumOfWeek(platform()).conversions);
  const desktop = { device: 'desktop' } as const;
  expect(only(await call('get_site_visits', { ...WEEK, ...desktop }))['visits']).toBe(sumOfWeek(platform(), desktop).visits);
});
