import { FRUSTRATION_SCORES, MESSAGE_RULES, SLOW_SECONDS } from '../../../domain/journeys/impact/conditions.ts';
import type { PathViews } from '../../../domain/journeys/page-groups.ts';
import { nth } from '../../../lib/nth.ts';
import { concat, flag, hostOf, lineOf } from '../sql-words.ts';
import { type Expressions, type RelationWish, sparing, viewsOfDays, visitRelation } from '../visit-relation.ts';
import type { VisitRow, Visits } from '../visits.ts';

/** A path with how many of its views met what. */
export interface ProfiledPath extends PathViews {
  /** Took longer than each of the limits for slow pages. */
  readonly slow: readonly number[];
  /** Had a score of at least each of the limits for frustration. */
  readonly frustrated: readonly number[];
  /** Had a JavaScript error, a failed API call, a rage click. */
  readonly troubled: readonly number[];
}

/** Columns of a view that tell of trouble, in the order of `troubled`. */
const TROUBLES = ['js', 'api', 'rage'] as const;

/** How often a value occurs. */
export interface Counted {
  readonly value: string;
  readonly count: number;
}

/** The values that occur in the days of a question: the lists that levels, limits and groups are chosen from. */
export interface Profile {
  readonly paths: readonly ProfiledPath[];
  readonly views: number;
  /** Sessions with views. */
  readonly sessions: number;
  /** Views whose score is at least each of the limits for frustration, of all paths. */
  readonly frustrated: readonly number[];
  /** Name and major version, as `Chrome 142`. */
  readonly browsers: readonly Counted[];
  readonly countries: readonly Counted[];
  /** Hosts of referrers. */
  readonly sources: readonly Counted[];
  /** Views by the text of an error, numbers and addresses left out. */
  readonly messages: readonly Counted[];
}

const MOST_PATHS = 5_000;
const MOST_VALUES = 60;

/** A text of an error without numbers and addresses. */
export function messageSql(value: string, visits: Visits): string {
  const { replaced } = visits.sql;
  // A look for what a rule cannot do without costs a part of the rule.
  return MESSAGE_RULES.reduce(
    (text, [pattern, by, needs]) => (needs === '' ? replaced(text, pattern, by) : guarded(text, needs, replaced(text, pattern, by))),
    `coalesce(${value}, '')`,
  );
}

const guarded = (text: string, needs: string, made: string) => `CASE WHEN ${text} LIKE '%${needs}%' THEN ${made} ELSE ${text} END`;

/** A value of a row that is a text; empty where it is none. */
export function textOf(value: VisitRow[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The traits of each session that tell sessions apart before the exposure; '' where the files do not have one. */
export function traitsSql(visits: Visits): Expressions {
  const { sql } = visits;
  const column = (field: string) => visits.column('sessions', field);
  const [browser, version, country, referrer] = ['browser_name', 'browser_version', 'country_code', 'referer_url'].map(column);
  const name = browser === undefined ? "''" : `coalesce(${browser}, '')`;
  return {
    browser: version === undefined ? name : concat(name, "' '", sql.extracted(`coalesce(${version}, '')`, '^([0-9]+)')),
    country: country === undefined ? "''" : `coalesce(${country}, '')`,
    source: referrer === undefined ? "''" : hostOf(sql, `coalesce(${referrer}, '')`),
  };
}

/** Loading time and score of a view, NULL where the files do not have them, and its troubles, 0 where they do not. */
export function measuresSql(visits: Visits): Expressions {
  const time = ['fully_loaded', 'dom_interactive_after_msec', 'start_render'].flatMap((field) => visits.column('views', field) ?? [])[0];
  const flagOf = (field: string) => {
    const column = visits.column('views', field);
    return column === undefined ? '0' : flag(column);
  };
  return {
    load_ms: time ?? 'NULL',
    score: visits.column('views', 'frustration_score') ?? 'NULL',
    js: flagOf('any_js_error_ind'),
    api: flagOf('any_api_error_ind'),
    rage: flagOf('rage_click_all_targets_ind'),
  };
}

/** The path of a view as a text, from columns of the views. */
export function pathText(visits: Visits): string {
  return `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
}

function valuesSql(visits: Visits): string[] {
  return Object.keys(traitsSql(visits)).map(
    (name) =>
      `SELECT * FROM (SELECT '${name}' AS kind, ${name} AS a, count(*) AS n, '' AS more FROM visit GROUP BY ${name} ` +
      `ORDER BY n DESC, a LIMIT ${MOST_VALUES}) AS of_${name}`,
  );
}

/** The paths of a table with their views and other figures, the most seen first. */
const mostSeen = (kind: string, more: string, from: string) =>
  `SELECT * FROM (SELECT '${kind}' AS kind, path_text AS a, ${more} AS more FROM ${from} GROUP BY path_text ` +
  `ORDER BY n DESC, a LIMIT ${MOST_PATHS}) AS of_path`;

/** How often the views of each path met what, as numbers. */
function metSql({ sql }: Visits): string {
  return mostSeen('met', `count(*) AS n, ${lineOf(sql, COUNTS, ',')}`, 'seen');
}

/** The views of each path; by the column itself first, which files hold as numbers of texts. */
function pathsSql(): string {
  const counted = 'SELECT own_path, count(*) AS views FROM seen GROUP BY own_path';
  return mostSeen('path', "sum(views) AS n, ''", `(SELECT coalesce(own_path, '') AS path_text, views FROM (${counted}) AS c) AS d`);
}

/** How many views of a path met what, in the order of `ProfiledPath`. */
const COUNTS = [
  ...SLOW_SECONDS.map((seconds) => `sum(${flag(`load_ms > ${seconds * 1000}`)})`),
  ...FRUSTRATION_SCORES.map((score) => `sum(${flag(`score >= ${score}`)})`),
  ...TROUBLES.map((name) => `sum(${name})`),
];

function messagesSql(visits: Visits, oneOf: number): string[] {
  const messages = visits.column('views', 'errors.message');
  if (messages === undefined) return [];
  const { sql } = visits;
  // Of one error there is nothing to tell apart, and lists take several times as long.
  const several = sql.distinct(sql.map(messages, (each) => messageSql(each, visits)));
  const list = `CASE WHEN length(${messages}) = 1 THEN [${messageSql(`${messages}[1]`, visits)}] ELSE ${several} END`;
  const [user, session] = ['user_id', 'session_id'].map((field) => visits.column('views', field) ?? 'NULL') as [string, string]; // two
  const part = oneOf === 1 ? '' : ` AND ${sql.key(user, session)} % ${oneOf} = 0`;
  const table = `(SELECT ${list} AS texts FROM views WHERE length(${messages}) > 0${part})`;
  return [
    `SELECT * FROM (SELECT 'message' AS kind, a, count(*) AS n, '' AS more FROM ${sql.each(`${table} AS t`, { a: 'texts' })} AS m ` +
      `GROUP BY a ORDER BY n DESC, a LIMIT ${MOST_VALUES}) AS of_message`,
  ];
}

/** So many views are enough to tell how often conditions are met, and what most sessions have. */
const ENOUGH_VIEWS = 500_000;

/** The statements of a profile: of a part of the sessions, one of so many, what most have; of all what may be rare, in `rare`. */
function profileStatements(visits: Visits, oneOf: number, rare: readonly string[]): string[] {
  const statement = (wish: RelationWish, parts: readonly string[]) => `WITH ${visitRelation(visits, wish)}\n${parts.join('\nUNION ALL ')}`;
  const page = { ...measuresSql(visits), path_text: pathText(visits) };
  const part = { by: 'session', index: 0, of: oneOf } as const;
  // Files may hold a session and none of its views, where these lie on a day that is missing.
  const whole = ["SELECT 'sessions' AS kind, '' AS a, count(*) AS n, '' AS more FROM visit WHERE k IN (SELECT k FROM seen)", ...rare];
  return [
    statement({ visit: traitsSql(visits), page, part }, [metSql(visits), ...valuesSql(visits)]),
    statement({ page: { own_path: visits.column('views', 'path') ?? 'NULL' } }, whole),
  ];
}

/** Parts of a profile that not every question needs. */
export interface ProfileWish {
  /** Errors that are asked about: none, the most frequent texts, or each however rare. */
  readonly errors: 'none' | 'frequent' | 'all';
  /** Whether paths are asked about, of which hardly any session may have seen one. */
  readonly isOfPaths: boolean;
}

const numbersOf = (row: VisitRow) =>
  textOf(row['more'])
    .split(',')
    .map((text) => Number(text) || 0);

/** Counts what there is. */
export async function profileOf(visits: Visits, { errors, isOfPaths }: ProfileWish): Promise<Profile> {
  const oneOf = sparing(viewsOfDays(visits), ENOUGH_VIEWS);
  const messagesOneOf = errors === 'all' ? 1 : oneOf;
  const messages = errors === 'none' ? [] : messagesSql(visits, messagesOneOf);
  const rows: VisitRow[] = [];
  const isEvery = isOfPaths && oneOf > 1;
  for (const statement of profileStatements(visits, oneOf, [...(isEvery ? [pathsSql()] : []), ...messages]))
    rows.push(...(await visits.select(statement)));
  const of = (kind: string) => rows.filter((row) => row['kind'] === kind);
  const counted = (kind: string, times = 1) =>
    of(kind).map((row): Counted => ({ value: textOf(row['a']), count: times * Number(row['n']) }));
  const [slowEnd, frustratedEnd] = [SLOW_SECONDS.length, SLOW_SECONDS.length + FRUSTRATION_SCORES.length];
  const met = new Map(of('met').map((row) => [textOf(row['a']), numbersOf(row).map((count) => oneOf * count)]));
  const viewsOf = (row: VisitRow) => (isEvery ? 1 : oneOf) * Number(row['n']);
  const paths = of(isEvery ? 'path' : 'met').map((row): ProfiledPath => {
    const numbers = met.get(textOf(row['a'])) ?? COUNTS.map(() => 0);
    const [slow, frustrated, troubled] = [numbers.slice(0, slowEnd), numbers.slice(slowEnd, frustratedEnd), numbers.slice(frustratedEnd)];
    return { path: textOf(row['a']), views: viewsOf(row), slow, frustrated, troubled };
  });
  return {
    paths,
    views: paths.reduce((sum, { views }) => sum + views, 0),
    sessions: Number(of('sessions')[0]?.['n'] ?? 0),
    frustrated: FRUSTRATION_SCORES.map((_, at) => paths.reduce((sum, { frustrated }) => sum + nth(frustrated, at), 0)),
    browsers: counted('browser', oneOf),
    countries: counted('country', oneOf),
    sources: counted('source', oneOf),
    messages: counted('message', messagesOneOf).filter(({ value }) => value !== ''),
  };
}
