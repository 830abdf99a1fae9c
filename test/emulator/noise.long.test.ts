import { mean, median } from 'simple-statistics';
import { beforeAll, describe, expect, it } from 'vitest';
import { app, projects, shop } from '../../src/emulator/credentials.ts';
import { createSessions, dayNumberOf, metricStories, RETENTION_DAYS } from '../../src/emulator/world/sessions/index.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { someOf } from '../support/sample-size.ts';
import { START_MS } from './place.ts';
import { allScenarios, num, reportsOf, stepsOf } from './speed-place.ts';

const SEEDS = [1, 2, 3, 4, 5];
const FIRST_DAY = dayNumberOf(Date.parse('2026-03-02'));
const worlds = SEEDS.map((seed) => createSessions({ seed, startMs: START_MS }));

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** Standard deviation by the median distance, which holidays do not move. */
function spreadOf(values: readonly number[]): number {
  return 1.4826 * median(values.map(Math.abs));
}

describe('days of the session world', () => {
  it('hold a few holidays a year that move the visits by their factor', () => {
    const holidays = SEEDS.map((seed) => metricStories({ seed, startMs: START_MS }).holidays);
    const aYear = (holidays.flat().length / SEEDS.length / projects.length) * (365 / RETENTION_DAYS);
    expect(aYear).toBeGreaterThan(2);
    expect(aYear).toBeLessThan(8);
    for (const { factor } of holidays.flat()) {
      expect(factor).toBeGreaterThanOrEqual(0.6);
      expect(factor).toBeLessThanOrEqual(1.8);
      expect(Math.abs(factor - 1)).toBeGreaterThan(0.19);
    }
    const seen = holidays.flatMap((list, at) =>
      list
        .filter(({ projectId, day }) => projectId !== app.id && dayNumberOf(Date.parse(day)) < dayNumberOf(START_MS) - 60)
        .map(({ projectId, day, factor }) => {
          const visits = (days: number) => worlds[at]?.day(projectId, dayNumberOf(Date.parse(day)) + days, START_MS).count ?? 0;
          return visits(0) / median([-14, -7, 7, 14].map(visits)) / factor;
        }),
    );
    expect(seen.length).toBeGreaterThan(20);
    expect(median(seen)).toBeGreaterThan(0.95);
    expect(median(seen)).toBeLessThan(1.05);
  });

  it('sell baskets with a heavy tail', () => {
    for (const { id } of [shop, app]) {
      for (const world of someOf(worlds, 1)) {
        const baskets = Array.from({ length: 182 }, (_, at) => world.day(id, FIRST_DAY + at, START_MS)).flatMap((day) =>
          [...day.revenueCents].filter((_cents, index) => day.transactions[index] === 1),
        );
        const largest = baskets.toSorted((a, b) => b - a);
        const top = largest.slice(0, Math.floor(largest.length / 100));
        // An exponential distribution has 0.056 here, a log-normal one of this width 0.066.
        expect(sum(top) / sum(baskets)).toBeGreaterThan(0.075);
        expect((largest[0] ?? 0) / median(baskets)).toBeGreaterThan(25);
        expect(mean(baskets) / 100).toBeGreaterThan(65);
        expect(mean(baskets) / 100).toBeLessThan(95);
      }
    }
  });
});

/** Load times of a scenario's first step by hour since 1970, oldest first. */
async function loadTimes({ place, scenario }: ReturnType<typeof allScenarios>[number]) {
  const reports = (await reportsOf(place, { scenarioId: scenario.id, limit: 0 })).toReversed();
  return reports.map((report) => ({ hour: Math.floor(report.date / HOUR_MS), log: Math.log(num(stepsOf(report)[0]?.loadTime)) }));
}

describe('runs of scenarios', () => {
  /** Medians by hour of the day, and each run against that of its hour. */
  let parted: { byHour: number[]; rest: number[] }[] = [];
  beforeAll(async () => {
    const histories = await Promise.all([1, 2, 3].flatMap((seed) => allScenarios(seed)).map(loadTimes));
    parted = histories.map((runs) => {
      const byHour = Array.from({ length: 24 }, (_, hour) => median(runs.filter((run) => run.hour % 24 === hour).map(({ log }) => log)));
      return { byHour, rest: runs.map(({ hour, log }) => log - (byHour[hour % 24] ?? 0)) };
    });
  });

  it('are outliers about once in fifty', () => {
    const all = parted.map(({ rest }) => {
      const spread = spreadOf(rest);
      return { runs: rest.length, outliers: rest.filter((value) => value > Math.log(1.45) && value > 3.5 * spread).length };
    });
    const share = sum(all.map(({ outliers }) => outliers)) / sum(all.map(({ runs }) => runs));
    expect(share).toBeGreaterThan(0.015);
    expect(share).toBeLessThan(0.03);
  });

  it('are slower in the evening than in the morning', () => {
    const swings = parted.map(({ byHour }) => {
      const at = (hours: number[]) => mean(hours.map((hour) => byHour[hour] ?? 0));
      return at([17, 18, 19, 20, 21]) - at([5, 6, 7, 8, 9]);
    });
    expect(mean(swings)).toBeGreaterThan(0.07);
    expect(mean(swings)).toBeLessThan(0.16);
  });

  it('have days whose medians differ', () => {
    const spreads = parted.map(({ rest }) => {
      const days = Array.from({ length: Math.floor(rest.length / 24) }, (_, day) => median(rest.slice(24 * day, 24 * day + 24)));
      return spreadOf(days.map((day) => day - median(days)));
    });
    // Runs that share out the quantiles of a day make this 0.003.
    expect(Math.min(...spreads)).toBeGreaterThan(0.012);
  });
});
