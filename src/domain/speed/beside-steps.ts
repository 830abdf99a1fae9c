import { nth } from '../../lib/nth.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { dayTestOf } from './day-scatter.ts';
import { freedOfCycle, type Verdict } from './engine/judge-series.ts';
import { judgeTogether, type TogetherOptions, type Tracked } from './engine/judge-together.ts';
import { levelOf } from './engine/run-series.ts';
import type { Series } from './runs.ts';
import { type Moved, moveOf, type RowKey } from './settle-moves.ts';
import { metricFact } from './speed-metrics.ts';

/** A series of a step divided by those of the other steps in the same runs. */
interface Beside {
  readonly own: RowKey;
  readonly others: readonly Series[];
  readonly series: Series;
}

/** Share of the runs of a step that the other steps must have too. */
const LEAST_SHARED = 0.8;
/** Share of a move beside the other steps that the step itself must show, and most that these may. */
const HALF = 0.5;

/** Values of a series over the geometric mean of others in the same runs; undefined where these have few of them. */
function quotientOf(series: Series, others: readonly Series[]): Series | undefined {
  const known = others.map(({ dates, values }) => new Map(dates.map((date, run) => [date, nth(values, run)])));
  const runs = series.dates.flatMap((date, run) => {
    const values = known.map((other) => other.get(date) ?? 0);
    const value = nth(series.values, run);
    if (!(value > 0) || values.some((other) => !(other > 0))) return [];
    return [{ date, log: Math.log(value) - values.reduce((sum, other) => sum + Math.log(other), 0) / values.length }];
  });
  if (runs.length < LEAST_SHARED * series.dates.length) return undefined;
  // In the unit of the series, so that the smallest change that counts is the same.
  const mean = (logs: readonly number[]) => logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const usual = mean(series.values.map((value) => Math.log(Math.max(Number.MIN_VALUE, value)))) - mean(runs.map(({ log }) => log));
  return { dates: runs.map(({ date }) => date), values: runs.map(({ log }) => Math.exp(log + usual)) };
}

/** Times of each step beside those of the other steps. */
function besideOthers(tracked: readonly Tracked<RowKey>[]): Tracked<Beside>[] {
  const ofSteps = tracked.filter(({ key }) => key.step !== undefined && metricFact(key.metric).kind === 'ms');
  return ofSteps.flatMap((each) => {
    const others = ofSteps.flatMap(({ key }) => (key.metric === each.key.metric && key.step !== each.key.step ? [key.series] : []));
    const series = others.length > 0 ? keptFit('quotient', [each.series, ...others], () => quotientOf(each.series, others)) : undefined;
    return series ? [{ ...each, key: { own: each.key, others, series }, series }] : [];
  });
}

/** The move of a step at the instant at which it parted from the others; undefined where it was these that moved. */
function partedMove({ own, others }: Beside, verdict: Verdict, { timeZone }: TogetherOptions): Moved | undefined {
  if (verdict.state !== 'slower' && verdict.state !== 'faster') return undefined;
  const { move, moves, state } = verdict;
  const edges = moves.flatMap(({ shape, fromMs }) => (shape === 'step' ? [fromMs] : []));
  const endMs = edges.find((ms) => ms > move.fromMs) ?? (own.series.dates.at(-1) ?? 0) + 1;
  // As long before as since: other changes of all steps lie further back.
  const firstMs = Math.max(edges.findLast((ms) => ms < move.fromMs) ?? 0, 2 * move.fromMs - endMs);
  /** The levels of a series on both sides, up to where the step parted from the others at other times. */
  function sidesOf(series: Series) {
    const { dates, values, logs, valueOf } = freedOfCycle(series, { effect: metricFact(own.metric).effect, timeZone });
    const levelFrom = (fromMs: number, toMs: number) => {
      const runs = dates.flatMap((date, run) => (date >= fromMs && date < toMs ? [run] : []));
      return levelOf(
        runs.map((run) => nth(values, run)),
        runs.map((run) => valueOf(nth(logs, run))),
      );
    };
    const [before, after] = [levelFrom(firstMs, move.fromMs), levelFrom(move.fromMs, endMs)];
    return { before, after, relative: after.typical / before.typical - 1 };
  }
  const shareOf = ({ relative }: { readonly relative: number }) => Math.log1p(relative) / Math.log1p(move.relative);
  const sides = sidesOf(own.series);
  const ofOthers = others.reduce((sum, other) => sum + shareOf(sidesOf(other)), 0) / others.length;
  return shareOf(sides) < HALF || Math.abs(ofOthers) > HALF ? undefined : { state, move: { ...move, ...sides }, held: undefined };
}

/**
 * Lasting moves of single steps beside the other steps of the same runs: what moves whole days and releases of the whole site move all
 * steps, so such days hide a change of one step less.
 */
export function movesBesideSteps(tracked: readonly Tracked<RowKey>[], options: TogetherOptions): ReadonlyMap<Series, Moved> {
  const beside = besideOthers(tracked);
  const test = dayTestOf(beside, options);
  return new Map(
    judgeTogether(beside, options).flatMap(({ key, verdict }) => {
      const moved = moveOf(verdict, key.series, test).move && partedMove(key, verdict, options);
      return moved ? [[key.own.series, moved] as const] : [];
    }),
  );
}
