import { describe, expect, it } from 'vitest';
import type { Scanned } from '../../../../src/domain/metrics/engine/scan.ts';
import { scanSeries } from '../../../bench/verdicts/metrics/scan-series.ts';
import {
  drawWorld,
  METRIC_NAMES,
  METRICS,
  type Planted,
  pointsOf,
  type Selection,
  type World,
} from '../../../bench/verdicts/metrics/world.ts';
import { DAYS, fourWeeks, HISTORY } from './four-weeks.ts';

const drawn = (planted: readonly Planted[], seed = 3) => fourWeeks(planted, seed);
const SELECTIONS: readonly Selection[] = [{}, { device: 'desktop' }, { device: 'mobile' }];
const seriesOf = (world: World): Scanned[] =>
  METRIC_NAMES.flatMap((metric) =>
    SELECTIONS.map((selection) => ({
      id: `${metric} ${selection.device ?? 'all'}`,
      kind: METRICS[metric].kind,
      days: pointsOf(world, metric, selection),
    })),
  );
const scan = (world: World) => scanSeries(seriesOf(world), world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '');

describe('a scan', () => {
  it('finds steps, episodes and outlier days where they are, and nowhere else', () => {
    const world = drawn([
      { on: 'rate', device: 'mobile', from: HISTORY + 18, to: DAYS, factor: 0.7 },
      { on: 'basket', from: HISTORY + 4, to: HISTORY + 9, factor: 1.4 },
      { on: 'visits', device: 'desktop', from: HISTORY + 13, to: HISTORY + 14, factor: 0.4 },
    ]);
    const { findings, looked, limit } = scan(world);
    expect(looked).toBe(METRIC_NAMES.length * SELECTIONS.length);
    expect(limit).toBeGreaterThan(0);
    const label = (day: number) => world.labels[HISTORY + day];
    expect(findings.find(({ id }) => id === 'conversionRate mobile')).toMatchObject({ shape: 'step', from: label(18), days: 10 });
    expect(findings.find(({ id }) => id === 'conversionRate mobile')).not.toHaveProperty('to');
    expect(findings.find(({ id }) => id === 'cartAverage all')).toMatchObject({ shape: 'episode', from: label(4), to: label(8) });
    expect(findings.find(({ id }) => id === 'visits desktop')).toMatchObject({ shape: 'outlier', from: label(13), to: label(13) });
    expect(findings.filter(({ id }) => id.startsWith('bounceRate'))).toEqual([]);
    expect(findings.map(({ pValue }) => pValue)).toEqual(findings.map(({ pValue }) => pValue).toSorted((a, b) => a - b));
  });

  it('finds nothing where nothing changed', () => {
    const { findings, looked } = scan(drawn([]));
    expect([findings, looked]).toEqual([[], METRIC_NAMES.length * SELECTIONS.length]);
  });

  it('finds a day inside an episode once, though it parts the episode in two', () => {
    const planted: Planted[] = [
      { on: 'visits', from: HISTORY + 8, to: HISTORY + 14, factor: 1.2441906948410906 },
      { on: 'visits', segment: 'new', from: HISTORY + 11, to: HISTORY + 12, factor: 0.6031142120365984 },
    ];
    const site = { seed: 1_017_554_924, visitsPerDay: 25_000, days: DAYS, history: HISTORY, drifts: true };
    const world = drawWorld({ ...site, planted });
    const days = pointsOf(world, 'visits', { segment: 'new' });
    const { findings } = scanSeries([{ id: 'visits', kind: 'count', days }], world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '');
    const label = (day: number) => world.labels[HISTORY + day];
    const sudden = findings.filter(({ shape }) => shape !== 'drift');
    expect(sudden.map(({ shape, from, to }) => [shape, from, to])).toEqual([
      ['episode', label(8), label(13)],
      ['outlier', label(11), label(11)],
    ]);
    expect(sudden[1]?.relative).toBeGreaterThan(-0.5);
    expect(sudden[1]?.relative).toBeLessThan(-0.3);
  });

  it('calls a slope that lasts for months drift', () => {
    const world = drawn([]);
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * 1.004 ** at) }));
    const { findings } = scanSeries([{ id: 'visits', kind: 'count', days }], world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '');
    expect(findings).toMatchObject([{ id: 'visits', shape: 'drift' }]);
    expect(findings[0]?.relative).toBeGreaterThan(0.08);
    expect(findings[0]?.relative).toBeLessThan(0.16);
  });

  it('calls no drift what falls for a summer and rises again', () => {
    const world = drawn([]);
    const wave = (at: number) => 1 + 0.9 * (at / DAYS - 0.35) ** 2;
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * wave(at)) }));
    const { findings } = scanSeries([{ id: 'visits', kind: 'count', days }], world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '');
    expect(findings.filter(({ shape }) => shape === 'drift')).toEqual([]);
  });

  it('calls no drift what jumped twice long ago and has stayed since', () => {
    const world = drawn([]);
    const jumped = (at: number) => (at < DAYS - 88 ? 1 : 1.1) * (at < DAYS - 66 ? 1 : 1.1);
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * jumped(at)) }));
    const { findings } = scanSeries([{ id: 'visits', kind: 'count', days }], world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '');
    expect(findings).toEqual([]);
  });

  it('leaves out a day that a single very large order made', () => {
    const world = drawWorld({ seed: 3, visitsPerDay: 25_000, days: DAYS, history: HISTORY });
    const days = pointsOf(world, 'revenueSum', { device: 'tablet' }).map((day, at) => ({
      ...day,
      numerator: at === HISTORY + 9 ? day.numerator + 90 * (day.numerator / (day.events ?? 1)) : day.numerator,
    }));
    const from = world.labels[HISTORY] ?? '';
    const to = world.labels[DAYS - 1] ?? '';
    expect(scanSeries([{ id: 'revenue', kind: 'amount', days }], from, to).findings).toEqual([]);
    const unknown = days.map(({ events: _events, ...day }) => day);
    expect(scanSeries([{ id: 'revenue', kind: 'amount', days: unknown }], from, to).findings).toMatchObject([{ shape: 'outlier' }]);
  });

  it('does not count series without enough days', () => {
    const world = drawn([]);
    const short = pointsOf(world, 'visits').slice(HISTORY - 3);
    const result = scanSeries([{ id: 'visits', kind: 'count', days: short }], world.labels[HISTORY] ?? '', world.labels[DAYS - 1] ?? '');
    expect(result).toEqual({ findings: [], looked: 0, limit: 0 });
  });
});
