import { nth, nthDouble } from '../../../../src/lib/nth.ts';
import { largeShare, logOfLarge, normalOf, scoreOfTail, studentOf, Z_95 } from '../../../../src/statistics/tails.ts';
import type { LevelChange } from './changes.ts';
import { covarianceOf, type Fit, fitOf, type IndexRange, stepColumn } from './fit.ts';
import { whiten, whitenBack } from './kalman.ts';
import { dotOf } from './linear.ts';
import type { Model, ModelStudy } from './model.ts';
import { ANSCOMBE, deviationOf, isCounted, relativeOf } from './scale.ts';

/** Weights on days of a model; a sum of days, in deviations. */
type Weights = Float64Array;

/** All that expectations of sums of days are made of, by the days that teach alone. */
export interface Prediction {
  readonly model: Model;
  /** Days that teach: those before the first that is judged, without what lies on changes that are over. */
  readonly fit: Fit;
  /** Changes among the days that teach that go on. */
  readonly columns: Model['columns'];
  /** P times what the columns leave of the days that teach. */
  readonly left: Float64Array;
  /** Standard deviation of a slope that no season of last year explains, a day. */
  readonly unknownSlope: number;
}

/** A level of no more days than this at the end of what teaches is not taken to go on, unless told otherwise. */
const LEAST_STEP_DAYS = 2;
/** Totals of which last year is not known may be on their way into a season: the standard deviation of their slope, a day. */
const UNKNOWN_SLOPE = 0.002;

/** Facts that a question knows beside the series. */
export interface Ahead {
  /** A level of no more days at the end of what teaches is not taken to go on. */
  readonly least?: number;
  /** Whether a season may begin that last year does not show. */
  readonly isAhead?: boolean;
  /** Places at which something else shows that a level began. */
  readonly steps?: readonly number[];
}

/**
 * Learns what is to be expected from the days before the first one that is judged: level, weekdays, month, season, special days, levels
 * that go on, slow drift, and what the last day's shock carries over.
 */
export function prediction(
  { model, changes }: ModelStudy,
  { least = LEAST_STEP_DAYS, isAhead = false, steps = [] }: Ahead = {},
): Prediction {
  const { scale, timing, noise } = model;
  const { learned, kind, season } = scale;
  const size = scale.times.length;
  const past = changes.filter(({ from, shape }) => from < learned && shape !== 'point');
  const levels = past.map(
    ({ from, to }): IndexRange => ({ from, to: to >= learned && learned - from > least ? size : Math.min(to, learned) }),
  );
  const known = steps.filter((at) => at > 0 && at < learned && levels.every(({ from }) => Math.abs(from - at) > 3));
  const columns = [
    ...model.columns,
    ...[...levels, ...known.map((from) => ({ from, to: size }))].map((interval) => ({
      of: 'change' as const,
      values: stepColumn(size, interval),
      mean: 0,
      sd: Number.POSITIVE_INFINITY,
    })),
  ];
  const fit = fitOf(scale.x, timing, columns, noise, learned);
  const left = scale.x.slice(0, learned);
  for (const [place, { values }] of columns.entries())
    for (let at = 0; at < learned; at += 1) left[at] = nthDouble(left, at) - nthDouble(fit.coefficients, place) * nthDouble(values, at);
  whiten(fit.filter, left, left);
  whitenBack(fit.filter, left, left);
  const isTotal = kind === 'count' || kind === 'amount';
  const hasSeason = season.length > 0 && season.every((level) => level !== undefined);
  return { model, fit, columns, left, unknownSlope: isAhead && isTotal && !hasSeason ? UNKNOWN_SLOPE : 0 };
}

/** The link of later days to those that teach: how much of the last state of shock and walk is left on each. */
function carriedTo({ model: { scale, noise } }: Prediction): { shock: Float64Array; walk: Float64Array } {
  const { times, learned } = scale;
  const last = nthDouble(times, learned - 1);
  const after = times.subarray(learned);
  return { shock: after.map((time) => noise.carry ** (time - last)), walk: after.map(() => 1) };
}

/** Covariance of the two states of the last day that teaches with each day, and P times it. */
function stateOf({ model: { scale, noise }, fit }: Prediction, state: 'shock' | 'walk') {
  const { times, learned } = scale;
  const last = nthDouble(times, learned - 1);
  const first = nthDouble(times, 0);
  const shared = times
    .subarray(0, learned)
    .map((time) => (state === 'shock' ? noise.shock * noise.carry ** (last - time) : noise.slow * (time - first)));
  const precise = new Float64Array(learned);
  whiten(fit.filter, shared, precise);
  whitenBack(fit.filter, precise, precise);
  return { shared, precise };
}

/** Mean and variance of sums of later days, given as weights of the days behind those that teach. */
function predictor(own: Prediction): (weights: Weights) => { readonly mean: number; readonly variance: number } {
  const { model, fit, columns, left, unknownSlope } = own;
  const { times, learned } = model.scale;
  const { shock, slow, carry, sampling } = model.noise;
  const carried = carriedTo(own);
  const [ofShock, ofWalk] = [stateOf(own, 'shock'), stateOf(own, 'walk')];
  const states = [ofShock, ofWalk].map(({ shared, precise }) => ({
    mean: dotOf(shared, left),
    precise,
    shared,
    ofColumns: Float64Array.from(columns, ({ values }) => dotOf(values, precise, learned)),
  }));
  const last = nthDouble(times, learned - 1);
  return (weights) => {
    const links = [dotOf(weights, carried.shock), dotOf(weights, carried.walk)];
    const factors = Float64Array.from(columns, ({ values }, place) => {
      const later = dotOf(values.subarray(learned), weights);
      return states.reduce((sum, { ofColumns }, at) => sum - nth(links, at) * nthDouble(ofColumns, place), later);
    });
    let variance = covarianceOf(fit, factors, factors);
    for (const [at, one] of states.entries())
      for (const [place, other] of states.entries()) variance -= nth(links, at) * nth(links, place) * dotOf(one.shared, other.precise);
    for (let at = 0; at < weights.length; at += 1) {
      const weight = nthDouble(weights, at);
      if (weight === 0) continue;
      const time = nthDouble(times, learned + at);
      variance += weight * weight * nthDouble(sampling, learned + at);
      for (let other = 0; other < weights.length; other += 1) {
        const past = nthDouble(times, learned + other);
        const walk = slow * (Math.min(time, past) - nthDouble(times, 0));
        variance += weight * nthDouble(weights, other) * (shock * carry ** Math.abs(time - past) + walk);
      }
    }
    const distance = weights.reduce((sum, weight, at) => sum + weight * (nthDouble(times, learned + at) - last), 0);
    const mean = columns.reduce(
      (sum, { values }, place) => sum + nthDouble(fit.coefficients, place) * dotOf(values.subarray(learned), weights),
      0,
    );
    return {
      mean: states.reduce((sum, state, at) => sum + nth(links, at) * state.mean, mean),
      variance: Math.max(0, variance) + (unknownSlope * distance) ** 2,
    };
  };
}

/** An expectation of some days together, and how what was counted compares with it. */
export interface Expected {
  /** As a value: a sum of the days, of shares and averages over their trials. */
  readonly expected: number;
  /** Bounds that hold it in 95 of 100 cases. */
  readonly low: number;
  readonly high: number;
  /** How far what was counted lies from it, as a standard normal. */
  readonly score: number;
  /** Share of the expected by which chance lets it lie off at 1 %, on the side on which it lies. */
  readonly noise: number;
}

/** Days that are asked about together: their places in the series, and what was counted and tried on them. */
export interface Row {
  readonly places: readonly number[];
  readonly numerator: number;
  readonly trials: number;
}

/** Expectations of rows of days behind those that teach. */
export function expectationsOf(own: Prediction, rows: readonly Row[], chance = 0.01): Expected[] {
  const { scale, noise } = own.model;
  const { expected, learned, kind, events } = scale;
  const predict = predictor(own);
  const correction = isCounted(kind) ? ANSCOMBE : 0;
  const [width, reach] = [studentOf(Z_95, noise.freedom), studentOf(scoreOfTail(Math.log(chance)), noise.freedom)];
  return rows.map(({ places, numerator, trials }): Expected => {
    const bases = places.map((at) => nthDouble(expected, at) + correction);
    const base = bases.reduce((sum, value) => sum + value, 0);
    const weights = new Float64Array(expected.length - learned);
    const levels = places.map((at, index) => {
      const single = weights.slice().fill(0);
      single[at - learned] = 1;
      return nth(bases, index) * (1 + relativeOf(scale, predict(single).mean));
    });
    const level = levels.reduce((sum, value) => sum + value, 0);
    for (const [index, at] of places.entries()) weights[at - learned] = nth(levels, index) / level;
    const [middle, sd] = [deviationOf(scale, level / base), Math.sqrt(predict(weights).variance)];
    const shift = correction * places.length;
    const valueAt = (deviation: number) => Math.max(0, base * (1 + relativeOf(scale, deviation)) - shift) / trials;
    const distance = normalOf((deviationOf(scale, (numerator + shift) / base) - middle) / sd, noise.freedom);
    const of = places.reduce((sum, at) => sum + (events?.[at] ?? 0), 0);
    // A sum that one very large event lifts says nothing of the others.
    const mayBeLarge = distance > 0 && of > 0;
    const score = mayBeLarge ? Math.min(distance, scoreOfTail(logOfLarge(of, numerator / trials / valueAt(middle) - 1))) : distance;
    const off = Math.abs(valueAt(middle + Math.sign(distance) * reach * sd) / valueAt(middle) - 1);
    return {
      expected: valueAt(middle),
      low: valueAt(middle - width * sd),
      high: valueAt(middle + width * sd),
      score,
      noise: Math.max(off, mayBeLarge ? largeShare(of, chance) : 0),
    };
  });
}

/** The effect of a change on its days in the unit of the numerators, with 95 % bounds: what was counted less what would have been. */
export function effectOnDays(
  { scale }: Model,
  { effect, error, from, to }: LevelChange,
  counted: ArrayLike<number>,
): readonly [number, number, number] {
  const total = Array.from({ length: to - from }, (_, at) => nth(counted, from + at)).reduce((sum, value) => sum + value, 0);
  const made = (deviation: number) => total * (1 - 1 / Math.max(1e-9, 1 + relativeOf(scale, deviation)));
  return [made(effect), made(effect - Z_95 * error), made(effect + Z_95 * error)];
}

/** Standard normal below which four of five values lie. */
const FOUR_OF_FIVE = 0.8416;

/**
 * The smallest lasting rise (`side` 1) or fall (−1) on the first `days` behind those that teach that would lie beyond a limit in four of
 * five cases, as a share; a rise of a sum must also be more than one very large event makes, at `chance` over the days.
 */
export function detectableChange(own: Prediction, days: number, side: 1 | -1, limit: number, chance: number): number {
  const { scale, noise } = own.model;
  const { expected, events, learned } = scale;
  const weights = expected.slice(learned).fill(0, days);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const error = Math.sqrt(predictor(own)(weights.map((weight) => weight / sum)).variance);
  const size = relativeOf(scale, side * (studentOf(limit, noise.freedom) + FOUR_OF_FIVE) * error);
  if (!events || side < 0) return size;
  const large = largeShare(
    events.subarray(learned, learned + days).reduce((total, count) => total + count, 0),
    chance / days,
  );
  return Math.max(size, (1 + large) * (1 + relativeOf(scale, FOUR_OF_FIVE * error)) - 1);
}
