import { daysFrom } from '../lib/calendar.ts';
import type { DatedChange } from './engine/changes.ts';
import { changesSince, measureChange, sizeOfDays } from './engine/measure.ts';
import { LAST } from './engine/scan.ts';
import { LONGEST_EPISODE_DAYS } from './engine/seek.ts';
import { type DailyPoint, daysIn, sumOf } from './engine/series.ts';
import { factorsOf } from './metric-names.ts';
import { dayPoints, kindOf } from './read/day-points.ts';
import type { MetricRow } from './read/metric-answers.ts';
import type { Selection } from './read/metric-grid.ts';
import { calendarCause, couldBeSeason } from './season.ts';

/** A selection of visits; without a goal that of e-commerce. */
export type Place = Pick<Selection, 'device' | 'segmentIds'> & Partial<Pick<Selection, 'goalId' | 'zoneId'>>;

/** The visits of one selection, by all of their days that are known. */
export interface Visits extends Place {
  /** Their conversions are of another goal than that of e-commerce: revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean | undefined;
  readonly known: readonly MetricRow[];
}

/** Names some visits. */
export const keyOf = ({ device, segmentIds, goalId, zoneId }: Place) =>
  [device, segmentIds.join('+'), goalId ?? '', zoneId ?? ''].join('|');

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

/** Whether special days that no earlier year is known of, or the season, could have made a change by itself. */
export const isOfCalendar = ({ metric, reading, change }: SiteChange) =>
  calendarCause(metric, pointsKnown(reading, metric), change).length > 0;

/** Whether a change is a single unusual day. */
export const isDay = ({ change }: Pick<SiteChange, 'change'>) => change.shape === 'outlier';

/** Some changes without those that go on with an earlier one where the season alone could have made both: one slow move is told once. */
export function onceASeason<Own>(all: readonly Own[], of: (own: Own) => SiteChange): Own[] {
  const seasonal = all
    .map((own) => ({ own, ...of(own) }))
    .filter(({ metric, reading, change }) => couldBeSeason(metric, pointsKnown(reading, metric), change));
  const again = seasonal.filter(({ metric, reading, change }) =>
    seasonal.some(
      (other) =>
        other.metric === metric &&
        keyOf(other.reading) === keyOf(reading) &&
        other.change.from < change.from &&
        other.change.relative * change.relative > 0,
    ),
  );
  return all.filter((own) => !again.some((each) => each.own === own));
}
