import { dateText, rangeText } from '../../findings/wording.ts';
import type { Interval } from '../../lib/calendar.ts';
import { formatBytes, formatMs, formatNumber, NO_VALUE, type NumberStyle } from '../../lib/number-text.ts';

/** Unit of a chart's numbers: `none` for counts and scores, `points` and `change` with their sign, else a currency, `+EUR` with it. */
export type Unit = 'ms' | 'bytes' | 'percent' | 'none' | 'points' | 'change' | Uppercase<string>;

/** The text behind a number by its unit; of all other units the code of the currency. */
const suffixes: Readonly<Record<string, string>> = { percent: '%', points: ' pp', none: '', change: '' };

/** A value with its unit as charts write it; `–` where there is none. */
export function formatValue(value: number | null | undefined, unit: Unit, style: Pick<NumberStyle, 'digits'> = {}): string {
  if (drawable(value) === null) return NO_VALUE;
  if (unit === 'ms') return formatMs(value);
  if (unit === 'bytes') return formatBytes(value);
  const amount = formatNumber(value, { ...style, sign: /^(points|change|\+)/.test(unit), group: true });
  return `${amount}${suffixes[unit] ?? ` ${unit.replace('+', '')}`}`;
}

/** The decimals that amounts of one picture share: those that the largest is worth, one less of a share; of those below 1 two figures. */
export function digitsOf(values: readonly (number | null)[], unit?: Unit): { digits: number } {
  const decimals = values.map((value) => formatNumber(value).split('.')[1]?.length ?? 0);
  const size = Math.floor(Math.log10(Math.max(...values.map((value) => Math.abs(markAt(value))))));
  return {
    digits: Math.min(Math.max(0, ...decimals), size > 0 ? Math.max(0, (unit === 'percent' ? 2 : 3) - size) : Math.max(2, 1 - size)),
  };
}

/** The same for an axis, whose subtitle names the currency. */
export function tickText(value: number, unit: Unit): string {
  return formatValue(value, unit).replace(/ [A-Z]{3}$/, '');
}

/** The unit that a table names, as charts have it; `isChange` for a difference of two such values. */
export function unitIn(name: string | null | undefined, isChange = false): Unit {
  if (name === 'ms' || name === 'bytes') return name;
  if (name === '%') return isChange ? 'points' : 'percent';
  const code = /^[A-Z]{3}$/.exec(name ?? '')?.[0] as Uppercase<string> | undefined; // the expression has capitals alone
  if (code !== undefined) return isChange ? `+${code}` : code;
  return isChange ? 'change' : 'none';
}

/** Text that a picture can hold on one line: control and direction characters dropped, the middle cut beyond `limit` characters. */
export function plainText(text: string, limit = 120): string {
  const line = Array.from(text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
  if (line.length <= limit) return line.join('');
  const tail = Math.floor(limit / 2);
  return `${line.slice(0, limit - tail - 1).join('')}…${line.slice(-tail).join('')}`;
}

/** A number that can be drawn; anything else is a gap, never a zero. */
export function drawable(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Where a mark of a value stands on its axis: at 0 where there is nothing to draw. */
export function markAt(value: number | null | undefined): number {
  return drawable(value) ?? 0;
}

/** `14 Oct – 20 Nov 2026`, with the first year too where it is another; the instants are of a zone. */
export function rangeIn(timeZone: string, fromMs: number, toMs: number): string {
  const style = { timeZone, day: 'numeric', month: 'short', year: 'numeric' } as const;
  // Some versions put narrow spaces around the dash.
  return new Intl.DateTimeFormat('en-GB', style).formatRange(fromMs, toMs).replaceAll(/\s/g, ' ');
}

/** The same for an interval, whose end may be the first instant of the day after. */
export function intervalIn(timeZone: string, { startMs, endMs }: Interval): string {
  return rangeIn(timeZone, startMs, Math.max(startMs, endMs - 1));
}

/** A time of a chart as a title says it: `23 Nov`, `Jul 2026`, `Q3 2026`, `week of 2 Nov`, `18 Nov 19:00`; with the year if asked. */
export function momentWords(time: string, per: string, hasYear = false): string {
  const [year = '', month, rest] = time.split('-');
  if (rest === undefined) return time;
  if (per === 'month') return dateText(`${year}-${month}-01`, '').slice(2);
  if (per === 'quarter') return `Q${Math.ceil(Number(month) / 3)} ${year}`;
  const day = dateText(time.slice(0, 10), hasYear ? '' : year);
  if (per === 'week') return `week of ${day}`;
  return time.length === 10 ? day : `${day} ${time.slice(11, 16)}`;
}

/** `since 10 Nov`, or `from 10 to 12 Nov` for what has ended. */
export function sinceWords({ from = '', to }: { readonly from?: string | undefined; readonly to?: string | undefined }): string {
  return to === undefined ? `since ${momentWords(from, 'day')}` : rangeText(from, to, from.slice(0, 4));
}

/** `Thu, 12 Nov 2026` in UTC. */
export function dayWords(atMs: number): string {
  const style = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return drawable(atMs) === null ? '' : new Intl.DateTimeFormat('en-GB', style).format(atMs);
}

/** Of an axis, whose days have 24 hours whatever the clocks did. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** From two days on, the ends of the axis are days. */
const LONG_MS = 2 * DAY_MS;
/** Room of a label of the time axis. */
const LABEL_PX = 64;

/**
 * Labels of a time axis: they name the day, because the axis may be zoomed to any part; where there are several years, the first label of
 * each names its year; a time of day only between midnights. `ends` are those of the axis that have theirs, for which others make room,
 * `ticks` the places of all labels where these are fixed.
 */
export function timeLabel(
  [min, max]: readonly [number, number],
  times: readonly string[],
  { pxPerMs, ends, ticks = [] }: { readonly pxPerMs: number; readonly ends: readonly number[]; readonly ticks?: readonly number[] },
): (atMs: number) => string {
  const yearOf = (atMs: number) => new Date(atMs).getUTCFullYear();
  const hasYear = (atMs: number) => {
    const before = ticks.findLast((tick) => tick < atMs);
    return yearOf(min) !== yearOf(max) && (before === undefined || yearOf(before) !== yearOf(atMs));
  };
  const nameOf = (atMs: number) => momentWords(new Date(atMs).toISOString().slice(0, 10), 'day', hasYear(atMs));
  const isLong = max - min > LONG_MS;
  // Its day is in the subtitle.
  const isOfOneDay = Math.floor(min / DAY_MS) === Math.floor(max / DAY_MS);
  const areDays = times.length > 1 && times.every((time) => time.length === 10);
  // The midnight before the end names the same day, where it has the room.
  const isNamedBefore = isLong && !areDays && (max % DAY_MS) * pxPerMs >= LABEL_PX;
  return (atMs) => {
    const date = new Date(atMs).toISOString();
    const isEnd = atMs === min || atMs === max;
    if (atMs === max && isNamedBefore) return '';
    // A label too close to an end makes way for the one at the end.
    if (!isEnd && ends.some((end) => Math.abs(atMs - end) * pxPerMs < LABEL_PX)) return '';
    const isMidnight = date.slice(11, 19) === '00:00:00';
    return (isMidnight && !isOfOneDay) || areDays || (isLong && isEnd) ? nameOf(atMs) : date.slice(11, 16);
  };
}
