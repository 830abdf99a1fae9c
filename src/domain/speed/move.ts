import type { dayTestOf } from './day-scatter.ts';
import type { State } from './engine/judge-series.ts';
import type { Move } from './engine/run-series.ts';
import type { Series } from './runs.ts';

/** A state, the move behind it, and the move that is named without being claimed. */
export interface Moved {
  readonly state: State;
  readonly move: Move | undefined;
  /** A move that is named but not claimed, because whole days differ by as much. */
  readonly held: Move | undefined;
}

/** Whether a move of a series stands out from what whole days differ by. */
export type DayTest = ReturnType<typeof dayTestOf>;

/** Whether a move, if there is one, stands out from what whole days differ by. */
export const standsOut = (move: Move | undefined, series: Series, test: DayTest): boolean => !move || test(series, move);

/** The first run of a move; undefined of a drift, which has no beginning. */
export const beginOf = (move: Move | undefined): number | undefined => (move?.shape === 'drift' ? undefined : move?.fromMs);
