import { expect, it } from 'vitest';
import { changeSeriesOf } from '../../../src/metrics/changes/change-series.ts';
import { slowLevels } from '../../../src/metrics/changes/slow-levels.ts';
import { drawWorld, pointsOf } from '../../bench/verdicts/metrics/world.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { partOf, scaled, shareOf, visitsWith } from '../points.ts';

const [HISTORY, DAYS] = [84, 140];
const base = visitsWith({});

/** The visits of a calm world that are multiplied day by day. */
function seriesOf(seed: number, factorOf: (day: number) => number) {
  const world = drawWorld({ seed, visitsPerDay: 5_000, days: DAYS, history: HISTORY, planted: [] });
  const days = scaled(pointsOf(world, 'visits', {}), factorOf);
  return {
    series: changeSeriesOf([visitsWith({ visits: days })], ['visits'], base),
    range: { from: world.labels[HISTORY] ?? '', to: world.labels[DAYS - 1] ?? '' },
  };
}

const told = (seed: number, factorOf: (day: number) => number, changes: Parameters<typeof slowLevels>[3] = []) => {
  const { series, range } = seriesOf(seed, factorOf);
  return slowLevels(series, base, range, changes);
};
/** A fall to the first day of the scan, and a rise from there on, as of a summer. */
const summer = (day: number) => (day < HISTORY ? 1.1 - (0.1 * day) / HISTORY : 1 + (0.25 * (day - HISTORY)) / (DAYS - HISTORY));

it('a level that moves slowly is told, though it fell before the days', () => {
  const sites = sampleSize({ full: 40, short: 8 });
  const found = times(sites, (seed) => told(seed + 1, summer)).flat();
  expect(found.every(([{ change }]) => change.relative > 0.1)).toBe(true);
  expect(found.length / sites).toBeGreaterThanOrEqual(0.7);
});

it('a level that moves slowly is none of a calm site in more than a few of a hundred', () => {
  expect(shareOf(sampleSize({ full: 200, short: 40 }), (seed) => told(seed, () => 1).length > 0)).toBeLessThanOrEqual(0.03);
});

it('a level that moves slowly is a drift of all of the days', () => {
  expect(told(1, summer)).toMatchObject([[{ metric: 'visits', change: { shape: 'drift', days: DAYS - HISTORY } }]]);
});

it('a level that moves slowly is not made of special days at an end', () => {
  const { series, range } = seriesOf(1, (day) => (day < DAYS - 5 ? 1 : 0.6));
  const special = { mean: -1, sd: 0.1 };
  const known = series.map((own) => ({ ...own, days: own.days.map((day, at) => (at < DAYS - 5 ? day : { ...day, special })) }));
  expect(slowLevels(known, base, range, [])).toEqual([]);
});

it('a level that moves slowly is not told beside a change of the metric, nor of fewer than four weeks', () => {
  const seed = [1, 2, 3, 4, 5, 6].find((each) => told(each, summer).length > 0) ?? 0;
  expect(seed).toBeGreaterThan(0);
  expect(told(seed, summer, [[partOf('visits')]])).toEqual([]);
  expect(told(seed, summer, [[partOf('visits', { shape: 'outlier' })]])).toHaveLength(1);
  const { series, range } = seriesOf(seed, summer);
  expect(slowLevels(series, base, { ...range, from: series[0]?.days.at(-27)?.label ?? '' }, [])).toEqual([]);
});
