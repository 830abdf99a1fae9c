import { onApiError } from '../api/errors.ts';
import { getSiteRevenue } from '../api/operations/metrics.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import type { ExportContext } from './export-lists.ts';
import { type Column, meaningOf, type Unit } from './query/columns.ts';
import { lastMidnight } from './statement.ts';

/** Units that the name of a column alone does not make clear. */
const AMOUNTS: ReadonlySet<Unit> = new Set<Unit>(['cents', 'money', 'ms', 's', '%']);

/** Cents that a statement divides by 100, to the name that it gives the result: `sum(revenue_cents) / 100 AS revenue`. */
const OF_CENTS = /_cents"?[\s)]*(?:::\s*\w+\s*)?\/\s*100(?:\.0*)?\b[\s)]*(?:,\s*\d+\s*\)\s*)?\bAS\s+"?(\w+)/gi;

/** Aggregates that have the unit of their column, to the name of the result: `round(avg(load_seconds), 2) AS load`. */
const OF_COLUMN = /\b(?:sum|avg|min|max|median)\s*\(\s*(?:\w+\.)?"?(\w+)"?[\s)]+(?:,\s*\d+\s*\)\s*)?AS\s+"?(\w+)/gi;

/** Units of those columns of a result that are columns of the data, their aggregates, or amounts that a statement makes of cents. */
export function unitsOf(names: readonly string[], columns: readonly Column[], sql: string): Record<string, string> {
  const made = [...sql.matchAll(OF_CENTS)].map(([, name = '']) => [name, 'money']);
  const unitBy = new Map(columns.map(({ name, unit }) => [name, unit]));
  const aggregates = [...sql.matchAll(OF_COLUMN)].map(([, of = '', name = '']) => [of, name] as const);
  const own = [...names.map((name) => [name, name] as const), ...aggregates].flatMap(([of, name]) => {
    const unit = unitBy.get(of);
    return unit && AMOUNTS.has(unit) ? [[name, unit]] : [];
  });
  return Object.fromEntries([...made, ...own].filter(([name = '']) => names.includes(name)));
}

/** The meaning of a column, in words; null where its name says it. */
export function aboutColumn({ field, from, name }: Column): string | null {
  if (from !== undefined) return `from ${from}`;
  const meaning = meaningOf(field ?? name);
  if (field === undefined) return meaning ?? null;
  return meaning === undefined ? `field ${field}` : `field ${field}: ${meaning}`;
}

/** Time that is asked for revenue, because a platform may give no currency for a day without any. */
const ASKED_MS = 7 * DAY_MS;

/**
 * The currency of a project, where some unit of its columns is one of money and the platform gives it beside revenue; undefined where it
 * gives none, or where revenue cannot be read. The session remembers the answer.
 */
export async function currencyOf(units: readonly (string | undefined)[], { lists, nowMs }: ExportContext): Promise<string | undefined> {
  if (!units.some((unit) => unit === 'money' || unit === 'cents')) return undefined;
  const endMs = lastMidnight(nowMs);
  const range = { startDate: isoTime(endMs - ASKED_MS), endDate: isoTime(endMs - 1) };
  const read = lists().then(({ ask }) => ask(getSiteRevenue, range));
  const { values } = await read.catch(onApiError(() => ({ values: [] })));
  const [currency, ...others] = new Set(values.flatMap((value) => value.currency || []));
  return others.length === 0 ? currency : undefined;
}
