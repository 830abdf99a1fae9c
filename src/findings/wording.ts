import { formatBytes, formatMs, formatNumber, formatPercent, NO_VALUE } from '../lib/number-text.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'June', 'July', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** Of a date without its time. */
const DAY_CHARS = 10;

/** The parts of a day (2026-09-04) or an instant with its zone (2026-09-04T14:05+02:00). */
function partsOf(date: string) {
  const [, year = '', month = '', day = '', time = '', offset = ''] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d:\d\d)(Z|[+-]\d\d:\d\d))?/.exec(date) ?? [];
  const zone = offset && ` UTC${offset.replace(/Z|[+-]00:00/, '').replace(/([+-])0?(\d+)(:00)?/, '$1$2')}`;
  return { year, month: MONTHS[Number(month) - 1] ?? month, day: String(Number(day)), time, zone };
}

/** A date as people write it, its year where that is another than the reader's: `4 Sept`, `4 Sept 2025`, `4 Sept, 14:05 UTC+2`. */
export function dateText(date: string, year: string): string {
  const own = partsOf(date);
  return `${own.day} ${own.month}${own.year === year ? '' : ` ${own.year}`}${own.time && `, ${own.time}`}${own.zone}`;
}

/** Some days in the middle of a sentence: `on 4 Sept`, `from 3 to 9 Oct`, `from 28 Sept to 3 Oct`; the zone of two times stands once. */
export function rangeText(from: string, to: string, year: string, [before, between] = ['from', 'to']): string {
  if (from === to) return `on ${dateText(from, year)}`;
  const [a, b] = [partsOf(from), partsOf(to)];
  const isSameMonth = a.month === b.month && a.year === b.year;
  if (isSameMonth && a.day === b.day && a.time)
    return `on ${dateText(from.slice(0, DAY_CHARS), year)} ${before} ${a.time} ${between} ${b.time}${b.zone}`;
  const first = isSameMonth && !a.time ? a.day : dateText(from, a.year === b.year ? a.year : year);
  return `${before} ${a.zone === b.zone ? first.replace(a.zone, '') : first} ${between} ${dateText(to, year)}`;
}

/** A value rounded to what an interval of this half-width bears, and to two significant digits at least. */
export function roundedTo(value: number, half = 0): number {
  const placeOf = (size: number) => 10 ** Math.floor(Math.log10(size));
  const place = Math.min(placeOf(half || Number.POSITIVE_INFINITY), placeOf(Math.abs(value) || 1) / 10);
  return Number((Math.round(value / place) * place).toPrecision(12));
}

/** A size in percent without its sign: whole from 10 on or where its interval bears no more, else with a tenth. */
export function percentText(percent: number, half = 0): string {
  const size = Math.abs(percent);
  const digits = size < 9.95 && (half < 1 || size < 1) ? 1 : 0;
  return formatPercent(size, { digits, group: true });
}

const isCurrency = (unit: string) => /^[A-Z]{3}$/.test(unit);
/** From here on an amount of money is read without its cents. */
const WITHOUT_CENTS = 1_000;

/** A value with its unit; counts stand alone: `2.41%`, `61,234 EUR`, `1.2 s`, `27,934`. */
export function valueText(value: number | null, unit: string): string {
  if (value === null) return NO_VALUE;
  if (unit === '%') return formatPercent(value);
  if (unit === 'ms') return formatMs(value);
  if (unit === 'bytes') return formatBytes(value);
  if (!isCurrency(unit)) return formatNumber(value, { group: true });
  return `${formatNumber(value, { group: true, digits: Math.abs(value) < WITHOUT_CENTS ? 2 : 0 })} ${unit}`;
}

/** Two values of one unit, which stands once where it is a word: `126,867 to 123,131 EUR`. */
export function pairText(before: number | null, after: number | null, unit: string): string {
  const [own = '', a = ''] = unit.split(/(?= a day$)/);
  const [first, last] = [valueText(before, own), valueText(after, own)];
  return `${isCurrency(own) ? first.replace(` ${own}`, '') : first} to ${last}${a}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((text) => text !== '').join(' and ');
}
