import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';

/** From one instant to another, in ms since 1970; `endMs` is the last millisecond, or an instant that a caller named. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** Whether an instant lies in an interval, both ends included. */
export const isWithin = (ms: number, { startMs, endMs }: Interval): boolean => ms >= startMs && ms <= endMs;

/** Length of each unit of the calendar, as Temporal adds it. */
export const UNIT_LENGTH = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
} as const;
/** In every part of the product. */
export const WEEK_START = 'Weeks begin on Monday';

/** A unit of the calendar, in the zone of the dates. */
export type CalendarUnit = 'day' | 'week' | 'month' | 'quarter';

/** A day, week (Monday to Sunday), month, quarter or hour of a time zone, or the part of it inside an interval. */
export interface CalendarSlot extends Interval {
  /** `2026-11-09` for a day, the Monday of a week, `2026-11` for a month, `2026-Q4` for a quarter, `2026-11-09T14:00+01:00` for an hour. */
  readonly label: string;
  /** The interval holds only a part of the unit. */
  readonly isPart: boolean;
}

function at(instantMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone);
}

/** Offset of a zone from UTC at an instant, in ms. */
export const offsetAt = (instantMs: number, timeZone: string): number => at(instantMs, timeZone).offsetNanoseconds / 1e6;

/** First day of the unit that a date lies in; weeks begin on Monday. */
export function firstDayOf(date: Temporal.PlainDate, unit: keyof typeof UNIT_LENGTH): Temporal.PlainDate {
  if (unit === 'day') return date;
  if (unit === 'week') return date.subtract({ days: date.dayOfWeek - 1 });
  if (unit === 'month') return date.with({ day: 1 });
  return date.with({ month: unit === 'year' ? 1 : date.month - ((date.month - 1) % 3), day: 1 });
}

/** The day after the fourth Thursday of November. */
export function blackFridayOf(year: number): Temporal.PlainDate {
  const first = Temporal.PlainDate.from({ year, month: 11, day: 1 });
  return first.add({ days: ((4 - first.dayOfWeek + 7) % 7) + 22 });
}

/** Ranges whose slots are kept, the longest unused first: one question asks for the same days of every place. */
const known = new LRUCache<string, readonly CalendarSlot[]>({ max: 64 });

/** The days, weeks, months or quarters of a zone that an interval touches, in order and without a gap, cut to the interval. */
export function slotsOf(unit: CalendarUnit, interval: Interval, timeZone: string): readonly CalendarSlot[] {
  const key = `${unit} ${interval.startMs} ${interval.endMs} ${timeZone}`;
  const slots = known.get(key) ?? slotsIn(unit, interval, timeZone);
  known.set(key, slots);
  return slots;
}

function slotsIn(unit: CalendarUnit, { startMs, endMs }: Interval, timeZone: string): CalendarSlot[] {
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds;
  const slots: CalendarSlot[] = [];
  let date = firstDayOf(at(startMs, timeZone).toPlainDate(), unit);
  for (let fromMs = startOf(date); fromMs < endMs || slots.length === 0; ) {
    const next = date.add(UNIT_LENGTH[unit]);
    const nextMs = startOf(next);
    const slot = { startMs: Math.max(fromMs, startMs), endMs: Math.min(nextMs - 1, endMs) };
    const label = labelOf(date, unit);
    // A zone that crosses the date line may have a date without a single moment.
    if (nextMs > fromMs) slots.push({ ...slot, label, isPart: slot.startMs > fromMs || slot.endMs < nextMs - 1 });
    date = next;
    fromMs = nextMs;
  }
  return slots;
}

function labelOf(date: Temporal.PlainDate, unit: CalendarUnit): string {
  if (unit === 'quarter') return `${date.year}-Q${(date.month + 2) / 3}`;
  return unit === 'month' ? date.toPlainYearMonth().toString() : date.toString();
}

/** The hours of a zone's clock that an interval touches, cut to it; each bears its offset. */
export function hoursOf({ startMs, endMs }: Interval, timeZone: string): CalendarSlot[] {
  const slots: CalendarSlot[] = [];
  let from = at(startMs, timeZone).round({ smallestUnit: 'hour', roundingMode: 'floor' });
  while (from.epochMilliseconds < endMs || slots.length === 0) {
    const next = from.add({ hours: 1 });
    const label = from.toString({ smallestUnit: 'minute', timeZoneName: 'never' }).replace('+00:00', 'Z');
    const slot = { startMs: Math.max(from.epochMilliseconds, startMs), endMs: Math.min(next.epochMilliseconds - 1, endMs) };
    slots.push({ ...slot, label, isPart: slot.startMs > from.epochMilliseconds || slot.endMs < next.epochMilliseconds - 1 });
    from = next;
  }
  return slots;
}

/** As many months before, where an interval is whole months of the zone, `most` at most. */
export function monthsBefore(interval: Interval, timeZone: string, most = Number.POSITIVE_INFINITY): Interval | undefined {
  const months = slotsOf('month', interval, timeZone);
  if (months.length > most || months.some(({ isPart }) => isPart)) return undefined;
  const first = at(interval.startMs, timeZone).toPlainDate().subtract({ months: months.length });
  return { startMs: first.toZonedDateTime(timeZone).epochMilliseconds, endMs: interval.startMs - 1 };
}

/** Splits an interval at midnights of the zone into as few parts as possible, none longer than `maxMs`. */
export function chunksOf(interval: Interval, timeZone: string, maxMs: number): Interval[] {
  if (interval.endMs - interval.startMs <= maxMs) return [{ startMs: interval.startMs, endMs: interval.endMs }];
  const chunks: { startMs: number; endMs: number }[] = [];
  for (const day of slotsOf('day', interval, timeZone)) {
    const open = chunks.at(-1);
    if (open && day.endMs - open.startMs <= maxMs) open.endMs = day.endMs;
    else chunks.push({ startMs: day.startMs, endMs: day.endMs });
  }
  return chunks;
}

/** Days from one day (`2026-09-28`) to another, negative for an earlier one. */
export const daysFrom = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/** The day so many days after another one, before it where there are fewer than none: `2026-11-09` for `2026-11-10` and −1. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
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
  const day = to.startOfDay();
  const next = day.add({ days: 1 }).startOfDay(); // a day that begins at 01:00 is followed by one that begins at midnight
  const part = (to.epochMilliseconds - day.epochMilliseconds) / (next.epochMilliseconds - day.epochMilliseconds);
  return from.toPlainDate().until(to.toPlainDate()).days + part;
}

/** Days that a site itself calls special, as a sale: first and last day. */
export interface OwnDays {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

/** What settings say of the calendar: `country` as `FR` or `DE-BY`. */
export interface CalendarSettings {
  readonly country?: string | undefined;
  readonly specialDays?: readonly OwnDays[] | undefined;
}
