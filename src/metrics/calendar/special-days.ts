import { blackFridayOf, dayAfter, daysFrom, type OwnDays } from '../../lib/calendar.ts';

/** A day that is unlike others of its weekday each year. */
export interface SpecialDay {
  /** The same in each year, whatever its date. */
  readonly key: string;
  readonly name: string;
  /** Standard deviations of its effect on totals and on rates, as logarithms, before last year is known. */
  readonly totals: number;
  readonly rates: number;
}

/** The special day that a date is; undefined for an ordinary one. */
export type SpecialDays = (label: string) => SpecialDay | undefined;

/** A public holiday by its date. */
export interface Holiday {
  readonly label: string;
  readonly name: string;
}

const COMMERCIAL = { totals: 0.5, rates: 0.25 };
const FEAST = { totals: 0.35, rates: 0.2 };
const PUBLIC = { totals: 0.2, rates: 0.1 };

const OF_CHRISTMAS: Readonly<Record<string, string>> = {
  '12-22': 'the days before Christmas',
  '12-23': 'the days before Christmas',
  '12-24': 'Christmas Eve',
  '12-25': 'Christmas',
  '12-26': 'Christmas',
  '12-27': 'the days after Christmas',
  '12-28': 'the days after Christmas',
  '12-29': 'the days after Christmas',
  '12-30': 'the days after Christmas',
  '12-31': "New Year's Eve",
  '01-01': "New Year's Day",
};
const OF_BLACK_WEEK = [
  'Black Friday week',
  'Black Friday week',
  'Black Friday week',
  'Black Friday week',
  'Black Friday',
  'Black Friday weekend',
  'Black Friday weekend',
  'Cyber Monday',
];

const mondays = new Map<string, string>();

/** The Monday of the week of Black Friday of a year; kept, because each day of each series is asked for it. */
function blackMondayOf(year: string): string {
  const known = mondays.get(year) ?? dayAfter(blackFridayOf(Number(year)).toString(), -4);
  mondays.set(year, known);
  return known;
}

/**
 * Days that are special wherever shops sell: the week of Black Friday up to Cyber Monday, Christmas to New Year; and the public holidays of
 * a country, where it is known. `own` days of the site come before these.
 */
export function specialDaysOf(holidays: readonly Holiday[], own: readonly OwnDays[] = []): SpecialDays {
  const publicHolidays = new Map(holidays.map(({ label, name }) => [label, name]));
  // Each day of each series is asked for.
  const known = new Map<string, SpecialDay | undefined>();
  return (label) => {
    if (!known.has(label)) known.set(label, dayOf(label));
    return known.get(label);
  };
  function dayOf(label: string): SpecialDay | undefined {
    const named = own.find(({ from, to }) => from <= label && label <= to);
    // The same day of days of the same name, which may lie on others each year.
    if (named) return { key: `own-${named.name}-${daysFrom(named.from, label)}`, name: named.name, ...COMMERCIAL };
    const feast = OF_CHRISTMAS[label.slice(5)];
    if (feast !== undefined) return { key: label.slice(5), name: feast, ...FEAST };
    const offset = daysFrom(blackMondayOf(label.slice(0, 4)), label);
    const ofWeek = OF_BLACK_WEEK[offset];
    if (ofWeek !== undefined) return { key: `black-week-${offset}`, name: ofWeek, ...COMMERCIAL };
    const name = publicHolidays.get(label);
    return name === undefined ? undefined : { key: name, name, ...PUBLIC };
  }
}
