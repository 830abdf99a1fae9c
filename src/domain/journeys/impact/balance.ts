import { nth } from '../../../lib/nth.ts';
import { solveSymmetric } from '../../statistics/elimination.ts';
import { addFeatures, addProducts, type Cells, type Design, LEAST_OF_LEVEL, scoreOf } from './cells.ts';

/** Exposed and other sessions of a page that can be compared. */
export interface Comparison {
  /** Exposed sessions of each cell; 0 where nothing comparable exists. */
  readonly exposed: Uint8Array;
  /** Weight of a session of each cell without the condition; those of all sessions add up to the number of exposed ones. */
  readonly weights: Float64Array;
  /** Exposed sessions that have comparable ones. */
  readonly comparable: number;
  /** Largest standardised difference that is left between exposed and weighted sessions. */
  readonly imbalance: number;
  /** As many equally weighted sessions would say as much. */
  readonly effectiveControls: number;
}

/** Fewer sessions without the condition than this at a level say nothing about those with it. */
const LEAST_CONTROLS = 10;
/** At a level where more than this share has the condition nobody else is left to compare with. */
const MOST_EXPOSED = 0.95;
const MOST_STEPS = 30;
/** Newton's steps shrink by their square: the one after this is nothing. */
const ENOUGH = 1e-3;
/** Steps shorter than this are near the end. */
const NEAR = 0.3;
/** Gives up exact equality of means where it would cost everything: the difference that is left is this times the coefficient. */
const TOLERANCE = 2e-4;
/** A step on the logarithmic scale that does not overshoot. */
const LONGEST_STEP = 3;

/** Marks cells that have a level at which there is nobody, or hardly anybody, to compare with. */
function withoutPeers(cells: Cells, exposed: Uint8Array, left: Uint8Array): number {
  const width = cells.covariates.length;
  let removed = 0;
  for (const [at, { levels }] of cells.covariates.entries()) {
    const [treated, others] = [new Float64Array(levels), new Float64Array(levels)];
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (left[cell] === 0) continue;
      const level = cells.levels[cell * width + at] ?? 0;
      const side = exposed[cell] === 1 ? treated : others;
      side[level] = (side[level] ?? 0) + (cells.sessions[cell] ?? 0);
    }
    const isLost = Uint8Array.from({ length: levels }, (_, level) => {
      const [with_, without] = [treated[level] ?? 0, others[level] ?? 0];
      return with_ > 0 && with_ + without >= LEAST_OF_LEVEL && (without < LEAST_CONTROLS || with_ / (with_ + without) > MOST_EXPOSED)
        ? 1
        : 0;
    });
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (left[cell] === 0 || isLost[cells.levels[cell * width + at] ?? 0] === 0) continue;
      left[cell] = 0;
      removed += 1;
    }
  }
  return removed;
}

/** Cells of sessions without the condition that are enough beside each one with it, and in all: more make the interval hardly narrower … */
const CONTROLS_FOR_EACH = 10;
/** … and take the time of all other conditions. */
const ENOUGH_CONTROLS = 8_000;

/** A number that the levels of a cell alone decide, spread evenly: the same sessions are left out whatever order the engine counted in. */
function spreadOf({ levels, covariates: { length: width } }: Cells, cell: number): number {
  let hash = 0x811c9dc5;
  for (let at = cell * width; at < (cell + 1) * width; at += 1) hash = Math.imul(hash ^ nth(levels, at), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

/** Which of the cells without the condition are compared with: all, or as many as are enough, chosen evenly. */
function enoughControls(cells: Cells, exposed: Uint8Array, left: Uint8Array): (cell: number) => boolean {
  const counts = [0, 0];
  for (let cell = 0; cell < cells.count; cell += 1) if (left[cell] === 1) counts[nth(exposed, cell)] = nth(counts, nth(exposed, cell)) + 1;
  const [others, own] = [nth(counts, 0), nth(counts, 1)];
  const part = Math.max(ENOUGH_CONTROLS, CONTROLS_FOR_EACH * own) / others;
  return part >= 1 ? () => true : (cell) => spreadOf(cells, cell) < part;
}

/** The weighted shares of the features under these coefficients, and where asked for how they go together. */
function momentsAt(design: Design, controls: Float64Array, coefficients: Float64Array, withProducts: boolean) {
  const { features, count } = design;
  const [sums, matrix] = [new Float64Array(features), new Float64Array(withProducts ? features * features : 0)];
  for (let cell = 0; cell < count; cell += 1) {
    const sessions = controls[cell] ?? 0;
    if (sessions === 0) continue;
    const weight = sessions * Math.exp(scoreOf(design, coefficients, cell));
    addFeatures(design, cell, weight, sums);
    if (withProducts) addProducts(design, cell, weight, matrix);
  }
  const total = sums[0] ?? 1;
  return { means: sums.map((sum) => sum / total), products: matrix.map((value) => value / total) };
}

/** The curvature of the dual problem. */
function curvatureOf(means: Float64Array, products: Float64Array): Float64Array {
  const features = means.length;
  return products.map((value, at) => {
    const [row, column] = [Math.floor(at / features), at % features];
    // The first feature is 1 throughout: weights do not depend on its coefficient.
    if (row === 0 || column === 0) return row === column ? 1 : 0;
    return value - nth(means, row) * nth(means, column) + (row === column ? TOLERANCE : 0);
  });
}

/** The coefficients under which the weighted means of the features meet those of the exposed (entropy balancing, Hainmueller 2012). */
function tilt(design: Design, controls: Float64Array, target: Float64Array): Float64Array {
  const coefficients = new Float64Array(design.features);
  let curvature: Float64Array | undefined;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    // The curvature costs most of a step, and that of a step before leads on nearly as well once the end is near.
    const { means, products } = momentsAt(design, controls, coefficients, curvature === undefined);
    curvature ??= curvatureOf(means, products);
    const gradient = means.map((mean, row) => (row === 0 ? 0 : nth(target, row) - mean - TOLERANCE * nth(coefficients, row)));
    const change = solveSymmetric(curvature.slice(), gradient);
    const largest = change.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = Math.min(1, LONGEST_STEP / Math.max(largest, 1e-9));
    for (const [row, value] of change.entries()) coefficients[row] = nth(coefficients, row) + scale * value;
    if (largest < ENOUGH) break;
    if (largest > NEAR || largest > before / 2) curvature = undefined;
    before = largest;
  }
  return coefficients;
}

/** The largest difference of the shares of a level, over the standard deviation among the exposed and the others before weighting. */
function imbalanceOf(target: Float64Array, before: Float64Array, after: Float64Array): number {
  let largest = 0;
  for (let feature = 1; feature < target.length; feature += 1) {
    const [own, plain, weighed] = [target[feature] ?? 0, before[feature] ?? 0, after[feature] ?? 0];
    const deviation = Math.sqrt((own * (1 - own) + plain * (1 - plain)) / 2);
    // A level that hardly any session has differs by chance alone.
    if (deviation > 0.02) largest = Math.max(largest, Math.abs(own - weighed) / deviation);
  }
  return largest;
}

const shares = (totals: Float64Array) => totals.map((value) => value / Math.max(totals[0] ?? 0, 1e-9));

/** Weighs the sessions without the condition so that they are like those with it (`given` is 1) in all that was known before. */
export function balance(cells: Cells, design: Design, given: Uint8Array): Comparison {
  const left = new Uint8Array(cells.count).fill(1);
  while (withoutPeers(cells, given, left) > 0);
  const taken = enoughControls(cells, given, left);
  const controls = new Float64Array(cells.count);
  const [exposedTotals, controlTotals] = [new Float64Array(design.features), new Float64Array(design.features)];
  for (let cell = 0; cell < cells.count; cell += 1) {
    if (left[cell] === 0) continue;
    const sessions = cells.sessions[cell] ?? 0;
    if (given[cell] === 0 && !taken(cell)) continue;
    if (given[cell] === 0) controls[cell] = sessions;
    addFeatures(design, cell, sessions, given[cell] === 1 ? exposedTotals : controlTotals);
  }
  const comparable = exposedTotals[0] ?? 0;
  const target = shares(exposedTotals);
  const coefficients = tilt(design, controls, target);
  const weights = Float64Array.from(controls, (sessions, cell) => (sessions > 0 ? Math.exp(scoreOf(design, coefficients, cell)) : 0));
  const weighedTotals = new Float64Array(design.features);
  let squares = 0;
  for (let cell = 0; cell < cells.count; cell += 1) {
    const weight = weights[cell] ?? 0;
    addFeatures(design, cell, weight * (controls[cell] ?? 0), weighedTotals);
    squares += weight ** 2 * nth(controls, cell) * nth(cells.factor, cell);
  }
  const total = weighedTotals[0] ?? 0;
  return {
    exposed: given.map((value, cell) => (left[cell] === 1 ? value : 0)),
    weights: weights.map((weight) => (weight * comparable) / Math.max(total, 1e-300)),
    comparable,
    imbalance: imbalanceOf(target, shares(controlTotals), shares(weighedTotals)),
    effectiveControls: squares > 0 ? total ** 2 / squares : 0,
  };
}
