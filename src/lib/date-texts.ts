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

type Groups = Readonly<Record<string, string | undefined>>;
type Period = Exclude<keyof typeof UNIT_LENGTH, 'day'>;

/** One form of the grammar. */
interface Form {
  /** Of the text in lower case. */
  readonly pattern: RegExp;
  /** Undefined where the text is of another form. */
  readonly read: (groups: Groups, now: Temporal.ZonedDateTime, text: string) => DateMeaning | undefined;
  /** The end of the range that a start of this form says alone: its own where it names both ends; left out: it says none. */
  readonly end?: (groups: Groups) => 'own' | 'yesterday' | 'now' | undefined;
}

function daysFrom(first: Temporal.PlainDate, length: Temporal.DurationLike = { days: 1 }): DateMeaning {
  return { kind: 'days', first, next: first.add(length) };
}

function dateTime(text: string, offset: string | undefined, timeZone: string): DateMeaning {
  if (offset === undefined) {
    return { kind: 'instant', instantMs: Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds };
  }
  return { kind: 'instant', instantMs: Temporal.Instant.from(text).epochMilliseconds, iso: text };
}

/** The first day of a quarter, of a month, or the day itself. */
function dateOf(year: number | string | undefined, month: number | string | undefined = 1, day: string | number = 1): Temporal.PlainDate {
  return Temporal.PlainDate.from({ year: Number(year), month: Number(month), day: Number(day) }, { overflow: 'reject' });
}

const quarterOf = (year: number | string | undefined, quarter: string) => dateOf(year, Number(quarter) * 3 - 2);

/** The days of a year; without one of the latest that had begun today. */
function latestOf(year: string | undefined, now: Temporal.ZonedDateTime, firstIn: (year: number) => Temporal.PlainDate) {
  if (year !== undefined) return firstIn(Number(year));
  const own = firstIn(now.year);
  return Temporal.PlainDate.compare(own, now.toPlainDate()) > 0 ? firstIn(now.year - 1) : own;
}

/** The day that lies a number of units from today. */
function dayAt(now: Temporal.ZonedDateTime, count: number, unit = ''): Temporal.PlainDate {
  const units = { d: 'days', w: 'weeks', m: 'months', y: 'years' }[unit.charAt(0)] ?? 'days';
  return now.toPlainDate().add({ [units]: count });
}

/** A number of units from today: a bare number is no date, and nothing lies ahead and ago at once. */
function agoOf({ sign, count, ago }: Groups): number | undefined {
  return (sign === '') === (ago !== undefined) ? Number(count) * (sign === '+' ? 1 : -1) : undefined;
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

function isPeriod(unit: string): unit is Period {
  return unit !== 'day' && Object.hasOwn(UNIT_LENGTH, unit);
}

/** The last, this or the next period; of a weekend its Saturday and Sunday. */
function periodOf({ which, period = '' }: Groups, now: Temporal.ZonedDateTime): DateMeaning | undefined {
  const unit = period === 'weekend' ? 'week' : period;
  if (!isPeriod(unit)) return undefined;
  const own = firstDayOf(now.toPlainDate(), unit);
  const moved = which === 'this' ? own : own[which === 'last' ? 'subtract' : 'add'](UNIT_LENGTH[unit]);
  return unit === period ? daysFrom(moved, UNIT_LENGTH[unit]) : daysFrom(moved.add({ days: 5 }), { days: 2 });
}

const SINCE: Form = {
  pattern: /^since[_ ](?<start>.+)$/,
  read({ start = '' }, now) {
    const meaning = read(start, now);
    return meaning?.kind === 'days' ? { ...meaning, next: now.toPlainDate().add({ days: 1 }) } : meaning;
  },
  end: () => 'now',
};

const OWN = () => 'own' as const;

const FORMS: readonly Form[] = [
  { pattern: /^now$/, read: (_, { epochMilliseconds: instantMs }) => ({ kind: 'instant', instantMs }) },
  {
    pattern: /^(?<name>[a-z]+)$/,
    read({ name = '' }, now) {
      const days = daysTo(name, now.toPlainDate());
      return days === undefined ? undefined : daysFrom(dayAt(now, days));
    },
    end: ({ name }) => (name === 'yesterday' ? 'own' : undefined),
  },
  {
    // No date is given in minutes, so "m" is a month.
    pattern: /^(?<sign>[-+]?)(?<count>\d{1,4})[ _]?(?<unit>d|w|mo?|y|days?|weeks?|months?|years?)(?<ago>[ _]ago)?$/,
    read(groups, now) {
      const count = agoOf(groups);
      return count === undefined ? undefined : daysFrom(dayAt(now, count, groups['unit']));
    },
    end: (groups) => ((agoOf(groups) ?? 0) < 0 ? 'yesterday' : undefined),
  },
  {
    pattern: /^(?:last|past)[_ ](?<count>[1-9]\d{0,3})[_ ](?<unit>days?|weeks?|months?|years?)$/,
    read: ({ count, unit }, now) => ({ kind: 'days', first: dayAt(now, -Number(count), unit), next: now.toPlainDate() }),
    end: OWN,
  },
  { pattern: /^(?<which>last|this|next)[_ ](?<period>[a-z]+)$/, read: periodOf, end: OWN },
  {
    pattern: /^q(?<yearly>[1-4])(?:[_ ](?<year>\d{4}))?$/,
    read: ({ yearly = '', year }, now) =>
      daysFrom(
        latestOf(year, now, (own) => quarterOf(own, yearly)),
        UNIT_LENGTH.quarter,
      ),
    end: OWN,
  },
  {
    pattern: /^(?<yearly>black[_ ]friday|cyber[_ ]monday)(?:[_ ](?<year>\d{4}))?$/,
    read: ({ yearly, year }, now) =>
      daysFrom(latestOf(year, now, (own) => blackFridayOf(own).add({ days: yearly?.startsWith('cyber') ? 3 : 0 }))),
    end: OWN,
  },
  SINCE,
  {
    pattern: /^(?<year>\d{4})[-_ ]q(?<quarter>\d)$/,
    read: ({ year, quarter = '' }) => daysFrom(quarterOf(year, quarter), UNIT_LENGTH.quarter),
    end: OWN,
  },
  {
    pattern: /^(?<year>\d{4})(?:-(?<month>\d{2})(?:-(?<day>\d{2}))?)?$/,
    read({ year, month, day }) {
      const unit = month === undefined ? 'year' : 'month';
      return daysFrom(dateOf(year, month, day), day === undefined ? UNIT_LENGTH[unit] : { days: 1 });
    },
    end: ({ day }) => (day === undefined ? 'own' : undefined),
  },
  {
    // Seconds stop at 59: Temporal would turn a leap second into another instant than the text that is sent.
    pattern: /^\d{4}-\d{2}-\d{2}t\d{2}:\d{2}(?::[0-5]\d(?:\.\d{1,9})?)?(?<offset>z|[+-]\d{2}:?\d{2})?$/,
    read: ({ offset }, now, text) => dateTime(text.toUpperCase(), offset, now.timeZoneId),
  },
  {
    // A time of a day that is told in any form: `yesterday 18:00`, `2026-11-20 at 9:30`.
    pattern: /^(?<day>.+?)(?:,? at |[,_ ]+)(?<time>\d{1,2}:\d{2}(?::[0-5]\d)?) ?(?<offset>z|utc|[+-]\d{2}:?\d{2})?$/,
    read({ day = '', time = '', offset }, now) {
      const meaning = SINCE.pattern.test(day) ? undefined : read(day, now);
      if (meaning?.kind !== 'days' || !meaning.first.add({ days: 1 }).equals(meaning.next)) return undefined;
      const written = `${meaning.first.toString()}T${time.replace(/^\d:/, '0$&')}`;
      return dateTime(written, undefined, offset === undefined ? now.timeZoneId : offset.replace(/^z|utc$/, 'UTC'));
    },
  },
];

/** The first form of a text, with what it says. */
function formsOf(text: string): { form: Form; groups: Groups }[] {
  return FORMS.flatMap((form) => {
    const found = form.pattern.exec(text.toLowerCase());
    return found ? [{ form, groups: found.groups ?? {} }] : [];
  });
}

function read(text: string, now: Temporal.ZonedDateTime): DateMeaning | undefined {
  for (const { form, groups } of formsOf(text)) {
    const meaning = form.read(groups, now, text);
    if (meaning) return meaning;
  }
  return undefined;
}

/** Whether a text names days that come back each year, and no year: `Q3`, `Black Friday`. */
export function isOfNoYear(text: string): boolean {
  return formsOf(text.trim()).some(({ groups: { yearly, year } }) => yearly !== undefined && year === undefined);
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

/**
 * The end of the range that a start alone says: `last_week`, `2026-11` and `yesterday` name both their ends, `-14d` means the last 14
 * days that are over, and `since monday` ends now; undefined for others.
 */
export function endNamedBy(start: string): string | undefined {
  const [end] = formsOf(start.trim()).flatMap(({ form, groups }) => form.end?.(groups) ?? []);
  return end === 'own' ? start : end;
}
