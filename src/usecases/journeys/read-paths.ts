import { groupPages } from '../../domain/journeys/page-groups.ts';
import { parseStep } from '../../domain/journeys/step.ts';
import { flag } from './sql-words.ts';
import { pageCondition } from './step-sql.ts';
import { unseenStep } from './unseen-step.ts';
import { visitRelation } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** The question behind paths. */
export interface PathQuestion {
  /** A step that is a page, or `entry`. */
  readonly from: string;
  readonly direction: 'after' | 'before';
  readonly depth: number;
}

/** Pages of one path from its start on, and how many sessions took it; it ends early where the visit does. */
export interface CountedPath {
  readonly pages: readonly string[];
  readonly sessions: number;
}

/** Pages with names of their own, patterns included, and the most paths that are read. */
const [MOST_PAGES, MOST_PATHS] = [60, 20_000];
/** Distinct paths that are looked at for patterns, the most viewed first. */
const MOST_DISTINCT = 5_000;
const OTHER = 'other pages';
/** Numbers of a page without a name of its own, and of none. */
const [NO_NAME, NO_PAGE] = [-1, -9];

/** The names of pages, those for few before those for many. */
async function namesOf(visits: Visits): Promise<string[]> {
  const path = `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
  const rows = await visits.select(
    `SELECT ${path} AS name, count(*) AS n FROM views GROUP BY name ORDER BY n DESC, name LIMIT ${MOST_DISTINCT}`,
  );
  const paths = rows.map(({ name, n }) => ({ path: typeof name === 'string' ? name : '', views: Number(n) }));
  const plainLength = (pattern: string) => (pattern.includes('*') ? 0 : 1_000) + pattern.replaceAll('*', '').length;
  return groupPages(paths, MOST_PAGES)
    .map(({ pattern }) => pattern)
    .toSorted((a, b) => plainLength(b) - plainLength(a));
}

function pathSql({ from, direction, depth }: PathQuestion, names: readonly string[], visits: Visits): string {
  const { sql } = visits;
  const path = `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
  const isStart = from === 'entry' ? 'n > 0' : (pageCondition(parseStep(from, 'from'), path, sql) ?? 'false');
  const { ctes } = visitRelation(visits, { page: { hit: from === 'entry' ? '1' : flag(isStart) } });
  const cases = names.map((name, index) => `WHEN ${sql.like('path', name)} THEN ${index}`).join(' ');
  const order = `PARTITION BY k ORDER BY pos${direction === 'before' ? ' DESC' : ''}`;
  const columns = Array.from({ length: depth + 1 }, (_, at) => `max(CASE WHEN d = ${at} THEN g ELSE ${NO_PAGE} END) AS g${at}`);
  const all = columns.map((_, at) => `g${at}`).join(', ');
  return `WITH ${ctes},
named AS (SELECT p AS p_named, CASE ${cases} ELSE ${NO_NAME} END AS g FROM path_of),
placed AS (SELECT k, pos, g, min(CASE WHEN hit = 1 THEN pos ELSE 1000000000 END) OVER (PARTITION BY k) AS start
  FROM page JOIN named ON page.p = named.p_named),
kept AS (SELECT k, pos, g, ${sql.before('g', order)} AS g_before FROM placed
  WHERE start < 1000000000 AND pos ${direction === 'after' ? '>=' : '<='} start),
ranked AS (SELECT k, g, row_number() OVER (${order}) - 1 AS d FROM kept WHERE g_before IS NULL OR g <> g_before),
wide AS (SELECT k, ${columns.join(', ')} FROM ranked WHERE d <= ${depth} GROUP BY k)
SELECT ${all}, count(*) AS n FROM wide GROUP BY ${all} ORDER BY n DESC LIMIT ${MOST_PATHS}`;
}

/** Counts what sessions did after or before their first page of a kind; pages of one name in a row are one. */
export async function readPaths(question: PathQuestion, visits: Visits): Promise<CountedPath[]> {
  const names = await namesOf(visits);
  const rows = await visits.select(pathSql(question, names, visits));
  if (rows.length === 0 && question.from !== 'entry') throw await unseenStep(parseStep(question.from, 'from'), 'from', visits);
  return rows.map((row) => {
    const numbers = Array.from({ length: question.depth + 1 }, (_, at) => Number(row[`g${at}`]));
    return { pages: numbers.filter((number) => number !== NO_PAGE).map((number) => names[number] ?? OTHER), sessions: Number(row['n']) };
  });
}
