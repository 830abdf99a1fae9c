import { refuse } from '../../api/errors.ts';
import { daysWords } from '../../domain/journeys/covered-days.ts';
import { type PathsAnswer, pagesOfPaths, pathText, pathWords } from '../../domain/journeys/paths.ts';
import { pageStep, readAsWords } from '../../domain/journeys/step.ts';
import type { Context } from '../context.ts';
import { readPaths } from './read-paths.ts';
import type { VisitQuestion } from './visits.ts';
import { type VisitUses, withVisits } from './with-visits.ts';

/** A question about paths, dates as the boundary resolves them. */
export interface PathsRequest extends VisitQuestion {
  readonly from: string;
  readonly direction?: 'after' | 'before' | undefined;
  readonly depth?: number | undefined;
  readonly limit?: number | undefined;
}

const USUAL = { depth: 3, limit: 10 };

/** The steps of people after or before a page: `analyze_paths`. */
export function analyzePaths(request: PathsRequest, context: VisitUses & Pick<Context, 'draw'>): Promise<PathsAnswer> {
  const { from, direction = 'after', depth = USUAL.depth, limit = USUAL.limit } = request;
  if (from === 'entry' && direction === 'before') refuse('direction: nothing comes before the entry page; use after.');
  const start = from === 'entry' ? [] : [pageStep(from, 'from')];
  return withVisits(request, { views: [] }, context, async (visits) => {
    const paths = await readPaths({ from, direction, depth }, visits);
    const sessions = paths.reduce((sum, path) => sum + path.sessions, 0);
    const pages = pagesOfPaths(paths, { depth, direction, sessions });
    for (const words of readAsWords(start)) context.note(words);
    context.note('A session counts once, from its first such page; further pages of one pattern in a row are one.');
    const covered = daysWords(visits.days.covered);
    context.draw(async () =>
      (await import('../../views/from-journeys.ts')).flowChart({ paths, from, direction, depth, sessions, covered }),
    );
    const shown = paths.slice(0, limit);
    return {
      answer: pathWords(pages, { from, direction, sessions }),
      sessions,
      pages: pages.flatMap((own) => own.slice(0, limit)),
      paths: shown.map(({ pages: own, sessions: count }) => ({
        pages: pathText(own, { depth, direction }),
        sessions: count,
        percent: Math.round((1000 * count) / sessions) / 10,
      })),
      covered,
    };
  });
}
