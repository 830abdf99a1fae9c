import { mean, sampleStandardDeviation } from 'simple-statistics';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../src/statistics/discoveries.ts';
import { logTail } from '../../../src/statistics/tails.ts';
import { valuesOf, type World } from './metrics-world.ts';

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
  const past = Array.from({ length: Math.floor(start / WEEK) }, (_, ago) => deviationOf(world, metric, start - WEEK * (ago + 1)));
  const sd = sampleStandardDeviation(past) * Math.sqrt(1 + 1 / past.length);
  return Array.from({ length: weeks }, (_, at) => Math.exp(logTail((deviationOf(world, metric, start + WEEK * at) - mean(past)) / sd)));
}

/**
 * The weeks, of the last `weeks`, that one who knows what was to be expected of each day calls high or low in some metric, by the same rule
 * over all values: no tool that learns from the days before can do better.
 */
export function weeksOfOracle(world: World, metrics: readonly string[], weeks: number): ReadonlySet<number> {
  const chances = metrics.map((metric) => chancesOf(world, metric, weeks));
  const limit = discoveryLimit(chances.flat(), FALSE_DISCOVERY_RATES.unexpectedRows);
  return new Set(chances.flatMap((own) => own.flatMap((chance, at) => (chance <= limit ? [at] : []))));
}
