import { Temporal } from 'temporal-polyfill';
import { blackFridayOf, firstDayOf, UNIT_LENGTH } from './calendar.ts';

/** Why a text is not a usable date; the sentence begins with the text, so that a caller can put the argument's name before it. */
export class DateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DateError';
  }
}

/**
 * The meaning of a date text: one instant (`iso` where it was written out in full), or the calendar days from `first` up to, not including,
 * `next`.
 */
export type DateMeaning =
  | { kind: 'instant'; instantMs: number; iso?: string }
  | { kind: 'days'; first: Temporal.PlainDate; next: Temporal.PlainDate };

/** The whole grammar in words, with an example of each form. */
export const ACCEPTED_DATES =
  'an ISO date-time (2026-11-20T10:00:00Z, 2026-11-20T10:00+01:00, or without an offset in the configured time zone), a day with a time ' +
  '(yesterday 18:00), a date (2026-11-20), a month (2026-11), a quarter (2026-Q3, or Q3: the latest), a year (2026), now, today, ' +
  'yesterday, -7d, -4w, -3mo, last_28_days, last_week, this_week, last_weekend, last_month, this_month, last_quarter, this_quarter, ' +
  'last_year, this_year, monday … sunday (the latest, today included), since monday, Black Friday or Cyber Monday (the latest, or ' +
  '2025); for what lies ahead tomorrow, +7d and next_week';

/** The end of the words for a text that is no date. */
export const ACCEPTED_WORDS = `; accepted are ${ACCEPTED_DATES}.`;

// Seconds stop at 59: Temporal would turn a leap second into another instant than the text that is sent.
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::[0-5]\d(?:\.\d{1,9})?)?(?<offset>Z|[+-]\d{2}:?\d{2})?$/i;
const CALENDAR = /^(?<year>\d{4})(?:-(?:q(?<quarter>\d)|(?<month>\d{2})(?:-(?<day>\d{2}))?))?$/i;
// No date is given in minutes, so "m" is a month.
const AGO = /^(?<sign>[-+]?)(?<count>\d{1,4})[ _]?(?<unit>d|w|mo?|y|days?|weeks?|months?|years?)(?<ago>[ _]ago)?$/;
const LATEST = /^(?:last|past)[_ ](?<count>[1-9]\d{0,3})[_ ](?<unit>days?|weeks?|months?|years?)$/;
const PERIOD = /^(?<which>last|this|next)[_ ](?<period>[a-z]+)$/;
const QUARTER = /^q(?<quarter>[1-4])(?:[_ ](?<year>\d{4}))?$|^(?<before>\d{4})[_ ]q(?<of>[1-4])$/;
const SALE_DAY = /^(?<name>black[_ ]friday|cyber[_ ]monday)(?:[_ ](?<year>\d{4}))?$/;
const TIMED = /^(?<day>.+?)(?:,? at |[,_ ]+)(?<time>\d{1,2}:\d{2}(?::[0-5]\d)?) ?(?<offset>z|utc|[+-]\d{2}:?\d{2})?$/;
const SINCE = /^since[_ ](?<start>.+)$/;

type Period = Exclude<keyof typeof UNIT_LENGTH, 'day'>;

function isPeriod(unit: string | undefined): unit is Period {
  return unit !== undefined && unit !== 'day' && Object.hasOwn(UNIT_LENGTH, unit);
}

function oneDay(first: Temporal.PlainDate): DateMeaning {
  return { kind: 'days', first, next: first.add({ days: 1 }) };
}

function onePeriod(first: Temporal.PlainDate, period: Period): DateMeaning {
  return { kind: 'days', first, next: first.add(UNIT_LENGTH[period]) };
}

function dateTime(text: string, offset: string | undefined, timeZone: string): DateMeaning {
  if (offset === undefined) {
    return { kind: 'instant', instantMs: Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds };
  }
  return { kind: 'instant', instantMs: Temporal.Instant.from(text).epochMilliseconds, iso: text };
}

function calendarUnit({ year, quarter, month, day }: Record<string, string | undefined>): DateMeaning {
  const date = (monthNumber: number, dayNumber = 1) =>
    Temporal.PlainDate.from({ year: Number(year), month: monthNumber, day: dayNumber }, { overflow: 'reject' });
  if (day !== undefined) return oneDay(date(Number(month), Number(day)));
  if (month !== undefined) return onePeriod(date(Number(month)), 'month');
  if (quarter !== undefined) return onePeriod(date(Number(quarter) * 3 - 2), 'quarter');
  return onePeriod(date(1), 'year');
}

/** The day that lies a number of units after today, or before it where the number is negative. */
function daysFrom(today: Temporal.PlainDate, count: number, unit: string | undefined): DateMeaning {
  const letter = unit?.charAt(0);
  if (letter === 'd') return oneDay(today.add({ days: count }));
  if (letter === 'w') return oneDay(today.add({ weeks: count }));
  return oneDay(today.add(letter === 'y' ? { years: count } : { months: count }));
}

/** Days that have a name, from today. */
const NAMED_DAYS: ReadonlyMap<string, number> = new Map([
  ['today', 0],
  ['yesterday', -1],
  ['tomorrow', 1],
]);

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** How far a named day lies from today; a weekday is the latest one, which may be today. */
function daysTo(name: string, today: Temporal.PlainDate): number | undefined {
  const weekday = WEEKDAYS.indexOf(name) + 1;
  return weekday === 0 ? NAMED_DAYS.get(name) : -((today.dayOfWeek - weekday + 7) % 7);
}

/** The first day of the last, this or the next period, from that of this one. */
function beginOf(first: Temporal.PlainDate, which: string | undefined, period: Period): Temporal.PlainDate {
  if (which === 'last') return first.subtract(UNIT_LENGTH[period]);
  return which === 'next' ? first.add(UNIT_LENGTH[period]) : first;
}

/** Saturday and Sunday of the last, this or the next week. */
function weekendOf(today: Temporal.PlainDate, which: string | undefined): DateMeaning {
  const first = beginOf(firstDayOf(today, 'week'), which, 'week').add({ days: 5 });
  return { kind: 'days', first, next: first.add({ days: 2 }) };
}

/** The days of a year; without one of the latest that had begun today. */
function latestOf(year: string | undefined, today: Temporal.PlainDate, firstIn: (year: number) => Temporal.PlainDate) {
  if (year !== undefined) return firstIn(Number(year));
  const own = firstIn(today.year);
  return Temporal.PlainDate.compare(own, today) > 0 ? firstIn(today.year - 1) : own;
}

/** Whether a text names days that come back each year, and no year: `Q3`, `Black Friday`. */
export function isOfNoYear(text: string): boolean {
  const keyword = text.trim().toLowerCase();
  const groups = { ...(QUARTER.exec(keyword) ?? SALE_DAY.exec(keyword))?.groups };
  return (groups['quarter'] ?? groups['name']) !== undefined && groups['year'] === undefined;
}

/** Days that people call by a name which comes back each year: `Q3`, `Q3 2025`, `Black Friday`. */
function readYearly(keyword: string, today: Temporal.PlainDate): DateMeaning | undefined {
  const { quarter, year, before, of } = QUARTER.exec(keyword)?.groups ?? {};
  const number = quarter ?? of;
  if (number !== undefined) {
    const firstIn = (own: number) => Temporal.PlainDate.from({ year: own, month: Number(number) * 3 - 2, day: 1 });
    return onePeriod(latestOf(year ?? before, today, firstIn), 'quarter');
  }
  const sale = SALE_DAY.exec(keyword)?.groups;
  if (!sale) return undefined;
  const days = sale['name']?.startsWith('cyber') ? 3 : 0;
  return oneDay(latestOf(sale['year'], today, (own) => blackFridayOf(own).add({ days })));
}

/** A number of units from today: `-7d`, `7 days ago`, `+1 week`; undefined of anything else. */
function agoOf(keyword: string): { count: number; unit: string | undefined } | undefined {
  const { sign, count, unit, ago } = AGO.exec(keyword)?.groups ?? {};
  // A bare number of days is no date, and nothing lies ahead and ago at once.
  if (count === undefined || (sign === '') !== (ago !== undefined)) return undefined;
  return { count: Number(count) * (sign === '+' ? 1 : -1), unit };
}

/** Days or a period told from today: `-7d`, `last_28_days`, `last_week`. */
function readRelative(keyword: string, today: Temporal.PlainDate): DateMeaning | undefined {
  const ago = agoOf(keyword);
  if (ago) return daysFrom(today, ago.count, ago.unit);

  const latest = LATEST.exec(keyword)?.groups;
  if (latest) {
    const since = daysFrom(today, -Number(latest['count']), latest['unit']);
    return since.kind === 'days' ? { ...since, next: today } : since;
  }

  const relative = PERIOD.exec(keyword)?.groups;
  const period = relative?.['period'];
  if (isPeriod(period)) {
    return onePeriod(beginOf(firstDayOf(today, period), relative?.['which'], period), period);
  }
  return period === 'weekend' ? weekendOf(today, relative?.['which']) : readYearly(keyword, today);
}

/** Days from a named one up to today; undefined where the text names no start. */
function readSince(keyword: string, now: Temporal.ZonedDateTime): DateMeaning | undefined {
  const start = SINCE.exec(keyword)?.groups?.['start'];
  const meaning = start === undefined ? undefined : read(start, now);
  return meaning?.kind === 'days' ? { ...meaning, next: now.toPlainDate().add({ days: 1 }) } : meaning;
}

/** A time of a day that is told in any form: `yesterday 18:00`, `2026-11-20 at 9:30`; undefined where the text names no single day. */
function readTimed(keyword: string, now: Temporal.ZonedDateTime): DateMeaning | undefined {
  const { day = '', time = '', offset } = TIMED.exec(keyword)?.groups ?? {};
  const meaning = day === '' || SINCE.test(day) ? undefined : read(day, now);
  if (meaning?.kind !== 'days' || !meaning.first.add({ days: 1 }).equals(meaning.next)) return undefined;
  const written = `${meaning.first.toString()}T${time.replace(/^\d:/, '0$&')}`;
  return dateTime(written, undefined, offset === undefined ? now.timeZoneId : offset.replace(/^z|utc$/, 'UTC'));
}

function read(text: string, now: Temporal.ZonedDateTime): DateMeaning | undefined {
  const today = now.toPlainDate();
  const keyword = text.toLowerCase();
  if (keyword === 'now') return { kind: 'instant', instantMs: now.epochMilliseconds };
  const days = daysTo(keyword, today);
  if (days !== undefined) return oneDay(today.add({ days }));

  const relative = readRelative(keyword, today);
  if (relative) return relative;

  const since = readSince(keyword, now);
  if (since) return since;

  const calendar = CALENDAR.exec(text)?.groups;
  if (calendar) return calendarUnit(calendar);

  const written = DATE_TIME.exec(text);
  return written ? dateTime(text.toUpperCase(), written.groups?.['offset'], now.timeZoneId) : readTimed(keyword, now);
}

/** Reads a text by the date grammar, relative to `now` in its zone; throws a `DateError` for anything else. */
export function readDate(text: string, now: Temporal.ZonedDateTime): DateMeaning {
  const shown = `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
  let meaning: DateMeaning | undefined;
  try {
    meaning = read(text.trim(), now);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DateError(`${shown} does not exist: day, month, quarter, time or offset is out of range.`, { cause: error });
  }
  if (!meaning) throw new DateError(`${shown} is not a recognised date${ACCEPTED_WORDS}`);
  return meaning;
}

/** Forms that name both ends of a range by themselves. */
const BOTH_ENDS = [LATEST, PERIOD, QUARTER, SALE_DAY];
/** A month, quarter or year, written out. */
const MONTH_OR_LONGER = /^\d{4}(?:-(?:q\d|\d{2}))?$/i;

/**
 * The end of the range that a start alone says: `last_week`, `2026-11` and `yesterday` name both their ends, `-14d` means the last 14
 * days that are over, and `since monday` ends now; undefined for others.
 */
export function endNamedBy(start: string): string | undefined {
  const keyword = start.trim().toLowerCase();
  if ((agoOf(keyword)?.count ?? 0) < 0) return 'yesterday';
  if (SINCE.test(keyword)) return 'now';
  const isNamed = keyword === 'yesterday' || MONTH_OR_LONGER.test(keyword) || BOTH_ENDS.some((form) => form.test(keyword));
  return isNamed ? start : undefined;
}
