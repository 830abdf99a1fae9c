import { dayAfter } from '../../../lib/calendar.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import type { DatedChange } from '../engine/changes.ts';
import { type DailyPoint, valueOf, WEEK } from '../engine/series.ts';
import { verbsOf } from '../metric-definitions.ts';

/** Of what grew tenfold and more, tenths of a percent say nothing. */
const styleOf = (share: number) => ({ digits: Math.abs(share) < 10 ? 1 : 0, group: true });
/** A relative change as `−5.2%`. */
export const signed = (share: number) => formatPercent(100 * share, { ...styleOf(share), sign: true });
const sizeOf = (share: number) => formatPercent(Math.abs(100 * share), styleOf(share));
const lowerOrHigher = (share: number) => (share < 0 ? 'lower' : 'higher');

/** `25% lower (20% to 30%)`: against the days before, with its interval at 95 %. */
export function levelText({ relative, low, high }: Pick<DatedChange, 'relative' | 'low' | 'high'>): string {
  const [least, most] = [Math.abs(low), Math.abs(high)].toSorted((a, b) => a - b);
  const range = low * high > 0 ? `${sizeOf(least ?? 0)} to ${sizeOf(most ?? 0)}` : `${signed(low)} to ${signed(high)}`;
  return `${sizeOf(relative)} ${lowerOrHigher(relative)} (${range})`;
}

/** The other days on which a change may have begun, in brackets; empty where there are none. */
export function possibleText({ from, earliest, latest }: DatedChange): string {
  return earliest === from && latest === from ? '' : ` (${earliest} to ${latest} are possible)`;
}

/** `14 days up to 2026-11-25`, the last day that is looked at. */
export function daysText(days: number, last: string): string {
  return `${days} ${days === 1 ? 'day' : 'days'} up to ${last}`;
}

/** Metrics that one order can move. */
export const MOVED_BY_ORDERS: ReadonlySet<string> = new Set(['revenueSum', 'cartAverage']);

/** Whether only the last day shows that a sum or an average of orders is back: one large order can make a day. */
export const isBackForOneDay = (metric: string, to: string | undefined, last: string) =>
  to !== undefined && MOVED_BY_ORDERS.has(metric) && dayAfter(to, 1) >= last;

/** A change that is over: `were 20% lower (15% to 25%) from 2026-11-02 to 2026-11-06 and are back`, as far as the days show the end. */
export function pastText({ metric, days: { last } }: { metric: string; days: { last: string } }, since: DatedChange): string {
  const verbs = verbsOf(metric);
  const end = isBackForOneDay(metric, since.to, last) ? '' : ` and ${verbs.is} back`;
  return `${verbs.was} ${levelText(since)} from ${since.from} to ${since.to ?? last}${end}`;
}

/** A change within a period, and the whole days of both ranges. */
interface Inside {
  readonly metric: string;
  readonly since: DatedChange;
  readonly days: { readonly first: string; readonly last: string };
  readonly points?: { readonly before: readonly DailyPoint[]; readonly after: readonly DailyPoint[] } | undefined;
}

/** `after 65 days up to 2026-09-03 that lay 10.2% below the baseline`, as counted; empty where they are few. */
function daysBeforeText({ since, points }: Inside): string {
  const own = points?.after.filter(({ label }) => label < since.from) ?? [];
  if (!points || own.length < WEEK || points.before.length === 0) return '';
  const apart = valueOf(own) / valueOf(points.before) - 1;
  if (!Number.isFinite(apart) || Math.abs(apart) < LEAST_APART) return '';
  const side = apart < 0 ? 'below' : 'above';
  return `, after ${daysText(own.length, dayAfter(since.from, -1))} that lay ${sizeOf(apart)} ${side} the baseline`;
}

/** Days that lie by less from the baseline are on it. */
const LEAST_APART = 0.01;

/**
 * A change that began within the period and went the other way than the two ranges differ, with the days before it: behind the figures,
 * which it would contradict; empty where it went the same way.
 */
export function insideText(change: Inside, difference: number | null): string {
  const { metric, since, days } = change;
  if ((difference ?? 0) * since.relative >= 0) return '';
  if (since.to !== undefined) return `within the period ${pronounOf(metric)} ${pastText(change, since)}`;
  const when = `since ${since.from}${possibleText(since)}, ${daysText(since.days, days.last)}`;
  return `within the period ${pronounOf(metric)} ${verbsOf(metric).is} ${levelText(since)} ${when}${daysBeforeText(change)}`;
}

const pronounOf = (metric: string) => (verbsOf(metric).is === 'are' ? 'they' : 'it');
