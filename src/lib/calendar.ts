import { Temporal } from 'temporal-polyfill';

/** From one instant to another, in ms since 1970; `endMs` is the last millisecond, or an instant that a caller named. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

export type CalendarUnit = 'day' | 'week' | 'month';

/** A day, week (Monday to Sunday) or month of a time zone, or the part of it inside an interval. */
export interface CalendarSlot extends Interval {
  /** `2026-11-09` for a day, the Monday of a week, `2026-11` for a month. */
  readonly label: string;
  /** The interval holds only a part of the unit. */
  readonly isPart: boolean;
}

const LENGTH = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const;

function dateOf(instantMs: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(timeZone).toPlainDate();
}

function firstDay(date: Temporal.PlainDate, unit: CalendarUnit): Temporal.PlainDate {
  if (unit === 'week') return date.subtract({ days: date.dayOfWeek - 1 });
  return unit === 'month' ? date.with({ day: 1 }) : date;
}

/** The days, weeks or months of a zone that an interval touches, in order and without a gap, cut to the interval. */
export function slotsOf(unit: CalendarUnit, { startMs, endMs }: Interval, timeZone: string): CalendarSlot[] {
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timeZone).epochMilliseconds;
  const slots: CalendarSlot[] = [];
  let date = firstDay(dateOf(startMs, timeZone), unit);
  for (let fromMs = startOf(date); fromMs < endMs || slots.length === 0; ) {
    const next = date.add(LENGTH[unit]);
    const nextMs = startOf(next);
    const slot = { startMs: Math.max(fromMs, startMs), endMs: Math.min(nextMs - 1, endMs) };
    const label = unit === 'month' ? date.toPlainYearMonth().toString() : date.toString();
    // A zone that crosses the date line may have a date without a single moment.
    if (nextMs > fromMs) slots.push({ ...slot, label, isPart: slot.startMs > fromMs || slot.endMs < nextMs - 1 });
    date = next;
    fromMs = nextMs;
  }
  return slots;
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
