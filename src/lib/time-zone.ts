import { Temporal } from 'temporal-polyfill';
import { HOUR_MS } from './clock.ts';

// Names that ICU knows beyond the IANA database; Temporal refuses them.
const ICU_ONLY = /^(?:AC|AE|AG|AR|AS|BE|BS|CA|CN|CS|CT|EA|EC|IE|IS|JS|MI|NE|NS|PL|PN|PR|PS|SS|VS)T$/i;

/**
 * Whether `text` is an IANA zone such as Europe/Paris, case ignored; an offset such as +01:00 is not. Loads nothing, so it can run at
 * start-up.
 */
export function isTimeZone(text: string): boolean {
  if (text === 'UTC') return true; // the default; the first use of Intl costs a start 10 ms
  if (!/^[a-z]/i.test(text) || ICU_ONLY.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A format costs a thousand times its use. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar date of an instant in a zone, `2026-11-20`; without Temporal, which a start of the server must not wait for. */
export function dateIn(timeZone: string, atMs: number): string {
  if (timeZone === 'UTC') return new Date(atMs).toISOString().slice(0, 10);
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format.format(atMs);
}

function at(instantMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);
}

/**
 * The same time of day some days later in the zone, or earlier where `days` is negative; of the beginning of a day the beginning of the
 * other.
 */
export function shiftDays(instantMs: number, days: number, timeZone: string): number {
  const from = at(instantMs, timeZone);
  const to = from.add({ days });
  // Where the clock is put forward at midnight, a day begins at 01:00.
  return (from.equals(from.startOfDay()) ? to.startOfDay() : to).epochMilliseconds;
}

/** Days from one instant to another as calendars count them: a day of 23 or 25 hours is one; a fraction for parts. */
export function daysBetween(fromMs: number, toMs: number, timeZone: string): number {
  const [from, to] = [at(fromMs, timeZone), at(toMs, timeZone)];
  if (!from.equals(from.startOfDay())) return from.until(to).total({ unit: 'days', relativeTo: from });
  const elapsedMs = to.epochMilliseconds - to.startOfDay().epochMilliseconds;
  return from.toPlainDate().until(to.toPlainDate()).days + elapsedMs / (to.hoursInDay * HOUR_MS);
}
