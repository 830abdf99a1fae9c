import { standsOutFromDays } from './day-scatter.ts';
import type { Verdict } from './engine/judge-series.ts';
import type { Judged } from './engine/judge-together.ts';
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
}

interface Key {
  readonly series: Series;
}

function previousOf({ dates }: Series, ms: number): number {
  return dates.findLast((date) => date < ms) ?? ms;
}

const LASTS = { untilDate: undefined, relativePer30Days: undefined } as const;

function ownMove(verdict: Verdict, series: Series): Move | undefined {
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

/** A state, and the move that it is owed to. */
interface Moved {
  readonly state: Verdict['state'];
  readonly move: Move | undefined;
}

/** The same; steady where the move does not stand out from what days differ by. */
function checked(moved: Moved, series: Series, all: readonly Series[]): Moved {
  return !moved.move || standsOut(moved.move, series, all) ? moved : { state: 'steady', move: undefined };
}

/** A drift has no beginning, and is not tested. */
function standsOut({ since, untilDate = Number.POSITIVE_INFINITY }: Move, series: Series, all: readonly Series[]): boolean {
  return !since || standsOutFromDays(series, { fromMs: since.date, toMs: untilDate }, all);
}

/** Whether a verdict on one of the series of a scenario survives a look at how whole days differ. */
export function isCredible(series: Series, verdict: Verdict, all: readonly Series[]): boolean {
  const move = ownMove(verdict, series);
  return move === undefined || standsOut(move, series, all);
}

/** The state of a series and how it moved: by itself, or at the instant at which its step did. */
export function moveOf<K extends Key>({ key, group, verdict, movedWith }: Judged<K>, judged: readonly Judged<K>[]): Moved {
  const all = judged.map((each) => each.key.series);
  if (!movedWith || movedWith.state === 'no change')
    return checked({ state: verdict.state, move: ownMove(verdict, key.series) }, key.series, all);
  const { state, before, since: after, relative } = movedWith;
  const leaders = judged.filter((each) => each.group === group && 'change' in each.verdict).toSorted((a, b) => a.rank - b.rank);
  const [leader] = leaders;
  const led = leader && ownMove(leader.verdict, leader.key.series);
  // Where the change that gave the instant is none, nothing moved with it.
  if (!leader || !led || !standsOut(led, leader.key.series, all)) return { state: verdict.state, move: undefined };
  return checked({ state, move: { ...LASTS, since: led.since, before, after, relative } }, key.series, all);
}
