import { Temporal } from 'temporal-polyfill';
import { DateError, type DateMeaning, readDate } from './date-grammar.ts';

export { describeRange } from './date-range.ts';

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

export interface ResolvedDate {
  /** A date-time with an offset as it was given; else with milliseconds, `Z` where the zone is UTC or the zone's offset at that instant. */
  iso: string;
  instantMs: number;
  /** The text named a day or a period, without a time. */
  wholeUnits: boolean;
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
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate().toString();
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
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone);
  const meaning = readDate(text, now);
  const wholeUnits = meaning.kind === 'days';
  const instantMs = edgeOf(meaning, edge, timeZone);
  if (instantMs > nowMs && !allowFuture) {
    if (edge === 'start') throw new DateError(`"${text.trim()}" lies in the future; now is ${isoAt(nowMs, timeZone)}.`);
    return { iso: isoAt(nowMs, timeZone), instantMs: nowMs, wholeUnits, cutToNow: true };
  }
  const given = meaning.kind === 'instant' ? meaning.iso : undefined;
  return { iso: given ?? isoAt(instantMs, timeZone), instantMs, wholeUnits, cutToNow: false };
}
