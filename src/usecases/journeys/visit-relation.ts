import { DAY_MS } from '../../lib/clock.ts';
import { dayOfMs, flag, type SqlWords } from './sql-words.ts';
import { entryCondition, filterConditions } from './visit-filters.ts';
import type { VisitScope, Visits } from './visits.ts';

/** Expressions by the name of the column that they make. */
export type Expressions = Readonly<Record<string, string>>;

/** The rows that a statement needs; expressions name columns as `Visits.column` gives them. */
export interface RelationWish {
  /** More columns of `visit`, a row for each session, from columns of the sessions. */
  readonly visit?: Expressions;
  /** More columns of `seen`, whole numbers best, from columns of the views. */
  readonly page?: Expressions;
  /** Days after the range whose rows are there too. */
  readonly followDays?: number;
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

/** Conditions on a row of sessions or views to be of a part. */
function partCondition(part: VisitPart | undefined, column: (field: string) => string, sql: SqlWords): string[] {
  if (!part || part.of === 1) return [];
  const key = part.by === 'visitor' ? sql.key(column('user_id')) : sql.key(column('user_id'), column('session_id'));
  return [`${key} % ${part.of} = ${part.index}`];
}

/** More ms than files cover, some decades; a number of a view fits before it. */
const TIMES = 2 ** 42;

/** A session may go on after the midnight of its day. */
const LONGEST_SESSION_MS = DAY_MS;

function list(expressions: Expressions): string {
  return Object.entries(expressions)
    .map(([name, expression]) => `, ${expression} AS ${name}`)
    .join('');
}

function names(expressions: Expressions): string {
  return Object.keys(expressions)
    .map((name) => `, ${name}`)
    .join('');
}

function need(visits: Visits, scope: VisitScope): (field: string) => string {
  return (field) => {
    const column = visits.column(scope, field);
    if (column === undefined) throw new TypeError(`${field} of ${scope} is read without having been asked for`);
    return column;
  };
}

/** A condition for the days that count. */
function dayCondition({ days }: Visits, followDays: number): string {
  const last = days.last + followDays;
  const absent: number[] = [];
  for (let day = days.first; day <= last; day += 1) if (!days.ofFiles.has(day)) absent.push(day);
  const none = absent.length === 0 ? '' : ` AND day NOT IN (${absent.join(', ')})`;
  return `day BETWEEN ${days.first} AND ${last}${none}`;
}

function visitSql(visits: Visits, { visit = {}, followDays = 0, part }: RelationWish): string {
  const { sql, days, question } = visits;
  const column = need(visits, 'sessions');
  const began = column('session_time');
  const conditions = [
    `${began} >= ${sql.instant(days.first * DAY_MS)}`,
    `${began} < ${sql.instant((days.last + followDays + 1) * DAY_MS)}`,
    `${column('user_id')} IS NOT NULL AND ${column('session_id')} IS NOT NULL`,
    ...partCondition(part, column, sql),
    ...filterConditions(question, column, sql),
  ];
  const ms = sql.ms(began);
  const own = `${sql.key(column('user_id'), column('session_id'))} AS k, ${sql.key(column('user_id'))} AS u, ${ms} AS began`;
  const atEntry = question.entryPages ? ' AND k IN (SELECT k FROM entered)' : '';
  return (
    `visit AS (SELECT * FROM (SELECT ${own}, ${dayOfMs(sql, ms)} AS day${list(visit)} FROM sessions ` +
    `WHERE ${conditions.join(' AND ')}) AS s WHERE ${dayCondition(visits, followDays)}${atEntry})`
  );
}

/** The sessions whose first view is of an entry page that is asked for. */
function enteredSql({ sql, question }: Visits): string[] {
  return question.entryPages ? [`entered AS (SELECT k FROM seen GROUP BY k HAVING ${sql.ofLeast('is_entry', 'n')} = 1)`] : [];
}

function entryColumn({ question, sql }: Visits, path: string): Expressions {
  const entry = entryCondition(question, path, sql);
  return entry === undefined ? {} : { is_entry: flag(entry) };
}

function seenSql(visits: Visits, { page = {}, followDays = 0, part }: RelationWish): string {
  const { sql, days } = visits;
  const column = need(visits, 'views');
  const time = column('view_time');
  const path = `coalesce(${column('path')}, '')`;
  const conditions = [
    `${time} >= ${sql.instant(days.first * DAY_MS)}`,
    `${time} < ${sql.instant((days.last + followDays + 1) * DAY_MS + LONGEST_SESSION_MS)}`,
    `${column('user_id')} IS NOT NULL AND ${column('session_id')} IS NOT NULL AND ${column('view_number')} IS NOT NULL`,
    ...partCondition(part, column, sql),
  ];
  const own =
    `${sql.key(column('user_id'), column('session_id'))} AS k, ${sql.key(column('user_id'))} AS u, ` +
    `${sql.known(column('view_number'))} AS n, ` +
    `${sql.ms(time)} AS t, ${sql.key(path)} AS p${list({ ...page, ...entryColumn(visits, path) })}`;
  return `seen AS (SELECT ${own} FROM views WHERE ${conditions.join(' AND ')})`;
}

/** Whether a session is chosen by its first view where its views are counted, because there is no `visit` that has chosen it. */
function filtersByView({ question, reads }: Visits): boolean {
  return question.entryPages !== undefined && !reads('sessions');
}

/**
 * A SELECT of a row for each session with views: k, day and what is wished. Aggregates read its rows of `seen`, s, where sessions are read
 * its row of `visit`, v, and what `more` joins to them. It stands over the common table expressions of a relation of the same days.
 */
export function sessionRows(
  visits: Visits,
  aggregates: Expressions,
  { more = '', followDays = 0 }: { readonly more?: string; readonly followDays?: number } = {},
): string {
  const { sql, days } = visits;
  const isJoined = visits.reads('sessions');
  // One least number instead of two, and of the time where that is least.
  const since = `least(greatest(s.t - ${days.first * DAY_MS}, 0), ${TIMES - 1})`;
  const began = isJoined ? 'min(v.day) AS day' : `min(${sql.whole('s.n')} * ${TIMES} + ${since}) AS first_view`;
  const ofFirst = isJoined
    ? ''
    : `, ${days.first} + ${sql.quotient(`first_view % ${TIMES}`, DAY_MS)} AS day, ${sql.quotient('first_view', TIMES)} AS first_n`;
  const atEntry = filtersByView(visits) ? `, ${sql.ofLeast('s.is_entry', 's.n')} AS at_entry` : '';
  const from = `seen AS s${isJoined ? ' JOIN visit AS v ON s.k = v.k' : ''}${more}`;
  const grouped = `SELECT s.k AS k${list(aggregates)}, ${began}${atEntry} FROM ${from} GROUP BY s.k`;
  const kept = keptConditions(visits, followDays);
  const where = kept.length === 0 ? '' : ` WHERE ${kept.join(' AND ')}`;
  return `SELECT k, day${names(aggregates)} FROM (SELECT *${ofFirst} FROM (${grouped}) AS g) AS r${where}`;
}

/** Conditions on a session by its first view. */
function keptConditions(visits: Visits, followDays: number): string[] {
  return [
    ...(visits.reads('sessions') ? [] : [dayCondition(visits, followDays), ...straddling(visits)]),
    ...(filtersByView(visits) ? ['at_entry = 1'] : []),
  ];
}

/** A session that began on a day that is missing is left out, though some of its views lie on the day after. */
function straddling({ days }: Visits): string[] {
  const after = days.covered.filter((day) => !days.ofFiles.has(day - 1));
  return after.length === 0 ? [] : [`NOT (first_n > 1 AND day IN (${after.join(', ')}))`];
}

/**
 * The common table expressions of a statement, without the word WITH. Where sessions are read `visit`: k (the session), u (the visitor),
 * began (ms), day (UTC, as a number), and the columns that are wished, of sessions that pass all filters. Where views are read `seen`, a
 * row for each view: k, u, n (view number), t (ms), p (a number that stands for the path) and the columns that are wished; `path_of`: p and
 * its path.
 */
export function visitRelation(visits: Visits, wish: RelationWish = {}): string {
  const { sql } = visits;
  const paths = () => {
    const path = `coalesce(${need(visits, 'views')('path')}, '')`;
    return `path_of AS (SELECT ${sql.key('path')} AS p, path FROM (SELECT DISTINCT ${path} AS path FROM views) AS d)`;
  };
  const [readsSessions, readsViews] = [visits.reads('sessions'), visits.reads('views')];
  return [
    ...(readsViews ? [seenSql(visits, wish)] : []),
    ...(readsSessions ? [...enteredSql(visits), visitSql(visits, wish)] : []),
    ...(readsViews ? [paths()] : []),
  ].join(',\n');
}
