import { daysFromTo } from '../../domain/journeys/covered-days.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { dayOfMs, flag, isBetween, keyOf, msOf } from './sql-words.ts';
import { entryCondition, filterConditions } from './visit-filters.ts';
import type { VisitScope, Visits } from './visits.ts';

/** Expressions by the name of the column that they make. */
export type Expressions = Readonly<Record<string, string>>;

/** The rows that a statement needs; expressions name columns as `Visits.column` gives them. */
interface RelationWish {
  /** More columns of `visit`, a row for each session, from columns of the sessions. */
  readonly visit?: Expressions;
  /** More columns of `seen`, whole numbers best, from columns of the views. */
  readonly page?: Expressions;
  /** Days after the range whose rows are there too. */
  readonly followDays?: number | undefined;
  readonly part?: VisitPart | undefined;
}

/** Sessions, or visitors, as a part of all by a number of theirs, so that the lists of a statement fit into memory. */
export interface VisitPart {
  readonly by: 'session' | 'visitor';
  readonly index: number;
  readonly of: number;
}

/** Lists of so many views take about a third of the memory that a statement may have. */
const MOST_VIEWS = 8_000_000;

/** The parts in which lists of views are read: one where they are few, or the engine keeps what does not fit elsewhere. */
export function partsOf(visits: Visits, by: VisitPart['by']): VisitPart[] {
  const { views, days } = visits;
  const read = views * Math.min(1, (days.covered.length + 1) / Math.max(1, days.ofFiles.size));
  const of = visits.sql.dialect === 'DuckDB' ? Math.max(1, Math.ceil(read / MOST_VIEWS)) : 1;
  return Array.from({ length: of }, (_, index) => ({ by, index, of }));
}

/** A session may go on after the midnight of its day. */
const LONGEST_SESSION_MS = DAY_MS;

/** Expressions as columns behind others. */
function columnsOf(expressions: Expressions): string {
  return Object.entries(expressions)
    .map(([name, expression]) => `, ${expression} AS ${name}`)
    .join('');
}

/** The path of a view as a text, from columns of the views. */
export function pathText(visits: Visits): string {
  return `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
}

/** The rows of a scope that a statement reads, with their keys: k (the session) and u (the visitor). */
function rowsOf(visits: Visits, scope: VisitScope, more: Expressions, { followDays = 0, part }: RelationWish): string {
  const { days, question, sql } = visits;
  const column = (field: string) => {
    const own = visits.column(scope, field);
    if (own === undefined) throw new TypeError(`${field} of ${scope} is read without having been asked for`);
    return own;
  };
  const [user, session] = [column('user_id'), column('session_id')];
  const [k, u] = [keyOf(user, session), keyOf(user)];
  const isOfSessions = scope === 'sessions';
  const time = column(isOfSessions ? 'session_time' : 'view_time');
  const endMs = (days.last + followDays + 1) * DAY_MS + (isOfSessions ? 0 : LONGEST_SESSION_MS);
  const conditions = [
    isBetween(time, days.first * DAY_MS, endMs),
    ...[user, session, ...(isOfSessions ? [] : [column('view_number')])].map((key) => `${key} IS NOT NULL`),
    ...(part && part.of > 1 ? [`${part.by === 'visitor' ? u : k} % ${part.of} = ${part.index}`] : []),
    ...(isOfSessions ? filterConditions(question, column, sql) : []),
  ];
  const own = `${k} AS k, ${u} AS u, ${msOf(time)} AS ${isOfSessions ? 'began' : 't'}`;
  return `SELECT ${own}${columnsOf(more)} FROM ${scope} WHERE ${conditions.join(' AND ')}`;
}

/** Conditions for the days that count; of sessions that are known by their views alone, those that began on a missing day are left out. */
function dayConditions({ days, reads }: Visits, followDays: number): string[] {
  const last = days.last + followDays;
  const absent = daysFromTo(days.first, last).filter((day) => !days.ofFiles.has(day));
  const after = reads('sessions') ? [] : days.covered.filter((day) => !days.ofFiles.has(day - 1));
  return [
    `day BETWEEN ${days.first} AND ${last}`,
    ...(absent.length === 0 ? [] : [`day NOT IN (${absent.join(', ')})`]),
    ...(after.length === 0 ? [] : [`NOT (first_n > 1 AND day IN (${after.join(', ')}))`]),
  ];
}

function visitSql(visits: Visits, wish: RelationWish): string {
  const rows = visits.reads('sessions')
    ? rowsOf(visits, 'sessions', wish.visit ?? {}, wish)
    : 'SELECT s.k AS k, min(s.u) AS u, argMin(s.t, s.n) AS began, min(s.n) AS first_n FROM seen AS s GROUP BY s.k';
  const entered = visits.question.entryPages ? ['k IN (SELECT k FROM seen GROUP BY k HAVING argMin(is_entry, n) = 1)'] : [];
  const conditions = [...dayConditions(visits, wish.followDays ?? 0), ...entered];
  return `visit AS (SELECT * FROM (SELECT *, ${dayOfMs('began')} AS day FROM (${rows}) AS r) AS s WHERE ${conditions.join(' AND ')})`;
}

/**
 * The common table expressions of a statement, without the word WITH. `visit`, a row for each session that passes all filters: k (the
 * session), u (the visitor), began (ms), day (UTC, as a number), and the columns that are wished. Where views are read `seen`, a row for
 * each view: k, u, n (view number), t (ms), p (a number that stands for the path) and the columns that are wished; `path_of`: p and its
 * path.
 */
export function visitRelation(visits: Visits, wish: RelationWish = {}): string {
  if (!visits.reads('views')) return visitSql(visits, wish);
  const path = pathText(visits);
  const entry = entryCondition(visits.question, path, visits.sql);
  const number = `assumeNotNull(${visits.column('views', 'view_number') ?? 'NULL'})`;
  const page = { n: number, p: keyOf(path), ...wish.page, ...(entry !== undefined && { is_entry: flag(entry) }) };
  return [
    `seen AS (${rowsOf(visits, 'views', page, wish)})`,
    visitSql(visits, wish),
    `path_of AS (SELECT ${keyOf('path')} AS p, path FROM (SELECT DISTINCT ${path} AS path FROM views) AS d)`,
  ].join(',\n');
}

/** A SELECT of a row for each session with views over that relation: k, day, and aggregates over its rows of `seen`, s, and `visit`, v. */
export function sessionRows(aggregates: Expressions, more = ''): string {
  return `SELECT s.k AS k, min(v.day) AS day${columnsOf(aggregates)} FROM seen AS s JOIN visit AS v ON s.k = v.k${more} GROUP BY s.k`;
}
