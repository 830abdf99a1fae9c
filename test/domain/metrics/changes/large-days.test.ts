import { describe, expect, it } from 'vitest';
import { type ChangeSeries, type Place, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import { findChanges } from '../../../../src/domain/metrics/changes/find-changes.ts';
import { largeDays, largeDaysSentence } from '../../../../src/domain/metrics/changes/large-days.ts';
import { lookThrough } from '../../../../src/domain/metrics/engine/scan.ts';
import { drawWorld, METRIC_NAMES, METRICS, pointsOf, type World } from '../../../bench/verdicts/metrics/world.ts';

const [HISTORY, DAYS] = [84, 112];
const base: Place = { device: 'all' };

/** What is told of a world without changes, in which the revenue of one day is so many times as high by one order. */
async function toldOf(world: World, factor: number, metrics: readonly string[] = METRIC_NAMES) {
  const day = world.labels[HISTORY + 10];
  const series = METRIC_NAMES.map((metric): ChangeSeries => {
    const days = pointsOf(world, metric, {}).map((point) =>
      metric === 'revenueSum' && point.label === day ? { ...point, numerator: factor * point.numerator } : point,
    );
    return { id: seriesId(metric, base), kind: METRICS[metric].kind, metric, place: base, days };
  });
  const from = world.labels[HISTORY] ?? '';
  return { day, ...(await findChanges({ series, metrics, base, from, to: world.labels[DAYS - 1] ?? '' }, AbortSignal.any([]))) };
}

const draw = (seed: number) => drawWorld({ seed, visitsPerDay: 3_000, days: DAYS, history: HISTORY, planted: [] });

describe('a day of revenue that one very large order may make', () => {
  it('is told beside the list, in which it is not', async () => {
    const { day, changes, large } = await toldOf(draw(5), 2.4);
    expect(changes).toEqual([]);
    expect(large).toMatchObject([{ day, device: 'all' }]);
    expect(large[0]?.relative).toBeGreaterThan(0.9);
    expect(large[0]?.relative).toBeLessThan(2);
  });

  it('is none of the usual days, nor told where revenue was not asked for', async () => {
    for (const seed of [5, 6, 7, 8]) expect((await toldOf(draw(seed), 1)).large).toEqual([]);
    expect((await toldOf(draw(5), 2.4, ['visits'])).large).toEqual([]);
  });

  it('of visits is told beside the list where it is beyond chance among its days alone, however few are missing elsewhere', () => {
    const day = { day: '2026-11-23', metric: 'visits' as const, relative: -0.43, device: 'all' as const };
    expect(largeDaysSentence([day])).toBe(
      'Beside the list 2026-11-23 visits -43% stands out: beyond chance among these days alone, not among all series looked at.',
    );
    const fallen = draw(5);
    const [from, to, label] = [fallen.labels[HISTORY] ?? '', fallen.labels[DAYS - 1] ?? '', fallen.labels[HISTORY + 10]];
    const told = (factor: number, place: Place, changes: Parameters<typeof largeDays>[3] = []) => {
      const days = pointsOf(fallen, 'visits', {}).map((point) =>
        point.label === label ? { ...point, numerator: Math.round(factor * point.numerator) } : point,
      );
      const series: ChangeSeries = { id: seriesId('visits', place), kind: 'count', metric: 'visits', place, days };
      return largeDays(lookThrough([series], from, to), new Map([[series.id, series]]), base, changes);
    };
    expect(told(0.57, base)).toMatchObject([{ day: label, metric: 'visits', device: 'all' }]);
    expect(told(1.7, base)).toHaveLength(1);
    expect([told(0.75, base), told(1, base), told(0.57, { device: 'mobile' })]).toEqual([[], [], []]);
    expect(told(0.57, base, [{ shape: 'outlier', from: label ?? '', to: label }])).toEqual([]);
  });

  it('is told of those who tap a zone where it is far above the usual, and of no other metric of a zone', () => {
    const world = draw(5);
    const [from, to, label] = [world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '', world.labels[HISTORY + 10]];
    const told = (factor: number, metric: string) => {
      const series = [7, 8].map((zoneId): ChangeSeries => {
        const place = { device: 'all', zoneId } as const;
        const days = pointsOf(world, 'cartAverage', {}).map((point) =>
          point.label === label && zoneId === 7 ? { ...point, numerator: factor * point.numerator } : point,
        );
        return { id: seriesId(metric, place), kind: 'average', metric, place, days };
      });
      return largeDays(lookThrough(series, from, to), new Map(series.map((each) => [each.id, each])), base, []);
    };
    const [day, ...others] = told(6, 'revenuePerTap');
    expect(day).toMatchObject({ day: label, metric: 'revenuePerTap', zoneId: 7, device: 'all' });
    expect(others).toEqual([]);
    expect([told(1, 'revenuePerTap'), told(1.8, 'revenuePerTap'), told(6, 'tapRate')]).toEqual([[], [], []]);
    const named = (zoneId: number) => ({ day: '2026-11-01', metric: 'revenuePerTap', relative: 7.5, device: 'all' as const, zoneId });
    expect(largeDaysSentence([named(7), named(8)], (id) => `Zone ${id}`)).toBe(
      'Beside the list 2026-11-01 revenue per tap (Zone 7) +750%, 2026-11-01 revenue per tap (Zone 8) +750% stand out; ' +
        'a single very large order may be all there is.',
    );
  });

  it('is one sentence, with its device where only that shows it', () => {
    expect(largeDaysSentence([])).toBe('');
    expect(largeDaysSentence([{ day: '2026-10-11', metric: 'revenueSum', relative: 1.244, device: 'all' }])).toBe(
      'Beside the list 2026-10-11 revenue +124% stands out; a single very large order may be all there is.',
    );
    const days = (['2026-10-11', '2026-10-14', '2026-10-20'] as const).map((day) => ({
      day,
      metric: 'revenueSum' as const,
      relative: 0.8,
      device: 'desktop' as const,
    }));
    expect(largeDaysSentence(days)).toBe(
      'Beside the list 2026-10-11 revenue (desktop) +80%, 2026-10-14 revenue (desktop) +80% and 1 more stand out; ' +
        'single very large orders may be all there is.',
    );
  });
});
