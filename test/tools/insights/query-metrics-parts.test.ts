import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { times } from '../../support/times.ts';
import { truthOf, type Wanted, wholeDays } from '../../support/truth.ts';
import { findingsOf, only, records, refusal, useTools, WEEK } from '../support.ts';

const { call, platform } = useTools();
const app = useTools({ credential: 'app' });
const WIRE = wholeDays(WEEK.startDate, WEEK.endDate);
const DEVICES = ['all', 'desktop', 'mobile', 'tablet'] as const;
const OTHER = 'other or unknown device';

const truth = (wanted: Partial<Wanted> = {}) => truthOf(platform(), { ...WIRE, ...wanted });
const textOf = (answer: { readonly text: string }) => answer.text;

/** What the sessions of some days were, day by day. */
function sumOf(days: readonly string[], wanted: Partial<Wanted> = {}) {
  const sum = { visits: 0, bounces: 0, transactions: 0, revenue: 0, conversions: 0 };
  for (const day of days) {
    const part = truth({ ...wanted, ...wholeDays(day) });
    for (const name of ['visits', 'bounces', 'transactions', 'revenue', 'conversions'] as const) sum[name] += part[name];
  }
  return sum;
}

describe('weekdays', () => {
  const names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
  // From a Thursday to today, which is a Friday at ten.
  const range = { startDate: '2026-11-05', endDate: 'now' };
  const days = times(15, (index) => dayAfter('2026-11-05', index));
  const daysOf = (name: unknown) => days.filter((day) => names.indexOf(String(name)) === (new Date(day).getUTCDay() + 6) % 7);

  it('are made of whole days: counts added, rates and averages from what they are of', { tags: 'nightly' }, async () => {
    const answer = await call('query_metrics', {
      ...range,
      metrics: ['visits', 'conversionRate', 'bounceRate', 'cartAverage', 'revenueSum'],
      breakdown: ['weekday'],
    });
    const rows = records(answer);
    expect(rows.map(({ weekday }) => weekday)).toEqual(names);
    for (const row of rows) {
      const own = daysOf(row['weekday']);
      const { visits, bounces, conversions, revenue, transactions } = sumOf(own);
      expect(row).toEqual({
        weekday: row['weekday'],
        visits,
        conversionRate: expect.closeTo((100 * conversions) / visits, 3),
        bounceRate: expect.closeTo((100 * bounces) / visits, 3),
        cartAverage: expect.closeTo(revenue / transactions, 2),
        revenueSum: expect.closeTo(revenue, 2),
        days: own.length,
      });
    }
    expect(textOf(answer)).toContain('Not in these rows, because not whole: 2026-11-20.');
    expect(answer.structured['units']).toMatchObject({ days: 'whole days', visits: 'sessions' });
  });

  it('of zones have no rate of several days, because users are not given, and the rate of a single one', { tags: 'nightly' }, async () => {
    const zone = { zoneIds: [8_120_571], metrics: ['tapRate', 'totalRevenueWithTap'], breakdown: ['weekday'] };
    const answer = await app.call('query_metrics', { ...zone, startDate: '2026-11-09', endDate: '2026-11-16' });
    const daily = records(await app.call('query_metrics', { ...zone, ...WEEK, endDate: '2026-11-16', breakdown: ['day'] }));
    const [monday, tuesday] = records(answer);
    const revenue = Number(daily[0]?.['totalRevenueWithTap']) + Number(daily[7]?.['totalRevenueWithTap']);
    expect(monday).toEqual({ weekday: 'Monday', tapRate: null, totalRevenueWithTap: expect.closeTo(revenue, 2), days: 2 });
    expect(tuesday).toMatchObject({ tapRate: daily[1]?.['tapRate'], days: 1 });
    expect(textOf(answer)).toContain('No value by weekday for tapRate (users)');
  });

  it('need a whole day', async () => {
    const answer = await call('query_metrics', { startDate: 'today', endDate: 'now', metrics: ['visits'], breakdown: ['weekday'] });
    expect(answer).toMatchObject(refusal('weekday needs whole days'));
  });
});

it('totals are rows of the whole range, whose rates are exact', { tags: 'nightly' }, async () => {
  for (const unit of ['day', 'week', 'month']) {
    const args = {
      startDate: '2026-10-28',
      endDate: '2026-11-03',
      metrics: ['visits', 'conversionRate'],
      breakdown: [unit],
      totals: true,
    };
    const rows = records(await call('query_metrics', args));
    const { visits, conversionRate } = truth(wholeDays('2026-10-28', '2026-11-03'));
    expect(rows.at(-1)).toEqual({ [unit]: 'total', visits, conversionRate: expect.closeTo(conversionRate, 3) });
    expect(rows.slice(0, -1).reduce((sum, row) => sum + Number(row['visits']), 0)).toBe(visits);
  }
});

it('totals of segments are all visitors, of devices all', { tags: 'nightly' }, async () => {
  const segments = records(await call('query_metrics', { ...WEEK, metrics: ['visits'], compareSegments: ['Germany'], totals: true }));
  expect(segments).toEqual([
    { segment: 'Germany', visits: truth({ segment: 'Germany' }).visits },
    { segment: 'all visitors', visits: truth().visits },
  ]);
  const devices = records(await call('query_metrics', { ...WEEK, metrics: ['visits'], devices: ['mobile', 'tablet'], totals: true }));
  expect(devices).toEqual(['all', 'mobile', 'tablet'].map((device) => ({ device, visits: truth({ device: device as 'all' }).visits })));
});

it('shares are of all devices and all visitors of the same time', { tags: 'nightly' }, async () => {
  const answer = await call('query_metrics', {
    startDate: '2026-11-09',
    endDate: '2026-11-10',
    metrics: ['visits', 'revenueSum', 'bounceRate'],
    breakdown: ['day'],
    devices: ['mobile', 'desktop'],
    compareSegments: ['New visitors', 'Germany'],
    shares: true,
  });
  const rows = records(answer);
  expect(rows).toHaveLength(8);
  for (const row of rows) {
    const day = wholeDays(String(row['day']));
    const whole = truth(day);
    const part = truth({ ...day, device: row['device'] as 'mobile', segment: String(row['segment']) });
    expect(row).toEqual({
      day: row['day'],
      device: row['device'],
      segment: row['segment'],
      visits: part.visits,
      revenueSum: expect.closeTo(part.revenue, 2),
      bounceRate: expect.closeTo(part.bounceRate, 3),
      visitsShare: expect.closeTo((100 * part.visits) / whole.visits, 3),
      revenueSumShare: expect.closeTo((100 * part.revenue) / whole.revenue, 3),
    });
  }
  expect(textOf(answer)).toContain('Shares are percent of all devices and all visitors of the same time. Segments may overlap.');
});

it('shares of rows of time are of their sum', async () => {
  const answer = await call('query_metrics', { ...WEEK, metrics: ['visits'], devices: ['mobile'], breakdown: ['weekday'], shares: true });
  const [monday] = records(answer);
  const own = truth({ ...wholeDays('2026-11-09'), device: 'mobile' }).visits;
  expect(monday?.['visitsShare']).toBeCloseTo((100 * own) / truth({ device: 'mobile' }).visits, 3);
  expect(records(answer).reduce((sum, row) => sum + Number(row['visitsShare']), 0)).toBeCloseTo(100, 3);
});

it.each([
  [{ metrics: ['visits'], shares: true }, 'shares: there is nothing to be a share of'],
  [{ metrics: ['conversionCount'], breakdown: ['goal'], shares: true }, 'shares: there is nothing to be a share of'],
  [{ metrics: ['bounceRate'], breakdown: ['device'], shares: true }, 'shares: none of bounceRate is a count or an amount'],
  [{ metrics: ['conversionCount'], goalIds: ['all'], totals: true }, 'totals: there are no rows to add up'],
])('shares are refused where there is no whole: %j', async (args, words) => {
  expect(await call('query_metrics', { ...WEEK, ...args })).toMatchObject(refusal(words));
});

it('visits on none of the devices are a row made by subtraction', async () => {
  const answer = await call('query_metrics', { ...WEEK, metrics: ['all'], breakdown: ['device'] });
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
  expect(textOf(answer)).toContain(`${OTHER}: ${visits} visits`);
});

it('visits on none of the devices are no row where devices add up or one of them was not asked for', { tags: 'nightly' }, async () => {
  const named = await call('query_metrics', { ...WEEK, metrics: ['visits'], devices: ['all', 'mobile'] });
  expect(records(named).map(({ device }) => device)).toEqual(['all', 'mobile']);
  const within = await call('query_metrics', { ...WEEK, metrics: ['visits'], breakdown: ['device'], segmentIds: ['Mobile Safari'] });
  expect(records(within).map(({ device }) => device)).toEqual([...DEVICES]);
});

it('all visitors beside segments are those within segmentIds', { tags: 'nightly' }, async () => {
  const args = { metrics: ['visits'], segmentIds: ['Germany'], compareSegments: ['all visitors', 'Germany', 'New visitors'] };
  const [all, germany, both] = records(await call('query_metrics', { ...WEEK, ...args }));
  const { visits } = truth({ segment: 'Germany' });
  expect([all, germany]).toEqual([
    { segment: 'all visitors', visits },
    { segment: 'Germany', visits },
  ]);
  expect(Number(both?.['visits'])).toBeLessThan(visits);
});

it('all visitors beside segments are a side of a comparison at the same time, which is told to contain the other', {
  tags: 'nightly',
}, async () => {
  const args = { startDate: '2026-10-19', endDate: '2026-11-15', metrics: ['conversionRate'] };
  const answer = await call('compare_metrics', { ...args, by: 'segment', compareSegments: ['Paid search', 'all visitors'] });
  const range = { from: '2026-10-19T00:00:00.000Z', to: WIRE.to };
  expect(records(answer).map(({ segment, value }) => [segment, value])).toEqual([
    ['Paid search', expect.closeTo(truth({ ...range, segment: 'Paid search' }).conversionRate, 3)],
    ['all visitors', expect.closeTo(truth(range).conversionRate, 3)],
  ]);
  expect(records(answer)[1]?.['verdict']).not.toBe('not enough data');
  expect(textOf(answer)).toContain('all visitors include the segments beside them');
});

it('all visitors beside segments are no segment where one is meant', async () => {
  const answer = await call('query_metrics', { ...WEEK, metrics: ['visits'], segmentIds: ['all visitors'] });
  expect(answer).toMatchObject(refusal('there is no segment "all visitors"'));
});

describe('money', { tags: 'nightly' }, () => {
  const cents = (amount: number) => amount.toFixed(2);

  it('keeps its cents in text, however large it is', async () => {
    const week = await call('query_metrics', { ...WEEK, metrics: ['revenueSum'], breakdown: ['device'] });
    for (const device of DEVICES) expect(textOf(week)).toContain(`${device}\t${cents(truth({ device }).revenue)}\n`);
    expect(textOf(week)).not.toContain('are rounded in this text');
    const range = wholeDays('2026-10-01', '2026-10-31');
    const month = await call('query_metrics', { startDate: '2026-10', endDate: '2026-10', metrics: ['revenueSum'] });
    const { revenue } = truth(range);
    expect(records(month)).toEqual([{ revenueSum: Number(cents(revenue)) }]);
    expect(textOf(month)).toContain(`\n${cents(revenue)}\n`);
  });

  it('keeps them in comparisons: of periods, of devices, and of what revenue is made of', async () => {
    const periods = await call('compare_metrics', { ...WEEK, metrics: ['revenueSum'] });
    const before = truth(wholeDays('2026-11-02', '2026-11-08')).revenue;
    const after = truth().revenue;
    expect(textOf(periods)).toContain(`EUR\t${cents(before)}\t${cents(after)}\t${cents(after - before)}\t`);
    expect(textOf(periods)).toContain(
      `tablet\t${cents(truth({ from: '2026-11-02T00:00:00.000Z', to: '2026-11-08T23:59:59.999Z', device: 'tablet' }).revenue)}\t`,
    );
    expect(textOf(periods)).toContain(`revenue: change ${cents(after - before)} · `);
    const sides = await call('compare_metrics', { ...WEEK, metrics: ['revenueSum'], by: 'device' });
    const [desktop, mobile] = (['desktop', 'mobile'] as const).map((device) => truth({ device }).revenue);
    const difference = Number(cents((mobile ?? 0) - (desktop ?? 0)));
    expect(records(sides)).toContainEqual(expect.objectContaining({ value: expect.closeTo(mobile ?? 0, 2), difference }));
    expect(textOf(sides)).toContain(`mobile\t${cents(mobile ?? 0)}\t${cents(difference)}\t`);
  });
});

const expected = (args: Record<string, unknown>) => call('query_metrics', { metrics: ['visits'], ...args, expected: true });

/** A row with figures in order: low, expected, high. */
function requireOrder(row: Record<string, unknown>, prefix = ''): void {
  const [low, middle, high] = (prefix === '' ? ['low', 'expected', 'high'] : ['Low', 'Expected', 'High']).map((part) =>
    Number(row[`${prefix}${part}`]),
  );
  expect(low).toBeLessThan(middle ?? 0);
  expect(middle).toBeLessThan(high ?? 0);
}

describe('what was to be expected', () => {
  it('knows last year from about the first day that the platform keeps, which refuses the days before it', async () => {
    await expected({ startDate: '2026-11-01', endDate: '2026-11-15', breakdown: ['day'] });
    const starts = platform().requests.flatMap(({ url }) => /startDate=(2025-[\d-]+)/.exec(url)?.[1] ?? []);
    // Thirteen months are kept, since 20 October of the year before.
    expect(starts).toContain('2025-10-22');
  });

  it('stands beside what was counted, by week, with a verdict that the first sentence counts', { tags: 'nightly' }, async () => {
    const answer = await expected({ startDate: '2026-09-07', endDate: '2026-11-15', breakdown: ['week'] });
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
    const args = { startDate: '2026-10-19', endDate: '2026-11-15', breakdown: ['day'] };
    const [all, first] = [await expected(args), await expected({ ...args, limit: 3 })];
    const largest = records(all).toSorted((a, b) => Number(b['visits']) - Number(a['visits']));
    expect(records(first)).toEqual(largest.slice(0, 3));
    expect(first.structured['answer']).toBe(all.structured['answer']);
  });

  it('finds the days of the planted fall of a rate, and no day before it', { tags: 'nightly' }, async () => {
    const { startDay, device } = platform().stories.conversionFall;
    const answer = await expected({
      metrics: ['conversionRate'],
      startDate: '2026-11-01',
      endDate: 'yesterday',
      breakdown: ['day'],
      devices: [device],
    });
    const rows = records(answer);
    expect(rows.filter(({ day, verdict }) => String(day) < startDay && verdict !== 'normal')).toEqual([]);
    const after = rows.filter(({ day }) => String(day) >= startDay);
    expect(after.filter(({ verdict }) => verdict === 'low').length).toBeGreaterThan(after.length / 2);
  });

  it('is a forecast of days that are not over: of a week ahead one row, without a value', async () => {
    const answer = await expected({ startDate: '2026-11-23', endDate: '2026-11-29' });
    const row = only(answer);
    expect(row).toMatchObject({ visits: null, verdict: 'forecast' });
    requireOrder(row);
    expect(answer.text).toMatch(/^Visits from 23 to 29 Nov: [\d,]+ expected \([\d,]+ to [\d,]+\)\./);
    expect(answer.structured['notes']).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Special days: Black Friday week from 23 to 26 Nov \(.*\), Black Friday on 27 Nov \(/),
      ]),
    );
  });

  it('holds the days that are over and those ahead, each metric with columns of its own', { tags: 'nightly' }, async () => {
    const answer = await expected({
      metrics: ['conversionRate', 'revenueSum'],
      startDate: '2026-11-16',
      endDate: '2026-11-25',
      breakdown: ['day'],
    });
    const rows = records(answer);
    expect(rows.map(({ revenueSumVerdict }) => revenueSumVerdict === 'forecast')).toEqual(times(10, (at) => at >= 4));
    for (const row of rows) for (const metric of ['conversionRate', 'revenueSum']) requireOrder(row, metric);
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

  it.each([
    [
      'days further ahead than 28',
      { startDate: '2026-12-18', endDate: '2026-12-31' },
      'startDate: a forecast reaches 28 days ahead, to 2026-12-17.',
    ],
    ['hours', { ...WEEK, breakdown: ['hour'] }, 'expected: rows are of days, weeks, months, quarters or the whole range, not by hour.'],
  ])('is refused of %s, in words', async (_, args, words) => {
    expect(await expected(args)).toMatchObject(refusal(words));
  });

  it('of days further ahead than 28 is cut, and says so', async () => {
    const answer = await expected({ startDate: '2026-11-23', endDate: '2026-12-31' });
    expect(answer.structured['notes']).toContain('endDate was cut: a forecast reaches 28 days ahead, to 2026-12-17.');
    expect(only(answer)).toEqual(only(await expected({ startDate: '2026-11-23', endDate: '2026-12-17' })));
  });

  it('stands beside the total of its rows too, as beside the whole range', async () => {
    const days = { startDate: '2026-11-09', endDate: '2026-11-15' };
    const [{ day, ...total } = {}] = records(await expected({ ...days, breakdown: ['day'], totals: true })).slice(-1);
    expect([day, total]).toEqual(['total', only(await expected(days))]);
  });

  it('alone lets a date lie ahead', async () => {
    const answer = await call('query_metrics', { metrics: ['visits'], startDate: '2026-11-23', endDate: '2026-11-29' });
    expect(answer).toMatchObject(refusal('startDate: "2026-11-23" lies in the future'));
  });
});
