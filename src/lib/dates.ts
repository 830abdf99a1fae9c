import { Temporal } from 'temporal-polyfill';
import { DateError, type DateMeaning, readDate } from './date-texts.ts';
import type { Interval } from './intervals.ts';
import { ofAnswer } from './note-mark.ts';
import { formatMs } from './number-text.ts';

/** A date of a range that has not come yet. */
export class FutureError extends DateError {
  constructor(message: string) {
    super(message);
    this.name = 'FutureError';
  }
}

/** The present and the zone that a date text is read with. */
export interface DateOptions {
  /** Which instant of a day or period counts: its first, its last millisecond, or (`exportEnd`) the first one after it. */
  edge: 'start' | 'end' | 'exportEnd';
  /** IANA zone in which days begin and end. */
  timeZone: string;
  /** The present, ms since 1970. */
  nowMs: number;
  /** True for a date that may be planned, such as that of an event: then nothing is cut or refused for lying in the future. */
  allowFuture?: boolean;
}

/** A date text as an instant, and how it was written. */
export interface ResolvedDate {
  /** A date-time with an offset as it was given; else with milliseconds, `Z` where the zone is UTC or the zone's offset at that instant. */
  iso: string;
  instantMs: number;
  /** The end lay in the future and became the present: to be noted. */
  cutToNow: boolean;
}

const UTC = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/i;

/** An instant in the form that the interface takes: `2026-11-01T00:00:00.000+01:00`, with `Z` where the zone is UTC. */
export function isoAt(instantMs: number, timeZone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(instantMs);
  const local = instant.toZonedDateTimeISO(timeZone);
  // The form has no room for the seconds in offsets of the nineteenth century: rounding them would name another instant.
  if (UTC.test(timeZone) || local.offsetNanoseconds % 60e9 !== 0) return instant.toString({ fractionalSecondDigits: 3 });
  return local.toString({ fractionalSecondDigits: 3, timeZoneName: 'never' });
}

/** The same to the minute: `2026-11-01T00:00+01:00`. */
export function minuteAt(instantMs: number, timeZone: string): string {
  return isoAt(instantMs, timeZone).replace(/:\d{2}\.\d{3}/, '');
}

/** The calendar day of an instant in a zone, such as 2026-11-20. */
export function todayIn(timeZone: string, nowMs: number): string {
  return dayOf(zoned(nowMs, timeZone));
}

function edgeOf(meaning: DateMeaning, edge: DateOptions['edge'], timeZone: string): number {
  if (meaning.kind === 'instant') return meaning.instantMs;
  if (edge === 'start') return meaning.first.toZonedDateTime(timeZone).epochMilliseconds;
  const nextMs = meaning.next.toZonedDateTime(timeZone).epochMilliseconds;
  return edge === 'end' ? nextMs - 1 : nextMs;
}

/**
 * Turns a text of the date grammar into an instant. An end in the future becomes the present; a start there, or a text that is not a date,
 * throws a `DateError`.
 */
export function resolveDate(text: string, { edge, timeZone, nowMs, allowFuture = false }: DateOptions): ResolvedDate {
  const now = zoned(nowMs, timeZone);
  const meaning = readDate(text, now);
  const instantMs = edgeOf(meaning, edge, timeZone);
  if (instantMs > nowMs && !allowFuture) {
    if (edge === 'start') throw new FutureError(`"${text.trim()}" lies in the future; now is ${isoAt(nowMs, timeZone)}.`);
    return { iso: isoAt(nowMs, timeZone), instantMs: nowMs, cutToNow: true };
  }
  const given = meaning.kind === 'instant' ? meaning.iso : undefined;
  return { iso: given ?? isoAt(instantMs, timeZone), instantMs, cutToNow: false };
}

/** A range as it was sent, for its description. */
export interface DateRange {
  /** As sent to the service; kept as they are. */
  startIso: string;
  endIso: string;
  startMs: number;
  /** The last millisecond of the range, or the first one after it. */
  endMs: number;
  timeZone: string;
  nowMs: number;
  /** How many days before today the service may still correct: 7 for zone metrics. */
  provisionalDays: number;
}

/** A range in words, with its days and what may still change. */
export interface RangeDescription {
  start: string;
  end: string;
  timeZone: string;
  /** Calendar days, each counted as one whether it has 23, 24 or 25 hours; a fraction where the range begins or ends within a day. */
  days: number;
  /** Sentences on what may still change; of days that the service would have corrected, that none will. */
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

/** To the minute and with its offset, so that it can be passed on as an argument. */
function minuteOf(time: Temporal.ZonedDateTime): string {
  return time.toString({ smallestUnit: 'minute', timeZoneName: 'never' }).replace('+00:00', 'Z');
}

function span(start: Temporal.ZonedDateTime, end: Temporal.ZonedDateTime, between: string): string {
  if (!isMidnight(start) || !isMidnight(end)) return `${minuteOf(start)}${between}${minuteOf(end)}`;
  const lastDay = dayOf(end.subtract({ milliseconds: 1 }));
  return lastDay === dayOf(start) ? lastDay : `${dayOf(start)}${between}${lastDay}`;
}

const zoned = (instantMs: number, timeZone: string) => Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);

/** A range for names and tables: `2026-11-01`, `2026-11-01 to 2026-11-07` with the last day for whole days, or with times. */
export function rangeName({ startMs, endMs }: Interval, timeZone: string): string {
  return span(zoned(startMs, timeZone), zoned(endMs, timeZone), ' to ');
}

/** A range in one line, its end, and the days between in the zone. */
function measured({ startMs, endMs }: Interval, timeZone: string) {
  const start = zoned(startMs, timeZone);
  // A day that ends with its last millisecond is a whole day.
  const next = zoned(endMs + 1, timeZone);
  const end = isMidnight(next) ? next : zoned(endMs, timeZone);
  const days = rounded(start.until(end).total({ unit: 'days', relativeTo: start }));
  const length = days < 1 ? formatMs(endMs - startMs) : `${days} ${days === 1 ? 'day' : 'days'}`;
  return { end, days, text: `${span(start, end, ' … ')} (${length}, ${timeZone})` };
}

/** Ranges, each in one line: `2026-11-09 … 2026-11-15 (7 days, Europe/Paris)`. */
export function rangeTexts(ranges: readonly Interval[], timeZone: string): string[] {
  return ranges.map((range) => measured(range, timeZone).text);
}

function finalityNotes(end: Temporal.ZonedDateTime, now: Temporal.ZonedDateTime, corrected: number): string[] {
  const reaches = (day: Temporal.ZonedDateTime) => end.epochMilliseconds > day.epochMilliseconds;
  const today = now.startOfDay();
  const since = today.toPlainDate().subtract({ days: corrected }).toZonedDateTime(now.timeZoneId);
  const notes: string[] = [];
  if (reaches(today)) notes.push(ofAnswer(`Today is incomplete (${dayOf(now)}).`));
  if (corrected > 0 && reaches(since)) notes.push(ofAnswer(`The last ${corrected} days may still change (since ${dayOf(since)}).`));
  return notes.length > 0 || corrected === 0 ? notes : [`These days are final: only the last ${corrected} may still change.`];
}

/** Says which range an answer covers, for its notes: days counted in the zone, and what in it is not final yet. */
export function describeRange({ startIso, endIso, startMs, endMs, timeZone, nowMs, provisionalDays }: DateRange): RangeDescription {
  const { end, days, text } = measured({ startMs, endMs }, timeZone);
  return { start: startIso, end: endIso, timeZone, days, finality: finalityNotes(end, zoned(nowMs, timeZone), provisionalDays), text };
}
