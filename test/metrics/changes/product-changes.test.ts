import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { type ChangeSeries, type Place, seriesId } from '../../../src/metrics/changes/change-series.ts';
import { findChanges } from '../../../src/metrics/changes/locate-changes.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { pointsFrom } from '../points.ts';

const [HISTORY, DAYS, BREAK] = [84, 112, 96];
const base: Place = { device: 'all' };
const day = (at: number) => dayAfter('2026-06-01', at);
const { binomial, poisson, uniform } = seeded(4);
const halved = (at: number) => (at >= BREAK ? 0.5 : 1);

const seriesOf = (metric: string, kind: ChangeSeries['kind'], of: Parameters<typeof pointsFrom>[2], place = base): ChangeSeries => ({
  id: seriesId(metric, place),
  metric,
  place,
  kind,
  days: pointsFrom(day(0), DAYS, of),
});

const toldOf = async (series: readonly ChangeSeries[], metrics: readonly string[], isOfOtherGoal = false) =>
  (await findChanges({ series, metrics, isOfOtherGoal, base, from: day(HISTORY), to: day(DAYS - 1) }, AbortSignal.any([]))).changes;

it('a change of conversions has no cost in revenue where the goal is another one than that of it', async () => {
  const rows = times(DAYS, (at): [orders: number, visits: number] => {
    const visits = poisson(3_000);
    return [binomial(visits, 0.04 * halved(at)), visits];
  });
  const rowAt = (at: number) => rows[at] ?? [0, 0];
  const series = [
    seriesOf('visits', 'count', (at) => rowAt(at)[1]),
    seriesOf('conversionRate', 'share', rowAt),
    seriesOf('conversionCount', 'count', (at) => rowAt(at)[0]),
    seriesOf('revenueSum', 'amount', (at) => 80 * rowAt(at)[0]),
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
    seriesOf('totalRevenueWithTap', 'amount', (at) => halved(at) * (40_000 + 100 * uniform()), zone),
  ];
  const told = await toldOf(series, ['totalRevenueWithTap']);
  expect(told.map(({ from, parts }) => [from, ...parts.map(({ metric }) => metric)])).toEqual([[day(BREAK), 'tapRate']]);
});
