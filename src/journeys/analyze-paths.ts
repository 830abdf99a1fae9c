import { refuse } from '../api/errors.ts';
import type { ExportContext } from '../exports/export-lists.ts';
import type { Drawing } from '../names/context.ts';
import { groupPages, OTHER, type PageGroup } from './page-groups.ts';
import { type Path, type PathsAnswer, type PathsDrawn, pagesOfPaths, pathText, pathWords } from './paths.ts';
import { percentOf } from './proportions.ts';
import { cases, changesOf, flag, one, other, pageCondition } from './sql-words.ts';
import { pageStep, readAsWords } from './step.ts';
import { filterWords } from './visit-filters.ts';
import {
  countedBy,
  partsOf,
  pathText as pathSqlText,
  requireVisits,
  sessionRows,
  unreached,
  type VisitPart,
  type VisitQuestion,
  type Visits,
  visitRelation,
} from './visit-relation.ts';
import { withVisits } from './with-visits.ts';

/** The question behind paths. */
interface PathQuestion {
  /** A step that is a page, or `entry`. */
  readonly from: string;
  readonly direction: 'after' | 'before';
  readonly depth: number;
}

/** Pages with names of their own, patterns included. */
const MOST_PAGES = 60;
/** Distinct paths that are looked at for patterns, the most viewed first. */
const MOST_DISTINCT = 5_000;
/** The number of no page. */
const NO_PAGE = -9;

/** The groups of pages with names of their own, those of few pages before those of many. */
async function groupsOf(visits: Visits): Promise<PageGroup[]> {
  const seen = await countedBy(visits, pathSqlText(visits), 'views', MOST_DISTINCT);
  const paths = seen.map(({ name: path, count: views }) => ({ path, views }));
  const plainLength = (pattern: string) => (pattern.includes('*') ? 0 : 1_000) + pattern.replaceAll('*', '').length;
  return groupPages(paths, MOST_PAGES).toSorted((a, b) => plainLength(b.pattern) - plainLength(a.pattern));
}

/** A page of a session as one number: that of the view times this, and that of its group; so much more, another page of the first one's. */
const GROUPS = 64;

function pathSql(
  { from, direction, depth, part }: PathQuestion & { readonly part: VisitPart },
  groups: readonly PageGroup[],
  visits: Visits,
): string {
  const { sql } = visits;
  const isStart = from === 'entry' ? '1 = 1' : (pageCondition(pageStep(from, 'from'), pathSqlText(visits), sql) ?? 'false');
  const group = cases(
    groups.map(({ pattern }, index) => [sql.like('path', pattern), index]),
    groups.length,
  );
  const aggregates = {
    l: `arraySort(groupArray(tuple(toInt64(s.n * ${GROUPS} + o.g), s.p)))`,
    start: 'min(CASE WHEN s.hit = 1 THEN s.n END)',
  };
  const isAfter = direction === 'after';
  const isKept = (pair: string) => `${one(pair)} ${isAfter ? `>= start * ${GROUPS}` : `< (start + 1) * ${GROUPS}`}`;
  const groupOf = (pair: string) => `${one(pair)} % ${GROUPS}`;
  const label = (pair: string) =>
    `${cases([[`${other(pair)} <> ${other('f')} AND ${groupOf(pair)} = ${groupOf('f')}`, GROUPS]], 0)} + ${groupOf(pair)}`;
  // Before the start the nearest page is the last of the list.
  const columns = Array.from({ length: depth + 1 }, (_, at) => {
    const page = `c[${isAfter ? at + 1 : -at - 1}]`;
    return `${cases([[`length(c) > ${at}`, page]], NO_PAGE)} AS g${at}`;
  });
  const all = columns.map((_, at) => `g${at}`).join(', ');
  return `WITH ${visitRelation(visits, { page: { hit: flag(isStart) }, part })},
named AS (SELECT p AS p_named, ${group} AS g FROM path_of),
walk AS (${sessionRows(aggregates, ' JOIN named AS o ON s.p = o.p_named')}),
kept AS (SELECT ${sql.filter('l', isKept)} AS l FROM walk WHERE start IS NOT NULL),
begun AS (SELECT l, ${isAfter ? 'l[1]' : 'l[length(l)]'} AS f FROM kept),
labelled AS (SELECT ${sql.map('l', label)} AS m FROM begun),
folded AS (SELECT ${changesOf(sql, 'm', (each) => each)} AS c FROM labelled),
wide AS (SELECT ${columns.join(', ')} FROM folded)
SELECT ${all}, count(*) AS n FROM wide GROUP BY ${all}`;
}

/** The names of the pages of a path: what was asked for by that, where its group has more pages. */
function pagesOf(numbers: readonly number[], groups: readonly PageGroup[], from: string): string[] {
  const nameOf = (number: number) => {
    const { name = OTHER, pattern = '*' } = groups[number % GROUPS] ?? {};
    if (number === numbers[0] && from !== 'entry' && pattern.includes('*')) return from;
    return number >= GROUPS && name !== OTHER ? `another of ${name}` : name;
  };
  return numbers.filter((number) => number !== NO_PAGE).map(nameOf);
}

/** Counts what sessions did after or before their first page of a kind, the most frequent paths first. */
export async function readPaths(question: PathQuestion, visits: Visits): Promise<Path[]> {
  const groups = await groupsOf(visits);
  // By their names: what was asked for may be pages of several groups.
  const counted = new Map<string, Path>();
  for (const part of partsOf(visits, 'session'))
    for (const row of await visits.select(pathSql({ ...question, part }, groups, visits))) {
      const numbers = Array.from({ length: question.depth + 1 }, (_, at) => Number(row[`g${at}`]));
      const pages = pagesOf(numbers, groups, question.from);
      const key = pages.join(' > ');
      counted.set(key, { pages, sessions: (counted.get(key)?.sessions ?? 0) + Number(row['n']) });
    }
  if (counted.size === 0) {
    await requireVisits(visits);
    if (question.from !== 'entry') throw await unreached(pageStep(question.from, 'from'), 'from', visits);
  }
  return [...counted.values()].toSorted((a, b) => b.sessions - a.sessions);
}

/** A question about paths, dates as the boundary resolves them. */
interface PathsRequest extends VisitQuestion {
  readonly from: string;
  readonly direction?: 'after' | 'before' | undefined;
  readonly depth?: number | undefined;
  readonly limit?: number | undefined;
}

const USUAL = { depth: 3, limit: 10 };

/** The steps of people after or before a page: `analyze_paths`. */
export function analyzePaths(request: PathsRequest, context: ExportContext & Drawing<PathsDrawn>): Promise<PathsAnswer> {
  const { from, direction = 'after', depth = USUAL.depth, limit = USUAL.limit } = request;
  if (from === 'entry' && direction === 'before') refuse('direction: nothing comes before the entry page; use after.');
  const start = from === 'entry' ? [] : [pageStep(from, 'from')];
  return withVisits(request, { views: [] }, context, async (visits) => {
    const paths = await readPaths({ from, direction, depth }, visits);
    const sessions = paths.reduce((sum, path) => sum + path.sessions, 0);
    const pages = pagesOfPaths(paths, { depth, direction, sessions });
    for (const words of readAsWords(start)) context.note(words);
    context.note('A session counts once, from its first such page; further pages of one pattern in a row are one.');
    const { covered, words, lead } = visits.days;
    const answer = pathWords(pages, { from, direction, sessions });
    context.draw({
      paths,
      direction,
      depth,
      sessions,
      covered,
      filters: filterWords(request),
      answer,
    });
    const shown = paths.slice(0, limit);
    return {
      answer: lead + answer,
      sessions,
      pages: pages.flatMap((own) => own.slice(0, limit)),
      paths: shown.map(({ pages: own, sessions: count }) => ({
        pages: pathText(own, { depth, direction }),
        sessions: count,
        percent: percentOf(count, sessions) ?? 0,
      })),
      covered: words,
    };
  });
}
