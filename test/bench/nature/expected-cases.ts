import { mean, sampleStandardDeviation } from 'simple-statistics';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../src/statistics/discoveries.ts';
import { logTail } from '../../../src/statistics/tails.ts';
import { times } from '../../support/times.ts';
import type { Case, Said } from './metrics-cases.ts';
import { CALM, dayOf, type Event, type Nature, valuesOf, type World } from './metrics-world.ts';

const WEEK = 7;
const ALL = { device: 'all', segment: undefined };
const weekFrom = (first: number) => [first, first + WEEK] as const;

/** Logarithm of a metric of a week over what was really to be expected of it, which for rates is the same in all weeks of a steady site. */
function deviationOf(world: World, metric: string, first: number): number {
  const value = valuesOf(world, ALL, ...weekFrom(first))[metric] ?? 0;
  const usual = world.usual.subarray(...weekFrom(first)).reduce((sum, visits) => sum + visits, 0);
  return Math.log(value / (metric === 'conversionRate' ? 1 : usual));
}

/** Probabilities by chance of the last weeks of a metric, the noise known from all weeks before them. */
function chancesOf(world: World, metric: string, weeks: number): number[] {
  const start = world.days - WEEK * weeks;
  const past = times(Math.floor(start / WEEK), (ago) => deviationOf(world, metric, start - WEEK * (ago + 1)));
  const sd = sampleStandardDeviation(past) * Math.sqrt(1 + 1 / past.length);
  return times(weeks, (at) => Math.exp(logTail((deviationOf(world, metric, start + WEEK * at) - mean(past)) / sd)));
}

/**
 * The weeks, of the last `weeks`, that one who knows what was to be expected of each day calls high or low in some metric, by the same rule
 * over all values: no tool that learns from the days before can do better.
 */
function weeksOfOracle(world: World, metrics: readonly string[], weeks: number): ReadonlySet<number> {
  const chances = metrics.map((metric) => chancesOf(world, metric, weeks));
  const limit = discoveryLimit(chances.flat(), FALSE_DISCOVERY_RATES.unexpectedRows);
  return new Set(chances.flatMap((own) => own.flatMap((chance, at) => (chance <= limit ? [at] : []))));
}

const METRICS = ['visits', 'conversionRate', 'revenueSum'];

/** Rows of an answer as records. */
const recordsOf = ({ columns, rows }: Said) => rows.map((row) => new Map(columns.map((column, at) => [column, row[at] ?? null])));

/** How many values of a metric lie between their bounds, and of how many. */
const heldOf = (metric: string) => (said: Said) => {
  const rows = recordsOf(said).filter((row) => row.get(`${metric}Low`) !== null);
  const inside = rows.filter((row) => {
    const value = Number(row.get(metric));
    return value >= Number(row.get(`${metric}Low`)) && value <= Number(row.get(`${metric}High`));
  });
  return [inside.length, rows.length] as const;
};

/** Whether a value of a row is told as high or low. */
const hasVerdict = (row: ReadonlyMap<string, unknown>, metric: string) => ['high', 'low'].includes(String(row.get(`${metric}Verdict`)));

const isTold = (said: Said) => recordsOf(said).some((row) => METRICS.some((metric) => hasVerdict(row, metric)));

/** The last `days` days of a world, held against all before them. */
function expected(name: string, nature: Nature, days: number, unit: 'day' | 'week'): Case {
  return {
    name: `expected, ${name}, ${days} days by ${unit}`,
    nature,
    tool: 'query_metrics',
    args: (world) => ({ metrics: METRICS, startDate: dayOf(world, days), endDate: dayOf(world, 1), breakdown: [unit], expected: true }),
    counts: { 'any row high or low (≤ 5 %)': isTold },
    shares: Object.fromEntries(METRICS.map((metric) => [`${metric} within bounds (93–97 %)`, heldOf(metric)])),
  };
}

const WEEKS = 10;
/** Whether the week that begins so many days before the end, or another one, is told as high or low. */
const weekTold = (isOwn: boolean, from: number) => (said: Said) =>
  recordsOf(said).some((row, at) => {
    const isThat = 7 * (WEEKS - at) === from;
    return isThat === isOwn && METRICS.some((metric) => hasVerdict(row, metric));
  });

/** Share of the values told as high or low that are of another week than one. */
const falseOf = (from: number) => (said: Said) => {
  const told = recordsOf(said).flatMap((row, at) => METRICS.filter((metric) => hasVerdict(row, metric)).map(() => 7 * (WEEKS - at)));
  return [told.filter((week) => week !== from).length / Math.max(1, told.length), 1] as const;
};
const byOracle = (isOwn: boolean, from: number) => (_said: Said, world: World) =>
  [...weeksOfOracle(world, METRICS, WEEKS)].some((at) => (7 * (WEEKS - at) === from) === isOwn);

/** Ten whole weeks of which one was unusual, which must not teach what the others are held against. */
function oneWeek(from: number, factor: number): Case {
  const nature = { ...CALM, lastDay: '2026-09-27', events: [{ on: 'visits', from, to: from - 6, factor }] as const };
  return {
    ...expected(`week ${WEEKS + 1 - from / 7} of ten at ${factor} of its visits`, nature, 7 * WEEKS, 'week'),
    counts: {
      'that week told': weekTold(true, from),
      'by an oracle': byOracle(true, from),
      'another week told (≤ 5 %)': weekTold(false, from),
      'another week by the oracle': byOracle(false, from),
    },
    shares: { 'false discovery rate (≤ 5 %)': falseOf(from) },
  };
}

const FALLEN: readonly Event[] = [{ on: 'visits', from: 5, to: 1, factor: 0.75 }];

/** What was to be expected of the last days, by sites that go on as they were; and of one whose visits fell. */
export const EXPECTED_CASES: readonly Case[] = [
  ...[7, 28].flatMap((days) => [
    expected('calm', CALM, days, 'day'),
    expected('50 visits a day', { ...CALM, visits: 50 }, days, 'day'),
    expected('season and growth', { ...CALM, season: 0.25, growth: 0.2 }, days, 'day'),
    expected('pay days', { ...CALM, payDays: 0.15 }, days, 'day'),
  ]),
  expected('calm', CALM, 28, 'week'),
  expected('calm', { ...CALM, lastDay: '2026-09-27' }, 7 * WEEKS, 'week'),
  expected('season and growth', { ...CALM, lastDay: '2026-09-27', season: 0.25, growth: 0.2 }, 7 * WEEKS, 'week'),
  oneWeek(63, 0.75),
  oneWeek(42, 0.75),
  oneWeek(42, 1.4),
  oneWeek(49, 0.92),
  expected('Black Friday with last year', { ...CALM, lastDay: '2025-12-03', holidays: true, season: 0.2 }, 10, 'day'),
  {
    ...expected('visits -25 % since 5 days', { ...CALM, events: FALLEN }, 7, 'day'),
    counts: {
      'a fallen day low': (said) =>
        recordsOf(said)
          .slice(2)
          .some((row) => row.get('visitsVerdict') === 'low'),
      'a day before told (≤ 5 %)': (said) =>
        recordsOf(said)
          .slice(0, 2)
          .some((row) => row.get('visitsVerdict') !== 'normal'),
    },
    shares: {},
  },
];
