import { flag, lineOf, type SqlWords } from '../sql-words.ts';
import { deviceIds } from '../visit-filters.ts';
import { type Expressions, type VisitPart, visitRelation } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import { type CellPlan, COVARIATES, cases, FIRST_VIEW, SETS_OF_PAGES } from './cell-plan.ts';
import { plainSql } from './plain-sql.ts';
import { traitsSql } from './profile.ts';
import { ALL, maskOf, mostOf } from './sampling.ts';
import { columnsOfOutcome, placeOf, viewColumns, walkSql } from './walk-sql.ts';

/** First views from these numbers on are a level of their own. */
const DEPTHS = [2, 3, 4, 6, 9, 13];
/** Seconds since the session began. */
const SECONDS = [1, 15, 30, 60, 120, 240, 480];
const MOST_DAYS = 31;
/** Fields of sessions that traits and outcomes are made of. */
const TRAIT_FIELDS = [
  'device_id',
  'session_number',
  'browser_name',
  'browser_version',
  'country_code',
  'referer_url',
  'session_number_of_transactions',
  'session_transactions_revenue_cents',
  'app_events.event_name',
  'app_events.event_time',
];

const level = (value: string, limits: readonly number[]) => limits.map((limit) => flag(`${value} >= ${limit}`)).join(' + ');

function traitLevels(plan: CellPlan, visits: Visits): Expressions {
  const { sql } = visits;
  const column = (field: string) => visits.column('sessions', field);
  const among = (value: string, names: readonly string[]) =>
    cases(
      names.map((name, at) => [`${value} = ${sql.text(name)}`, at]),
      names.length,
    );
  const [device, number] = [column('device_id'), column('session_number')];
  const devices = Object.values(deviceIds).map((ids, at) => [`${device} IN (${ids.join(', ')})`, at] as const);
  return {
    device: device === undefined ? '0' : cases(devices, devices.length),
    is_returning: number === undefined ? '0' : flag(`${number} > 1`),
    browser: among('text_of_browser', plan.browsers),
    country: among('text_of_country', plan.countries),
    source: among('text_of_source', plan.sources),
    ...outcomeColumns(plan, visits),
  };
}

function outcomeColumns({ outcome }: CellPlan, visits: Visits): Expressions {
  const column = (field: string) => visits.column('sessions', field);
  const [transactions, cents] = [column('session_number_of_transactions'), column('session_transactions_revenue_cents')];
  return {
    buys: transactions === undefined ? '0' : flag(`${transactions} > 0`),
    cents: cents === undefined ? '0' : visits.sql.whole(`coalesce(${cents}, 0)`),
    event_ms: outcome.event ?? '0',
  };
}

function conversionSql({ outcome }: CellPlan): string {
  if (outcome.kind === 'purchase') return 'buys';
  if (outcome.kind === 'bounce') return flag('last_n <= view_n');
  const ofPurchase = outcome.purchase ? ' OR buys = 1' : '';
  return flag(`(goal_n IS NOT NULL AND goal_n > view_n) OR event_ms >= second_at * 1000${ofPurchase}`);
}

/** Whether the session with this first view of a page is read. */
function keptSql(at: number, { samplings }: CellPlan, sql: SqlWords): string {
  const { oneOf, met } = samplings[at] ?? ALL;
  if (oneOf === 1) return `f${at} IS NOT NULL`;
  const draws = [...new Set(met)].filter((draw) => draw < oneOf);
  const ofDraw = (draw: number) => `${draw > 1 ? `k % ${draw} = 0 AND ` : ''}${sql.anyBit(`f${at}`, maskOf(met, draw))}`;
  return `f${at} IS NOT NULL AND (${[`k % ${oneOf} = 0`, ...draws.map(ofDraw)].join(' OR ')})`;
}

/** The columns that the traits of a session are made of, under their own names. */
function traitColumns(visits: Visits): Expressions {
  const columns = TRAIT_FIELDS.flatMap((field) => visits.column('sessions', field) ?? []);
  return Object.fromEntries(columns.map((column) => [column, column]));
}

/** The sessions that are read, with their traits and their walk. */
function sessionsSql(plan: CellPlan, visits: Visits): string {
  const firsts = [...plan.pages, ...plan.asked].map((_, at) => `f${at}`);
  const anywhere = plan.isPlain ? new Set(plan.judged.map((_, index) => placeOf(index, plan).column)) : [];
  const isSampled = mostOf(plan) > 1;
  const ofWalk = [...firsts, ...anywhere, 'entry_at', 'trouble_n', 'slow_n', ...columnsOfOutcome(plan), ...(isSampled ? ['stands'] : [])];
  // By name, because ClickHouse calls what both tables have otherwise.
  const ofVisit = ['k', 'began', 'day', ...Object.keys(traitColumns(visits))].map((name) => `v.${name} AS ${name}`);
  const all = [...ofVisit, ...ofWalk.map((name) => `w.${name} AS ${name}`)];
  const kept = isSampled ? ` WHERE ${visits.sql.whole(`w.k % ${mostOf(plan)}`)} % w.stands = 0` : '';
  const joined = `SELECT ${all.join(', ')} FROM walk AS w JOIN visit AS v ON w.k = v.k${kept}`;
  const traits = Object.entries(traitLevels(plan, visits)).map(([name, value]) => `${value} AS ${name}`);
  // Levels last: most sessions are read no further than the join. Each text once, whatever number of levels it is compared with.
  const texts = Object.entries(traitsSql(visits)).map(([name, value]) => `${value} AS text_of_${name}`);
  const told = `SELECT *, ${texts.join(', ')} FROM (${joined}) AS t`;
  return `SELECT ${['k', 'began', 'day', ...traits, ...ofWalk].join(', ')} FROM (${told}) AS s`;
}

/** Of these sessions those at whose pages something is counted, a row for each page: its index is `here`. */
function openedSql(plan: CellPlan, { sql }: Visits, sessions: string): string {
  const [only = 0, ...more] = plan.judged;
  if (more.length === 0) return `(SELECT *, ${only} AS here FROM ${sessions} WHERE ${keptSql(only, plan, sql)})`;
  const indices = `[${plan.judged.map((at) => `CASE WHEN ${keptSql(at, plan, sql)} THEN ${at} ELSE -1 END`).join(', ')}]`;
  const reached = `SELECT *, ${sql.filter(indices, (each) => `${each} >= 0`)} AS reached FROM ${sessions}`;
  return sql.each(`(SELECT * FROM (${reached}) AS r WHERE length(reached) > 0) AS b`, { here: 'reached' });
}

/** Covariates at the first view of the page `here`, and the other pages seen by then as bits. */
function unitSql(plan: CellPlan, visits: Visits, sessions: string): string {
  const { sql, days } = visits;
  const { numberAt, secondAt } = FIRST_VIEW;
  const first = cases(
    plan.judged.map((at) => [`here = ${at}`, `f${at}`]),
    0,
  );
  const parts =
    `SELECT *, ${sql.quotient('f', numberAt)} AS view_n, ` +
    `${sql.quotient(`f % ${numberAt}`, secondAt)} + ${days.first * 86_400} AS second_at, ` +
    `f % ${secondAt} AS conditions FROM (SELECT *, ${first} AS f FROM ${openedSql(plan, visits, sessions)} AS o) AS i`;
  const seconds = `(second_at - ${sql.quotient('began', 1000)})`;
  // Of the days that are read, however the range around them is named.
  const [firstRead, lastRead] = [days.covered[0] ?? days.first, days.covered.at(-1) ?? days.last];
  const isLong = lastRead - firstRead >= MOST_DAYS;
  const dayAt = `(day - ${firstRead})`;
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
  const key = values.reduce((sum, value, at) => `(${sum}) * ${COVARIATES[at]?.[1] ?? 1} + (${value})`, visits.sql.whole('0'));
  const seen = plan.pages.map((_, at) => `CASE WHEN f${at} < f THEN ${2 ** at} ELSE 0 END`).join(' + ');
  const met = plan.met.map(([page, probe], at) => `${flag(`f${page} IS NOT NULL AND ${sql.bit(`f${page}`, probe)}`)} AS met_${at}`);
  const kept = [
    'here',
    `(${key}) * ${SETS_OF_PAGES} + ${seen} AS cell`,
    'conditions',
    `${conversionSql(plan)} AS converts`,
    'cents',
    ...met,
  ];
  return `unit AS (SELECT ${kept.join(', ')} FROM (${parts}) AS j)`;
}

/** The cells of a page are joined to this many texts. */
const CHUNKS = 8;

/** The statement of the sessions that are read, by the name under which the engine may keep them; `part`: of a part of all visits. */
export function keptSessionsSql(plan: CellPlan, visits: Visits, part?: VisitPart): string {
  const relation = visitRelation(visits, { visit: traitColumns(visits), page: viewColumns(plan, visits), part });
  return `WITH ${[relation, ...walkSql(plan, visits)].join(',\n')}\n${sessionsSql(plan, visits)}`;
}

const ofTables = (kept: readonly string[]) => kept.map((name) => `SELECT * FROM ${name}`).join(' UNION ALL ');

/** The part plain alone. */
export function plainAloneSql(plan: CellPlan, visits: Visits, kept: readonly string[]): string {
  return plainSql(plan, visits, `(${ofTables(kept)}) AS t`);
}

/**
 * A statement that counts sessions by page, by the traits before its first view and by the conditions met there. Each row of the `part`
 * cells: `here`, the index of the page, and `cells`, lines `cell conditions sessions conversions cents squares met…`. Most lines are of
 * one session that bought nothing and met nothing else, and end before that. Those of the part plain, where the plan has one, are as
 * `plainSql` says. `kept`: the tables that hold the sessions, where the engine kept them.
 */
export function cellsSql(plan: CellPlan, visits: Visits, kept?: readonly string[]): string {
  const { sql } = visits;
  const sums = ['count(*) AS n', 'sum(converts) AS y', 'sum(cents) AS r', 'sum(1e0 * cents * cents) AS q'];
  const met = plan.met.map((_, at) => `sum(met_${at}) AS m${at}`);
  const cell = `SELECT here, cell, conditions, ${[...sums, ...met].join(', ')} FROM unit GROUP BY here, cell, conditions`;
  const columns = ['cell', 'conditions', 'n', 'y', 'r', 'q', ...plan.met.map((_, at) => `m${at}`)];
  const isShort = ['n = 1', ...columns.slice(3).map((column) => `${column} = 0`)].join(' AND ');
  const text = `CASE WHEN ${isShort} THEN ${lineOf(sql, columns.slice(0, 2))} ELSE ${lineOf(sql, columns)} END`;
  const cells = `SELECT 'cells' AS part, here, ${sql.lines(text)} AS cells FROM (${cell}) AS c GROUP BY here, cell % ${CHUNKS}`;
  const sessions = kept ? ofTables(kept) : keptSessionsSql(plan, visits);
  return (
    `WITH sessions_read AS (${sessions}),\n${unitSql(plan, visits, 'sessions_read')}\n` +
    [cells, ...(plan.isPlain ? [plainSql(plan, visits, 'sessions_read')] : [])].join('\nUNION ALL ')
  );
}
