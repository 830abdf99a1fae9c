import { nth, nthDouble, nthUnsigned } from '../../../../src/lib/nth.ts';
import { median } from '../../../../src/statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../../../src/statistics/robust-scale.ts';
import type { Regressor } from './fit.ts';
import { type DayScale, type DayValue, type MetricKind, type SpecialEffect, WEEK } from './scale.ts';

/** Standard deviations of weekdays before anything is known, worth one of the seven weekdays. */
const WEEKDAY_SD: Readonly<Record<MetricKind, number>> = { count: 0.15, amount: 0.15, share: 0.05, average: 0.05 };
/** Before this year's days speak, a site is taken to follow most of its own season of last year. */
const SEASON = { mean: 0.7, sd: 0.5 };
/** The course of the month as it was found goes on, up to this. */
const MONTH = { mean: 1, sd: 0.3 };
/** Dates of a month, of which two months at least are known. */
const LONGEST_MONTH = 31;
const LEAST_MONTH_DAYS = 56;
/** Days by which a slow course must be shorter than a month to look like one. */
const HALF_MONTH = 15;
/** How far the scatter of dates must lie beyond chance for there to be a course of the month. */
const BEYOND_CHANCE = 1.6;
const DAY_MS = 86_400_000;

/** Prior standard deviation of weekdays by empirical Bayes: their scatter less that of their estimates. */
export function weekdaySdOf({ weekdayFactors, kind, learned }: DayScale, variance: number): number {
  const usual = WEEKDAY_SD[kind] ** 2;
  if (weekdayFactors.every((factor) => factor === 1)) return Math.sqrt(usual);
  const squares = weekdayFactors.reduce((sum, factor) => sum + Math.log(factor) ** 2, 0);
  // A median needs π / 2 times the days of a mean.
  const chance = ((Math.PI / 2) * variance * WEEK) / learned;
  return Math.sqrt(((WEEK - 1) * Math.max(0, squares / (WEEK - 1) - chance) + usual) / WEEK);
}

/** Level and weekdays, of days before a long gap a level of their own, last year's season, and the course of a month. */
export function calendarColumns(scale: DayScale, weekdaySd: number, dates: Float64Array | undefined): Regressor[] {
  const { times, weekdays, weekdayFactors, block } = scale;
  const flat = { mean: 0, sd: Number.POSITIVE_INFINITY };
  const season = seasonOf(scale.season);
  return [
    { of: 'level', values: new Float64Array(times.length).fill(1), ...flat },
    ...(block > 0 ? [{ of: 'level' as const, values: new Float64Array(times.length).fill(1, 0, block), ...flat }] : []),
    ...Array.from({ length: WEEK }, (_, weekday): Regressor => {
      const values = Float64Array.from(weekdays, (own) => Number(own === weekday));
      // What the factors took out already is drawn to the others too.
      return { of: 'weekday', values, mean: -Math.log(weekdayFactors[weekday] ?? 1), sd: weekdaySd };
    }),
    ...(season ? [{ of: 'season' as const, values: season, ...SEASON }] : []),
    ...(dates ? [{ of: 'month' as const, values: times.map((time) => nthDouble(dates, dateOf(time))), ...MONTH }] : []),
  ];
}

/** The season of last year about its mean; undefined where it is not known for each day. */
function seasonOf(levels: readonly (number | undefined)[]): Float64Array | undefined {
  const known = levels.filter((level) => level !== undefined);
  if (known.length < levels.length || known.length === 0) return undefined;
  const mean = known.reduce((sum, level) => sum + level, 0) / known.length;
  return Float64Array.from(known, (level) => level - mean);
}

const dateOf = (time: number) => new Date(time * DAY_MS).getUTCDate();

/** Days without the slow course of a month around them, and without what lies far off. */
function detrended(values: Float64Array, special: DayScale['special']): Float64Array {
  const around = values.map((value, at) => {
    const near = values.subarray(Math.max(0, at - HALF_MONTH), at + HALF_MONTH + 1);
    return value - near.reduce((sum, other) => sum + other, 0) / near.length;
  });
  const most = 4 * (median(around.map(Math.abs)) || 1);
  return around.map((value, at) => (special[at] ? 0 : Math.max(-most, Math.min(most, value))));
}

/** The effects of the dates of a month. */
export interface DatesOfMonth {
  /** By date, 1 … 31; undefined where there is no course of the month. */
  readonly effects: Float64Array | undefined;
  /** Variance of days beside their date. */
  readonly variance: number | undefined;
}

/** The means of the dates of a month among the days that teach, drawn to 0 by the share of their scatter that chance explains. */
export function datesOfMonth({ x, times, special, learned }: DayScale): DatesOfMonth {
  if (learned < LEAST_MONTH_DAYS) return { effects: undefined, variance: undefined };
  const values = detrended(x.subarray(0, learned), special);
  const [sums, counts] = [new Float64Array(LONGEST_MONTH + 1), new Float64Array(LONGEST_MONTH + 1)];
  const dates = Uint8Array.from(times.subarray(0, learned), dateOf);
  for (let at = 0; at < learned; at += 1) {
    const date = nthUnsigned(dates, at);
    sums[date] = nthDouble(sums, date) + nthDouble(values, at);
    counts[date] = nthDouble(counts, date) + 1;
  }
  const means = sums.map((sum, date) => sum / Math.max(1, nthDouble(counts, date)));
  const left = Array.from(values, (value, at) => {
    const count = nthDouble(counts, nthUnsigned(dates, at));
    return count < 2 ? Number.NaN : Math.abs(value - nthDouble(means, nthUnsigned(dates, at))) * Math.sqrt(count / (count - 1));
  }).filter((value) => !Number.isNaN(value));
  const variance = (median(left) / MEDIAN_OF_NORMAL) ** 2;
  // Dates beside each other have much in common: a wave of a month shows in their means over three.
  const smooth = means.map((_, date) => {
    const around = [date - 1, date, date + 1].map((near) => ((near - 1 + LONGEST_MONTH) % LONGEST_MONTH) + 1);
    const all = around.reduce((sum, near) => sum + nthDouble(counts, near), 0);
    return date === 0 ? 0 : around.reduce((sum, near) => sum + nthDouble(sums, near), 0) / Math.max(1, all);
  });
  const scatter = smooth.reduce((sum, effect) => sum + effect ** 2, 0) / LONGEST_MONTH;
  const chance = (variance * LONGEST_MONTH) / (3 * learned);
  if (scatter < BEYOND_CHANCE * chance) return { effects: undefined, variance: undefined };
  const kept = 1 - chance / scatter;
  return { effects: smooth.map((effect) => kept * effect), variance };
}

/** Hour and weekday of runs in the zone of their visitors, and the local day, by a number. */
export interface LocalTimes {
  /** 0 … 23. */
  readonly hour: Uint8Array;
  /** 0 (Monday) … 6. */
  readonly weekday: Uint8Array;
  readonly day: Int32Array;
}

/** Standard deviations at which deviations are clipped before their mean is taken, and days that an hour or weekday needs. */
const CLIPPED = 2.5;
const LEAST_DAYS = 3;
/** Hours and weekdays are estimated in turn, each beside the other. */
const TURNS = 3;

/** Means of clipped deviations in each cell, over the days that it has, drawn to their mean as far as chance explains them. */
function shrunkenCells(deviations: Float64Array, cells: Uint8Array, days: Int32Array, count: number): Float64Array {
  const effects = new Float64Array(count);
  const byCell = Array.from({ length: count }, (): { sum: number; many: number; day: number }[] => []);
  for (let at = 0; at < cells.length; at += 1) {
    const own = byCell[nthUnsigned(cells, at)];
    const last = own?.at(-1);
    const day = nth(days, at);
    if (last && last.day === day) {
      last.sum += nthDouble(deviations, at);
      last.many += 1;
    } else own?.push({ sum: nthDouble(deviations, at), many: 1, day });
  }
  const known = byCell.flatMap((own, cell) => {
    if (own.length < LEAST_DAYS) return [];
    const means = own.map(({ sum, many }) => sum / many);
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    const chance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1) / means.length;
    return [{ cell, mean, chance }];
  });
  if (known.length < count / 2) return effects;
  const average = (of: (each: (typeof known)[number]) => number) => known.reduce((sum, each) => sum + of(each), 0) / known.length;
  const [centre, chance] = [average(({ mean }) => mean), average((each) => each.chance)];
  const spread = (average(({ mean }) => (mean - centre) ** 2) * known.length) / (known.length - 1);
  const real = Math.max(0, spread - chance);
  for (const { cell, mean } of known) effects[cell] = real > 0 ? ((mean - centre) * real) / (real + chance) : 0;
  return effects;
}

/**
 * The effect of hour and weekday on each run by their deviations from the level around them, clipped so that single runs do not decide, and
 * drawn to their mean by empirical Bayes (Efron and Morris 1973): the scatter of the days of a cell says what chance makes of its mean.
 */
export function cycleOfRuns(deviations: Float64Array, { hour, weekday, day }: LocalTimes): Float64Array {
  const most = (CLIPPED * median(deviations.map(Math.abs))) / MEDIAN_OF_NORMAL;
  let hours: Float64Array = new Float64Array(24);
  let weekdays: Float64Array = new Float64Array(WEEK);
  const left = new Float64Array(deviations.length);
  const free = (of: (at: number) => number) => {
    for (let at = 0; at < left.length; at += 1) left[at] = Math.max(-most, Math.min(most, nthDouble(deviations, at) - of(at)));
    return left;
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    hours = shrunkenCells(
      free((at) => nthDouble(weekdays, nthUnsigned(weekday, at))),
      hour,
      day,
      24,
    );
    weekdays = shrunkenCells(
      free((at) => nthDouble(hours, nthUnsigned(hour, at))),
      weekday,
      day,
      WEEK,
    );
  }
  return deviations.map((_, at) => nthDouble(hours, nthUnsigned(hour, at)) + nthDouble(weekdays, nthUnsigned(weekday, at)));
}

/** Days of one weekday on each side, by weeks, that say what a special day would have been. */
const WEEKS_BESIDE = 4;
/** Part of its own size by which the effect of a special day differs from year to year: 12 % of the usual, where it doubles visits. */
const REPEATED = 0.17;

/** The effect of a special day in an earlier year, and how uncertain that one day is by itself. */
interface Earlier {
  readonly key: string;
  readonly effect: number;
  readonly chance: number;
}

function earlierEffects(days: readonly DayValue[], keyOf: (label: string) => string | undefined): Earlier[] {
  const logs = new Map(
    days.flatMap(({ label, numerator, denominator, isWhole }) =>
      isWhole && numerator > 0 && denominator > 0
        ? [[Math.round(Date.parse(label) / DAY_MS), Math.log(numerator / denominator)] as const]
        : [],
    ),
  );
  const keys = new Map([...logs.keys()].map((time) => [time, keyOf(new Date(time * DAY_MS).toISOString().slice(0, 10))]));
  return [...logs].flatMap(([time, log]) => {
    const key = keys.get(time);
    const beside = Array.from({ length: 2 * WEEKS_BESIDE + 1 }, (_, week) => time + WEEK * (week - WEEKS_BESIDE))
      .filter((near) => logs.has(near) && keys.get(near) === undefined)
      .map((near) => logs.get(near) ?? 0);
    if (key === undefined || beside.length < 3) return [];
    const usual = median(beside);
    const spread = beside.reduce((sum, value) => sum + (value - usual) ** 2, 0) / (beside.length - 1);
    return [{ key, effect: log - usual, chance: spread * (1 + Math.PI / 2 / beside.length) }];
  });
}

/**
 * The effects of special days by what the same days did in earlier years of the same site, of which the latest counts: drawn to none by the
 * share of their scatter that chance explains, so that days which moved nothing are expected to move nothing, with the spread of what is
 * expected of each. `keyOf` names a special day the same in each year.
 */
export function effectsOfEarlierYears(
  days: readonly DayValue[],
  keyOf: (label: string) => string | undefined,
): ReadonlyMap<string, SpecialEffect> {
  const earlier = earlierEffects(days, keyOf);
  const meanOf = (of: (each: Earlier) => number) => earlier.reduce((sum, each) => sum + of(each), 0) / earlier.length;
  const real = earlier.length === 0 ? 0 : Math.max(0, meanOf(({ effect }) => effect ** 2) - meanOf(({ chance }) => chance));
  return new Map(
    earlier.map(({ key, effect, chance }) => {
      const kept = real / (real + chance);
      return [key, { mean: kept * effect, sd: Math.hypot(REPEATED * kept * effect, Math.sqrt(kept * chance)) }] as const;
    }),
  );
}
