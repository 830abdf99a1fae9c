import { describe, expect, it } from 'vitest';
import { truthOf } from '../../support/truth.ts';
import { findingsOf, only, records, refusal, useTools, WEEK } from '../support.ts';

const { call, platform } = useTools();
const expected = (args: Record<string, unknown>) => call('query_metrics', { metrics: ['visits'], ...args, expected: true });
const wire = (from: string, to: string) => ({ from: `${from}T00:00:00.000Z`, to: `${to}T23:59:59.999Z` });

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
    expect(rows.at(-1)).toMatchObject({ week: '2026-11-09', visits: truthOf(platform(), wire('2026-11-09', '2026-11-15')).visits });
    const clear = rows.filter(({ verdict }) => verdict !== 'normal');
    expect(clear.length).toBeGreaterThan(1);
    expect(answer.text).toMatch(new RegExp(`^Of 10 weeks, ${clear.length} were unusual\\.`));
    const told = findingsOf(answer).map(({ when: { from }, verdict, now, against }) => [from, verdict, now, against?.what]);
    expect(new Set(told)).toEqual(
      new Set(clear.map(({ week, verdict, visits }) => [week, verdict === 'high' ? 'higher' : 'lower', visits, 'expected'])),
    );
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
    expect(rows.map(({ revenueSumVerdict }) => revenueSumVerdict === 'forecast')).toEqual(Array.from({ length: 10 }, (_, at) => at >= 4));
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
