import { refuse } from '../../api/errors.ts';
import { daysBetween, daysFrom, type Interval, monthsBefore, shiftDays, slotsOf } from '../../lib/calendar.ts';
import { isoAt, resolveDate, todayIn } from '../../lib/dates.ts';

/** `previous`: as many days before, of whole months, as a quarter, as many months; `previous_year`: 364 days back, on the same weekdays. */
export const baselineKinds = ['previous', 'previous_year', 'same_dates_last_year'] as const;
/** A kind of baseline that callers can ask for. */
export type BaselineKind = (typeof baselineKinds)[number];

/** Factors of counts for the two ranges. */
export interface Factors {
  readonly before: number;
  readonly after: number;
}

/** The two compared ranges, and the days before both that teach the usual scatter. */
export type Windows = ReturnType<typeof windowsOf>;

/** 52 weeks: a year with its weekdays in place. */
const YEAR_DAYS = 364;
/** Twelve weeks before the baseline at least: enough to know each weekday and how weeks differ. */
const HISTORY_DAYS = 84;
/** Days that two requests give: what of them lies before the ranges teaches. */
const READ_DAYS = 184;
/** An end without milliseconds and a start at midnight still meet. */
const GAP_MS = 60_000;

/** The period of a comparison, and what was said of its baseline. */
export interface WindowBounds {
  readonly period: Interval;
  readonly baselineStartMs?: number | undefined;
  readonly baselineEndMs?: number | undefined;
  /** Undefined where none was asked for. */
  readonly kind: BaselineKind | undefined;
  readonly timeZone: string;
  readonly nowMs: number;
}

const WEEK_DAYS = 7;

/** The same date a year earlier; 29 February becomes 1 March. */
function yearBefore(label: string): string {
  return new Date(Date.UTC(Number(label.slice(0, 4)) - 1, Number(label.slice(5, 7)) - 1, Number(label.slice(8, 10))))
    .toISOString()
    .slice(0, 10);
}

/** Calendar days from the day of an instant to another day, negative for an earlier one. */
function daysTo(fromMs: number, label: string, timeZone: string): number {
  return daysFrom(todayIn(timeZone, fromMs), label);
}

const lengthOf = ({ period, timeZone }: WindowBounds) => Math.max(1, Math.ceil(daysBetween(period.startMs, period.endMs + 1, timeZone)));

/** Whether the period is the running week so far and nothing else was asked for than how it compares. */
function isWeekSoFar(bounds: WindowBounds): boolean {
  const { period, baselineStartMs, baselineEndMs, kind, timeZone, nowMs } = bounds;
  if (kind !== undefined || baselineStartMs !== undefined || baselineEndMs !== undefined) return false;
  const first = todayIn(timeZone, period.startMs);
  const isMonday = new Date(first).getUTCDay() === 1;
  return isMonday && lengthOf(bounds) < WEEK_DAYS && -daysTo(nowMs, first, timeZone) < WEEK_DAYS;
}

/** Shifts the period by whole calendar days, so that it is cut at the same time of day. */
const shifterOf =
  ({ period, timeZone }: WindowBounds) =>
  (days: number): Interval => ({
    startMs: shiftDays(period.startMs, days, timeZone),
    endMs: shiftDays(period.endMs + 1, days, timeZone) - 1,
  });

/** The baseline of which no bound was named. */
function baselineOfKind(bounds: WindowBounds, weekSoFar: boolean): Interval {
  const { period, kind = 'previous', timeZone } = bounds;
  const shifted = shifterOf(bounds);
  const months = kind === 'previous' ? monthsBefore(period, timeZone) : undefined;
  if (months) return months;
  if (kind === 'same_dates_last_year') return shifted(daysTo(period.startMs, yearBefore(todayIn(timeZone, period.startMs)), timeZone));
  const length = weekSoFar ? WEEK_DAYS : lengthOf(bounds);
  return shifted(kind === 'previous_year' ? -YEAR_DAYS : -length);
}

function baselineOf(bounds: WindowBounds, weekSoFar: boolean): Interval {
  const { period, baselineStartMs, baselineEndMs, timeZone } = bounds;
  if (baselineStartMs === undefined && baselineEndMs === undefined) return baselineOfKind(bounds, weekSoFar);
  const shifted = shifterOf(bounds);
  if (baselineStartMs !== undefined && baselineEndMs !== undefined) return { startMs: baselineStartMs, endMs: baselineEndMs };
  // One bound was named: the other lies as far from it as in the period.
  if (baselineStartMs === undefined) {
    const days = Math.round(daysBetween(period.endMs, baselineEndMs ?? 0, timeZone));
    return { startMs: shifted(days).startMs, endMs: baselineEndMs ?? 0 };
  }
  const { endMs } = shifted(Math.round(daysBetween(period.startMs, baselineStartMs, timeZone)));
  // A month may be shorter than the next one.
  const reaches = baselineStartMs < period.startMs && endMs >= period.startMs;
  return { startMs: baselineStartMs, endMs: reaches ? period.startMs - 1 : endMs };
}

function notesOf(bounds: WindowBounds, days: number, isPerDay: boolean, weekSoFar: boolean): string[] {
  const { period, kind = 'previous', timeZone, nowMs, ...named } = bounds;
  const isNamed = named.baselineStartMs !== undefined || named.baselineEndMs !== undefined;
  const notes: string[] = [];
  if (!isNamed && kind === 'previous_year')
    notes.push('The baseline lies 364 days back, so that weekdays match; baseline: "same_dates_last_year" takes the same dates.');
  const isCut = todayIn(timeZone, period.endMs) === todayIn(timeZone, nowMs) && period.endMs >= nowMs - GAP_MS;
  if (isCut && !isNamed) {
    const time = isoAt(period.endMs, timeZone).slice(11, 16);
    notes.push(
      `The period ends now, so the baseline is cut at the same time of day (${time}); days that are not whole take no part in the noise.`,
    );
  }
  if (isPerDay) notes.push('The two ranges differ in length: before, after and change of counts and amounts are the figures for a day.');
  else if (weekSoFar) notes.push('The baseline is the same weekdays of the week before; baseline: "previous" takes the days right before.');
  else if (!isNamed && kind === 'previous' && Math.ceil(days) % 7 !== 0) {
    const sameWeekday = todayIn(timeZone, shiftDays(period.startMs, -7 * Math.ceil(days / 7), timeZone));
    notes.push(
      `The baseline holds other weekdays than the period: verdicts allow for that, values do not. baselineStartDate ${sameWeekday} ` +
        `compares the same weekdays.`,
    );
  }
  return notes;
}

/** The whole days from one interval to a later one, where they are no more than a change is dated by. */
function daysApart(earlier: Interval, later: Interval, timeZone: string): Interval | undefined {
  const days = slotsOf('day', { startMs: earlier.endMs + 1, endMs: later.startMs - 1 }, timeZone).filter(({ isPart }) => !isPart);
  const [first, last] = [days[0], days.at(-1)];
  return first && last && days.length <= HISTORY_DAYS ? { startMs: first.startMs, endMs: last.endMs } : undefined;
}

/** Days after a period that are read at most: what one request gives. */
const LATER_DAYS = 92;

/** The complete days behind a period, up to yesterday. */
export function laterDays({ period, timeZone, nowMs }: Pick<WindowBounds, 'period' | 'timeZone' | 'nowMs'>): Interval | undefined {
  const [today, next] = [nowMs, period.endMs + 1].map(
    (ms) => resolveDate(todayIn(timeZone, ms), { edge: 'start', timeZone, nowMs }).instantMs,
  );
  if (today === undefined || next === undefined || next >= today) return undefined;
  return { startMs: next, endMs: Math.min(today, shiftDays(next, LATER_DAYS, timeZone)) - 1 };
}

/** Places the baseline and the history; throws where the two ranges overlap or the baseline is empty. */
export function windowsOf(bounds: WindowBounds) {
  const { period, timeZone } = bounds;
  if (period.endMs <= period.startMs) refuse('endDate lies before startDate.');
  const weekSoFar = isWeekSoFar(bounds);
  const baseline = baselineOf(bounds, weekSoFar);
  if (baseline.endMs <= baseline.startMs) refuse('baselineEndDate lies before baselineStartDate.');
  if (baseline.endMs >= period.startMs && baseline.startMs <= period.endMs) {
    refuse('The baseline overlaps the period: let baselineEndDate lie before startDate.');
  }
  const days = daysBetween(period.startMs, period.endMs + 1, timeZone);
  const baselineDays = daysBetween(baseline.startMs, baseline.endMs + 1, timeZone);
  const isPerDay = Math.abs(days / baselineDays - 1) >= 0.005;
  // A baseline that is cut at a time of day still touches the day before the period.
  const meets = todayIn(timeZone, shiftDays(baseline.endMs, 1, timeZone)) === todayIn(timeZone, period.startMs);
  const between = meets ? undefined : daysApart(baseline, period, timeZone);
  const isAdjacent = meets || (between !== undefined && weekSoFar) || Math.abs(period.startMs - baseline.endMs) <= GAP_MS;
  // A baseline of another season: nothing is known of the time between.
  const isFar = baseline.startMs > period.startMs || daysBetween(baseline.endMs, period.startMs, timeZone) > HISTORY_DAYS;
  const first = isFar ? period.startMs : baseline.startMs;
  // A baseline behind the period is there by itself.
  const later = baseline.startMs > period.startMs ? undefined : laterDays(bounds);
  const read = Math.ceil(daysBetween(first, (later ?? period).endMs + 1, timeZone));
  const history = Math.max(HISTORY_DAYS, READ_DAYS - Math.max(0, read));
  return {
    period,
    baseline,
    history: { startMs: shiftDays(first, -history, timeZone), endMs: first - 1 },
    /** Whole days between the baseline and the period; undefined where there are none, or more than a change is dated by. */
    between,
    /** Whole days after a period that is over, by which a change of it is dated and sized; undefined where there are none. */
    later,
    /** The baseline ends where the period begins, or is that of a week so far: the day of a change can be searched for. */
    isAdjacent,
    /** Factors that make the counts of the ranges comparable: 1, or one over the days where the two differ in length. */
    factors: isPerDay ? { before: 1 / baselineDays, after: 1 / days } : { before: 1, after: 1 },
    /** Sentences for a reader. */
    notes: notesOf(bounds, days, isPerDay, weekSoFar),
  };
}
