import { dayAfter, daysFrom } from '../lib/calendar.ts';
import { byMost } from '../lib/order.ts';
import type { DatedChange } from './engine/changes.ts';
import { changesSince, measureChange, sizeOfDays } from './engine/measure.ts';
import { findReasons, type Reasons } from './engine/reasons.ts';
import { LAST } from './engine/scan.ts';
import { LONGEST_EPISODE_DAYS } from './engine/seek.ts';
import { type DailyPoint, daysIn, sumOf, valueOf } from './engine/series.ts';
import { factorsOf } from './metric-names.ts';
import { dayPoints, kindOf } from './read/day-points.ts';
import type { MetricRow } from './read/metric-answers.ts';
import type { Selection } from './read/metric-grid.ts';
import { calendarCause } from './season.ts';

/** The visits of one selection, by all of their days that are known. */
export interface Visits extends Pick<Selection, 'device' | 'segmentIds' | 'zoneId'> {
  /** Their conversions are of another goal than that of e-commerce: revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean | undefined;
  readonly known: readonly MetricRow[];
}

/** A change with a date, in the visits that it is of. */
export interface SiteChange<Of extends Visits = Visits> {
  readonly metric: string;
  readonly reading: Of;
  readonly change: DatedChange;
}

/** Probability of a change where nothing happened, over all series of a table. */
export const ERROR = 0.01;
/** Days before a change or a period that say what was usual; a change that began on them and goes on is still news. */
export const DAYS_BEFORE = 28;

/** The days of a metric that are known. */
export const pointsKnown = ({ known }: Pick<Visits, 'known'>, metric: string): readonly DailyPoint[] => dayPoints(known, metric);

type Begun = Pick<DatedChange, 'earliest' | 'latest' | 'relative'>;

/** Whether two changes may be of one: the same way, and begun on about the same day as far as their days tell. */
export const areNear = (a: Begun, b: Begun) =>
  a.relative * b.relative > 0 && daysFrom(a.latest, b.earliest) <= 1 && daysFrom(b.latest, a.earliest) <= 1;

/** A change as every tool dates and sizes it: by all days that are known, whatever the ranges; undefined where these days show none. */
export function measuredOn<Of extends Visits>({ metric, reading, change }: SiteChange<Of>): SiteChange<Of> | undefined {
  const days = [kindOf(metric), pointsKnown(reading, metric)] as const;
  const found = measureChange(...days, change);
  // What goes on here has no last day, wherever it seemed to end.
  if (found) return { metric, reading, change: found };
  const size = sizeOfDays(...days, change);
  return size && { metric, reading, change: { ...change, ...size } };
}

/** The same; as it was found where its days show no size. */
export const measuredAt = <Of extends Visits>(own: SiteChange<Of>): SiteChange<Of> => measuredOn(own) ?? own;

/** Changes of a metric from a day on; of a product those of its factors, with the days and cost that every tool tells. */
export function changesOf<Of extends Visits>(reading: Of, metric: string, from: string, most: number): SiteChange<Of>[] {
  const factors = factorsOf(metric, reading);
  return (factors.length === 0 ? [metric] : factors).flatMap((name) =>
    changesSince(kindOf(name), pointsKnown(reading, name), from, most)
      // What lasted for longer and is over was a level between two changes, and is no story by itself.
      .filter(({ to, days }) => to === undefined || days <= LONGEST_EPISODE_DAYS)
      .map((change) => ({ metric: name, reading, change })),
  );
}

/** First and last day of what is asked about. */
export interface AskedDays {
  readonly first: string;
  readonly last: string;
}

/** Whether a change has a day among those that are asked about. */
export const isOn = ({ from, to = LAST }: Pick<DatedChange, 'from' | 'to'>, { first, last }: AskedDays) => from <= last && to >= first;

/** A part of the visits that a change may lie in, by its name. */
export interface NamedVisits<Of extends Visits = Visits> {
  readonly name: string;
  readonly reading: Of;
}

/** The part that a change lies on, of some; `looked` parts were looked at, where those that looked most alike are left out of the list. */
export function reasonsOf<Of extends Visits>(
  { metric, reading, change: { from, to } }: SiteChange<Of>,
  parts: readonly NamedVisits<Of>[],
  looked = parts.length,
): Partial<Reasons> {
  const whole = pointsKnown(reading, metric);
  const occasion = { kind: kindOf(metric), whole, from, to: to ?? whole.at(-1)?.label ?? from, periodFrom: from };
  const groups = parts.map((part) => ({ name: part.name, days: pointsKnown(part.reading, metric) })).filter(({ days }) => days.length > 0);
  return groups.length === 0 ? {} : findReasons(occasion, groups, looked);
}

/** Share of a relative change that makes the most of it. */
const ALONG = 0.5;

/** Whether a relative change goes the way of another one and is at least half as large. */
export const goesAlong = (relative: number, other: number) => relative / other >= ALONG;

/** The usual count of the days of a change, and how far that of these lies beside it. */
export function movedOn(points: readonly DailyPoint[], { from, to = LAST, relative }: Pick<DatedChange, 'from' | 'to' | 'relative'>) {
  const own = daysIn(points, (label) => label >= from && label <= to);
  const usual = sumOf(own, 'numerator') / Math.max(Number.EPSILON, 1 + relative);
  return { usual, moved: usual * relative };
}

/** Whether a change is that of a part, which moved unlike the rest of some visits: by plain sums, because a season moves all parts. */
export function isOfThisPart(part: SiteChange, whole: SiteChange): boolean {
  const movedBy = ({ metric, reading, change }: SiteChange) => movedOn(pointsKnown(reading, metric), change);
  const [own, all] = [movedBy(part), movedBy(whole)];
  return !goesAlong((all.moved - own.moved) / (all.usual - own.usual), part.change.relative);
}

/** Whether special days that no earlier year is known of, or the season, could have made a change by itself. */
export const isOfCalendar = ({ metric, reading, change }: SiteChange) =>
  calendarCause(metric, pointsKnown(reading, metric), change).length > 0;

/** Whether a change is a single unusual day. */
export const isDay = ({ change }: Pick<SiteChange, 'change'>) => change.shape === 'outlier';

/** The change of a part of some visits, of those that were found, that a change of these is: on its days the part moved unlike the rest. */
export function foundInPart<Of extends Visits>(own: SiteChange<Of>, found: readonly SiteChange<Of>[]): SiteChange<Of> | undefined {
  const { metric, change } = own;
  const days = { first: change.from, last: change.to ?? LAST };
  return found.find((part) => {
    // A day of a level is no unusual one.
    if (part.metric !== metric || isDay(part) !== isDay(own)) return false;
    if (part.change.relative * change.relative <= 0 || !isOn(part.change, days)) return false;
    const size = sizeOfDays(kindOf(metric), pointsKnown(part.reading, metric), change);
    return size !== undefined && isOfThisPart({ ...part, change: { ...change, ...size } }, own);
  });
}

/** The part that lies farthest from its weeks before, the way of a single day. */
function farthest<Of extends Visits>({ metric, change: { from, relative } }: SiteChange<Of>, parts: readonly NamedVisits<Of>[]) {
  const farOf = ({ reading }: NamedVisits<Of>) => {
    const points = pointsKnown(reading, metric);
    const usual = daysIn(points, (label) => label >= dayAfter(from, -DAYS_BEFORE) && label < from);
    return Math.sign(relative) * Math.log(valueOf(daysIn(points, (label) => label === from)) / valueOf(usual)) || 0;
  };
  return parts.toSorted(byMost(farOf))[0]?.reading;
}

/**
 * A change on the one part of its visits that moved its way, unlike the rest, and made most of it, as dated and sized there; of a single
 * day, which is not searched for, where the bounds of the part leave out what all of them did.
 */
export function onItsPart<Of extends Visits>(
  own: SiteChange<Of>,
  parts: readonly NamedVisits<Of>[],
  looked?: number,
): SiteChange<Of> | undefined {
  const named = isDay(own) ? undefined : reasonsOf(own, parts, looked).named;
  const reading = isDay(own) ? farthest(own, parts) : parts.find(({ name }) => name === named)?.reading;
  const there = reading && measuredOn({ ...own, reading });
  const { relative } = own.change;
  if (!there || there.change.relative * relative <= 0 || !isOfThisPart(there, own)) return undefined;
  return isDay(own) && relative >= there.change.low && relative <= there.change.high ? undefined : there;
}

/** A change of a part of some visits as all of them show it, where the rest of them went along; undefined where it is that of the part. */
export function onTheWhole<Of extends Visits>(own: SiteChange<Of>, reading: Of): SiteChange<Of> | undefined {
  const change = measureChange(kindOf(own.metric), pointsKnown(reading, own.metric), own.change);
  const there = change && { ...own, reading, change };
  return there && !isOfThisPart(own, there) ? there : undefined;
}
