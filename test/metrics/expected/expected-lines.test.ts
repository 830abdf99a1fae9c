import { expect, it } from 'vitest';
import { dayAfter, type Interval, slotsOf } from '../../../src/lib/calendar.ts';
import { type ExpectedInput, type FoundChange, withExpected } from '../../../src/metrics/expected/expected-lines.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { NOTHING_KNOWN } from '../points.ts';

const [FIRST, LAST] = ['2026-03-02', '2026-08-30'] as const;
const WEEKS = 8;
const interval = { startMs: Date.parse(FIRST), endMs: Date.parse(`${LAST}T23:59:59.999Z`) };
const rowsFrom = Date.parse('2026-07-06');

type Day = Pick<ExpectedInput['days'][number], 'interval' | 'values'>;
const visitsIn = (days: readonly Day[], { startMs, endMs }: Interval) =>
  days
    .filter(({ interval: own }) => own.startMs >= startMs && own.endMs <= endMs)
    .reduce((sum, { values }) => sum + (values['visits'] ?? 0), 0);

/** Eight whole weeks of visits, which are fewer from the third of them on, up to some day: by a third, where no level is given. */
function input(unit: 'day' | 'week', until: string, level = 4_000): ExpectedInput {
  const random = seeded(3);
  const selection = { device: 'all', segmentIds: [] };
  const days = slotsOf('day', interval, 'UTC').map(({ label, startMs, endMs }) => {
    const visits = random.poisson((label >= '2026-07-20' && label <= until ? level : 6_000) * Math.exp(0.03 * random.normal()));
    return { selection, range: 0, interval: { label, startMs, endMs }, values: { visits } };
  });
  const asked = { startMs: rowsFrom, endMs: interval.endMs };
  const lines = slotsOf(unit, asked, 'UTC').map((slot) => {
    return { selection, range: 0, interval: slot, values: { visits: visitsIn(days, slot) }, order: slot.startMs };
  });
  const query = { metrics: ['visits'], bases: [], breakdown: [unit], interval: asked };
  return { query, lines, days, known: NOTHING_KNOWN, timeZone: 'UTC' } as never; // all that is read
}

const cellsOf = (unit: 'day' | 'week', until: string = LAST) =>
  withExpected(input(unit, until)).map(({ expected }) => expected?.['visits']);

const verdictsOf = (until?: string) => cellsOf('week', until).map((cell) => cell?.verdict);
const ordinary = (rows: number) => times(rows, () => 'normal');

it('each week is held against all days before it: a fall is told for two weeks, then it is the level', () => {
  expect(verdictsOf()).toEqual([...ordinary(2), 'low', 'low', ...ordinary(WEEKS - 4)]);
  const widths = cellsOf('week').map((cell) => (cell?.high ?? 0) / (cell?.low ?? 1));
  // Without turns no row has the bounds of a forecast of four weeks.
  expect(Math.max(...widths) - 1).toBeLessThan(2.5 * (Math.min(...widths) - 1));
});

it('one unusual week does not teach what the next is held against', () => {
  expect(verdictsOf('2026-07-26')).toEqual([...ordinary(2), 'low', ...ordinary(WEEKS - 3)]);
});

it('days are learned of in turns of a week, so that a fall stays one for two of them', () => {
  const cells = cellsOf('day');
  expect(cells).toHaveLength(7 * WEEKS);
  expect(cells.slice(14, 28).every((cell) => cell?.verdict === 'low')).toBe(true);
  expect(cells.slice(28).filter((cell) => cell?.verdict === 'low').length).toBeLessThanOrEqual(3);
});

it('the days of a change that is told are not what later rows are held against', () => {
  const from = '2026-07-20';
  const told = (change: object, device = 'all') => [{ reading: { device, segmentIds: [] }, metric: 'visits', change } as never];
  const verdictsBeside = (...found: Parameters<typeof told>) =>
    withExpected(input('week', LAST), told(...found)).map(({ expected }) => expected?.['visits']?.verdict);
  expect(verdictsBeside({ from })).toEqual([...ordinary(2), ...times(WEEKS - 2, () => 'low')]);
  expect(verdictsBeside({ from }, 'mobile')).toEqual(verdictsOf());
  // What the season may have made is usual from its eleventh day on, wherever the rows begin.
  const season = { shape: 'step', from, earliest: from, latest: from, days: 42, relative: -0.08, low: -0.09, high: -0.07 };
  const last = withExpected(input('week', LAST, 5_500), told(season)).at(-1)?.expected?.['visits'];
  expect(Number(last?.expected) / (7 * 5_500)).toBeCloseTo(1, 1);
  expect(last?.verdict).toBe('normal');
});

/** The third week, whose first days are a fair of which no year is known, at so many times the visits. */
function thirdWeek(days: number, factor: number, until = '') {
  const { days: rows, ...rest } = input('week', until);
  const isFair = (label = '') => label >= '2026-07-20' && label < dayAfter('2026-07-20', days);
  const raised = rows.map((row) => {
    const { label = '' } = row.interval;
    return { ...row, values: { visits: Math.round((row.values['visits'] ?? 0) * (isFair(label) ? factor : 1)) } };
  });
  const lines = rest.lines.map((line) => ({ ...line, values: { visits: visitsIn(raised, line.interval) } }));
  const of = (_: string, label: string) => (isFair(label) ? { special: { mean: 0, sd: 0.3 }, unseen: 'Fair' } : {});
  const told = { ...rest, lines, days: raised, known: { ...rest.known, of } } as ExpectedInput;
  return withExpected(told)[2]?.expected?.['visits'];
}

it('special days of an unknown effect make a row high by its own bounds; of a fall beside them they are no cause', () => {
  expect(thirdWeek(2, 1.2)).toMatchObject({ verdict: 'high', unseen: ['Fair'] });
  expect(thirdWeek(2, 1.1)).toMatchObject({ verdict: 'normal', unseen: [] });
  expect(thirdWeek(1, 1, '2026-07-26')).toMatchObject({ verdict: 'low', unseen: [] });
});

/** Four weeks of revenue behind a fall of the rate some days before them, which the scatter of the baskets hides. */
function revenueInput(daysBefore: number): { input: ExpectedInput; from: string; told: FoundChange } {
  const random = seeded(5);
  const from = dayAfter('2026-07-06', -daysBefore);
  const { query, days, ...rest } = input('week', '');
  const sold = days.map((row) => {
    const orders = random.poisson((row.interval.label ?? '') >= from ? 150 : 200);
    return { ...row, values: { conversionCount: orders, revenueSum: 80 * orders * Math.exp(0.25 * random.normal()) } };
  });
  return {
    input: { ...rest, query: { ...query, metrics: ['revenueSum'] }, days: sold },
    from,
    told: { reading: { device: 'all', segmentIds: [] }, metric: 'conversionRate', change: { from } } as never,
  };
}

const firstOf = (own: ExpectedInput, told: Parameters<typeof withExpected>[1] = []) =>
  withExpected(own, told)[0]?.expected?.['revenueSum']?.expected ?? 0;

it('a rate that changed some days before the rows leaves revenue, like itself, held against the days before it', () => {
  const { input: sold, told, from } = revenueInput(8);
  const before = { ...sold, days: sold.days.filter(({ interval: { label = '' } }) => label < from || label >= '2026-07-06') };
  expect(firstOf(sold, [told])).toBe(firstOf(before));
  expect(firstOf(sold, [told])).toBeGreaterThan(firstOf(sold));
});

it('a rate that changed weeks before the rows holds revenue to the level since, which its own days do not show', () => {
  const { input: sold, told } = revenueInput(21);
  const level = 7 * 80 * 150 * Math.exp(0.25 ** 2 / 2);
  expect(Math.abs(firstOf(sold, [told]) / level - 1)).toBeLessThan(0.05);
  expect(firstOf(sold) / level).toBeGreaterThan(1.1);
});
