import { HOUR_MS } from '../../lib/clock.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import type { dayTestOf } from './day-scatter.ts';
import { freedOfCycle, type State, type Verdict } from './engine/judge-series.ts';
import { moveIn } from './engine/judge-together.ts';
import type { Level, Move, Span } from './engine/run-series.ts';
import { twoLevelsIn } from './engine/two-levels.ts';
import type { Series, Step } from './runs.ts';
import { metricFact } from './speed-metrics.ts';

/** One metric of one step, or of all steps together. */
export interface RowKey {
  /** Undefined for the sum over all steps. */
  readonly step: Step | undefined;
  readonly metric: string;
  readonly series: Series;
}

/** A state, the move behind it, and the move that is named without being claimed. */
export interface Moved {
  readonly state: State;
  readonly move: Move | undefined;
  /** A move that is named but not claimed, because whole days differ by as much. */
  readonly held: Move | undefined;
}

/** The state that a verdict gives, or steady with the move only named, where it does not stand out from the differences between days. */
export function moveOf(verdict: Verdict, series: Series, test: ReturnType<typeof dayTestOf>): Moved {
  const { state } = verdict;
  const move = moveIn(verdict);
  return !move || test(series, move) ? { state, move, held: undefined } : { state: 'steady', move: undefined, held: move };
}

/** The state of a step's series where part of its runs moved and the others did not. */
export function splitOf(series: Series, metric: string, timeZone: string): Moved | undefined {
  const { effect } = metricFact(metric);
  const move = keptFit('two levels', [series, effect, timeZone], () => twoLevelsIn(freedOfCycle(series, { effect, timeZone })));
  if (!move || Math.abs(move.after.typical - move.before.typical) < effect.absolute) return undefined;
  return { state: 'two levels', move, held: undefined };
}

/** One of several series of a scenario and how it moved. */
interface Placed extends Moved {
  readonly group: string;
  readonly rank: number;
}

/** Instants that lie closer are those of one change: single runs that lie off show it some runs away. */
const ONE_CHANGE_MS = 6 * HOUR_MS;

const areNear = (a: Span, b: Span) => a.startMs <= b.endMs + ONE_CHANGE_MS && b.startMs <= a.endMs + ONE_CHANGE_MS;

/** How far the levels of a move lie apart, counted in the middle halves of the runs on both sides. */
function clarityOf({ move }: Moved): number {
  if (!move) return 0;
  const { before, after } = move;
  const spread = ({ p25, p75 }: Level) => p75 - p25;
  return Math.abs(after.typical - before.typical) / Math.max(spread(before) + spread(after), Number.MIN_VALUE);
}

/**
 * The same with one instant for all metrics of a step that moved at the same time: that of the one which shows it most clearly, as weights
 * do to the run where times scatter.
 */
export function inOneInstant<Each extends Placed>(all: readonly Each[]): Each[] {
  const lasting = ({ move, state }: Each) => move?.shape === 'step' && state !== 'two levels';
  return all.map((each) => {
    const { move, group } = each;
    if (!move || !lasting(each)) return each;
    const [leader] = all
      .filter((other) => other.group === group && lasting(other) && other.move && areNear(other.move.began, move.began))
      .toSorted((a, b) => clarityOf(b) - clarityOf(a) || a.rank - b.rank);
    const { fromMs, previousMs, began } = leader?.move ?? move;
    return { ...each, move: { ...move, fromMs, previousMs, began } };
  });
}
