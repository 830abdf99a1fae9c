import { ApiError, refuse } from '../api/errors.ts';
import { type AskedDays, timeOfDays } from '../exports/coverage.ts';
import type { Cell } from '../exports/query/sql-process.ts';
import type { Supply } from '../exports/supply.ts';
import { DAY_MS } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { nearestFirst } from '../lib/nearest.ts';
import { inGroups } from '../lib/number-text.ts';
import type { Context } from '../names/context.ts';
import { type CoveredDays, daysFromTo, daysWords, type ScopeFiles } from './covered-days.ts';
import { meantValues, type TextFilter } from './filter-values.ts';
import { percentOf } from './proportions.ts';
import { dayOfMs, eventCondition, flag, isBetween, keyOf, msOf, pageCondition, type SqlWords } from './sql-words.ts';
import { type Choice, hasKind, type Step } from './step.ts';
import { deviceSql, entryCondition, type Filters, filterConditions, isFiltered, sessionFilters } from './visit-filters.ts';

/** The parameters that all tools over visits share; dates as the boundary resolves them. */
export interface VisitQuestion extends Filters, AskedDays {
  readonly jobIds?: readonly number[] | undefined;
}

/** A scope of exports that tools over visits read. */
export type VisitScope = 'sessions' | 'views';

/** The field that says when a row of a scope happened. */
const TIMES: Readonly<Record<string, string>> = { sessions: 'session_time', views: 'view_time' };

/** A row of aggregates, by column. */
export type VisitRow = Readonly<Record<string, Cell>>;

/** Downloaded sessions and views over days that their files cover. */
export interface Visits {
  readonly sql: SqlWords;
  readonly question: VisitQuestion;
  readonly days: CoveredDays;
  /** Rows of all files of views, where they are read and the files say how many they have; else 0. */
  readonly views: number;
  /** Whether files of a scope are read. */
  readonly reads: (scope: VisitScope) => boolean;
  /** The quoted column of a field, where the files of a scope that is read have it on all days of the answer. */
  readonly column: (scope: string, field: string) => string | undefined;
  /** The same where files have it on some days at least; on the others it is NULL. */
  readonly partly: Visits['column'];
  /** Names of the columns that the files of a scope that is read have. */
  readonly columns: (scope: VisitScope) => readonly string[];
  /** Runs one statement; aggregates leave the engine, never rows of visitors. */
  readonly select: (statement: string) => Promise<VisitRow[]>;
  /** How the question gets what no file has. */
  readonly supply: Supply;
  /** Keeps the rows of a statement in the engine as a table, which later statements may read; left out where the engine cannot. */
  readonly keep: ((name: string, statement: string) => Promise<void>) | undefined;
}

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

/** The columns of the sessions by their fields; NULL where there is none. */
export const orNull =
  ({ column }: Pick<Visits, 'column'>) =>
  (field: string) =>
    column('sessions', field) ?? 'NULL';

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
  const time = column(TIMES[scope] ?? '');
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

/** The parts of an answer over visits that say what it covers; `column` has those of files that are not read too. */
export interface Covered extends Pick<Visits, 'sql' | 'days' | 'column' | 'select'> {
  readonly filters: Filters;
  readonly files: readonly ScopeFiles[];
  /** Whether the downloaded sessions, read or not, say of all covered days which are automated. */
  readonly knowsAutomated: boolean;
}

type Days = Pick<Covered, 'days'>;

function inRange({ days }: Days, time: string): string {
  return isBetween(time, days.first * DAY_MS, (days.last + 1) * DAY_MS);
}

/** Conditions on the time of a row to be of the covered days. */
function onCoveredDays({ days }: Days, time: string): string[] {
  const absent = days.missing.length === 0 ? [] : [`${dayOfMs(msOf(time))} NOT IN (${days.missing.join(', ')})`];
  return [inRange({ days }, time), ...absent];
}

/** Counts the automated sessions among those of the covered days, under the other filters. */
function automatedSql(coverage: Covered): string[] {
  const { sql, filters, knowsAutomated } = coverage;
  if (!knowsAutomated) return [];
  const column = orNull(coverage);
  const conditions = filterConditions({ ...filters, automated: undefined }, column, sql);
  const where = [...onCoveredDays(coverage, column('session_time')), ...conditions].join(' AND ');
  const automated = flag(`coalesce(${column('is_excludable')}, false)`);
  return [`SELECT 'automated' AS kind, count(*) AS n, sum(${automated}) AS part FROM sessions WHERE ${where}`];
}

/** Counts the rows of the days that are left out because a file lacks them. */
function leftOutSql(coverage: Covered): string[] {
  const { sql, days, files, column } = coverage;
  if (days.missing.length === 0) return [];
  return files.flatMap(({ name }) => {
    const time = column(name, TIMES[name] ?? '');
    if (time === undefined) return [];
    const where = `${inRange(coverage, time)} AND ${dayOfMs(msOf(time))} IN (${days.missing.join(', ')})`;
    return `SELECT ${sql.text(name)} AS kind, count(*) AS n, 0 AS part FROM ${name} WHERE ${where}`;
  });
}

interface Count {
  readonly kind: string;
  readonly n: number;
  readonly part: number;
}

/** Why files do not cover a day; where rows are missing too, a column is no reason. */
function reasonOf({ files, days }: Covered, day: number): string {
  if (days.reading.includes(day)) return 'still being read';
  const lacking = files.map(({ name, over }) => ({ name, columns: over(timeOfDays([day])).lack.map(({ column }) => column) }));
  const without = lacking.filter(({ columns }) => columns.includes(undefined)).map(({ name }) => name);
  const reduced = lacking.filter(({ name, columns }) => columns.length > 0 && !without.includes(name));
  return [
    ...(without.length > 0 ? [`no whole day of ${without.join(' and ')} is downloaded`] : []),
    ...reduced.map(({ name, columns }) => `the downloaded ${name} lack the column ${columns.join(', ')}`),
  ].join(', and ');
}

function missingWords(coverage: Covered, counts: readonly Count[]): string {
  const { days, files } = coverage;
  const lacks = [...grouped(days.missing, (day) => reasonOf(coverage, day))].map(
    ([reason, own]) => `${daysWords(own).join(', ')}: ${reason}`,
  );
  // In the order of the files, because an engine gives the parts of a statement in any.
  const rows = files.flatMap(({ name }) => {
    const found = counts.find(({ kind, n }) => kind === name && n > 0);
    return found ? `${inGroups(found.n)} rows of ${name}` : [];
  });
  const ofDays = days.missing.length === 1 ? 'that day' : 'those days';
  const there = rows.length === 0 ? '' : `; ${rows.join(' and ')} of ${ofDays} are here and left out too`;
  const next = hint('find_export_gaps', ' find_export_gaps says why and plans what fills them.');
  return `Not covered, and left out: ${lacks.join('; ')}${there}.${days.reading.length === days.missing.length ? '' : next}`;
}

/** Says which days of the range are left out, with the rows of them that are here, and how many sessions are automated. */
export async function noteCoverage(coverage: Covered, context: Pick<Context, 'note'>): Promise<void> {
  const parts = [...automatedSql(coverage), ...leftOutSql(coverage)];
  const rows = parts.length === 0 ? [] : await coverage.select(parts.join('\nUNION ALL '));
  const counts = rows.map(({ kind, n, part }): Count => ({ kind: typeof kind === 'string' ? kind : '', n: Number(n), part: Number(part) }));
  if (coverage.days.missing.length > 0) context.note(missingWords(coverage, counts));
  const { n = 0, part = 0 } = counts.find(({ kind }) => kind === 'automated') ?? {};
  const done = coverage.filters.automated === 'exclude' ? 'are left out' : 'count, as in the metrics';
  if (n > 0) context.note(`Automated sessions ${done}: ${inGroups(part)} of ${inGroups(n)} (${percentOf(part, n)}%).`);
}

/** The fields of filters whose values are free texts. */
const FIELDS: Readonly<Record<TextFilter, string>> = { countries: 'country_code', browsers: 'browser_name' };
/** Values that are compared with the asked one, the most frequent first, and those that are named where it is none of them. */
const [MOST_VALUES, MOST_NAMED] = [1_000, 12];

/** A text of rows and how often it occurs. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** A value of a row that is a text; empty where it is none. */
export function textOf(value: VisitRow[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The texts that an expression gives, the most frequent first. */
export async function countedBy({ select }: Pick<Visits, 'select'>, text: string, from: string, most: number): Promise<Counted[]> {
  const rows = await select(`SELECT ${text} AS name, count(*) AS n FROM ${from} GROUP BY name ORDER BY n DESC, name LIMIT ${most}`);
  return rows.map(({ name, n }) => ({ name: textOf(name), count: Number(n) }));
}

/** Texts with their counts. */
export function listed(held: readonly Counted[], most = MOST_NAMED): string {
  const named = held.slice(0, most).map(({ name, count }) => `${name} (${inGroups(count)})`);
  return named.join(', ') + (held.length > most ? ' …' : '');
}
const rangeOf = ({ words }: CoveredDays) => words.join(', ');

type Sessions = Pick<Visits, 'days' | 'column' | 'select'>;

/** The sessions of the covered days by a text of a field. */
async function sessionsBy(field: string, textIn: (column: string) => string, sessions: Sessions): Promise<Counted[]> {
  const [column, time] = [field, 'session_time'].map((each) => sessions.column('sessions', each));
  if (column === undefined || time === undefined) return [];
  const from = `sessions WHERE ${onCoveredDays(sessions, time).join(' AND ')}`;
  return (await countedBy(sessions, textIn(column), from, MOST_VALUES)).filter(({ name }) => name !== '');
}

/** The question with countries and browsers as the files call them; throws for one that no session has, with those that there are. */
export async function withHeldValues(question: VisitQuestion, sessions: Sessions, { note }: Pick<Context, 'note'>): Promise<VisitQuestion> {
  const resolved: { [Filter in TextFilter]?: string[] } = {};
  for (const filter of ['countries', 'browsers'] as const) {
    const asked = question[filter];
    if (!asked) continue;
    const held = await sessionsBy(FIELDS[filter], (column) => column, sessions);
    const names = held.map(({ name }) => name);
    resolved[filter] = asked.flatMap((text) => {
      const meant = meantValues(filter, text, names);
      const there = held.length === 0 ? 'they hold none' : `there are ${listed(held)}`;
      if (meant.length === 0) refuse(`${filter}: no session of ${rangeOf(sessions.days)} has "${text}"; ${there}.`);
      if (meant.every((value) => value.toLowerCase() !== text.toLowerCase())) note(`${filter}: "${text}" is ${meant.join(', ')}.`);
      return meant;
    });
  }
  return { ...question, ...resolved };
}

/** The pages on which most sessions began that pass the other filters. */
function entriesOf(visits: Visits): Promise<Counted[]> {
  const open = { ...visits, question: { ...visits.question, entryPages: undefined } };
  const entries = `(${sessionRows({ entry: 'argMin(s.p, s.n)' })}) AS e JOIN path_of AS o ON e.entry = o.p`;
  const select = (statement: string) => visits.select(`WITH ${visitRelation(open)}\n${statement}`);
  return countedBy({ select }, 'o.path', entries, MOST_NAMED);
}

/**
 * Throws where the filters leave no session at all, so that nothing can be said of what sessions did: with what each filter leaves, or the
 * pages on which sessions began. To be asked where an answer is empty.
 */
export async function requireVisits(visits: Visits): Promise<void> {
  const { question, sql, days } = visits;
  if (!isFiltered(question)) return;
  const [found] = await visits.select(`WITH ${visitRelation(visits)}\nSELECT count(*) AS n FROM visit`);
  if (Number(found?.['n']) > 0) return;
  const filters = sessionFilters(question);
  if (question.entryPages) {
    const entries = await entriesOf(visits);
    const others = filters.length > 0 ? ' that passes the other filters' : '';
    const began = `entryPages: no session of ${rangeOf(days)}${others} began on ${question.entryPages.join(', ')}`;
    if (entries.length > 0) refuse(`${began}; most began on ${listed(entries, 6)}.`);
  }
  const [only, ...others] = filters;
  if (only && others.length === 0 && question.devices)
    refuse(`${only.words}: no session of ${rangeOf(days)}; there are ${listed(await sessionsBy('device_id', deviceSql, visits))}.`);
  const column = orNull(visits);
  const parts = filters.map(({ field, condition }, at) => `sum(${flag(condition(column(field), sql))}) AS f${at}`);
  const from = `sessions WHERE ${onCoveredDays(visits, column('session_time')).join(' AND ')}`;
  const [row] = await visits.select(`SELECT ${['count(*) AS n', ...parts].join(', ')} FROM ${from}`);
  const each = filters.map(({ words }, at) => `${words}: ${inGroups(Number(row?.[`f${at}`] ?? 0))}`);
  refuse(
    `The filters leave no session of ${rangeOf(days)}; each alone leaves of ${inGroups(Number(row?.['n'] ?? 0))}: ${each.join('; ')}.`,
  );
}

/** Names that are compared with the unknown one, the most frequent first. */
const MOST_CANDIDATES = 5_000;
const MOST_CLOSE = 5;

function wordsOf(choice: Choice): string {
  if (choice.kind === 'page') return choice.pattern.replaceAll('*', '');
  return choice.kind === 'event' ? choice.name : 'purchase';
}

/** The app events of all sessions as rows of e; undefined where no file has them. */
function eventsOf(visits: Visits): string | undefined {
  const names = visits.column('sessions', 'app_events.event_name');
  return names === undefined ? undefined : `${visits.sql.each('sessions', { e: names })} AS s`;
}

/** The error for a step that nothing in the files fulfils: the closest pages or events with their counts. */
export async function unseenStep(step: Step, parameter: string, visits: Visits): Promise<ApiError> {
  const isEvent = hasKind(step, 'event') && !hasKind(step, 'page');
  const [name, from] = isEvent ? ['e', eventsOf(visits)] : [pathText(visits), visits.column('views', 'path') && 'views'];
  const seen: Counted[] = from === undefined ? [] : await countedBy(visits, name, from, MOST_CANDIDATES);
  const asked = step.readAs === undefined ? step.choices.map(wordsOf).join(' ') : step.text;
  const closest = nearestFirst(asked, seen, (each) => each.name).slice(0, MOST_CLOSE);
  const list = listed(closest.map((each) => ({ ...each, name: `${isEvent ? 'event:' : ''}${each.name}` })));
  const [what, rows] = isEvent ? ['app event', 'times'] : ['page', 'views'];
  const there = list === '' ? `the files hold no ${what}s` : `closest, with their ${rows}: ${list}`;
  return new ApiError('missing', `${parameter}: no ${what} of these visits is "${step.text}"; ${there}.`);
}

async function hasRows(visits: Pick<Visits, 'select'>, from: string | undefined, condition: string | undefined): Promise<boolean> {
  if (from === undefined || condition === undefined) return false;
  const [row] = await visits.select(`SELECT count(*) AS n FROM ${from} WHERE ${condition}`);
  return Number(row?.['n']) > 0;
}

/** Throws for a step that no page or app event of the files fulfils; one that a purchase fulfils too needs none. */
export async function requireSeen(step: Step, parameter: string, visits: Visits): Promise<void> {
  const { sql } = visits;
  if (hasKind(step, 'purchase')) return;
  if (await hasRows(visits, visits.column('views', 'path') && 'views', pageCondition(step, pathText(visits), sql))) return;
  if (await hasRows(visits, eventsOf(visits), eventCondition(step, 'assumeNotNull(e)', sql))) return;
  throw await unseenStep(step, parameter, visits);
}

/** The error for a page that no session of the question saw: the files may hold it on other days, or of visits that are filtered out. */
export async function unreached(step: Step, parameter: string, visits: Visits): Promise<ApiError> {
  await requireSeen(step, parameter, visits);
  const chosen = isFiltered(visits.question) ? ' that passes the filters' : '';
  return new ApiError(
    'missing',
    `${parameter}: no session of ${visits.days.words.join(', ')}${chosen} saw "${step.text}", though the files hold it; ` +
      `${chosen === '' ? 'widen the range' : 'widen the range or drop a filter'}.`,
  );
}

/** Throws where no session of the files has a purchase, as in a project without a shop: nothing can be told of its purchases. */
export async function requirePurchases(visits: Pick<Visits, 'column' | 'select'>): Promise<void> {
  if (await hasRows(visits, 'sessions', `${orNull(visits)('session_number_of_transactions')} > 0`)) return;
  throw new ApiError(
    'missing',
    'outcome: no session of these files has a purchase; name another one, such as bounce or the path of a page that visitors should reach.',
  );
}
