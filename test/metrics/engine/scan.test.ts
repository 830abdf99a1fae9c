import { describe, expect, it } from 'vitest';
import type { Scanned } from '../../../src/metrics/engine/scan.ts';
import { scanSeries } from '../../bench/verdicts/metrics/scan-series.ts';
import { drawWorld, type Planted, pointsOf, type World } from '../../bench/verdicts/metrics/world.ts';
import { DAYS, fourWeeks, HISTORY } from './four-weeks.ts';

const scanVisits = (days: Scanned['days'], { labels }: World) =>
  scanSeries([{ id: 'visits', kind: 'count', days }], labels[HISTORY] ?? '', labels[DAYS - 1] ?? '');

describe('a scan', () => {
  it('finds a day inside an episode once, though it parts the episode in two', () => {
    const planted: Planted[] = [
      { on: 'visits', from: HISTORY + 8, to: HISTORY + 14, factor: 1.2441906948410906 },
      { on: 'visits', segment: 'new', from: HISTORY + 11, to: HISTORY + 12, factor: 0.6031142120365984 },
    ];
    const site = { seed: 1_017_554_924, visitsPerDay: 25_000, days: DAYS, history: HISTORY, drifts: true };
    const world = drawWorld({ ...site, planted });
    const days = pointsOf(world, 'visits', { segment: 'new' });
    const { findings } = scanVisits(days, world);
    const label = (day: number) => world.labels[HISTORY + day];
    const sudden = findings.filter(({ shape }) => shape !== 'drift');
    expect(sudden.map(({ shape, from, to }) => [shape, from, to])).toEqual([
      ['episode', label(8), label(13)],
      ['outlier', label(11), label(11)],
    ]);
    expect(sudden[1]?.relative).toBeGreaterThan(-0.5);
    expect(sudden[1]?.relative).toBeLessThan(-0.3);
  });

  it.each([
    [-13, 1 / 3, []],
    [-13, 0, []],
    [12, 2 / 3, ['episode']],
  ])('calls the end of weeks of a campaign no fall, on a level or from nothing (%i, %i)', (end, usual, told) => {
    const world = fourWeeks([], 3);
    const isOn = (at: number) => at >= HISTORY - 60 && at < HISTORY + end;
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * (isOn(at) ? 1 : usual)) }));
    expect(scanVisits(days, world).findings.map(({ shape }) => shape)).toEqual(told);
  });

  it('calls no drift what falls for a summer and rises again', () => {
    const world = fourWeeks([], 3);
    const wave = (at: number) => 1 + 0.9 * (at / DAYS - 0.35) ** 2;
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * wave(at)) }));
    const { findings } = scanVisits(days, world);
    expect(findings.filter(({ shape }) => shape === 'drift')).toEqual([]);
  });

  it('calls no drift what fell for months and has been back since', () => {
    const world = fourWeeks([], 3);
    const fallen = (at: number) => (at < DAYS - 12 ? 1 - 0.3 * (at / DAYS) : 1);
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * fallen(at)) }));
    expect(scanVisits(days, world).findings.map(({ shape }) => shape)).toEqual(['step']);
  });

  it('calls no drift what jumped twice long ago and has stayed since', () => {
    const world = fourWeeks([], 3);
    const jumped = (at: number) => (at < DAYS - 88 ? 1 : 1.1) * (at < DAYS - 66 ? 1 : 1.1);
    const days = pointsOf(world, 'visits').map((day, at) => ({ ...day, numerator: Math.round(day.numerator * jumped(at)) }));
    const { findings } = scanVisits(days, world);
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
    const world = fourWeeks([], 3);
    const short = pointsOf(world, 'visits').slice(HISTORY - 3);
    const result = scanVisits(short, world);
    expect(result).toEqual({ findings: [], looked: 0, limit: 0 });
  });
});
