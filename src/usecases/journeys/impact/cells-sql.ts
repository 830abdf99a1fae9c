import type { SqlWords } from '../sql-words.ts';
import { flag } from '../sql-words.ts';
import { deviceIds } from '../visit-filters.ts';
import { type Expressions, visitRelation } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import { measuresSql, messageSql, textSql, traitsSql } from './profile.ts';
import type { Sampling } from './sampling.ts';

/** Pages whose first view in a session is looked at. */
export interface IndexPage {
  readonly pattern: string;
  /** Whether a path belongs to it, on the column path. */
  readonly sql: string;
  /** Loading over this counts as slow here where no limit is named, ms. */
  readonly slowMs: number;
}

/** A condition of views as bit of a number. */
export interface Probe {
  /**
   * On the columns load_ms, score, slow_ms, js, api, rage and said (texts of errors) of a view, and next_pages, the bits of the pages of
   * the view after it, NULL where there is none.
   */
  readonly sql: string;
}

/** The definition of a conversion. */
export interface OutcomeSql {
  readonly kind: 'purchase' | 'bounce' | 'step';
  /** Of a step: whether a path fulfils it, on the column path. */
  readonly page?: string | undefined;
  /** Of a step: ms since 1970 of the last app event that fulfils it, on columns of sessions; 0 where there is none. */
  readonly event?: string | undefined;
  /** Of a step: a purchase fulfils it too. */
  readonly purchase?: boolean | undefined;
}

/** All that the statement of the cells depends on. */
export interface CellPlan {
  /** The pages of the site, of which a path belongs to one at most, the first that it is like. */
  readonly pages: readonly IndexPage[];
  /** More pages that are asked about, which may be parts of those. */
  readonly asked: readonly IndexPage[];
  readonly probes: readonly Probe[];
  /** How the sessions of each page, in the order of `pages` and then `asked`, are read. */
  readonly samplings: readonly Sampling[];
  readonly outcome: OutcomeSql;
  /** Levels by name: what stands in none is one more level. */
  readonly browsers: readonly string[];
  readonly countries: readonly string[];
  readonly sources: readonly string[];
  /** Whether conditions read the view after. */
  readonly looksAhead: boolean;
  /** Other findings, of which it is counted how many sessions met them: page, then probe. */
  readonly met: readonly (readonly [page: number, probe: number])[];
}

/** Covariates in the order in which the key of a cell holds them, the last one lowest; how many levels each may have. */
export const COVARIATES = [
  ['device', 5],
  ['visitor type', 2],
  ['browser', 16],
  ['country', 8],
  ['source', 8],
  ['day', 32],
  ['entry page', 16],
  ['depth', 8],
  ['time', 8],
  ['trouble before', 2],
  ['slow before', 2],
] as const;

/** Pages of the site that sessions are compared by: the key of a cell has a bit for each, and the entry page a level more. */
export const MOST_PAGES = 15;
/** How many sets of pages seen there may be: the lowest part of the key of a cell. */
export const SETS_OF_PAGES = 2 ** MOST_PAGES;

/** Bits of a number that holds the first view of a page: its number, the second, the conditions. */
const [NUMBER_AT, SECOND_AT, LARGEST_NUMBER] = [2 ** 50, 2 ** 26, 4_000];
/** Conditions that fit beside them. */
export const MOST_PROBES = 26;
/** First views from these numbers on are a level of their own. */
const DEPTHS = [2, 3, 4, 6, 9, 13];
/** Seconds since the session began. */
const SECONDS = [1, 15, 30, 60, 120, 240, 480];
const MOST_DAYS = 31;

const cases = (branches: readonly (readonly [string, string | number])[], other: string | number) =>
  branches.length === 0 ? String(other) : `CASE ${branches.map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} ELSE ${other} END`;
const level = (value: string, limits: readonly number[]) => limits.map((limit) => flag(`${value} >= ${limit}`)).join(' + ');

function traitLevels(plan: CellPlan, visits: Visits): Expressions {
  const { sql } = visits;
  const column = (field: string) => visits.column('sessions', field);
  const among = (value: string, names: readonly string[]) =>
    cases(
      names.map((name, at) => [`${value} = ${sql.text(name)}`, at]),
      names.length,
    );
  const { browser = "''", country = "''", source = "''" } = traitsSql(visits);
  const [device, number] = [column('device_id'), column('session_number')];
  const devices = Object.values(deviceIds).map((ids, at) => [`${device} IN (${ids.join(', ')})`, at] as const);
  return {
    device: device === undefined ? '0' : cases(devices, devices.length),
    is_returning: number === undefined ? '0' : flag(`${number} > 1`),
    browser: among(browser, plan.browsers),
    country: among(country, plan.countries),
    source: among(source, plan.sources),
    ...outcomeColumns(plan, visits),
  };
}

function outcomeColumns({ outcome }: CellPlan, visits: Visits): Expressions {
  const { integer } = textSql(visits);
  const column = (field: string) => visits.column('sessions', field);
  const [transactions, cents] = [column('session_number_of_transactions'), column('session_transactions_revenue_cents')];
  return {
    buys: transactions === undefined ? '0' : flag(`${transactions} > 0`),
    cents: cents === undefined ? '0' : integer(`coalesce(${cents}, 0)`),
    event_ms: outcome.event ?? '0',
  };
}

/** Columns of a view that conditions read. */
export function viewColumns(visits: Visits): Expressions {
  const messages = visits.column('views', 'errors.message');
  return {
    ...measuresSql(visits),
    ...(messages !== undefined && { said: textSql(visits).mapped(messages, (each) => messageSql(each, visits)) }),
  };
}

/** The table place: a row for each path: which of the pages it is, as bits and as the index of the site's page. */
export function placeSql({ pages, asked, outcome }: CellPlan): string {
  const own = pages.map((page, at) => [page.sql, at] as const);
  const bits = cases(
    own.map(([when, at]) => [when, 2 ** at]),
    0,
  );
  const more = asked.map((page, at) => `CASE WHEN ${page.sql} THEN ${2 ** (pages.length + at)} ELSE 0 END`);
  const slow = cases(
    own.map(([when, at]) => [when, pages[at]?.slowMs ?? 0]),
    1e9,
  );
  const goal = outcome.page === undefined ? '0' : flag(outcome.page);
  const columns = [
    `${[bits, ...more].join(' + ')} AS pages`,
    `${cases(own, MOST_PAGES)} AS page_at`,
    `${slow} AS slow_ms`,
    `${goal} AS goal`,
  ];
  return `place AS (SELECT p, ${columns.join(', ')} FROM path_of)`;
}

/** Views with the pages that they are of, where conditions ask for it with those of the view after. */
export function viewsSql({ looksAhead }: CellPlan, sql: SqlWords): string {
  if (!looksAhead) return 'seen AS s JOIN place AS g ON s.p = g.p';
  const next = `(SELECT *, ${sql.after('p', 'PARTITION BY k ORDER BY n')} AS p_next FROM seen) AS s`;
  return `${next} JOIN place AS g ON s.p = g.p LEFT JOIN (SELECT p, pages AS next_pages FROM place) AS a ON s.p_next = a.p`;
}

/** Sessions with the first view of each page as one number, which sorts by the number of the view. */
function walkSql(plan: CellPlan, visits: Visits): string {
  const { pages, asked, probes } = plan;
  const { sql } = visits;
  const { integer } = textSql(visits);
  const conditions = probes.map((probe, at) => `CASE WHEN ${probe.sql} THEN ${2 ** at} ELSE 0 END`).join(' + ') || '0';
  const second = `greatest(0, least(16000000, ${sql.quotient('s.t', 1000)} - ${visits.days.first * 86_400}))`;
  const first = `${integer(`least(s.n, ${LARGEST_NUMBER})`)} * ${NUMBER_AT} + ${second} * ${SECOND_AT} + ${integer(`(${conditions})`)}`;
  const isTrouble = flag('js = 1 OR api = 1 OR rage = 1');
  const views =
    `SELECT s.k AS k, s.n AS n${visits.question.entryPages ? ', s.is_entry AS is_entry' : ''}, g.pages AS pages, ` +
    `g.page_at AS page_at, g.goal AS goal, ${first} AS first_view, ${isTrouble} AS trouble, ` +
    `${flag('load_ms > slow_ms')} AS slow FROM ${viewsSql(plan, sql)}`;
  const firsts = [...pages, ...asked].map((_, at) => `min(CASE WHEN ${bitOf('pages', at, sql)} = 1 THEN first_view END) AS f${at}`);
  const entry = visits.question.entryPages ? ' HAVING min(n * 2 + 1 - is_entry) % 2 = 0' : '';
  return (
    `walk AS (SELECT k, ${firsts.join(', ')}, min(n * 16 + page_at) % 16 AS entry_at, ` +
    'min(CASE WHEN trouble = 1 THEN n END) AS trouble_n, min(CASE WHEN slow = 1 THEN n END) AS slow_n, max(n) AS last_n, ' +
    `max(CASE WHEN goal = 1 THEN n END) AS goal_n FROM (${views}) AS v GROUP BY k${entry})`
  );
}

/** A bit of a whole number, 0 or 1, of numbers of any size. */
export function bitOf(value: string, at: number, sql: SqlWords): string {
  return `${sql.quotient(value, 2 ** at)} % 2`;
}

function conversionSql({ outcome }: CellPlan): string {
  if (outcome.kind === 'purchase') return 'buys';
  if (outcome.kind === 'bounce') return flag('last_n <= view_n');
  const ofPurchase = outcome.purchase ? ' OR buys = 1' : '';
  return flag(`(goal_n IS NOT NULL AND goal_n > view_n) OR event_ms >= second_at * 1000${ofPurchase}`);
}

/** Covariates at the first view of the page `here`, and the other pages seen by then as bits. */
function unitSql(plan: CellPlan, visits: Visits): string {
  const { sql } = visits;
  const every = [...plan.pages, ...plan.asked].map((_, at) => at);
  const indices = `[${every.map((at) => `CASE WHEN f${at} IS NULL THEN -1 ELSE ${at} END`).join(', ')}]`;
  const reached = sql.filter(indices, (each) => `${each} >= 0`);
  const first = cases(
    every.map((at) => [`here = ${at}`, `f${at}`]),
    0,
  );
  const ofWalk = [...every.map((at) => `f${at}`), 'entry_at', 'trouble_n', 'slow_n', 'last_n', 'goal_n'].map(
    (name) => `w.${name} AS ${name}`,
  );
  // By name, because ClickHouse calls what both tables have otherwise.
  const ofVisit = ['k', 'began', 'day', ...Object.keys(traitLevels(plan, visits))].map((name) => `v.${name} AS ${name}`);
  const base = `SELECT ${[...ofVisit, ...ofWalk].join(', ')} FROM walk AS w JOIN visit AS v ON w.k = v.k`;
  const opened = sql.each(`(${base}) AS b`, { here: reached });
  const withFirst = `SELECT *, ${first} AS f FROM ${opened} AS o`;
  const parts =
    `SELECT *, ${sql.quotient('f', NUMBER_AT)} AS view_n, ` +
    `${sql.quotient(`f % ${NUMBER_AT}`, SECOND_AT)} + ${visits.days.first * 86_400} AS second_at, ` +
    `f % ${SECOND_AT} AS conditions FROM (${withFirst}) AS i`;
  const seconds = `(second_at - ${sql.quotient('began', 1000)})`;
  const isLong = visits.days.last - visits.days.first >= MOST_DAYS;
  const dayAt = `(day - ${visits.days.first})`;
  const values = [
    'device',
    'is_returning',
    'browser',
    'country',
    'source',
    isLong ? `least(31, ${sql.quotient(dayAt, 7)})` : dayAt,
    'entry_at',
    level('view_n', DEPTHS),
    level(seconds, SECONDS),
    flag('trouble_n < view_n'),
    flag('slow_n < view_n'),
  ];
  const { integer } = textSql(visits);
  const key = values.reduce((sum, value, at) => `(${sum}) * ${COVARIATES[at]?.[1] ?? 1} + (${value})`, integer('0'));
  const seen = plan.pages.map((_, at) => `CASE WHEN f${at} < f THEN ${2 ** at} ELSE 0 END`).join(' + ');
  const met = plan.met.map(([page, probe], at) => `${flag(`f${page} IS NOT NULL AND ${bitOf(`f${page}`, probe, sql)} = 1`)} AS met_${at}`);
  const kept = [
    'here',
    'k',
    `(${key}) * ${SETS_OF_PAGES} + ${seen} AS cell`,
    'conditions',
    `${conversionSql(plan)} AS converts`,
    'cents',
    ...met,
  ];
  return `unit AS (SELECT ${kept.join(', ')} FROM (${parts}) AS j${sampledSql(plan, sql)})`;
}

/** Leaves out the sessions of pages of which only a part is read. */
function sampledSql({ samplings }: CellPlan, sql: SqlWords): string {
  const parts = samplings.flatMap(({ oneOf, kept }, at) => {
    const isKept = [`k % ${oneOf} = 0`, ...kept.map((bit) => `${bitOf('conditions', bit, sql)} = 1`)].join(' OR ');
    return oneOf > 1 ? [[`here = ${at}`, flag(isKept)] as const] : [];
  });
  return parts.length === 0 ? '' : ` WHERE ${cases(parts, 1)} = 1`;
}

/** The cells of a page are joined to this many texts. */
const CHUNKS = 8;

/**
 * One statement that counts sessions by page, by the traits before its first view and by the conditions met there. Each row: `here`, the
 * index of the page, and `cells` as texts `cell conditions sessions conversions cents squares met…` with `;` between them.
 */
export function cellsSql(plan: CellPlan, visits: Visits): string {
  const { text, concat, joined } = textSql(visits);
  const relation = visitRelation(visits, { visit: traitLevels(plan, visits), page: viewColumns(visits) });
  const sums = ['count(*) AS n', 'sum(converts) AS y', 'sum(cents) AS r', 'sum(1.0 * cents * cents) AS q'];
  const met = plan.met.map((_, at) => `sum(met_${at}) AS m${at}`);
  const cell = `SELECT here, cell, conditions, ${[...sums, ...met].join(', ')} FROM unit GROUP BY here, cell, conditions`;
  const columns = ['cell', 'conditions', 'n', 'y', 'r', 'q', ...plan.met.map((_, at) => `m${at}`)];
  const line = concat(...columns.flatMap((column, at) => (at === 0 ? [text(column)] : ["' '", text(column)])));
  return (
    `WITH ${relation.ctes},\n${placeSql(plan)},\n${walkSql(plan, visits)},\n${unitSql(plan, visits)}\n` +
    `SELECT here, ${joined(line)} AS cells FROM (${cell}) AS c GROUP BY here, cell % ${CHUNKS}`
  );
}
