import { FRUSTRATION_SCORES, MESSAGE_RULES, SLOW_SECONDS } from '../../../domain/journeys/impact/conditions.ts';
import type { PathViews } from '../../../domain/journeys/page-groups.ts';
import { nth } from '../../../lib/nth.ts';
import { concat, flag, hostOf, lineOf } from '../sql-words.ts';
import { type Expressions, visitRelation } from '../visit-relation.ts';
import type { VisitRow, Visits } from '../visits.ts';

/** A path with how many of its views met what. */
export interface ProfiledPath extends PathViews {
  /** Took longer than each of the limits for slow pages. */
  readonly slow: readonly number[];
  /** Had a score of at least each of the limits for frustration. */
  readonly frustrated: readonly number[];
}

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
  const [browser, version, referrer] = ['browser_name', 'browser_version', 'referer_url'].map(column);
  const name = browser === undefined ? "''" : `coalesce(${browser}, '')`;
  return {
    browser: version === undefined ? name : concat(name, "' '", sql.extracted(`coalesce(${version}, '')`, '^([0-9]+)')),
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

/** How many views of a path met what, in the order of `ProfiledPath`. */
const COUNTS = [
  ...SLOW_SECONDS.map((seconds) => `sum(${flag(`load_ms > ${seconds * 1000}`)})`),
  ...FRUSTRATION_SCORES.map((score) => `sum(${flag(`score >= ${score}`)})`),
];

/** The paths with their views and how often these met what, the most seen first. */
const pathsSql = ({ sql }: Visits) =>
  `SELECT * FROM (SELECT 'path' AS kind, path_text AS a, count(*) AS n, ${lineOf(sql, COUNTS)} AS more FROM seen GROUP BY path_text ` +
  `ORDER BY n DESC, a LIMIT ${MOST_PATHS}) AS of_path`;

function messagesSql(visits: Visits): string[] {
  const messages = visits.column('views', 'errors.message');
  if (messages === undefined) return [];
  const { sql } = visits;
  // Of one error there is nothing to tell apart, and lists take several times as long.
  const several = sql.distinct(sql.map(messages, (each) => messageSql(each, visits)));
  const list = `CASE WHEN length(${messages}) = 1 THEN [${messageSql(`${messages}[1]`, visits)}] ELSE ${several} END`;
  const table = `(SELECT ${list} AS texts FROM views WHERE length(${messages}) > 0)`;
  return [
    `SELECT * FROM (SELECT 'message' AS kind, a, count(*) AS n, '' AS more FROM ${sql.each(`${table} AS t`, { a: 'texts' })} AS m ` +
      `GROUP BY a ORDER BY n DESC, a LIMIT ${MOST_VALUES}) AS of_message`,
  ];
}

/** Counts what there is; the texts of errors where they are asked about. */
export async function profileOf(visits: Visits, readsErrors: boolean): Promise<Profile> {
  const relation = visitRelation(visits, { visit: traitsSql(visits), page: { ...measuresSql(visits), path_text: pathText(visits) } });
  const parts = [
    pathsSql(visits),
    ...valuesSql(visits),
    // Files may hold a session and none of its views, where these lie on a day that is missing.
    "SELECT 'sessions' AS kind, '' AS a, count(*) AS n, '' AS more FROM visit WHERE k IN (SELECT k FROM seen)",
    ...(readsErrors ? messagesSql(visits) : []),
  ];
  const rows = await visits.select(`WITH ${relation}\n${parts.join('\nUNION ALL ')}`);
  const counted = (kind: string) =>
    rows.flatMap((row): Counted[] => (row['kind'] === kind ? [{ value: textOf(row['a']), count: Number(row['n']) }] : []));
  const paths = rows.flatMap((row): ProfiledPath[] => {
    if (row['kind'] !== 'path') return [];
    const met = textOf(row['more']).split(' ').map(Number);
    const slow = met.slice(0, SLOW_SECONDS.length);
    return [{ path: textOf(row['a']), views: Number(row['n']), slow, frustrated: met.slice(SLOW_SECONDS.length) }];
  });
  return {
    paths,
    views: paths.reduce((sum, { views }) => sum + views, 0),
    sessions: counted('sessions')[0]?.count ?? 0,
    frustrated: FRUSTRATION_SCORES.map((_, at) => paths.reduce((sum, { frustrated }) => sum + nth(frustrated, at), 0)),
    browsers: counted('browser'),
    sources: counted('source'),
    messages: counted('message').filter(({ value }) => value !== ''),
  };
}
