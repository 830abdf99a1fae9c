import type { Holiday } from './special-days.ts';

/** Whether a zone is one of a country's; false for a zone that this version of Node does not know. */
function isZoneOf(country: string, timeZone: string): boolean {
  try {
    // `timeZones` is in Node 20 and not yet in the types of the language.
    const { timeZones = [] } = new Intl.Locale(`und-${country}`) as Intl.Locale & { readonly timeZones?: readonly string[] };
    return timeZones.includes(timeZone);
  } catch {
    return false;
  }
}

/** Easter Sunday and Pentecost are no public holidays where the Mondays after them are, because they are Sundays. */
const FEAST_SUNDAYS: ReadonlySet<string> = new Set(['easter', 'easter 49']);

/**
 * Public holidays by their dates: of a country or region that is named (`FR`, `DE-BY`), else of the country that a zone lies in; none for
 * UTC and for zones of no country. Regions' own holidays are among them only where the region is named.
 */
export async function publicHolidaysOf(timeZone: string, years: readonly number[], named?: string): Promise<Holiday[]> {
  if (named === undefined && (!timeZone.includes('/') || timeZone.startsWith('Etc/'))) return [];
  // 1.4 MB that no start should pay for.
  const { default: Holidays } = await import('date-holidays');
  const countries = Object.keys(new Holidays().getCountries());
  const [country = countries.find((code) => isZoneOf(code, timeZone)), region] = named?.split('-') ?? [];
  if (country === undefined || !countries.includes(country)) return [];
  const options = { types: ['public' as const, 'observance' as const], languages: ['en'] };
  const calendar = region === undefined ? new Holidays(country, options) : new Holidays(country, region, options);
  return years.flatMap((year) =>
    calendar
      .getHolidays(year)
      .filter(({ type, rule }) => type === 'public' || FEAST_SUNDAYS.has(rule))
      .map(({ date, name }) => ({ label: date.slice(0, 10), name })),
  );
}
