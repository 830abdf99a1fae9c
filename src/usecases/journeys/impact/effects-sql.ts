import type { StrataSums } from '../../../domain/journeys/impact/effect.ts';
import { grouped } from '../../../lib/grouped.ts';
import { flag } from '../sql-words.ts';
import { deviceIds } from '../visit-filters.ts';
import { type Expressions, partsOf, type VisitPart, visitRelation } from '../visit-relation.ts';
import type { VisitRow, Visits } from '../visits.ts';
import { measuresSql, messageSql, pathText, traitsSql } from './profile.ts';

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
   * On the columns load_ms, score, slow_ms, js, api and rage of a view, and next_pages, the bits of the pages of the view after it, NULL
   * where there is none; or the text of an error that it had, numbers and addresses left out.
   */
  readonly on: { readonly sql: string } | { readonly message: string };
  /** It is not asked of the last view of a session. */
  readonly looksAhead: boolean;
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

/** All that the statement of the effects depends on. */
export interface EffectPlan {
  /** The pages of the site, of which a path belongs to one at most, the first that it is like. */
  readonly pages: readonly IndexPage[];
  /** More pages that are asked about, which may be parts of those. */
  readonly asked: readonly IndexPage[];
  readonly probes: readonly Probe[];
  readonly outcome: OutcomeSql;
  /** Values that many sessions have; a browser with its version. */
  readonly browsers: readonly string[];
  readonly sources: readonly string[];
  /** The pages whose sessions are compared, by index. */
  readonly judged: readonly number[];
}

/** Pages of the site that are told apart: a bit for each. */
export const MOST_PAGES = 15;
/** Conditions that fit into the number of a first view, and a bit for a view that is the last. */
export const MOST_PROBES = 25;
const LAST_VIEW = 2 ** MOST_PROBES;
/** The number of a first view: that of the view times the first of these, seconds times the second, conditions. */
const FIRST_VIEW = { numberAt: 2 ** 50, secondAt: 2 * LAST_VIEW, largestNumber: 4_000, largestSecond: 16_000_000 } as const;
/** Numbers of first views from which on a stratum begins. */
const DEPTHS = [2, 3, 4, 5, 6, 7, 9, 11, 15, 21];
/** Strata for one set of traits: more than there are depths. */
const STRATA_OF_DEPTH = 16;

/** The branches of a CASE. */
function cases(branches: readonly (readonly [when: string, then: string | number])[], other: string | number): string {
  return branches.length === 0
    ? String(other)
    : `CASE ${branches.map(([when, then]) => `WHEN ${when} THEN ${then}`).join(' ')} ELSE ${other} END`;
}

/** A sum of bits; 0 where there are none. */
const sumOf = (terms: readonly string[]) => terms.join(' + ') || '0';

const bitsOf = (text: string, { probes }: EffectPlan, { sql }: Visits) =>
  cases(
    probes.flatMap(({ on }, at) => ('message' in on ? [[`${text} = ${sql.text(on.message)}`, 2 ** at] as const] : [])),
    0,
  );

/** The text of the only error of a view, and the bits of its errors where there are more, because lists take several times as long. */
function messageColumns(plan: EffectPlan, visits: Visits): Expressions {
  const messages = visits.column('views', 'errors.message');
  if (messages === undefined || !plan.probes.some(({ on }) => 'message' in on)) return { lone: "''", several: '0' };
  const { sql } = visits;
  const texts = sql.distinct(sql.map(messages, (each) => messageSql(each, visits)));
  const sum = sql.whole(sql.summed(sql.map(texts, (text) => bitsOf(text, plan, visits))));
  return {
    lone: `CASE WHEN length(${messages}) = 1 THEN ${messageSql(`${messages}[1]`, visits)} ELSE '' END`,
    several: `CASE WHEN length(${messages}) > 1 THEN ${sum} ELSE 0 END`,
  };
}

/** Views with the pages that they are of; where conditions ask for it, with those of the view after. */
function placedSql(plan: EffectPlan, visits: Visits): string {
  const { pages, asked, outcome, probes } = plan;
  const { sql } = visits;
  const more = asked.map((page, at) => `CASE WHEN ${page.sql} THEN ${2 ** (pages.length + at)} ELSE 0 END`);
  const columns = ['k', 'n', 't', ...Object.keys(measuresSql(visits)), 'said'].join(', ');
  // Most views have no error: without a look at every text.
  const said = `CASE WHEN lone = '' THEN several ELSE several + ${bitsOf('lone', plan, visits)} END AS said`;
  const placed =
    `SELECT ${columns}, ${cases(
      pages.map((page, at) => [page.sql, at]),
      MOST_PAGES,
    )} AS page_at, ` +
    `${sumOf(more)} AS more_pages, ${outcome.page === undefined ? '0' : flag(outcome.page)} AS goal ` +
    `FROM (SELECT *, ${said}, path_text AS path FROM seen) AS r`;
  const ofPages = (value: (page: IndexPage, at: number) => number, other: number) => {
    const byValue = grouped([...pages.entries()], ([at, page]) => value(page, at));
    return cases(
      [...byValue].map(([own, of]) => [`page_at IN (${of.map(([at]) => at).join(', ')})`, own]),
      other,
    );
  };
  const slow = ofPages(({ slowMs }) => slowMs, 1e9);
  if (!probes.some(({ looksAhead }) => looksAhead)) return `SELECT *, ${slow} AS slow_ms, 0 AS next_pages FROM (${placed}) AS p`;
  const bits = `${ofPages((_, at) => 2 ** at, 0)} + more_pages`;
  return (
    `SELECT *, ${sql.after('pages', 'PARTITION BY k ORDER BY n')} AS next_pages ` +
    `FROM (SELECT *, ${slow} AS slow_ms, ${bits} AS pages FROM (${placed}) AS p) AS q`
  );
}

/** The columns of sessions that the outcome needs, from their views. */
function goalColumns({ outcome }: EffectPlan): Expressions {
  return {
    ...(outcome.kind === 'bounce' && { last_n: 'max(n)' }),
    ...(outcome.page !== undefined && { goal_n: 'max(CASE WHEN goal = 1 THEN n END)' }),
  };
}

/** Sessions with the first view of each page as one number, which sorts by the number of the view. */
function walkSql(plan: EffectPlan, visits: Visits): string {
  const { pages, asked, probes } = plan;
  const { sql, days } = visits;
  const { numberAt, secondAt, largestNumber, largestSecond } = FIRST_VIEW;
  const conditions = sumOf([
    ...probes.flatMap(({ on }, at) => ('sql' in on ? [`CASE WHEN ${on.sql} THEN ${2 ** at} ELSE 0 END`] : [])),
    `CASE WHEN next_pages IS NULL THEN ${LAST_VIEW} ELSE 0 END`,
    'said',
  ]);
  const second = `greatest(0, least(${largestSecond}, ${sql.quotient('t', 1000)} - ${days.first * 86_400}))`;
  const first = `${sql.whole(`least(n, ${largestNumber})`)} * ${numberAt} + ${second} * ${secondAt} + ${sql.whole(conditions)}`;
  const viewed = `SELECT k, n, page_at, more_pages, goal, ${first} AS first_view FROM (${placedSql(plan, visits)}) AS v`;
  const isAt = (at: number) => (at < pages.length ? `page_at = ${at}` : sql.anyBit('more_pages', 2 ** at));
  const firsts = [...pages, ...asked].map((_, at) => `min(CASE WHEN ${isAt(at)} THEN first_view END) AS f${at}`);
  const goals = Object.entries(goalColumns(plan)).map(([name, value]) => `${value} AS ${name}`);
  return `walk AS (SELECT k, ${[...firsts, ...goals].join(', ')} FROM (${viewed}) AS w GROUP BY k)`;
}

/** Whether a whole session buys, for how much and when it last had the event of the outcome. */
export function salesColumns(outcome: OutcomeSql, visits: Visits): Expressions {
  const column = (field: string) => visits.column('sessions', field);
  const [transactions, cents] = [column('session_number_of_transactions'), column('session_transactions_revenue_cents')];
  return {
    buys: transactions === undefined ? '0' : flag(`${transactions} > 0`),
    cents: cents === undefined ? '0' : visits.sql.whole(`coalesce(${cents}, 0)`),
    event_ms: outcome.event ?? '0',
  };
}

/** What is known of a session from its beginning on, as one number. */
function traitsNumber({ browsers, sources }: EffectPlan, visits: Visits): string {
  const { sql } = visits;
  const [device, number] = ['device_id', 'session_number'].map((field) => visits.column('sessions', field));
  const { browser, source } = traitsSql(visits);
  const devices = Object.values(deviceIds).map((ids, at) => [`${device} IN (${ids.join(', ')})`, at] as const);
  const levels = [
    [device === undefined ? '0' : cases(devices, devices.length), devices.length + 1],
    [number === undefined ? '0' : flag(`${number} > 1`), 2],
    // Rare versions are old ones, in which more fails and less is bought.
    [browsers.length === 0 ? '0' : flag(`${browser} NOT IN (${browsers.map(sql.text).join(', ')})`), 2],
    [
      cases(
        sources.map((host, at) => [`${source} = ${sql.text(host)}`, at]),
        sources.length,
      ),
      sources.length + 1,
    ],
  ] as const;
  return levels.reduce((sum, [level, count]) => `(${sum}) * ${count} + (${level})`, '0');
}

/** The sessions that are compared, a row each, which the engine may keep; `part`: of a part of all visits. */
function sessionsSql(plan: EffectPlan, visits: Visits, part?: VisitPart): string {
  const visit = { traits: traitsNumber(plan, visits), ...salesColumns(plan.outcome, visits) };
  const page = { ...measuresSql(visits), ...messageColumns(plan, visits), path_text: pathText(visits) };
  const ofWalk = [...[...plan.pages, ...plan.asked].map((_, at) => `f${at}`), ...Object.keys(goalColumns(plan))];
  // By name, because ClickHouse calls what both tables have otherwise.
  const columns = [...Object.keys(visit).map((name) => `v.${name} AS ${name}`), ...ofWalk.map((name) => `w.${name} AS ${name}`)];
  return (
    `WITH ${visitRelation(visits, { visit, page, part })},\n${walkSql(plan, visits)}\n` +
    `SELECT ${columns.join(', ')} FROM walk AS w JOIN visit AS v ON w.k = v.k`
  );
}

/** The FROM clause of the sessions of a plan: where the engine can, it reads the views once and keeps them for all statements. */
export async function sessionsOf(plan: EffectPlan, visits: Visits): Promise<string> {
  if (!visits.keep) return `(${sessionsSql(plan, visits)})`;
  const parts = partsOf(visits, 'session').map((part, at) => ({ part, name: `sessions_read_${at}` }));
  for (const { part, name } of parts) await visits.keep(name, sessionsSql(plan, visits, part));
  return `(${parts.map(({ name }) => `SELECT * FROM ${name}`).join(' UNION ALL ')})`;
}

function conversionSql({ outcome }: EffectPlan): string {
  if (outcome.kind === 'purchase') return 'buys';
  if (outcome.kind === 'bounce') return flag('last_n <= view_n');
  const ofGoal = outcome.page === undefined ? '' : '(goal_n IS NOT NULL AND goal_n > view_n) OR ';
  return flag(`${ofGoal}event_ms >= second_at * 1000${outcome.purchase ? ' OR buys = 1' : ''}`);
}

/** Sessions at the first view of each page: `here`, the page, their stratum, conditions and outcome. */
function unitSql(plan: EffectPlan, { sql, days }: Visits, sessions: string, met: readonly string[]): string {
  const { numberAt, secondAt } = FIRST_VIEW;
  const lists = { here: `[${plan.judged.join(', ')}]`, f: `[${plan.judged.map((at) => `f${at}`).join(', ')}]` };
  const opened =
    `SELECT *, ${sql.quotient('f', numberAt)} AS view_n, f % ${secondAt} AS conditions, ` +
    `${sql.quotient(`f % ${numberAt}`, secondAt)} + ${days.first * 86_400} AS second_at ` +
    `FROM ${sql.each(`${sessions} AS s`, lists)} AS o WHERE f IS NOT NULL`;
  const depth = DEPTHS.map((least) => flag(`view_n >= ${least}`)).join(' + ');
  const others = met.map((condition, at) => `, ${flag(condition)} AS met_${at}`).join('');
  return (
    `SELECT here, traits * ${STRATA_OF_DEPTH} + ${depth} AS stratum, conditions, ${conversionSql(plan)} AS converts, cents${others} ` +
    `FROM (${opened}) AS u`
  );
}

/** What the sums over the strata are of. */
const SUMS: Readonly<Record<Exclude<keyof StrataSums, 'met'>, string>> = {
  sessions: 'n1',
  conversions: 'y1',
  others: 'n0',
  otherConversions: 'y0',
  comparable: 'is_fair * n1',
  observed: 'is_fair * y1',
  expected: 'w * y0',
  squares: 'w * w * n0',
  variance: 'is_fair * n1 * v',
  expectedVariance: 'w * w * n0 * v',
  revenue: 'is_fair * r1',
  expectedRevenue: 'w * r0',
  revenueVariance: 'is_fair * n1 * rv',
  expectedRevenueVariance: 'w * w * n0 * rv',
  allRevenue: 'r1 + r0',
  allRevenueSquares: 'qs',
};

/**
 * A statement of a row for each judged page, `here`, and probe: sums over strata of sessions that met the condition and of those that did
 * not, each of the latter weighed as w, so that a stratum has as many of both. `met`: page and probe of other findings, of which the
 * columns met_0 … say how many more of those with the condition met them. Variances are those within the strata.
 */
export function effectsSql(
  plan: EffectPlan,
  visits: Visits,
  { sessions, met }: { readonly sessions: string; readonly met: readonly (readonly [page: number, probe: number])[] },
): string {
  const { sql } = visits;
  const conditions = met.map(([page, probe]) => `f${page} IS NOT NULL AND ${sql.anyBit(`f${page}`, 2 ** probe)}`);
  const counted =
    'SELECT here, stratum, conditions, count(*) AS n, sum(converts) AS y, sum(1e0 * cents) AS r, sum(1e0 * cents * cents) AS q' +
    `${met.map((_, at) => `, sum(met_${at}) AS m${at}`).join('')} FROM (${unitSql(plan, visits, sessions, conditions)}) AS u ` +
    'GROUP BY here, stratum, conditions';
  const places = plan.probes.map((_, at) => 2 ** at);
  const lists = { probe: `[${[...places.keys()].join(', ')}]`, place: `[${places.join(', ')}]` };
  const ahead = plan.probes.flatMap(({ looksAhead }, at) => (looksAhead ? [at] : []));
  const asked = ahead.length === 0 ? '' : ` WHERE NOT (probe IN (${ahead.join(', ')}) AND ${sql.anyBit('conditions', LAST_VIEW)})`;
  const probed = `SELECT *, ${flag(sql.anyBit('conditions', 'place'))} AS hit FROM ${sql.each(`(${counted}) AS c`, lists)} AS e${asked}`;
  const sides = ['n', 'y', 'r', ...met.map((_, at) => `m${at}`)].map(
    (name) => `sum(1e0 * hit * ${name}) AS ${name}1, sum(1e0 * (1 - hit) * ${name}) AS ${name}0`,
  );
  const strata = `SELECT here, probe, ${sides.join(', ')}, sum(q) AS qs FROM (${probed}) AS p GROUP BY here, probe, stratum`;
  const all = '(n1 + n0) * greatest(n1 + n0 - 1, 1)';
  const weighed =
    `SELECT *, CASE WHEN n0 > 0 THEN 1 ELSE 0 END AS is_fair, CASE WHEN n0 > 0 THEN n1 / n0 ELSE 0 END AS w, ` +
    `(y1 + y0) * (n1 + n0 - y1 - y0) / (${all}) AS v, ((n1 + n0) * qs - (r1 + r0) * (r1 + r0)) / (${all}) AS rv FROM (${strata}) AS t`;
  const sums = [
    ...Object.entries(SUMS).map(([name, value]) => `sum(${value}) AS ${sql.name(name)}`),
    ...met.map((_, at) => `sum(is_fair * m${at}1 - w * m${at}0) AS met_${at}`),
  ];
  return `SELECT here, probe, ${sums.join(', ')} FROM (${weighed}) AS z GROUP BY here, probe`;
}

/** The sums of a row of that statement. */
export function sumsOfRow(row: VisitRow, met: number): StrataSums {
  const sums = Object.fromEntries(Object.keys(SUMS).map((name) => [name, Number(row[name])])) as Omit<StrataSums, 'met'>; // its keys
  return { ...sums, met: Array.from({ length: met }, (_, at) => Number(row[`met_${at}`])) };
}
