import { median } from 'simple-statistics';
import type { LocalTime } from './local-time.ts';

/** Days on each side from which the level of a day is taken: a week has the same weekdays wherever it begins. */
const HALF_WEEK = 3;
/** Times that an hour or weekday must have come back before it can have a factor. */
const LEAST_RETURNS = 3;
/** Standard errors below which a weekday counts as any other. */
const LEAST_T = 2;

const minus = (a: Float64Array, b: Float64Array) => a.map((value, index) => value - (b[index] ?? 0));

/** Median of each cell's runs of a day, by cell: medians, because the runs still have their outliers. */
function clusterMedians(values: Float64Array, cellOf: Uint8Array, { day }: LocalTime, cells: number): number[][] {
  const medians: number[][] = Array.from({ length: cells }, () => []);
  let open: number[] = [];
  for (let index = 0; index < values.length; index += 1) {
    open.push(values[index] ?? 0);
    // Runs are in order, so that those of one cell and day stand together.
    if (cellOf[index + 1] === cellOf[index] && day[index + 1] === day[index]) continue;
    medians[cellOf[index] ?? 0]?.push(open.length === 1 ? (open[0] ?? 0) : median(open));
    open = [];
  }
  return medians;
}

interface Cells {
  /** Median over the days of each cell; NaN where there are too few. */
  readonly factors: readonly number[];
  /** Variances that chance gives these. */
  readonly chance: readonly number[];
}

/** What the runs say of each cell; undefined where most cells have too few days. Days are the units, because their runs resemble each other. */
function readCells(values: Float64Array, cellOf: Uint8Array, time: LocalTime, cells: number): Cells | undefined {
  const clusters = clusterMedians(values, cellOf, time, cells);
  const factors = clusters.map((each) => (each.length >= LEAST_RETURNS ? median(each) : Number.NaN));
  if (factors.filter((factor) => !Number.isNaN(factor)).length < cells / 2) return undefined;
  const distances = clusters.flatMap((each, cell) => {
    const factor = factors[cell] ?? Number.NaN;
    // The median of three days is one of them, and its own distance of 0 says nothing.
    return Number.isNaN(factor) ? [] : each.map((value) => Math.abs(value - factor)).filter((distance) => distance > 0);
  });
  const ofDay = distances.length > 0 ? 1.4826 * median(distances) : 0;
  // The variance of a median is π/2 times that of a mean.
  return { factors, chance: clusters.map((each) => ((Math.PI / 2) * ofDay * ofDay) / Math.max(1, each.length)) };
}

/** Factors of the hours: pulled towards none by the share of their scatter that chance explains (James and Stein 1961; Efron and Morris 1973). */
function hourFactors(values: Float64Array, time: LocalTime): Float64Array {
  const hours = readCells(values, time.hour, time, 24);
  const factors = new Float64Array(24);
  if (!hours) return factors;
  const known = [...hours.factors.keys()].filter((hour) => !Number.isNaN(hours.factors[hour]));
  const meanOf = (numberAt: (hour: number) => number) => known.reduce((sum, hour) => sum + numberAt(hour), 0) / known.length;
  const centre = meanOf((hour) => hours.factors[hour] ?? 0);
  const spread = (meanOf((hour) => ((hours.factors[hour] ?? 0) - centre) ** 2) * known.length) / (known.length - 1);
  const real = Math.max(0, spread - meanOf((hour) => hours.chance[hour] ?? 0));
  for (const hour of known)
    if (real > 0) factors[hour] = (((hours.factors[hour] ?? 0) - centre) * real) / (real + (hours.chance[hour] ?? 0));
  return factors;
}

/**
 * Factors of the weekdays, against the middle one: a few days differ (weekends), most are alike, and five of each are little to go by.
 * So each is pulled to the middle by itself, wholly below two standard errors (the garrote of Gao 1998).
 */
function weekdayFactors(values: Float64Array, time: LocalTime): Float64Array {
  const days = readCells(values, time.weekday, time, 7);
  const factors = new Float64Array(7);
  if (!days) return factors;
  const centre = median(days.factors.filter((factor) => !Number.isNaN(factor)));
  for (const [day, factor] of days.factors.entries()) {
    const distance = factor - centre;
    if (distance ** 2 > LEAST_T ** 2 * (days.chance[day] ?? 0)) factors[day] = distance - (LEAST_T ** 2 * (days.chance[day] ?? 0)) / distance;
  }
  return factors;
}

/** The median of each run's day, or what a function makes of the medians of all days. */
function byDay(x: Float64Array, { day }: LocalTime, change: (medians: readonly number[]) => readonly number[] = (medians) => medians): Float64Array {
  const days: { number: number; values: number[] }[] = [];
  for (let index = 0; index < x.length; index += 1) {
    const last = days.at(-1);
    if (last && last.number === day[index]) last.values.push(x[index] ?? 0);
    else days.push({ number: day[index] ?? 0, values: [x[index] ?? 0] });
  }
  const levels = change(days.map(({ values }) => median(values)));
  const level = new Float64Array(x.length);
  let index = 0;
  for (const [place, { values }] of days.entries()) {
    level.fill(levels[place] ?? 0, index, index + values.length);
    index += values.length;
  }
  return level;
}

/** The level that each run's week has, by medians of days; a shift of level passes it unchanged. */
export function weeklyLevel(x: Float64Array, time: LocalTime): Float64Array {
  return byDay(x, time, (medians) => {
    const width = Math.min(medians.length, 2 * HALF_WEEK + 1);
    return medians.map((_, place) => {
      const from = Math.min(Math.max(0, place - HALF_WEEK), medians.length - width);
      return median(medians.slice(from, from + width));
    });
  });
}

/** What hour and weekday add to each run, log scale; nothing where no cycle stands out. `deviations` are freed of the level. */
export function calendarCycle(deviations: Float64Array, time: LocalTime): Float64Array {
  const weekdays = weekdayFactors(deviations, time);
  const ofDay = byDay(deviations, time);
  // Hours are held against their own day, so that the level of the day is no part of their scatter.
  const hours = hourFactors(minus(deviations, ofDay), time);
  return deviations.map((_, index) => (weekdays[time.weekday[index] ?? 0] ?? 0) + (hours[time.hour[index] ?? 0] ?? 0));
}
