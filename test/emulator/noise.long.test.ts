import { mean, median, quantileRank, sampleCorrelation } from 'simple-statistics';
import { beforeAll, describe, expect, it } from 'vitest';
import { app, projects, shop } from '../../src/emulator/credentials.ts';
import { createSessions, dayNumberOf, metricStories, RETENTION_DAYS, type SessionDay } from '../../src/emulator/world/sessions/index.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../src/lib/clock.ts';
import { openPlatform } from '../support/emulator.ts';
import { someOf } from '../support/sample-size.ts';
import { times } from '../support/times.ts';
import { START_MS } from './place.ts';
import { allScenarios, num, reportsOf, stepsOf } from './speed-place.ts';

const SEEDS = [1, 2, 3, 4, 5];
/** 26 weeks that begin on a Monday and end before any story. */
const HALF_YEAR = ['2026-03-02', '2026-06-01'].map((from) => Date.parse(from));
const WEEKS = 13;
const FIRST_DAY = dayNumberOf(Date.parse('2026-03-02'));
const worlds = SEEDS.map((seed) => createSessions({ seed, startMs: START_MS }));

interface DayCount {
  readonly count: number;
  readonly of: number;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** Squared distances of the days from their week's share, over what independent sessions would make them; 1 on average for plain draws. */
function overBinomial(weeks: readonly (readonly DayCount[])[]): number {
  const ofWeeks = weeks.map((days) => {
    const share = sum(days.map(({ count }) => count)) / sum(days.map(({ of }) => of));
    return sum(days.map(({ count, of }) => (count - share * of) ** 2 / (share * (1 - share) * of)));
  });
  return sum(ofWeeks) / sum(weeks.map((days) => days.length - 1));
}

function inWeeks<T>(days: readonly T[]): T[][] {
  return times(Math.floor(days.length / 7), (week) => days.slice(7 * week, 7 * week + 7));
}

/** The days of the half year, each with the number of sessions that pass. */
function daysOf(world: (typeof worlds)[number], projectId: number, passes: (day: SessionDay, index: number) => boolean): DayCount[] {
  return times(2 * WEEKS * 7, (at) => {
    const day = world.day(projectId, FIRST_DAY + at, START_MS);
    return { count: day.seed.filter((_seed, index) => passes(day, index)).length, of: day.count };
  });
}

/** Logarithm of each value over those of the same weekday a week before and after: its spread is √1.5 times that of the shocks. */
function againstNeighbours(values: readonly number[]): number[] {
  const logs = values.map(Math.log);
  return logs.slice(7, -7).map((log, index) => log - ((logs[index] ?? 0) + (logs[index + 14] ?? 0)) / 2);
}

/** Standard deviation by the median distance, which holidays do not move. */
function spreadOf(values: readonly number[]): number {
  return 1.4826 * median(values.map(Math.abs));
}

it('days of the session world have conversions that scatter at least as independent sessions would, as the interface answers', {
  tags: 'nightly',
}, async () => {
  const ratios = await Promise.all(
    SEEDS.map(async (seed) => {
      const platform = await openPlatform({ seed });
      try {
        const token = await platform.token();
        const ranges = await Promise.all(
          HALF_YEAR.map((fromMs) => {
            const range = { startDate: isoTime(fromMs), endDate: isoTime(fromMs + 7 * WEEKS * DAY_MS - 1) };
            return platform.ask('getSiteMetrics', { ...range, period: 'daily' }, token);
          }),
        );
        const valuesOf = (name: string) =>
          ranges.flatMap(({ values }) => values.filter((value) => value.name === name)).map(({ value }) => value ?? 0);
        const visits = valuesOf('visits');
        return overBinomial(inWeeks(valuesOf('conversionCount').map((count, at) => ({ count, of: visits[at] ?? 0 }))));
      } finally {
        await platform.close();
      }
    }),
  );
  expect(mean(ratios)).toBeGreaterThanOrEqual(1);
  expect(mean(ratios)).toBeLessThan(2);
});

it('days of the session world have visits that differ by 4 to 8 %, mostly for all devices alike', { tags: 'nightly' }, () => {
  for (const world of worlds) {
    const [desktop, mobile, all] = [[1], [2], [0, 1, 2, 3]].map((devices) =>
      againstNeighbours(daysOf(world, shop.id, ({ deviceId }, index) => devices.includes(deviceId[index] ?? 0)).map(({ count }) => count)),
    );
    const spread = spreadOf(all ?? []) / Math.sqrt(1.5);
    expect(spread).toBeGreaterThan(0.035);
    expect(spread).toBeLessThan(0.1);
    expect(sampleCorrelation(desktop ?? [], mobile ?? [])).toBeGreaterThan(0.5);
    expect(sampleCorrelation(desktop ?? [], mobile ?? [])).toBeLessThan(0.99);
  }
});

it('days of the session world hold a few holidays a year that move the visits by their factor', () => {
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

it('days of the session world sell baskets with a heavy tail', () => {
  for (const { id } of [shop, app]) {
    for (const world of someOf(worlds, 1)) {
      const baskets = times(182, (at) => world.day(id, FIRST_DAY + at, START_MS)).flatMap((day) =>
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
      const byHour = times(24, (hour) => median(runs.filter((run) => run.hour % 24 === hour).map(({ log }) => log)));
      return { byHour, rest: runs.map(({ hour, log }) => log - (byHour[hour % 24] ?? 0)) };
    });
  });

  it('resemble the run before, by a correlation of about 0.3', { tags: 'nightly' }, () => {
    const correlations = parted.map(({ rest }) => {
      // Ranks, because a single outlier would hide the rest.
      const sorted = rest.toSorted((a, b) => a - b);
      const ranks = rest.map((value) => quantileRank(sorted, value));
      return sampleCorrelation(ranks.slice(1), ranks.slice(0, -1));
    });
    expect(mean(correlations)).toBeGreaterThan(0.25);
    expect(mean(correlations)).toBeLessThan(0.35);
    expect(Math.min(...correlations)).toBeGreaterThan(0.15);
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
      const days = times(Math.floor(rest.length / 24), (day) => median(rest.slice(24 * day, 24 * day + 24)));
      return spreadOf(days.map((day) => day - median(days)));
    });
    // Runs that share out the quantiles of a day make this 0.003.
    expect(Math.min(...spreads)).toBeGreaterThan(0.012);
  });
});
