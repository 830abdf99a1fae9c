import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { type ChangeSeries, type Place, seriesId } from '../../../src/metrics/changes/change-series.ts';
import { findChanges } from '../../../src/metrics/changes/locate-changes.ts';
import { seeded } from '../../bench/verdicts/random.ts';

const [HISTORY, DAYS, BREAK] = [84, 112, 96];
const base: Place = { device: 'all' };
const day = (at: number) => dayAfter('2026-06-01', at);
const { binomial, poisson, uniform } = seeded(4);
const halved = (at: number) => (at >= BREAK ? 0.5 : 1);

function seriesOf(metric: string, kind: ChangeSeries['kind'], of: (at: number) => readonly [number, number?], place = base): ChangeSeries {
  const days = Array.from({ length: DAYS }, (_, at) => {
    const [numerator, denominator = 1] = of(at);
    return { label: day(at), numerator, denominator, isWhole: true };
  });
  return { id: seriesId(metric, place), metric, place, kind, days };
}

const toldOf = async (series: readonly ChangeSeries[], metrics: readonly string[], isOfOtherGoal = false) =>
  (await findChanges({ series, metrics, isOfOtherGoal, base, from: day(HISTORY), to: day(DAYS - 1) }, AbortSignal.any([]))).changes;

it('a change of conversions has no cost in revenue where the goal is another one than that of it', async () => {
  const rows = Array.from({ length: DAYS }, (_, at) => {
    const visits = poisson(3_000);
    return { visits, orders: binomial(visits, 0.04 * halved(at)) };
  });
  const rowAt = (at: number) => rows[at] ?? { visits: 0, orders: 0 };
  const series = [
    seriesOf('visits', 'count', (at) => [rowAt(at).visits]),
    seriesOf('conversionRate', 'share', (at) => [rowAt(at).orders, rowAt(at).visits]),
    seriesOf('conversionCount', 'count', (at) => [rowAt(at).orders]),
    seriesOf('revenueSum', 'amount', (at) => [80 * rowAt(at).orders]),
  ];
  const all = series.map(({ metric }) => metric);
  expect((await toldOf(series, all, true))[0]?.cost?.metric).toBe('conversionCount');
  // In a scan of revenue alone it is told by its factor, with the cost that a scan of everything gives it.
  const [ofRevenue, ofAll] = [await toldOf(series, ['revenueSum']), await toldOf(series, all)];
  expect(ofRevenue.map(({ parts }) => parts.map(({ metric }) => metric))).toEqual([['conversionRate']]);
  expect([ofRevenue[0]?.from, ofRevenue[0]?.cost]).toEqual([ofAll[0]?.from, ofAll[0]?.cost]);
});

it('revenue of a zone follows from the tap rate that moved it, and is no change beside it', async () => {
  const zone: Place = { device: 'all', zoneId: 7 };
  const average = (value: number): [number, number] => [1_000 * value, 1_000];
  const series = [
    seriesOf('tapRate', 'average', (at) => average(0.2 * halved(at) * (1 + uniform() / 4)), zone),
    seriesOf('revenuePerTap', 'average', () => average(40 + uniform()), zone),
    // Steadier than the rate, so that it is by far the clearest.
    seriesOf('totalRevenueWithTap', 'amount', (at) => [halved(at) * (40_000 + 100 * uniform())], zone),
  ];
  const told = await toldOf(series, ['totalRevenueWithTap']);
  expect(told.map(({ from, parts }) => [from, ...parts.map(({ metric }) => metric)])).toEqual([[day(BREAK), 'tapRate']]);
});
