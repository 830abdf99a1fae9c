import { DAY_MS } from '../../lib/clock.ts';
import type { Level, Span } from './engine/run-series.ts';
import type { Row, Study } from './scenario-study.ts';
import { rankOf } from './speed-metrics.ts';

/** How one metric of one step moved, or the sum over all steps. */
export interface SpeedMove {
  /** Undefined for the sum over all steps. */
  readonly step: string | undefined;
  readonly metric: string;
  readonly shape: 'step' | 'episode' | 'drift';
  /** First run of it, ms since 1970; of a drift the begin of the period. */
  readonly fromMs: number;
  /** Between which instants it began, with about 95 % confidence. */
  readonly began: Span;
  /** First run that is back at the former level; undefined where it goes on. */
  readonly untilMs: number | undefined;
  /** Levels on both sides; of a drift those of the first and last fifth of the runs. */
  readonly before: Level;
  readonly after: Level;
  /** 0.2 for +20 %; of a drift in 30 days. */
  readonly relative: number;
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

type Dated = Omit<SpeedMove, 'step' | 'metric' | 'pValue'>;

/** The lasting changes and the episodes of a series beside the one that its state is about. */
function furtherMoves({ verdict, standing, move }: Row): Dated[] {
  if (!('changes' in verdict) || !move) return [];
  const lasting = verdict.changes.map(
    ({ atMs, range, before, since, relative }): Dated => ({
      shape: 'step',
      fromMs: atMs,
      began: range,
      untilMs: undefined,
      before,
      after: since,
      relative,
    }),
  );
  const undone = verdict.episodes.map(
    ({ fromMs, toMs, began, before, during, relative }): Dated => ({
      shape: 'episode',
      fromMs,
      began,
      untilMs: toMs,
      before,
      after: during,
      relative,
    }),
  );
  return [...lasting, ...undone].filter(({ fromMs }) => fromMs !== move.since?.date && standing.includes(fromMs));
}

function leadingMove({ move }: Row, period: Span): Dated[] {
  if (!move) return [];
  const { since, untilDate: untilMs, before, after, relative, relativePer30Days } = move;
  if (since)
    return [
      { shape: untilMs === undefined ? 'step' : 'episode', fromMs: since.date, began: since.range, untilMs, before, after, relative },
    ];
  const began = { startMs: period.startMs, endMs: period.startMs };
  return [{ shape: 'drift', fromMs: period.startMs, began, untilMs, before, after, relative: relativePer30Days ?? relative }];
}

const isIn = ({ shape, fromMs, untilMs }: Dated, { startMs }: Span) =>
  shape === 'episode' ? (untilMs ?? startMs) > startMs : fromMs >= startMs;

function movesOf(row: Row, period: Span): SpeedMove[] {
  const { step, metric, verdict } = row;
  const pValue = 'p' in verdict ? verdict.p : 1;
  return [...leadingMove(row, period), ...furtherMoves(row)]
    .filter((move) => isIn(move, period))
    .map((move) => ({ ...move, step: step?.name, metric, pValue }));
}

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

/** The first move of each series: one whose first run was settled with that of other series stands among its changes a second time. */
function onceEach(moves: readonly SpeedMove[]): SpeedMove[] {
  const seen = new Set<string>();
  return moves.filter(({ step, metric }) => {
    const series = JSON.stringify([step, metric]);
    return !seen.has(series) && seen.add(series);
  });
}

/** The changes of a scenario that lie in the period of its study; an unstable level that never changed is not among them. */
export function speedChangesOf(scenarioId: number, scenario: string, { rows, period }: Study): SpeedFindings {
  const judged = rows.filter(({ state }) => state !== 'not enough data');
  let left = judged.flatMap((row) => movesOf(row, period.window)).toSorted((a, b) => a.pValue - b.pValue);
  const changes: SpeedChange[] = [];
  for (let [clearest] = left; clearest; [clearest] = left) {
    const own = clearest;
    const taken = new Set(left.filter((move) => move === own || areNeighbours(own, move)));
    const [first = own, ...rest] = onceEach([...taken].toSorted(compareMoves));
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
