import { HOUR_MS } from '../../lib/clock.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { freedOfCycle } from './engine/judge-series.ts';
import { type Judged, moveIn } from './engine/judge-together.ts';
import type { Level, Span } from './engine/run-series.ts';
import { twoLevelsIn } from './engine/two-levels.ts';
import { type DayTest, type Moved, standsOut } from './move.ts';
import type { Series } from './runs.ts';
import { metricFact } from './speed-metrics.ts';

interface Key {
  readonly series: Series;
}

/** The same, or steady with the move only named, where it does not stand out from the differences between days. */
function checked(moved: Omit<Moved, 'held'>, series: Series, test: DayTest): Moved {
  if (standsOut(moved.move, series, test)) return { ...moved, held: undefined };
  return { state: 'steady', move: undefined, held: moved.move };
}

/** The state of a series and how it moved: by itself, or at the instant at which its step did. */
export function moveOf<K extends Key>({ key: { series }, verdict, movedWith, doubted }: Judged<K>, test: DayTest): Moved {
  if (movedWith) return checked(movedWith, series, test);
  const own = checked({ state: verdict.state, move: moveIn(verdict) }, series, test);
  return { ...own, held: own.held ?? (own.move || !doubted ? undefined : moveIn(doubted)) };
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
