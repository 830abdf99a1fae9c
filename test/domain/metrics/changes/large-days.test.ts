import { describe, expect, it } from 'vitest';
import { type ChangeSeries, type Place, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import { findChanges } from '../../../../src/domain/metrics/changes/find-changes.ts';
import { largeDays } from '../../../../src/domain/metrics/changes/large-days.ts';
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
    expect(large).toMatchObject([{ day, place: base }]);
    expect(large[0]?.relative).toBeGreaterThan(0.9);
    expect(large[0]?.relative).toBeLessThan(2);
  });

  it('is none of the usual days, nor told where revenue was not asked for', async () => {
    for (const seed of [5, 6, 7, 8]) expect((await toldOf(draw(seed), 1)).large).toEqual([]);
    expect((await toldOf(draw(5), 2.4, ['visits'])).large).toEqual([]);
  });

  it('of visits is told beside the list where it is beyond chance among its days alone, however few are missing elsewhere', () => {
    const fallen = draw(5);
    const [from, to, label] = [fallen.labels[HISTORY] ?? '', fallen.labels[DAYS - 1] ?? '', fallen.labels[HISTORY + 10]];
    const told = (factor: number, place: Place, changes: Parameters<typeof largeDays>[3] = []) => {
      const days = pointsOf(fallen, 'visits', {}).map((point) =>
        point.label === label ? { ...point, numerator: Math.round(factor * point.numerator) } : point,
      );
      const series: ChangeSeries = { id: seriesId('visits', place), kind: 'count', metric: 'visits', place, days };
      return largeDays(lookThrough([series], from, to), new Map([[series.id, series]]), base, changes);
    };
    expect(told(0.57, base)).toMatchObject([{ day: label, metric: 'visits', place: base }]);
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
    expect(day).toMatchObject({ day: label, metric: 'revenuePerTap', place: { zoneId: 7, device: 'all' } });
    expect(others).toEqual([]);
    expect([told(1, 'revenuePerTap'), told(1.8, 'revenuePerTap'), told(6, 'tapRate')]).toEqual([[], [], []]);
  });
});
