import { median } from 'simple-statistics';
import { inverseOf } from '../../statistics/elimination.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { minus } from '../../statistics/vectors.ts';
import type { Weights } from '../../statistics/whitening.ts';

/** Where each run lies in the local calendar. */
export interface LocalTime {
  /** 0 to 23. */
  readonly hour: Uint8Array;
  /** 0 (Monday) to 6. */
  readonly weekday: Uint8Array;
  /** Number of the local day since 1970. */
  readonly day: Int32Array;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Offsets that agree at both ends of so short a stretch agree within it: no zone changes its clock twice in it. */
const CHECKED_MS = 20 * DAY_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Offset of a zone from UTC at an instant, in ms; throws a RangeError for a name that is no zone. */
function offsetMs(timeZone: string, ms: number): number {
  if (timeZone === 'UTC') return 0;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (hours === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000);
}

/**
 * Hour, weekday and day of each instant in a zone. Asks for the offset only around the changes of the clock, because each question is
 * slow.
 */
export function localTimes(dates: readonly number[], timeZone: string): LocalTime {
  const n = dates.length;
  const [hour, weekday, day] = [new Uint8Array(n), new Uint8Array(n), new Int32Array(n)];
  const at = (index: number) => dates[index] ?? 0;
  function fill(from: number, to: number, first: number, last: number): void {
    if (from < to - 1 && (first !== last || at(to) - at(from) > CHECKED_MS)) {
      const middle = (from + to) >> 1;
      const between = offsetMs(timeZone, at(middle));
      fill(from, middle, first, between);
      fill(middle, to, between, last);
      return;
    }
    for (let index = from; index <= to; index += 1) {
      const local = at(index) + (index === to ? last : first);
      const days = Math.floor(local / DAY_MS);
      day[index] = days;
      hour[index] = Math.floor((local - days * DAY_MS) / HOUR_MS);
      weekday[index] = (((days + 3) % 7) + 7) % 7;
    }
  }
  if (n > 0) fill(0, n - 1, offsetMs(timeZone, at(0)), offsetMs(timeZone, at(n - 1)));
  return { hour, weekday, day };
}

/** Days on each side from which the level of a day is taken: a week has the same weekdays wherever it begins. */
const HALF_WEEK = 3;
/** Times that an hour or weekday must have come back before it can have a factor. */
const LEAST_RETURNS = 3;
/** Standard errors below which a weekday counts as all others do. */
const LEAST_T = 2;
const RIDGE = 1e-3;

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

/** The estimate of each cell; undefined where most cells have too few days. Days are the units, because their runs resemble each other. */
function readCells(values: Float64Array, cellOf: Uint8Array, time: LocalTime, cells: number): Cells | undefined {
  const clusters = clusterMedians(values, cellOf, time, cells);
  const factors = clusters.map((each) => (each.length >= LEAST_RETURNS ? median(each) : Number.NaN));
  if (factors.filter((factor) => !Number.isNaN(factor)).length < cells / 2) return undefined;
  const distances = clusters.flatMap((each, cell) => {
    const factor = factors[cell] ?? Number.NaN;
    // The median of three days is one of them, and its own distance of 0 says nothing.
    return Number.isNaN(factor) ? [] : each.map((value) => Math.abs(value - factor)).filter((distance) => distance > 0);
  });
  const ofDay = distances.length > 0 ? MAD_TO_SD * median(distances) : 0;
  // The variance of a median is π/2 times that of a mean.
  return { factors, chance: clusters.map((each) => ((Math.PI / 2) * ofDay * ofDay) / Math.max(1, each.length)) };
}

/**
 * Pulls the factors of hours to their mean by the share of their scatter that chance explains (James and Stein 1961; Efron and Morris
 * 1973).
 */
function shrunk(hours: Cells): Float64Array {
  const factors = new Float64Array(hours.factors.length);
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
 * Pulls the factors of weekdays to the middle one, each by itself and wholly below two standard errors (the garrote of Gao 1998): a few
 * days differ (weekends), most are alike.
 */
function garrote(days: Cells): Float64Array {
  const centre = median(days.factors.filter((factor) => !Number.isNaN(factor)));
  return Float64Array.from(days.factors, (factor, day) => {
    const distance = factor - centre;
    const least = LEAST_T ** 2 * (days.chance[day] ?? 0);
    return distance ** 2 > least ? distance - least / distance : 0;
  });
}

/** The median of each run's day, or what a function makes of the medians of all days. */
function byDay(
  x: Float64Array,
  { day }: LocalTime,
  change: (medians: readonly number[]) => readonly number[] = (medians) => medians,
): Float64Array {
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

/**
 * The effect of hour and weekday on each run, log scale; nothing where no cycle stands out. By medians of days; `deviations` are freed of
 * the level.
 */
export function robustCycle(deviations: Float64Array, time: LocalTime): Float64Array {
  const weekdays = readCells(deviations, time.weekday, time, 7);
  // Hours are compared with their own day, so that the level of the day is no part of their scatter.
  const hours = readCells(minus(deviations, byDay(deviations, time)), time.hour, time, 24);
  return withHoursOfWeekdays(deviations, cycleOf(weekdays && garrote(weekdays), hours && shrunk(hours), time), time);
}

/** Adds what each hour has on one weekday only, such as quiet nights of working days, by medians of the weeks. */
function withHoursOfWeekdays(deviations: Float64Array, cycle: Float64Array, time: LocalTime): Float64Array {
  const rest = minus(deviations, cycle);
  const cellOf = time.hour.map((hour, run) => 24 * (time.weekday[run] ?? 0) + hour);
  const cells = readCells(minus(rest, byDay(rest, time)), cellOf, time, 7 * 24);
  if (!cells) return cycle;
  const factors = shrunk(cells);
  return cycle.map((value, run) => value + (factors[cellOf[run] ?? 0] ?? 0));
}

function cycleOf(weekdays: Float64Array | undefined, hours: Float64Array | undefined, time: LocalTime): Float64Array {
  const cycle = new Float64Array(time.hour.length);
  for (let run = 0; run < cycle.length; run += 1)
    cycle[run] = (weekdays?.[time.weekday[run] ?? 0] ?? 0) + (hours?.[time.hour[run] ?? 0] ?? 0);
  return cycle;
}

interface Whitened {
  /** Deviations from the level, with the cycle in them, of the runs at `places`. */
  readonly deviations: Float64Array;
  readonly places: Int32Array;
  readonly weights: Weights;
  readonly sigma: number;
}

/**
 * The same by generalised least squares, which also sees the jumps between the cells that slow waves of the noise do not hide. Each
 * whitened run has its own two cells and, weighted with its AR(1) coefficient, those of the run before.
 */
export function whitenedCycle({ deviations, places, weights: { own, kept }, sigma }: Whitened, time: LocalTime): Float64Array {
  const size = 31;
  const matrix = Array.from({ length: size }, () => new Float64Array(size));
  const right = new Float64Array(size);
  const runsIn = new Float64Array(size);
  const cells = [0, 0, 0, 0];
  const shares = [0, 0, 0, 0];
  for (let index = 0; index < places.length; index += 1) {
    const [run, before] = [places[index] ?? 0, places[Math.max(0, index - 1)] ?? 0];
    const weight = own[index] ?? 0;
    const past = index === 0 ? 0 : (kept[index] ?? 0) - weight;
    cells[0] = time.weekday[run] ?? 0;
    cells[1] = 7 + (time.hour[run] ?? 0);
    cells[2] = time.weekday[before] ?? 0;
    cells[3] = 7 + (time.hour[before] ?? 0);
    shares[0] = weight;
    shares[1] = weight;
    shares[2] = past;
    shares[3] = past;
    const value = weight * (deviations[index] ?? 0) + past * (deviations[Math.max(0, index - 1)] ?? 0);
    for (let first = 0; first < 4; first += 1) {
      const row = matrix[cells[first] ?? 0];
      const share = shares[first] ?? 0;
      right[cells[first] ?? 0] = (right[cells[first] ?? 0] ?? 0) + share * value;
      if (!row) continue;
      for (let second = 0; second < 4; second += 1)
        row[cells[second] ?? 0] = (row[cells[second] ?? 0] ?? 0) + share * (shares[second] ?? 0);
    }
    if (time.day[run] !== time.day[before] || index === 0) runsIn[cells[0]] = (runsIn[cells[0]] ?? 0) + 1;
    if (time.day[run] !== time.day[before] || time.hour[run] !== time.hour[before] || index === 0)
      runsIn[cells[1]] = (runsIn[cells[1]] ?? 0) + 1;
  }
  // A weak pull to 0 says what the runs leave open: that weekdays and hours have no level of their own.
  for (const [cell, row] of matrix.entries()) row[cell] = (row[cell] ?? 0) + RIDGE;
  const inverse = inverseOf(matrix);
  const cellsOf = (from: number, to: number): Cells => ({
    factors: inverse
      .slice(from, to)
      .map((row, cell) =>
        (runsIn[from + cell] ?? 0) < LEAST_RETURNS ? Number.NaN : row.reduce((sum, value, other) => sum + value * (right[other] ?? 0), 0),
      ),
    chance: contrastVariances(inverse, from, to).map((variance) => variance * sigma * sigma),
  });
  const enough = ({ factors }: Cells) => factors.filter((factor) => !Number.isNaN(factor)).length >= factors.length / 2;
  const [weekdays, hours] = [cellsOf(0, 7), cellsOf(7, 31)];
  return cycleOf(enough(weekdays) ? garrote(weekdays) : undefined, enough(hours) ? shrunk(hours) : undefined, time);
}

/** Variances of each cell's distance from the mean of its kind: that of the mean itself is no part of the cycle. */
function contrastVariances(inverse: readonly Float64Array[], from: number, to: number): number[] {
  const block = inverse.slice(from, to).map((row) => row.subarray(from, to));
  const size = to - from;
  const means = block.map((row) => row.reduce((sum, value) => sum + value, 0) / size);
  const whole = means.reduce((sum, value) => sum + value, 0) / size;
  return block.map((row, cell) => (row[cell] ?? 0) - 2 * (means[cell] ?? 0) + whole);
}
