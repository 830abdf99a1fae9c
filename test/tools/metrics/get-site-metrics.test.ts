import { expect, it } from 'vitest';
import { only, records, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('gives all metrics of a week in one row, with their units', async () => {
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
  expect(answer.structured['range']).toEqual({
    start: '2026-11-09T00:00:00.000Z',
    end: '2026-11-15T23:59:59.999Z',
    timeZone: 'UTC',
    days: 7,
  });
  expect(whole(answer)).toMatchSnapshot();
});

it('gives one row for each day, whose visits add up', async () => {
  const days = records(await call('get_site_metrics', { ...WEEK, period: 'daily' }));
  expect(days.map(({ day }) => day)).toEqual(['09', '10', '11', '12', '13', '14', '15'].map((day) => `2026-11-${day}`));
  expect(days.reduce((sum, { visits }) => sum + Number(visits), 0)).toBe(sumOfWeek(platform()).visits);
});

it('narrows by device, segments and goal', async () => {
  const answer = await call('get_site_metrics', {
    ...WEEK,
    device: 'mobile',
    goalId: 'Add to cart',
    segmentIds: ['Germany', 'newsletter'],
  });
  expect(answer.structured['filters']).toEqual({ device: 'mobile', goalId: 75118, segmentIds: [440156, 431902] });
  expect(Number(only(answer)['visits'])).toBeLessThan(sumOfWeek(platform(), { device: 'mobile' }).visits / 10);
});

it('hands on that a range lies beyond what is kept', async () => {
  const answer = await call('get_site_metrics', { startDate: '2025-01-01', endDate: '2025-01-02' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('out of bounds') });
});
