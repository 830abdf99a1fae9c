import { nth } from '../../lib/nth.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { dayTestOf } from './day-scatter.ts';
import type { Verdict } from './engine/judge-series.ts';
import { type Judged, judgeSince, judgeTogether, moveIn, type Tracked } from './engine/judge-together.ts';
import { type Moved, standsOut } from './move.ts';
import type { Series, Step } from './runs.ts';
import { metricFact } from './speed-metrics.ts';

/** A series of one step, or of all together. */
interface OfStep {
  readonly step: Step | undefined;
  readonly metric: string;
  readonly series: Series;
}

/** A series of a step divided by those of the other steps in the same runs. */
interface Beside {
  readonly own: OfStep;
  readonly others: readonly Series[];
  readonly series: Series;
}

interface Judging {
  readonly period: { readonly startMs: number; readonly endMs: number };
  readonly timeZone: string;
  readonly falseDiscoveryRate?: number | undefined;
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
function besideOthers(tracked: readonly Tracked<OfStep>[]): Tracked<Beside>[] {
  const ofSteps = tracked.filter(({ key }) => key.step !== undefined && metricFact(key.metric).kind === 'ms');
  return ofSteps.flatMap((each) => {
    const others = ofSteps.flatMap(({ key }) => (key.metric === each.key.metric && key.step !== each.key.step ? [key.series] : []));
    const series = others.length > 0 ? keptFit('quotient', [each.series, ...others], () => quotientOf(each.series, others)) : undefined;
    return series ? [{ ...each, key: { own: each.key, others, series }, series }] : [];
  });
}

/** The move of a step at the instant at which it parted from the others; undefined where it was these that moved. */
function partedMove({ key, verdict }: Judged<Beside>, options: Judging): Moved | undefined {
  if (verdict.state !== 'slower' && verdict.state !== 'faster') return undefined;
  const { move } = verdict;
  const size = Math.log1p(move.relative);
  const since = (series: Series) => judgeSince(series, move.fromMs, { ...options, effect: metricFact(key.own.metric).effect });
  const own = since(key.own.series);
  if (!own || Math.log1p(own.relative) / size < HALF) return undefined;
  const sizes = key.others.map(since).flatMap((other) => (other ? [Math.log1p(other.relative)] : []));
  const ofOthers = sizes.reduce((sum, other) => sum + other, 0) / Math.max(1, sizes.length);
  if (Math.abs(ofOthers / size) > HALF) return undefined;
  return { state: verdict.state, move: { ...move, before: own.before, after: own.after, relative: own.relative }, held: undefined };
}

/**
 * Lasting moves of single steps beside the other steps of the same runs: what moves whole days and releases of the whole site move all
 * steps, so such days hide a change of one step less.
 */
export function movesBesideSteps(tracked: readonly Tracked<OfStep>[], options: Judging): ReadonlyMap<Series, Moved> {
  const beside = besideOthers(tracked);
  const test = dayTestOf(beside, options);
  const isCredible = ({ series }: Beside, verdict: Verdict) => standsOut(moveIn(verdict), series, test);
  const judged = judgeTogether(beside, { ...options, isCredible });
  return new Map(
    judged.flatMap((each) => {
      const moved = isCredible(each.key, each.verdict) ? partedMove(each, options) : undefined;
      return moved ? [[each.key.own.series, moved] as const] : [];
    }),
  );
}
