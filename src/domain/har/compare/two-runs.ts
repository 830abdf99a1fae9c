import type { PaintTimes } from '../analyse/largest-paint.ts';
import type { HarStudy } from '../analyse/study-har.ts';
import type { Har } from '../read/har-model.ts';
import type { Neighbours } from './compare-runs.ts';
import { type Culprit, culpritOf } from './culprit.ts';
import { effectsOf } from './paint-effects.ts';
import { paintMoves } from './paint-moves.ts';
import type { Pair, RequestChange } from './request-changes.ts';
import { courseBetween } from './run-course.ts';
import { type Moved, shiftBetween } from './run-scatter.ts';

/** The times in which two runs differ. */
export interface TwoRuns {
  readonly culprit: Culprit;
  readonly slower: readonly RequestChange[];
  readonly faster: readonly RequestChange[];
}

/** Standard deviations, ratio and milliseconds from which a duration is listed as changed. */
const LISTED = { score: 3.5, ratio: Math.log(1.3), ms: 100 };

function changeOf(moved: Moved): RequestChange {
  const { before, after } = moved;
  return { before, after, from: before.durationMs, to: after.durationMs };
}

/** The whole change of a request counts, also the part that it shares with its run. */
function isListed({ before, after, change, scatter }: Moved): boolean {
  const ms = Math.abs(after.durationMs - before.durationMs);
  return Math.abs(change) >= LISTED.score * scatter && Math.abs(change) >= LISTED.ratio && ms >= LISTED.ms;
}

function loadOf({ summary: { totals }, paints }: HarStudy): number {
  return totals.onLoadMs ?? paints.loadMs ?? totals.durationMs ?? 0;
}

/** The paints of a run; its load as the file has it, where no report says it. */
function paintsOf(run: HarStudy): PaintTimes {
  return { ...run.paints, loadMs: run.paints.loadMs ?? run.summary.totals.onLoadMs };
}

/** Judges the durations of two runs against the runs near them; there may be none. */
export function judgeTwoRuns(
  pairs: readonly Pair[],
  was: HarStudy,
  is: HarStudy,
  neighbours: Neighbours<Har>,
  paints: Neighbours<PaintTimes>,
): TwoRuns {
  const near = [neighbours.before, neighbours.after];
  const shift = shiftBetween(
    pairs,
    was.har.entries,
    near.map((group) => group.map(({ entries }) => entries)),
  );
  const listed = shift.requests.filter(isListed);
  return {
    culprit: culpritOf({
      shift,
      course: courseBetween(was.har, is.har, near),
      document: is.har.document,
      largest: is.largest?.entry ?? undefined,
      durationMs: Math.max(loadOf(was), loadOf(is)),
      moves: paintMoves(paintsOf(was), paintsOf(is), paints),
      blockedMs: was.paints.tbtMs === null || is.paints.tbtMs === null ? null : is.paints.tbtMs - was.paints.tbtMs,
      madeMore: new Set([
        ...(pairs.length < was.har.entries.length ? ['before' as const] : []),
        ...(pairs.length < is.har.entries.length ? ['after' as const] : []),
      ]),
      effectsOf: (moved) => effectsOf(changeOf(moved), was, is),
    }),
    slower: listed.filter(({ change }) => change > 0).map(changeOf),
    faster: listed.filter(({ change }) => change < 0).map(changeOf),
  };
}
