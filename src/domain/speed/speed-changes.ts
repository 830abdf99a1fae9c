import { DAY_MS } from '../../lib/clock.ts';
import type { Move, Span } from './engine/run-series.ts';
import type { Row, Study } from './scenario-study.ts';
import { rankOf } from './speed-metrics.ts';

/** How one metric of one step moved, or the sum over all steps; a drift from the begin of the period. */
export interface SpeedMove extends Move {
  /** Undefined for the sum over all steps. */
  readonly step: string | undefined;
  readonly metric: string;
  /** Chance that a series without any change shows one as strong. */
  readonly pValue: number;
}

/** Simultaneous changes of one scenario, each thing once. */
export interface SpeedChange {
  readonly scenarioId: number;
  readonly scenario: string;
  /** The moves that visitors feel most first; never empty. */
  readonly moves: readonly [SpeedMove, ...SpeedMove[]];
  readonly pValue: number;
}

/** The changes of a study in its period. */
export interface SpeedFindings {
  readonly changes: readonly SpeedChange[];
  /** Series that were judged, and those with too few runs. */
  readonly looked: number;
  readonly tooFew: number;
}

const isIn = ({ shape, fromMs, untilMs }: Move, { startMs }: Span) =>
  shape === 'episode' ? (untilMs ?? startMs) > startMs : fromMs >= startMs;

/** Without a run for so long before its first one a change may have begun any time since the last. */
const LONG_GAP_MS = 2 * DAY_MS;

/** A move with its place; what is slow has no first run. */
function placed(move: Move, { step, metric, verdict }: Row, { startMs }: Span): SpeedMove {
  const { shape, fromMs, previousMs } = move;
  const isGap = fromMs - previousMs > LONG_GAP_MS;
  return {
    ...move,
    ...(isGap && { began: { startMs: previousMs, endMs: fromMs } }),
    ...(shape === 'drift' && { fromMs: startMs, began: { startMs, endMs: startMs } }),
    step: step?.name,
    metric,
    pValue: verdict.p ?? 1,
  };
}

/** The moves of a row, that of its state first. */
export const movesOf = (row: Row, period: Span): SpeedMove[] =>
  (row.move ? [row.move, ...row.further] : []).map((move) => placed(move, row, period));

/** Whether two moves of a scenario began, and ended, within a day of each other. */
function areNeighbours(a: SpeedMove, b: SpeedMove): boolean {
  if (a.shape === 'drift' || b.shape === 'drift') return a.shape === b.shape;
  const gapMs = Math.max(a.began.startMs, b.began.startMs) - Math.min(a.began.endMs, b.began.endMs);
  if (gapMs > DAY_MS) return false;
  if (a.untilMs === undefined || b.untilMs === undefined) return a.untilMs === b.untilMs;
  return Math.abs(a.untilMs - b.untilMs) <= DAY_MS;
}

/** A sum says less than its steps, and what visitors feel comes first. */
const compareMoves = (a: SpeedMove, b: SpeedMove) =>
  Number(a.step === undefined) - Number(b.step === undefined) ||
  rankOf(a.metric) - rankOf(b.metric) ||
  Math.abs(b.relative) - Math.abs(a.relative);

/** The changes of a scenario that lie in the period of its study; an unstable level that never changed is not among them. */
export function speedChangesOf(scenarioId: number, scenario: string, { rows, period }: Study): SpeedFindings {
  const judged = rows.filter(({ state }) => state !== 'not enough data');
  let left = judged
    .flatMap((row) => movesOf(row, period.window))
    .filter((move) => isIn(move, period.window))
    .toSorted((a, b) => a.pValue - b.pValue);
  const changes: SpeedChange[] = [];
  for (let [clearest] = left; clearest; [clearest] = left) {
    const own = clearest;
    const taken = new Set(left.filter((move) => move === own || areNeighbours(own, move)));
    const [first = own, ...rest] = [...taken].toSorted(compareMoves);
    changes.push({ scenarioId, scenario, moves: [first, ...rest], pValue: own.pValue });
    left = left.filter((move) => !taken.has(move));
  }
  return { changes, looked: judged.length, tooFew: rows.length - judged.length };
}

const shapes: readonly SpeedMove['shape'][] = ['step', 'drift', 'episode'];

/** Slower ones first, lasting before drifting before undone ones, then by what visitors feel and by size. */
export function compareSpeedChanges({ moves: [a] }: SpeedChange, { moves: [b] }: SpeedChange): number {
  return (
    Number(a.relative < 0) - Number(b.relative < 0) ||
    shapes.indexOf(a.shape) - shapes.indexOf(b.shape) ||
    rankOf(a.metric) - rankOf(b.metric) ||
    Math.abs(b.relative) - Math.abs(a.relative)
  );
}
