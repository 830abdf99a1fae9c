import { flag, type SqlWords } from '../sql-words.ts';
import type { Expressions } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import { type CellPlan, cases, FIRST_VIEW, MOST_PAGES } from './cell-plan.ts';
import { measuresSql, messageSql, pathText, textSql } from './profile.ts';

/** A sum of bits of conditions; 0 where there are none. */
const sumOf = (terms: readonly string[]) => terms.join(' + ') || '0';

/** The bits of the conditions that are met by having one of the errors of a view, from its list of texts. */
function messageBits({ probes }: CellPlan, visits: Visits): string {
  const bits = new Map<string, number>();
  for (const [at, { on }] of probes.entries()) if ('message' in on) bits.set(on.message, (bits.get(on.message) ?? 0) + 2 ** at);
  const messages = visits.column('views', 'errors.message');
  if (messages === undefined || bits.size === 0) return '0';
  const { mapped, distinct, summed, length, integer } = textSql(visits);
  const bitsOf = (text: string) =>
    cases(
      [...bits].map(([message, sum]) => [`${text} = ${visits.sql.text(message)}`, sum]),
      0,
    );
  const texts = distinct(mapped(messages, (each) => messageSql(each, visits)));
  return `CASE WHEN ${length(messages)} > 0 THEN ${integer(summed(mapped(texts, bitsOf)))} ELSE 0 END`;
}

/** Columns of a view that conditions and covariates read. */
export function viewColumns(plan: CellPlan, visits: Visits): Expressions {
  return {
    ...measuresSql(visits),
    said: messageBits(plan, visits),
    path_text: pathText(visits),
  };
}

/** Views with the pages that they are of; where conditions ask for it, with those of the view after. */
function placedSql({ pages, asked, outcome, looksAhead }: CellPlan, visits: Visits): string {
  const { sql } = visits;
  const own = pages.map((page, at) => [page.sql, at] as const);
  const more = asked.map((page, at) => `CASE WHEN ${page.sql} THEN ${2 ** (pages.length + at)} ELSE 0 END`);
  const goal = outcome.page === undefined ? '0' : flag(outcome.page);
  const columns = ['k', 'n', 't', ...Object.keys(measuresSql(visits)), 'said', ...(visits.question.entryPages ? ['is_entry'] : [])];
  const read = `SELECT ${columns.join(', ')}, path_text AS path FROM seen`;
  const placed =
    `SELECT ${columns.join(', ')}, ${cases(own, MOST_PAGES)} AS page_at, ${sumOf(more)} AS more_pages, ${goal} AS goal ` +
    `FROM (${read}) AS r`;
  const slow = cases(
    pages.map(({ slowMs }, at) => [`page_at = ${at}`, slowMs]),
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

/** The column with the conditions that a session met at any view of a page, as bits. */
export const metAt = (page: number) => `a${page}`;

/** The table walk: sessions with the first view of each page as one number, which sorts by the number of the view. */
export function walkSql(plan: CellPlan, visits: Visits): string {
  const { pages, asked, probes, judged } = plan;
  const { sql, question, days } = visits;
  const { integer, anyBits } = textSql(visits);
  const { numberAt, secondAt, largestNumber } = FIRST_VIEW;
  const conditions = sumOf([
    ...probes.flatMap(({ on }, at) => ('sql' in on ? [`CASE WHEN ${on.sql} THEN ${2 ** at} ELSE 0 END`] : [])),
    'said',
  ]);
  const marked =
    `SELECT k, n, t, page_at, more_pages, goal${question.entryPages ? ', is_entry' : ''}, ${integer(conditions)} AS conditions, ` +
    `${flag('js = 1 OR api = 1 OR rage = 1')} AS trouble, ${flag('load_ms > slow_ms')} AS slow FROM (${placedSql(plan, visits)}) AS v`;
  const second = `greatest(0, least(16000000, ${sql.quotient('t', 1000)} - ${days.first * 86_400}))`;
  const first = `${integer(`least(n, ${largestNumber})`)} * ${numberAt} + ${second} * ${secondAt} + conditions AS first_view`;
  const firsts = [...pages, ...asked].map((_, at) => `min(CASE WHEN ${isAt(at, plan, sql)} THEN first_view END) AS f${at}`);
  const anywhere = plan.isPlain
    ? judged.map((at) => `${anyBits(`CASE WHEN ${isAt(at, plan, sql)} THEN conditions ELSE 0 END`)} AS ${metAt(at)}`)
    : [];
  const columns = [
    ...firsts,
    ...anywhere,
    'min(n * 16 + page_at) % 16 AS entry_at',
    'min(CASE WHEN trouble = 1 THEN n END) AS trouble_n',
    'min(CASE WHEN slow = 1 THEN n END) AS slow_n',
    'max(n) AS last_n',
    'max(CASE WHEN goal = 1 THEN n END) AS goal_n',
  ];
  const entry = question.entryPages ? ' HAVING min(n * 2 + 1 - is_entry) % 2 = 0' : '';
  return `walk AS (SELECT k, ${columns.join(', ')} FROM (SELECT *, ${first} FROM (${marked}) AS m) AS w GROUP BY k${entry})`;
}
