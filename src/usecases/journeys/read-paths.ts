import { groupPages } from '../../domain/journeys/page-groups.ts';
import { pageStep } from '../../domain/journeys/step.ts';
import { requireVisits } from './held-values.ts';
import { flag } from './sql-words.ts';
import { pageCondition } from './step-sql.ts';
import { unreached } from './unseen-step.ts';
import { partsOf, sessionRows, type VisitPart, visitRelation } from './visit-relation.ts';
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

/** Paths, the most frequent first, and, where they begin with the entry page, how many sessions saw no other page. */
export interface PathsRead {
  readonly paths: readonly CountedPath[];
  readonly lone: number;
}

/** Pages with names of their own, patterns included, and the most paths that are read. */
const [MOST_PAGES, MOST_PATHS] = [60, 20_000];
/** Distinct paths that are looked at for patterns, the most viewed first. */
const MOST_DISTINCT = 5_000;
const OTHER = 'other pages';
/** The number of no page. */
const NO_PAGE = -9;

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

/** A page of a session as one number: that of the view times this, and that of its name. */
const NAMES = 64;

function pathSql(
  { from, direction, depth, part }: PathQuestion & { readonly part: VisitPart },
  names: readonly string[],
  visits: Visits,
): string {
  const { sql } = visits;
  const path = `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
  const isStart = from === 'entry' ? '1 = 1' : (pageCondition(pageStep(from, 'from'), path, sql) ?? 'false');
  const { ctes } = visitRelation(visits, { page: { hit: flag(isStart) }, part });
  const cases = names.map((name, index) => `WHEN ${sql.like('path', name)} THEN ${index}`).join(' ');
  const aggregates = {
    l: sql.sorted(sql.whole(`s.n * ${NAMES} + o.g`)),
    start: 'min(CASE WHEN s.hit = 1 THEN s.n END)',
    lone: from === 'entry' ? flag('min(s.p) = max(s.p)') : '0',
  };
  const rows = sessionRows(visits, aggregates, { more: ' JOIN named AS o ON s.p = o.p_named' });
  const isKept = (code: string) => (direction === 'after' ? `${code} >= start * ${NAMES}` : `${code} < (start + 1) * ${NAMES}`);
  // Before the start the nearest page is the last of the list.
  const placeOf = (at: number) => (direction === 'after' ? at + 1 : -at - 1);
  const columns = Array.from(
    { length: depth + 1 },
    (_, at) => `CASE WHEN length(c) > ${at} THEN c[${placeOf(at)}] % ${NAMES} ELSE ${NO_PAGE} END AS g${at}`,
  );
  const all = columns.map((_, at) => `g${at}`).join(', ');
  return `WITH ${ctes},
named AS (SELECT p AS p_named, CASE ${cases} ELSE ${names.length} END AS g FROM path_of),
walk AS (${rows}),
kept AS (SELECT ${sql.filter('l', isKept)} AS l, lone FROM walk WHERE start IS NOT NULL),
folded AS (SELECT ${sql.changes('l', (code) => `${code} % ${NAMES}`)} AS c, lone FROM kept),
wide AS (SELECT ${columns.join(', ')}, lone FROM folded)
SELECT ${all}, count(*) AS n, sum(lone) AS alone FROM wide GROUP BY ${all} ORDER BY n DESC LIMIT ${MOST_PATHS}`;
}

/** Counts what sessions did after or before their first page of a kind; pages of one name in a row are one. */
export async function readPaths(question: PathQuestion, visits: Visits): Promise<PathsRead> {
  const names = await namesOf(visits);
  const counted = new Map<string, CountedPath>();
  let lone = 0;
  for (const part of partsOf(visits, 'session'))
    for (const row of await visits.select(pathSql({ ...question, part }, names, visits))) {
      const numbers = Array.from({ length: question.depth + 1 }, (_, at) => Number(row[`g${at}`]));
      const key = numbers.join(' ');
      const pages = numbers.filter((number) => number !== NO_PAGE).map((number) => names[number] ?? OTHER);
      lone += Number(row['alone']);
      counted.set(key, { pages, sessions: (counted.get(key)?.sessions ?? 0) + Number(row['n']) });
    }
  if (counted.size === 0) {
    await requireVisits(visits);
    if (question.from !== 'entry') throw await unreached(pageStep(question.from, 'from'), 'from', visits);
  }
  const paths = [...counted.values()].toSorted((a, b) => b.sessions - a.sessions).slice(0, MOST_PATHS);
  return { paths, lone };
}
