import { describe, expect, it } from 'vitest';
import { type ChangeSeries, type Place, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import { findChanges } from '../../../../src/domain/metrics/changes/find-changes.ts';
import { dayAfter } from '../../../../src/lib/calendar.ts';
import { seeded } from '../../../bench/verdicts/random.ts';

const [FIRST, HISTORY, DAYS, BREAK] = ['2026-06-01', 84, 112, 96];
const base: Place = { device: 'all' };
const day = (at: number) => dayAfter(FIRST, at);

/** Visits, orders and revenue of a site whose rate is another by these factors of its days. */
function seriesOf(factorAt: (at: number) => number): ChangeSeries[] {
  const random = seeded(4);
  const rows = Array.from({ length: DAYS }, (_, at) => {
    const visits = random.poisson(3_000);
    return { label: day(at), visits, orders: random.binomial(visits, 0.04 * factorAt(at)), isWhole: true };
  });
  const series = (metric: string, kind: ChangeSeries['kind'], of: (row: (typeof rows)[number]) => [number, number]): ChangeSeries => {
    const days = rows.map((row) => ({ label: row.label, numerator: of(row)[0], denominator: of(row)[1], isWhole: true }));
    return { id: seriesId(metric, base), metric, place: base, kind, days };
  };
  return [
    series('visits', 'count', ({ visits }) => [visits, 1]),
    series('conversionRate', 'share', ({ orders, visits }) => [orders, visits]),
    series('conversionCount', 'count', ({ orders }) => [orders, 1]),
    series('revenueSum', 'amount', ({ orders }) => [80 * orders, 1]),
  ];
}

describe('a change that conversions or revenue show', () => {
  const series = seriesOf((at) => (at >= BREAK ? 0.5 : 1));
  const scanned = { series, base, from: day(HISTORY), to: day(DAYS - 1) };

  it('has no cost in revenue where the goal is another one than that of it', async () => {
    const told = async (metrics: readonly string[], isOfOtherGoal: boolean) =>
      (await findChanges({ ...scanned, metrics, isOfOtherGoal }, AbortSignal.any([]))).changes;
    const all = ['visits', 'conversionRate', 'conversionCount', 'revenueSum'];
    expect((await told(all, true))[0]?.cost?.metric).toBe('conversionCount');
    // In a scan of revenue alone it is told by its factor, with the cost that a scan of everything gives it.
    const [ofRevenue, ofAll] = [await told(['revenueSum'], false), await told(all, false)];
    expect(ofRevenue.map(({ parts }) => parts.map(({ metric }) => metric))).toEqual([['conversionRate']]);
    expect([ofRevenue[0]?.from, ofRevenue[0]?.cost]).toEqual([ofAll[0]?.from, ofAll[0]?.cost]);
  });
});
