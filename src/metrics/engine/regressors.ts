import { DAY_MS } from '../../lib/clock.ts';
import { runsOf } from '../../lib/grouped.ts';
import { nthDouble, nthPlace } from '../../lib/nth.ts';
import { meanOf, median } from '../../statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../statistics/robust-scale.ts';
import { dot, pick, sumsOf } from '../../statistics/vectors.ts';

/** A column that moves a series by a factor which is known up to this prior. */
export interface Regressor {
  readonly of: 'month' | 'season' | 'special days';
  readonly column: Float64Array;
  readonly mean: number;
  readonly sd: number;
}

/** Before this year's days speak, a site is taken to follow most of its own season of last year. */
const SEASON = { mean: 0.7, sd: 0.5 };
/**
 * Waves of the month by how often they swing in it: slow ones follow a month's course, fast ones draw the first day of a pay-day week. What
 * carries over from day to day lends slow waves more variance than independent days have.
 */
const BANDS = [
  { from: 1, to: 2, carried: 2 },
  { from: 3, to: 6, carried: 1.4 },
  { from: 7, to: 15, carried: 1 },
] as const;
/** A date stands at the same place of each month, whatever its length. */
const LONGEST_MONTH = 31;
/** Days that know two months. */
const LEAST_DAYS = 56;
/** How far the waves of a band must lie beyond chance: 8 % of series without a cycle have slow ones that do. */
const BEYOND_CHANCE = 2.1;
/** Days by which a month is longer than the wave that stands for it here: a slow course must not look like a cycle. */
const HALF_MONTH = 15;

/** The season of last year about its mean; undefined where it is not known for each day. */
export function seasonOf(levels: readonly (number | undefined)[]): Regressor | undefined {
  const known = levels.filter((level) => level !== undefined);
  if (known.length < levels.length || known.length === 0) return undefined;
  const mean = meanOf(known);
  return { of: 'season', column: Float64Array.from(known, (level) => level - mean), ...SEASON };
}

/** Part of the doubt about special days that those which follow each other share: a Christmas is stronger than the last as a whole. */
const SHARED = 0.1;

/** The error that special days share which follow each other, by the doubt about each. */
export function specialRuns(doubt: Float64Array): Regressor[] {
  const days = [...doubt.keys()].filter((at) => nthDouble(doubt, at) > 0);
  const runs = runsOf(days, (run, at) => run.at(-1) === at - 1).filter(({ length }) => length > 1);
  return runs.map((run) => ({
    of: 'special days',
    column: doubt.map((own, at) => (run.includes(at) ? Math.sqrt(SHARED * own) : 0)),
    mean: 0,
    sd: 1,
  }));
}

/** The waves of the month by how often they swing in it, each date beside the others. */
const WAVES = Array.from({ length: 15 }, (_, index) => (2 * Math.PI * (1 + index)) / LONGEST_MONTH).map((step) => ({
  cosine: Float64Array.from({ length: LONGEST_MONTH + 1 }, (_, date) => Math.cos(step * date)),
  sine: Float64Array.from({ length: LONGEST_MONTH + 1 }, (_, date) => Math.sin(step * date)),
}));

/** Days without the slow course of a month around them, and without what lies far off. */
function detrended(values: Float64Array, doubt: Float64Array): Float64Array {
  const sums = sumsOf(values);
  const around = new Float64Array(values.length);
  for (let at = 0; at < values.length; at += 1) {
    const [from, to] = [Math.max(0, at - HALF_MONTH), Math.min(values.length, at + HALF_MONTH + 1)];
    around[at] = nthDouble(values, at) - (nthDouble(sums, to) - nthDouble(sums, from)) / (to - from);
  }
  const most = 4 * (median(around.map(Math.abs)) || 1);
  return around.map((value, at) => (nthDouble(doubt, at) > 0 ? 0 : Math.max(-most, Math.min(most, value))));
}

/** Robust variance of days around the mean of their date, which no cycle of the month adds to. */
function varianceWithinDates(values: Float64Array, dates: Int32Array): number {
  const groups = Array.from({ length: LONGEST_MONTH + 1 }, (): number[] => []);
  for (let at = 0; at < values.length; at += 1) groups[nthPlace(dates, at)]?.push(nthDouble(values, at));
  const left = groups.flatMap((own) => {
    const mean = meanOf(own);
    return own.length < 2 ? [] : own.map((value) => Math.abs(value - mean) * Math.sqrt(own.length / (own.length - 1)));
  });
  return (median(left) / MEDIAN_OF_NORMAL) ** 2;
}

/**
 * The cycle of a month as waves, whose priors are what the first estimates of their band are beyond chance (empirical Bayes), as that of
 * weekdays; `deviations` are those of the days that teach. None where fewer than two months teach.
 */
export function monthCycle(times: Float64Array, deviations: Float64Array, doubt: Float64Array): Regressor[] {
  const days = deviations.length;
  if (days < LEAST_DAYS) return [];
  const dates = Int32Array.from(times, (time) => new Date(time * DAY_MS).getUTCDate());
  const values = detrended(deviations, doubt);
  const variance = varianceWithinDates(values, dates);
  const bands = BANDS.map(({ from, to, carried }) => {
    const columns = WAVES.slice(from - 1, to).flatMap(({ cosine, sine }) => [pick(cosine, dates), pick(sine, dates)]);
    const squares = columns.map((column) => ((2 / days) * dot(values, column)) ** 2);
    return { columns, beyond: meanOf(squares), chance: (2 * carried * variance) / days };
  });
  if (bands.every(({ beyond, chance }) => beyond < BEYOND_CHANCE * chance)) return [];
  return bands.flatMap(({ columns, beyond, chance }): Regressor[] =>
    beyond <= chance ? [] : columns.map((column) => ({ of: 'month', column, mean: 0, sd: Math.sqrt(beyond - chance) })),
  );
}
