import { Temporal } from 'temporal-polyfill';
import { formatMs } from './number-text.ts';

export interface DateRange {
  /** As sent to the service; kept as they are. */
  startIso: string;
  endIso: string;
  startMs: number;
  /** The last millisecond of the range, or the first one after it. */
  endMs: number;
  timeZone: string;
  nowMs: number;
  /** How many days before today the service may still correct: 7 for zone metrics. Left out: nothing is said of days that are over. */
  provisionalDays?: number | undefined;
}

export interface RangeDescription {
  start: string;
  end: string;
  timeZone: string;
  /** Calendar days, each counted as one whether it has 23, 24 or 25 hours; a fraction where the range begins or ends within a day. */
  days: number;
  /** Sentences on what may still change; that nothing may is said where `provisionalDays` is known. */
  finality: string[];
  /** One line: `2026-11-09 … 2026-11-15 (7 days, Europe/Paris)`. */
  text: string;
}

function rounded(value: number): number {
  return Number(value >= 1 ? value.toFixed(2) : value.toPrecision(2));
}

function isMidnight(time: Temporal.ZonedDateTime): boolean {
  return time.epochMilliseconds === time.startOfDay().epochMilliseconds;
}

function dayOf(time: Temporal.ZonedDateTime): string {
  return time.toPlainDate().toString();
}

function minuteOf(time: Temporal.ZonedDateTime): string {
  return time.toPlainTime().toString({ smallestUnit: 'minute' });
}

function span(start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime): string {
  if (isMidnight(start) && isMidnight(end)) {
    const lastDay = dayOf(end.subtract({ milliseconds: 1 }));
    return lastDay === dayOf(start) ? lastDay : `${dayOf(start)} … ${lastDay}`;
  }
  const endDay = dayOf(end) === dayOf(start) ? '' : `${dayOf(end)} `;
  return `${dayOf(start)} ${minuteOf(start)} … ${endDay}${minuteOf(end)}`;
}

function finalityNotes(end: Temporal.ZonedDateTime, now: Temporal.ZonedDateTime, provisionalDays: number | undefined): string[] {
  const reaches = (day: Temporal.ZonedDateTime) => end.epochMilliseconds > day.epochMilliseconds;
  const today = now.startOfDay();
  const corrected = provisionalDays ?? 0;
  const since = today.toPlainDate().subtract({ days: corrected }).toZonedDateTime(now.timeZoneId);
  const notes: string[] = [];
  if (reaches(today)) notes.push(`Today is incomplete (${dayOf(now)}).`);
  if (corrected > 0 && reaches(since)) notes.push(`The last ${corrected} days may still change (since ${dayOf(since)}).`);
  if (notes.length > 0 || provisionalDays === undefined) return notes;
  notes.push(
    corrected > 0
      ? `Final: its days are older than the ${corrected} in which the service corrects.`
      : 'Final: no later corrections are documented.',
  );
  return notes;
}

/** Says which range an answer covers, for its notes: days counted in the zone, and what in it is not final yet. */
export function describeRange({ startIso, endIso, startMs, endMs, timeZone, nowMs, provisionalDays }: DateRange): RangeDescription {
  const at = (instantMs: number) => Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);
  const start = at(startMs);
  // A day that ends with its last millisecond is a whole day.
  const end = isMidnight(at(endMs + 1)) ? at(endMs + 1) : at(endMs);
  const days = rounded(start.until(end).total({ unit: 'days', relativeTo: start }));
  const length = days < 1 ? formatMs(endMs - startMs) : `${days} ${days === 1 ? 'day' : 'days'}`;
  return {
    start: startIso,
    end: endIso,
    timeZone,
    days,
    finality: finalityNotes(end, at(nowMs), provisionalDays),
    text: `${span(start, end)} (${length}, ${timeZone})`,
  };
}
