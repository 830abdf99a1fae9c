import { grouped } from '../../../lib/grouped.ts';
import { flag, type SqlWords } from '../sql-words.ts';
import type { Expressions } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import { type CellPlan, cases, FIRST_VIEW, MOST_PAGES } from './cell-plan.ts';
import { measuresSql, messageSql, pathText } from './profile.ts';
import { ALL, maskOf, mostOf, type Sampling } from './sampling.ts';

/** A sum of bits of conditions; 0 where there are none. */
const sumOf = (terms: readonly string[]) => terms.join(' + ') || '0';

/** The bits of the conditions that are met by having an error of each text. */
function bitsOfMessages({ probes }: CellPlan): Map<string, number> {
  const bits = new Map<string, number>();
  for (const [at, { on }] of probes.entries()) if ('message' in on) bits.set(on.message, (bits.get(on.message) ?? 0) + 2 ** at);
  return bits;
}

const bitsOf = (text: string, plan: CellPlan, { sql }: Visits) =>
  cases(
    [...bitsOfMessages(plan)].map(([message, sum]) => [`${text} = ${sql.text(message)}`, sum]),
    0,
  );

/** The text of the only error of a view, and the bits of its errors where there are more, because lists take several times as long. */
function messageColumns(plan: CellPlan, visits: Visits): Expressions {
  const messages = visits.column('views', 'errors.message');
  if (messages === undefined || bitsOfMessages(plan).size === 0) return { lone: "''", several: '0' };
  const { sql } = visits;
  const texts = sql.distinct(sql.map(messages, (each) => messageSql(each, visits)));
  const sum = sql.whole(sql.summed(sql.map(texts, (text) => bitsOf(text, plan, visits))));
  return {
    lone: `CASE WHEN length(${messages}) = 1 THEN ${messageSql(`${messages}[1]`, visits)} ELSE '' END`,
    several: `CASE WHEN length(${messages}) > 1 THEN ${sum} ELSE 0 END`,
  };
}

/** Columns of a view that conditions and covariates read. */
export function viewColumns(plan: CellPlan, visits: Visits): Expressions {
  return {
    ...measuresSql(visits),
    ...messageColumns(plan, visits),
    path_text: pathText(visits),
  };
}

/** A value of each page, pages that have the same together; `other` of views of none. */
function atPages(values: readonly (string | number)[], other: string | number): string {
  const pages = grouped([...values.entries()], ([, value]) => value);
  return cases(
    [...pages].map(([value, own]) => [`page_at IN (${own.map(([at]) => at).join(', ')})`, value]),
    other,
  );
}

/** Views with the pages that they are of; where conditions ask for it, with those of the view after. */
function placedSql(plan: CellPlan, visits: Visits): string {
  const { pages, asked, outcome, looksAhead } = plan;
  const { sql } = visits;
  const own = pages.map((page, at) => [page.sql, at] as const);
  const more = asked.map((page, at) => `CASE WHEN ${page.sql} THEN ${2 ** (pages.length + at)} ELSE 0 END`);
  const goal = outcome.page === undefined ? '0' : flag(outcome.page);
  const columns = ['k', 'n', 't', ...Object.keys(measuresSql(visits)), 'said'];
  // Most views have no error: without a look at every text.
  const said = `CASE WHEN lone = '' THEN several ELSE several + ${bitsOf('lone', plan, visits)} END AS said`;
  const read = `SELECT ${columns.map((name) => (name === 'said' ? said : name)).join(', ')}, path_text AS path FROM seen`;
  const placed =
    `SELECT ${columns.join(', ')}, ${cases(own, MOST_PAGES)} AS page_at, ${sumOf(more)} AS more_pages, ${goal} AS goal ` +
    `FROM (${read}) AS r`;
  const slow = atPages(
    pages.map(({ slowMs }) => slowMs),
    1e9,
  );
  const bits = cases(
    pages.map((_, at) => [`page_at = ${at}`, 2 ** at]),
    0,
  );
  const all = `SELECT *, ${slow} AS slow_ms${looksAhead ? `, ${bits} + more_pages AS pages` : ''} FROM (${placed}) AS p`;
  return looksAhead ? `SELECT *, ${sql.after('pages', 'PARTITION BY k ORDER BY n')} AS next_pages FROM (${all}) AS q` : all;
}

/** Whether a view is of a page, by its index. */
function isAt(at: number, { pages }: CellPlan, sql: SqlWords): string {
  return at < pages.length ? `page_at = ${at}` : sql.bit('more_pages', at);
}

/** Sessions, or views of them, for which a view stands: by the rarest of the conditions that it met, else by its page. */
function drawSql(plan: CellPlan, sql: SqlWords): string {
  const ofPage = ({ oneOf, met }: Sampling) => {
    const draws = [...new Set(met)].filter((draw) => draw < oneOf).toSorted((a, b) => a - b);
    return cases(
      draws.map((draw) => [sql.anyBit('conditions', maskOf(met, draw)), draw]),
      oneOf,
    );
  };
  const most = mostOf(plan);
  const ofPages = plan.pages.map((_, at) => plan.samplings[at] ?? ALL);
  const usual = atPages(
    ofPages.map(({ oneOf }) => oneOf),
    most,
  );
  // Most views met nothing.
  const own = `CASE WHEN conditions = 0 THEN ${usual} ELSE ${atPages(ofPages.map(ofPage), most)} END`;
  const asked = plan.asked.map((_, index) => {
    const at = plan.pages.length + index;
    return `CASE WHEN ${isAt(at, plan, sql)} THEN ${ofPage(plan.samplings[at] ?? ALL)} ELSE ${most} END`;
  });
  return asked.length === 0 ? own : `least(${[own, ...asked].join(', ')})`;
}

const BIT_ROOM = 60;
/** Pages whose conditions one number holds. */
const pagesInOne = ({ probes }: CellPlan) => Math.max(1, Math.floor(BIT_ROOM / Math.max(1, probes.length)));

/** Where a number with conditions of several pages holds those that a session met at any view of one of them: its column and factor. */
export function placeOf(index: number, plan: CellPlan): { readonly column: string; readonly factor: number } {
  const each = pagesInOne(plan);
  return { column: `a${Math.floor(index / each)}`, factor: 2 ** ((index % each) * plan.probes.length) };
}

/** Aggregates by `placeOf`, for the pages that are judged. */
function anywhereSql(plan: CellPlan, visits: Visits): string[] {
  const { sql } = visits;
  if (!plan.isPlain) return [];
  const places = plan.judged.map((page, index) => ({ page, ...placeOf(index, plan) }));
  return [...grouped(places, ({ column }) => column)].map(([column, own]) => {
    const here = ({ page, factor }: (typeof own)[number]) => [isAt(page, plan, sql), `conditions * ${factor}`] as const;
    const ofSite = cases(own.filter(({ page }) => page < plan.pages.length).map(here), 0);
    const ofAsked = own.filter(({ page }) => page >= plan.pages.length).map((each) => cases([here(each)], 0));
    return `${sql.anyBits([ofSite, ...ofAsked].join(' + '))} AS ${column}`;
  });
}

/** The columns of sessions that the outcome needs. */
export function columnsOfOutcome({ outcome }: CellPlan): string[] {
  return [...(outcome.kind === 'bounce' ? ['last_n'] : []), ...(outcome.page === undefined ? [] : ['goal_n'])];
}

/**
 * The tables `viewed`, views with what is read of them, and `walk`, sessions with the first view of each page as one number, which sorts by
 * the number of the view. Where only a part of the sessions is read, `stands` is for how many each does.
 */
export function walkSql(plan: CellPlan, visits: Visits): string[] {
  const { pages, asked, probes } = plan;
  const { sql, days } = visits;
  const { numberAt, secondAt, largestNumber } = FIRST_VIEW;
  const most = mostOf(plan);
  const conditions = sumOf([
    ...probes.flatMap(({ on }, at) => ('sql' in on ? [`CASE WHEN ${on.sql} THEN ${2 ** at} ELSE 0 END`] : [])),
    'said',
  ]);
  const marked =
    `SELECT k, n, t, page_at, more_pages, goal, ${sql.whole(conditions)} AS conditions, ` +
    `${flag('js = 1 OR api = 1 OR rage = 1')} AS trouble, ${flag('load_ms > slow_ms')} AS slow FROM (${placedSql(plan, visits)}) AS v`;
  const second = `greatest(0, least(16000000, ${sql.quotient('t', 1000)} - ${days.first * 86_400}))`;
  const first = `${sql.whole(`least(n, ${largestNumber})`)} * ${numberAt} + ${second} * ${secondAt} + conditions AS first_view`;
  const draw = most > 1 ? `, ${drawSql(plan, sql)} AS draw, ${sql.whole(`k % ${most}`)} AS lot` : '';
  const viewed = `SELECT k, n, page_at, more_pages, goal, conditions, trouble, slow, ${first}${draw} FROM (${marked}) AS m`;
  const firsts = [...pages, ...asked].map((_, at) => `min(CASE WHEN ${isAt(at, plan, sql)} THEN first_view END) AS f${at}`);
  const ofOutcome = { last_n: 'max(n)', goal_n: 'max(CASE WHEN goal = 1 THEN n END)' };
  const columns = [
    ...firsts,
    ...anywhereSql(plan, visits),
    'min(n * 16 + page_at) % 16 AS entry_at',
    'min(CASE WHEN trouble = 1 THEN n END) AS trouble_n',
    'min(CASE WHEN slow = 1 THEN n END) AS slow_n',
    ...Object.entries(ofOutcome).flatMap(([name, value]) => (columnsOfOutcome(plan).includes(name) ? [`${value} AS ${name}`] : [])),
    ...(most > 1 ? ['min(draw) AS stands'] : []),
  ];
  // Draws are powers of two, so that a session of which one view is kept is kept by all of them together.
  const isEarly = most > 1 && sql.dialect === 'DuckDB';
  const only = isEarly ? ' WHERE k IN (SELECT k FROM viewed WHERE lot % draw = 0)' : '';
  return [
    `viewed AS ${isEarly ? 'MATERIALIZED ' : ''}(${viewed})`,
    `walk AS (SELECT k, ${columns.join(', ')} FROM viewed${only} GROUP BY k)`,
  ];
}
