import type { dayTestOf } from './day-scatter.ts';
import { freedOfCycle, type Verdict } from './engine/judge-series.ts';
import type { Judged } from './engine/judge-together.ts';
import type { Level, Span } from './engine/run-series.ts';
import { twoLevelsIn } from './engine/two-levels.ts';
import type { Series } from './runs.ts';
import { metricFact } from './speed-metrics.ts';

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

interface Key {
  readonly series: Series;
}

function previousOf({ dates }: Series, ms: number): number {
  return dates.findLast((date) => date < ms) ?? ms;
}

const LASTS = { untilDate: undefined, relativePer30Days: undefined } as const;

/** What a verdict says of the level by itself; undefined where it did not move. */
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

/** A state, the move that it is owed to, and the one that is told without being claimed. */
export interface Moved {
  readonly state: State;
  readonly move: Move | undefined;
  /** A move that whole days differ by as much as: told, and not claimed. */
  readonly held: Move | undefined;
}

type DayTest = ReturnType<typeof dayTestOf>;

/** A drift has no beginning, and is not tested. */
export function standsOut(move: Move | undefined, series: Series, test: DayTest): boolean {
  return !move?.since || test(series, { fromMs: move.since.date, toMs: move.untilDate ?? Number.POSITIVE_INFINITY });
}

/** The same; steady, with the move held back, where it does not stand out from what days differ by. */
function checked(moved: Omit<Moved, 'held'>, series: Series, test: DayTest): Moved {
  if (standsOut(moved.move, series, test)) return { ...moved, held: undefined };
  return { state: 'steady', move: undefined, held: moved.move };
}

/** The state of a series and how it moved: by itself, or at the instant at which its step did. */
export function moveOf<K extends Key>(each: Judged<K>, judged: readonly Judged<K>[], test: DayTest): Moved {
  const { key, group, verdict, movedWith, doubted } = each;
  const own = checked({ state: verdict.state, move: ownMove(verdict, key.series) }, key.series, test);
  const held = own.held ?? (own.move || !doubted ? undefined : ownMove(doubted, key.series));
  if (!movedWith || movedWith.state === 'no change') return { ...own, held };
  const { state, before, since: after, relative } = movedWith;
  const leaders = judged.filter((other) => other.group === group && 'change' in other.verdict).toSorted((a, b) => a.rank - b.rank);
  const [leader] = leaders;
  const led = leader && ownMove(leader.verdict, leader.key.series);
  // Where the change that gave the instant is none, nothing moved with it.
  if (!leader || !led || !standsOut(led, leader.key.series, test)) return { state: verdict.state, move: undefined, held };
  return checked({ state, move: { ...LASTS, since: led.since, before, after, relative } }, key.series, test);
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

/** What a series does, in a word. */
export type State = (typeof SPEED_STATES)[number];

/** The state of a step's series where part of its runs moved and the others did not. */
export function splitOf(series: Series, metric: string, timeZone: string): Moved | undefined {
  const found = twoLevelsIn(freedOfCycle(series, { effect: metricFact(metric).effect, timeZone }));
  if (!found) return undefined;
  const { atMs, previousMs, range, usual, moved, relative, since } = found;
  const { absolute } = metricFact(metric).effect;
  if (Math.abs(moved.typical - usual.typical) < absolute) return undefined;
  const move: Move = {
    ...LASTS,
    since: { date: atMs, previousDate: previousMs, range },
    before: usual,
    after: moved,
    relative,
    ...(since.share !== null && { share: since.share }),
  };
  return { state: 'two levels', move, held: undefined };
}

/** One of several series of a scenario and how it moved. */
interface Placed extends Moved {
  readonly group: string;
  readonly rank: number;
}

const overlap = (a: Span, b: Span) => a.startMs <= b.endMs && b.startMs <= a.endMs;

/** The same with one instant for all metrics of a step whose ranges of the instant overlap: that of the one which visitors feel most. */
export function inOneInstant<Each extends Placed>(all: readonly Each[]): Each[] {
  const lasting = ({ move, state }: Each) => move?.since !== undefined && move.untilDate === undefined && state !== 'two levels';
  return all.map((each) => {
    const { move, group } = each;
    if (!move?.since || !lasting(each)) return each;
    const { range } = move.since;
    const [leader] = all
      .filter((other) => other.group === group && lasting(other) && other.move?.since && overlap(other.move.since.range, range))
      .toSorted((a, b) => a.rank - b.rank);
    const since = leader?.move?.since;
    return since === undefined ? each : { ...each, move: { ...move, since } };
  });
}
