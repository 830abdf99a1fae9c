import { Temporal } from 'temporal-polyfill';

function at(instantMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);
}

/** The same time of day some days later in the zone, or earlier where `days` is negative. */
export function shiftDays(instantMs: number, days: number, timeZone: string): number {
  return at(instantMs, timeZone).add({ days }).epochMilliseconds;
}

/** Days from one instant to another as calendars count them: a day of 23 or 25 hours is one; a fraction for parts. */
export function daysBetween(fromMs: number, toMs: number, timeZone: string): number {
  const from = at(fromMs, timeZone);
  return from.until(at(toMs, timeZone)).total({ unit: 'days', relativeTo: from });
}
