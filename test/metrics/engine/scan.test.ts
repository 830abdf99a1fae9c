import { describe, expect, it } from 'vitest';
import type { Scanned } from '../../../src/metrics/engine/scan.ts';
import { scanSeries } from '../../bench/verdicts/metrics/scan-series.ts';
import { drawWorld, type Planted, pointsOf, type World } from '../../bench/verdicts/metrics/world.ts';
import { scaled } from '../points.ts';
import { DAYS, fourWeeks, HISTORY } from './four-weeks.ts';

const scan = (kind: Scanned['kind'], days: Scanned['days'], { labels }: World) =>
  scanSeries([{ id: 'own', kind, days }], labels[HISTORY] ?? '', labels[DAYS - 1] ?? '');
const scanVisits = (days: Scanned['days'], world: World) => scan('count', days, world);

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

  const isCampaign = (end: number) => (at: number) => at >= HISTORY - 60 && at < HISTORY + end;
  it.each<[string, (at: number) => number, string[]]>([
    ['no fall the end of weeks of a campaign on a level', (at) => (isCampaign(-13)(at) ? 1 : 1 / 3), []],
    ['no fall the end of weeks of a campaign from nothing', (at) => Number(isCampaign(-13)(at)), []],
    ['an episode a campaign that ends in it', (at) => (isCampaign(12)(at) ? 1 : 2 / 3), ['episode']],
    ['no drift what fell for months and has been back since', (at) => (at < DAYS - 12 ? 1 - 0.3 * (at / DAYS) : 1), ['step']],
    ['no drift what jumped twice long ago and has stayed since', (at) => (at < DAYS - 88 ? 1 : 1.1) * (at < DAYS - 66 ? 1 : 1.1), []],
  ])('calls %s', (_, factorOf, told) => {
    const world = fourWeeks([], 3);
    expect(scanVisits(scaled(pointsOf(world, 'visits'), factorOf), world).findings.map(({ shape }) => shape)).toEqual(told);
  });

  it('calls no drift what falls for a summer and rises again', () => {
    const world = fourWeeks([], 3);
    const days = scaled(pointsOf(world, 'visits'), (at) => 1 + 0.9 * (at / DAYS - 0.35) ** 2);
    expect(scanVisits(days, world).findings.filter(({ shape }) => shape === 'drift')).toEqual([]);
  });

  it('leaves out a day that a single very large order made', () => {
    const world = drawWorld({ seed: 3, visitsPerDay: 25_000, days: DAYS, history: HISTORY });
    const days = pointsOf(world, 'revenueSum', { device: 'tablet' }).map((day, at) => ({
      ...day,
      numerator: at === HISTORY + 9 ? day.numerator + 90 * (day.numerator / (day.events ?? 1)) : day.numerator,
    }));
    expect(scan('amount', days, world).findings).toEqual([]);
    const unknown = days.map(({ events: _events, ...day }) => day);
    expect(scan('amount', unknown, world).findings).toMatchObject([{ shape: 'outlier' }]);
  });

  it('does not count series without enough days', () => {
    const world = fourWeeks([], 3);
    expect(scanVisits(pointsOf(world, 'visits').slice(HISTORY - 3), world)).toEqual({ findings: [], looked: 0, limit: 0 });
  });
});
