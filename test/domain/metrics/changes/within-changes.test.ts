import { describe, expect, it } from 'vitest';
import { type ChangeSeries, type Place, sceneOf, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import type { ChangeEvent } from '../../../../src/domain/metrics/changes/events.ts';
import { findChanges, heldWithin } from '../../../../src/domain/metrics/changes/find-changes.ts';
import { lookThrough } from '../../../../src/domain/metrics/engine/scan.ts';
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

function sceneWith(series: readonly ChangeSeries[]) {
  const [from, to] = [day(HISTORY), day(DAYS - 1)];
  return sceneOf(series, lookThrough(series, from, to), { base, from, to });
}

/** A change of the rate on some days, as if it had been found there. */
function event(from: number, to: number | undefined, relative: number, pValue: number): ChangeEvent {
  const part = { metric: 'conversionRate', place: base, relative, low: relative - 0.1, high: relative + 0.1, score: 5 };
  const days = (to ?? DAYS - 1) - from + 1;
  const dates = { from: day(from), to: to === undefined ? undefined : day(to), earliest: day(from - 8), latest: day(from), days };
  const shape = to === undefined || days > 1 ? 'step' : 'outlier';
  return { shape, ...dates, place: base, parts: [part], pValue };
}

describe('a change inside a larger one', () => {
  const outer = event(BREAK, undefined, -0.6, 1e-40);

  it('is none where its days are usual ones of that, however clear they are against the days before it', () => {
    const scene = sceneWith(seriesOf((at) => (at >= BREAK ? 0.4 : 1)));
    expect(heldWithin(scene, [outer, event(BREAK + 6, BREAK + 6, -0.5, 1e-6)], 0.001)).toEqual([outer]);
    expect(heldWithin(scene, [outer, event(BREAK + 9, undefined, -0.3, 1e-6)], 0.001)).toEqual([outer]);
  });

  it('is told where it stands out there too, with its size against that level and no first day before it', () => {
    const scene = sceneWith(seriesOf((at) => (at >= BREAK + 7 ? 0.5 : 1) * (at >= BREAK ? 0.4 : 1)));
    const [first, second] = heldWithin(scene, [outer, event(BREAK + 7, undefined, -0.8, 1e-20)], 0.001);
    expect(first).toBe(outer);
    expect(second?.parts[0]?.relative).toBeCloseTo(-0.5, 0);
    expect(second?.parts[0]?.high).toBeLessThan(-0.2);
    expect(second?.earliest).toBe(day(BREAK + 1));
  });

  it('stays as it is where its own series does not show the other, or that is the less clear one', () => {
    const scene = sceneWith(seriesOf((at) => (at >= BREAK + 7 ? 0.5 : 1)));
    const own = event(BREAK + 7, undefined, -0.5, 1e-20);
    expect(heldWithin(scene, [outer, own], 0.001)).toContain(own);
    expect(heldWithin(scene, [event(BREAK, undefined, -0.6, 1e-10), own], 0.001)).toContain(own);
  });
});

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
