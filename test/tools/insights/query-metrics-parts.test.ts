import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { times } from '../../support/times.ts';
import { type Wanted, wholeDays } from '../../support/truth.ts';
import { findingsOf, only, records, useQueries, WEEK } from '../support.ts';

const { call, platform, query, rowsOf, truth } = useQueries();
const app = useQueries({ credential: 'app' });
const DEVICES = ['all', 'desktop', 'mobile', 'tablet'] as const;
const OTHER = 'other or unknown device';

describe('weekdays', () => {
  const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

  it('are made of whole days: counts added, rates and averages from what they are of', { tags: 'nightly' }, async () => {
    // From a Thursday to today, which is a Friday at ten.
    const metrics = ['visits', 'conversionRate', 'bounceRate', 'cartAverage', 'revenueSum'];
    const answer = await query({ startDate: '2026-11-05', endDate: 'now', metrics, breakdown: ['weekday'] });
    const days = times(15, (index) => dayAfter('2026-11-05', index));
    expect(records(answer)).toEqual(
      names.map((weekday, at) => {
        const own = days.filter((day) => (new Date(day).getUTCDay() + 6) % 7 === at).map((day) => truth(wholeDays(day)));
        const sum = (name: 'visits' | 'bounces' | 'transactions' | 'revenue' | 'conversions') =>
          own.reduce((total, day) => total + day[name], 0);
        return {
          weekday,
          visits: sum('visits'),
          conversionRate: expect.closeTo((100 * sum('conversions')) / sum('visits'), 3),
          bounceRate: expect.closeTo((100 * sum('bounces')) / sum('visits'), 3),
          cartAverage: expect.closeTo(sum('revenue') / sum('transactions'), 2),
          revenueSum: expect.closeTo(sum('revenue'), 2),
          days: own.length,
        };
      }),
    );
    expect(answer.text).toContain('Not in these rows, because not whole: 2026-11-20.');
    expect(answer.structured['units']).toMatchObject({ days: 'whole days', visits: 'sessions' });
  });

  it('of zones have no rate of several days, because users are not given, and the rate of a single one', { tags: 'nightly' }, async () => {
    const zone = { zoneIds: [8_120_571], metrics: ['tapRate', 'totalRevenueWithTap'], endDate: '2026-11-16' };
    const answer = await app.query({ ...zone, breakdown: ['weekday'] });
    const daily = await app.rowsOf({ ...zone, breakdown: ['day'] });
    const revenue = Number(daily[0]?.['totalRevenueWithTap']) + Number(daily[7]?.['totalRevenueWithTap']);
    expect(records(answer).slice(0, 2)).toMatchObject([
      { weekday: 'Monday', tapRate: null, totalRevenueWithTap: expect.closeTo(revenue, 2), days: 2 },
      { tapRate: daily[1]?.['tapRate'], days: 1 },
    ]);
    expect(answer.text).toContain('No value by weekday for tapRate (users)');
  });
});

describe('totals', () => {
  it.each(['day', 'week', 'month'])('by %s are rows of the whole range, whose rates are exact', { tags: 'nightly' }, async (unit) => {
    const range = { startDate: '2026-10-28', endDate: '2026-11-03' };
    const rows = await rowsOf({ ...range, metrics: ['visits', 'conversionRate'], breakdown: [unit], totals: true });
    const { visits, conversionRate } = truth(wholeDays(range.startDate, range.endDate));
    expect(rows.at(-1)).toEqual({ [unit]: 'total', visits, conversionRate: expect.closeTo(conversionRate, 3) });
    expect(rows.slice(0, -1).reduce((sum, row) => sum + Number(row['visits']), 0)).toBe(visits);
  });

  it('of segments are all visitors, of devices all', { tags: 'nightly' }, async () => {
    expect(await rowsOf({ compareSegments: ['Germany'], totals: true })).toEqual([
      { segment: 'Germany', visits: truth({ segment: 'Germany' }).visits },
      { segment: 'all visitors', visits: truth().visits },
    ]);
    expect(await rowsOf({ devices: ['mobile', 'tablet'], totals: true })).toEqual(
      (['all', 'mobile', 'tablet'] as const).map((device) => ({ device, visits: truth({ device }).visits })),
    );
  });
});

describe('shares', () => {
  it('are of all devices and all visitors of the same time', { tags: 'nightly' }, async () => {
    const answer = await query({
      endDate: '2026-11-10',
      metrics: ['visits', 'revenueSum', 'bounceRate'],
      breakdown: ['day'],
      devices: ['mobile', 'desktop'],
      compareSegments: ['New visitors', 'Germany'],
      shares: true,
    });
    const rows = records(answer);
    expect(rows).toHaveLength(8);
    for (const { day, device, segment, ...figures } of rows) {
      const time = wholeDays(String(day));
      const whole = truth(time);
      const part = truth({ ...time, device: device as 'mobile', segment: String(segment) });
      expect(figures).toEqual({
        visits: part.visits,
        revenueSum: expect.closeTo(part.revenue, 2),
        bounceRate: expect.closeTo(part.bounceRate, 3),
        visitsShare: expect.closeTo((100 * part.visits) / whole.visits, 3),
        revenueSumShare: expect.closeTo((100 * part.revenue) / whole.revenue, 3),
      });
    }
    expect(answer.text).toContain('Shares are percent of all devices and all visitors of the same time. Segments may overlap.');
  });

  it('of rows of time are of their sum', async () => {
    const rows = await rowsOf({ devices: ['mobile'], breakdown: ['weekday'], shares: true });
    const own = truth({ ...wholeDays('2026-11-09'), device: 'mobile' }).visits;
    expect(rows[0]?.['visitsShare']).toBeCloseTo((100 * own) / truth({ device: 'mobile' }).visits, 3);
    expect(rows.reduce((sum, row) => sum + Number(row['visitsShare']), 0)).toBeCloseTo(100, 3);
  });
});

describe('visits on none of the devices', () => {
  it('are a row made by subtraction', async () => {
    const answer = await query({ metrics: ['all'], breakdown: ['device'] });
    const [all, ...parts] = DEVICES.map((device) => truth({ device }));
    const left = (name: 'visits' | 'bounces' | 'views' | 'conversions' | 'revenue' | 'transactions' | 'seconds') =>
      parts.reduce((rest, part) => rest - part[name], all?.[name] ?? 0);
    const visits = left('visits');
    expect(visits).toBeGreaterThan(0);
    expect(records(answer).find(({ device }) => device === OTHER)).toEqual({
      device: OTHER,
      visits,
      conversionCount: left('conversions'),
      conversionRate: expect.closeTo((100 * left('conversions')) / visits, 3),
      revenueSum: expect.closeTo(left('revenue'), 2),
      cartAverage: expect.closeTo(left('revenue') / left('transactions'), 2),
      // As exact as the platform's rounded averages allow.
      bounceRate: expect.closeTo((100 * left('bounces')) / visits, 1),
      pageviewAverage: expect.closeTo(left('views') / visits, 1),
      sessionTimeAverage: expect.closeTo(left('seconds') / visits, 1),
    });
    expect(answer.text).toContain(`${OTHER}: ${visits} visits`);
  });

  it.each([
    [{ devices: ['all', 'mobile'] }, ['all', 'mobile']],
    [{ breakdown: ['device'], segmentIds: ['Mobile Safari'] }, DEVICES],
  ])('are no row where devices add up or one of them was not asked for: %j', { tags: 'nightly' }, async (args, devices) => {
    expect((await rowsOf(args)).map(({ device }) => device)).toEqual(devices);
  });
});

describe('all visitors beside segments', () => {
  it('are those within segmentIds', { tags: 'nightly' }, async () => {
    const args = { segmentIds: ['Germany'], compareSegments: ['all visitors', 'Germany', 'New visitors'] };
    const [all, germany, both] = await rowsOf(args);
    const { visits } = truth({ segment: 'Germany' });
    expect([all, germany]).toEqual(['all visitors', 'Germany'].map((segment) => ({ segment, visits })));
    expect(Number(both?.['visits'])).toBeLessThan(visits);
  });

  it('are a side of a comparison at the same time, which is told to contain the other', { tags: 'nightly' }, async () => {
    const range = { startDate: '2026-10-19', endDate: '2026-11-15', metrics: ['conversionRate'] };
    const answer = await call('compare_metrics', { ...range, by: 'segment', compareSegments: ['Paid search', 'all visitors'] });
    const rateOf = (wanted: Partial<Wanted>) => truth({ ...wholeDays(range.startDate, range.endDate), ...wanted }).conversionRate;
    expect(records(answer).map(({ segment, value }) => [segment, value])).toEqual([
      ['Paid search', expect.closeTo(rateOf({ segment: 'Paid search' }), 3)],
      ['all visitors', expect.closeTo(rateOf({}), 3)],
    ]);
    expect(records(answer)[1]?.['verdict']).not.toBe('not enough data');
    expect(answer.text).toContain('all visitors include the segments beside them');
  });
});

describe('money', { tags: 'nightly' }, () => {
  const cents = (amount: number) => amount.toFixed(2);
  const before = wholeDays('2026-11-02', '2026-11-08');

  it('keeps its cents in text, however large it is', async () => {
    const { text } = await query({ metrics: ['revenueSum'], breakdown: ['device'] });
    for (const device of DEVICES) expect(text).toContain(`${device}\t${cents(truth({ device }).revenue)}\n`);
    expect(text).not.toContain('are rounded in this text');
    const month = await query({ startDate: '2026-10', endDate: '2026-10', metrics: ['revenueSum'] });
    const revenue = cents(truth(wholeDays('2026-10-01', '2026-10-31')).revenue);
    expect(records(month)).toEqual([{ revenueSum: Number(revenue) }]);
    expect(month.text).toContain(`\n${revenue}\n`);
  });

  it('keeps them in comparisons: of periods, of devices, and of what revenue is made of', async () => {
    const periods = await call('compare_metrics', { ...WEEK, metrics: ['revenueSum'] });
    const [was, is] = [truth(before).revenue, truth().revenue];
    for (const part of [
      `EUR\t${cents(was)}\t${cents(is)}\t${cents(is - was)}\t`,
      `tablet\t${cents(truth({ ...before, device: 'tablet' }).revenue)}\t`,
      `revenue: change ${cents(is - was)} · `,
    ])
      expect(periods.text).toContain(part);
    const sides = await call('compare_metrics', { ...WEEK, metrics: ['revenueSum'], by: 'device' });
    const [desktop, mobile] = [truth({ device: 'desktop' }).revenue, truth({ device: 'mobile' }).revenue];
    const difference = Number(cents(mobile - desktop));
    expect(records(sides)).toContainEqual(expect.objectContaining({ value: expect.closeTo(mobile, 2), difference }));
    expect(sides.text).toContain(`mobile\t${cents(mobile)}\t${cents(difference)}\t`);
  });
});

const expected = (args: Record<string, unknown>) => query({ ...args, expected: true });

/** A row with figures in order: low, expected, high. */
function requireOrder(row: Record<string, unknown>, names = ['low', 'expected', 'high']): void {
  const [low, middle = 0, high = 0] = names.map((name) => Number(row[name]));
  expect(low).toBeLessThan(middle);
  expect(middle).toBeLessThan(high);
}

describe('what was to be expected', () => {
  it('knows last year from about the first day that the platform keeps, which refuses the days before it', async () => {
    await expected({ startDate: '2026-11-01', breakdown: ['day'] });
    const starts = platform().requests.flatMap(({ url }) => /startDate=(2025-[\d-]+)/.exec(url)?.[1] ?? []);
    // Thirteen months are kept, since 20 October of the year before.
    expect(starts).toContain('2025-10-22');
  });

  it('stands beside what was counted, by week, with a verdict that the first sentence counts', { tags: 'nightly' }, async () => {
    const answer = await expected({ startDate: '2026-09-07', breakdown: ['week'] });
    const rows = records(answer);
    expect(rows).toHaveLength(10);
    for (const row of rows) requireOrder(row);
    // A false discovery rate over all rows asks for more than 95 %.
    const inside = rows.filter(({ visits, low, high }) => Number(visits) >= Number(low) && Number(visits) <= Number(high));
    expect(inside.filter(({ verdict }) => verdict !== 'normal')).toEqual([]);
    expect(rows.at(-1)).toMatchObject({ week: '2026-11-09', visits: truth().visits });
    const clear = rows.filter(({ verdict }) => verdict !== 'normal');
    expect(clear.length).toBeGreaterThan(1);
    expect(answer.text).toMatch(new RegExp(`^Of 10 weeks, ${clear.length} were unusual, because of a listed change`));
    // Each is told by the day that made it, the same way.
    const weekOf = (day: string) => rows.findLast(({ week }) => String(week) <= day);
    const told = findingsOf(answer).map(({ when: { from }, verdict }) => [weekOf(from ?? '')?.['week'], verdict]);
    expect(new Set(told)).toEqual(new Set(clear.map(({ week, verdict }) => [week, verdict === 'high' ? 'higher' : 'lower'])));
  });

  it('is told of all rows where a limit shows the first, which are the same as without it', { tags: 'nightly' }, async () => {
    const args = { startDate: '2026-10-19', breakdown: ['day'] };
    const [all, first] = [await expected(args), await expected({ ...args, limit: 3 })];
    const largest = records(all).toSorted((a, b) => Number(b['visits']) - Number(a['visits']));
    expect(records(first)).toEqual(largest.slice(0, 3));
    expect(first.structured['answer']).toBe(all.structured['answer']);
  });

  it('is a forecast of days that are not over: of a week ahead one row, without a value', async () => {
    const answer = await expected({ startDate: '2026-11-23', endDate: '2026-11-29' });
    const row = only(answer);
    expect(row).toMatchObject({ visits: null, verdict: 'forecast' });
    requireOrder(row);
    expect(answer.text).toMatch(/^Visits from 23 to 29 Nov: [\d,]+ expected \([\d,]+ to [\d,]+\)\./);
    expect(answer.structured['notes']).toContainEqual(
      expect.stringMatching(/^Special days: Black Friday week from 23 to 26 Nov \(.*\), Black Friday on 27 Nov \(/),
    );
  });

  it('holds the days that are over and those ahead, each metric with columns of its own', { tags: 'nightly' }, async () => {
    const range = { startDate: '2026-11-16', endDate: '2026-11-25', breakdown: ['day'] };
    const rows = records(await expected({ ...range, metrics: ['conversionRate', 'revenueSum'] }));
    expect(rows.map(({ revenueSumVerdict }) => revenueSumVerdict === 'forecast')).toEqual(times(10, (at) => at >= 4));
    for (const row of rows)
      for (const metric of ['conversionRate', 'revenueSum'])
        requireOrder(
          row,
          ['Low', 'Expected', 'High'].map((part) => metric + part),
        );
    expect(Object.keys(rows[0] ?? {})).not.toContain('visitsExpected');
  });

  it('of today says what was counted of it', async () => {
    const answer = await expected({ startDate: 'today', endDate: 'today' });
    const { visits } = only(answer);
    expect(Number(visits)).toBeGreaterThan(0);
    const counted = Number(visits).toLocaleString('en');
    expect(answer.text).toMatch(
      new RegExp(`^Visits on 20 Nov: [\\d,]+ expected \\([\\d,]+ to [\\d,]+\\); ${counted} up to 20 Nov, 10:\\d\\d UTC\\.`),
    );
  });

  it('of days further ahead than 28 is cut, and says so', async () => {
    const answer = await expected({ startDate: '2026-11-23', endDate: '2026-12-31' });
    expect(answer.structured['notes']).toContain('endDate was cut: a forecast reaches 28 days ahead, to 2026-12-17.');
    expect(only(answer)).toEqual(only(await expected({ startDate: '2026-11-23', endDate: '2026-12-17' })));
  });

  it('stands beside the total of its rows too, as beside the whole range', async () => {
    const [{ day, ...total } = {}] = records(await expected({ breakdown: ['day'], totals: true })).slice(-1);
    expect([day, total]).toEqual(['total', only(await expected({}))]);
  });
});
