import type { Facts } from '../findings/finding.ts';
import { nthDouble } from '../lib/nth.ts';
import { meanOf, median } from '../statistics/order.ts';
import { MAD_TO_SD } from '../statistics/robust-scale.ts';
import { Z_95 } from '../statistics/tails.ts';
import { isOfSpecialDays } from './calendar/known-days.ts';
import { logOf } from './change-cost.ts';
import type { DatedChange } from './engine/changes.ts';
import { LAST } from './engine/scan.ts';
import { type DailyPoint, daysIn, isSum, type MetricKind, type Series, seriesOf } from './engine/series.ts';
import { kindOf } from './read/day-points.ts';

/**
 * What a season moves a metric by, a day, as a standard deviation of its logarithm: months of retail sales that are not adjusted lie 7 to
 * 9 % off the month before (US Census Bureau, Monthly Retail Trade), those of one shop more, as the trades within them; rates and averages
 * follow a season less.
 */
const SLOPE = { totals: 0.0033, others: 0.001 };
/** The same of a season that ends with special days, as that of presents does: retail sales of January are 20 to 25 % below December. */
const ACROSS = 0.12;
/** The same of school holidays and the like, which begin from one week to the next; where last year is known, it holds most of that. */
const BREAK = { unknown: 0.05, known: 0.025 };
/** Variance of a median beside that of a mean of as many values. */
const OF_MEDIAN = Math.PI / 2;
/** Ordinary days on each side of a first day that show whether the level changed there. */
const BESIDE = 14;

/** The standard deviation of a season over some days; `isAcross`: it ends with special days among these. */
export const seasonOf = (kind: MetricKind, days: number, isAcross = false) =>
  Math.hypot((isSum(kind) ? SLOPE.totals : SLOPE.others) * days, isAcross ? ACROSS * Math.min(1, days / BESIDE) : 0);

/** A change, and over how many days a drift is given. */
interface Lasting extends Omit<DatedChange, 'shape' | 'to' | 'pValue'> {
  readonly shape: DatedChange['shape'] | 'drift';
  readonly to?: string | undefined;
}

/**
 * The jump of a level where it changes, by the ordinary days beside it, less that of last year where it is known of these days, and how far
 * chance and seasons move these.
 */
function jumpAt(
  series: Series,
  { earliest, latest }: Pick<Lasting, 'earliest' | 'latest'>,
  lastYear: (label: string) => number | undefined,
) {
  const { doubt } = series;
  const ordinary = series.labels.flatMap((label, at) => (doubt[at] === 0 ? [{ label, at }] : []));
  const before = ordinary.filter(({ label }) => label < earliest).slice(-BESIDE);
  const after = ordinary.filter(({ label }) => label >= latest).slice(0, BESIDE);
  const [first, last] = [before[0], after.at(-1)];
  if (!first || !last) return undefined;
  // By medians: a campaign of a day beside it is no level.
  const [old, now] = [before, after].map((days) => {
    const values = days.map(({ at }) => nthDouble(series.deviations, at));
    const level = median(values);
    const sd = MAD_TO_SD * median(values.map((value) => Math.abs(value - level)));
    const seasons = days.flatMap(({ label }) => lastYear(label) ?? []);
    const season = seasons.length === days.length ? meanOf(seasons) : undefined;
    return {
      level,
      season,
      day: meanOf(days.map(({ at }) => nthDouble(series.times, at))),
      variance: (OF_MEDIAN * sd ** 2) / values.length,
    };
  });
  if (!old || !now) return undefined;
  const isAcross = doubt.subarray(first.at, last.at).some((own) => own > 0);
  const isKnown = old.season !== undefined && now.season !== undefined;
  const season = isKnown ? 0 : seasonOf(series.kind, now.day - old.day, isAcross);
  const moved = (now.season ?? 0) - (old.season ?? 0);
  const by = now.level - old.level - (isKnown ? moved : 0);
  return { by, sd: Math.hypot(Math.sqrt(old.variance + now.variance), isKnown ? BREAK.known : BREAK.unknown, season) };
}

/**
 * Whether a lasting change of a total is one that the season alone could have made: it moved no faster than a season does, at its end
 * neither, and last year's is not known for these days. A level that jumps from one week to the next is no season.
 */
export function couldBeSeason(metric: string, points: readonly DailyPoint[], change: Lasting): boolean {
  const kind = kindOf(metric);
  const { shape, from, to, days, relative, low, high } = change;
  if (shape === 'drift') {
    const error = (logOf(high) - logOf(low)) / 2 / Z_95;
    const isAcross = points.some(({ label, special }) => special && label >= from && label <= (to ?? LAST));
    return Math.abs(logOf(relative)) <= Z_95 * Math.hypot(error, seasonOf(kind, days, isAcross));
  }
  // A shorter episode has no level of its own beside the days around it.
  if (to !== undefined && days < BESIDE) return false;
  const series = isSum(kind) ? seriesOf(points, kind, from) : undefined;
  if (!series) return false;
  const lastYear = new Map(points.map(({ label, season }) => [label, season]));
  const jump = jumpAt(series, change, (label) => lastYear.get(label));
  return jump !== undefined && jump.by * Math.sign(relative) <= Z_95 * jump.sd;
}

/** The part of the calendar that could have made a change by itself: special days that no earlier year is known of, or the season. */
export function calendarCause(metric: string, points: readonly DailyPoint[], change: Lasting): Facts['causes'] {
  const own = daysIn(points, (label) => label >= change.from && label <= (change.to ?? LAST));
  const unseen = isOfSpecialDays(metric) ? own.flatMap((day) => day.unseen ?? []) : [];
  if (2 * unseen.length > own.length) {
    const name = [...new Set([unseen[0], unseen.at(-1)])].join(' to ');
    return [{ kind: 'special day', name, basis: 'inferred' }];
  }
  return couldBeSeason(metric, points, change) ? [{ kind: 'season', name: 'the season', basis: 'inferred' }] : [];
}
