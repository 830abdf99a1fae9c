import type { dayTestOf } from './day-scatter.ts';
import type { Verdict } from './engine/judge-series.ts';
import type { Level, Span } from './engine/run-series.ts';
import type { Series } from './runs.ts';

/** A level that was left, and the one that came after it. */
export interface Move {
  /** Of the first run after, and of the last one before; undefined for a drift, which has no beginning. */
  readonly since: { readonly date: number; readonly previousDate: number; readonly range: Span } | undefined;
  /** First run that is back at the former level; undefined where the change lasts. */
  readonly untilDate: number | undefined;
  readonly before: Level;
  readonly after: Level;
  /** Of the typical values; 0.2 for +20 %. */
  readonly relative: number;
  /** Of a drift, 0.2 for +20 % in 30 days. */
  readonly relativePer30Days: number | undefined;
  /** Share of the runs since that are at the level after, where the others kept theirs; undefined where all moved. */
  readonly share?: number;
}

function previousOf({ dates }: Series, ms: number): number {
  return dates.findLast((date) => date < ms) ?? ms;
}

/** Of a change that lasts and is no drift. */
export const LASTS = { untilDate: undefined, relativePer30Days: undefined } as const;

/** The move that a verdict finds by itself; undefined where the level did not move. */
export function ownMove(verdict: Verdict, series: Series): Move | undefined {
  if ('change' in verdict) {
    const { atMs, previousMs, range, before, since, relative } = verdict.change;
    return { ...LASTS, since: { date: atMs, previousDate: previousMs, range }, before, after: since, relative };
  }
  if ('episode' in verdict) {
    const { fromMs, toMs, began, before, during, relative } = verdict.episode;
    const since = { date: fromMs, previousDate: previousOf(series, fromMs), range: began };
    return { ...LASTS, since, untilDate: toMs, before, after: during, relative };
  }
  if (verdict.state !== 'drifting') return undefined;
  const { first, last, relativePer30Days } = verdict;
  return { ...LASTS, since: undefined, before: first, after: last, relative: last.typical / first.typical - 1, relativePer30Days };
}

/** A state, the move behind it, and the move that is named without being claimed. */
export interface Moved {
  readonly state: State;
  readonly move: Move | undefined;
  /** A move that is named but not claimed, because whole days differ by as much. */
  readonly held: Move | undefined;
}

/** Whether a stretch of a series stands out from what whole days differ by. */
export type DayTest = ReturnType<typeof dayTestOf>;

/** Whether a move, if there is one, stands out from what whole days differ by. */
export function standsOut(move: Move | undefined, series: Series, test: DayTest): boolean {
  if (!move) return true;
  return test(series, move.since ? { fromMs: move.since.date, toMs: move.untilDate ?? Number.POSITIVE_INFINITY } : 'drift');
}

/** First instants of the lasting changes and episodes of a series that stand out from what days differ by. */
export function standingOf(verdict: Verdict, series: Series, test: DayTest): number[] {
  if (!('changes' in verdict)) return [];
  const stretches = [
    ...verdict.changes.map(({ atMs }) => ({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY })),
    ...verdict.episodes.map(({ fromMs, toMs }) => ({ fromMs, toMs })),
  ];
  return stretches.filter((stretch) => test(series, stretch)).map(({ fromMs }) => fromMs);
}

/** The states of a series, the worst first. */
export const SPEED_STATES = [
  'slower',
  'drifting',
  'two levels',
  'was slower',
  'unstable',
  'faster',
  'was faster',
  'steady',
  'not enough data',
] as const satisfies readonly (Verdict['state'] | 'two levels')[];

/** The course of a series, in a word. */
export type State = (typeof SPEED_STATES)[number];
