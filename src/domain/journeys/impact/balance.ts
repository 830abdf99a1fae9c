import { nth, nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { descend } from '../../../statistics/descent.ts';
import { type Cells, sessionsByLevel } from './cells.ts';
import { addFeatures, type Design, LEAST_OF_LEVEL, productOf } from './design.ts';
import { type PageModel, TOLERANCE } from './page-model.ts';

/** Exposed and other sessions of a page that can be compared. */
export interface Comparison {
  /** Cells of exposed sessions that have comparable ones. */
  readonly exposed: Int32Array;
  /** Cells without the condition that they are compared with. */
  readonly controls: Int32Array;
  /** Weight of a session of each of the controls; those of all sessions add up to the number of exposed ones. */
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
/** It is there after five or six. */
const MOST_STEPS = 40;
/** Steps shrink faster and faster: the one after this is nothing. */
const ENOUGH = 1e-3;
/** A step on the logarithmic scale that does not overshoot. */
const LONGEST_STEP = 3;

/** Levels of a covariate at which there is nobody, or hardly anybody, to compare with, as 1; undefined where there is none. */
function lostLevels(treated: Float64Array, others: (level: number) => number): Uint8Array | undefined {
  const isLost = Uint8Array.from(treated, (own, level) => {
    const without = others(level);
    return Number(own > 0 && own + without >= LEAST_OF_LEVEL && (without < LEAST_CONTROLS || own / (own + without) > MOST_EXPOSED));
  });
  return isLost.includes(1) ? isLost : undefined;
}

/** Takes out the cells that have a level without peers, of one covariate after the other; how many there were. */
function withoutPeers(cells: Cells, isExposed: Uint8Array, left: Uint8Array): number {
  const width = cells.covariates.length;
  let removed = 0;
  for (const [at, { levels }] of cells.covariates.entries()) {
    const [treated, others] = [new Float64Array(levels), new Float64Array(levels)];
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (left[cell] === 0) continue;
      const level = nthUnsigned(cells.levels, cell * width + at);
      const side = isExposed[cell] === 1 ? treated : others;
      side[level] = nthDouble(side, level) + nthDouble(cells.sessions, cell);
    }
    const isLost = lostLevels(treated, (level) => nth(others, level));
    if (!isLost) continue;
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (left[cell] === 0 || isLost[nthUnsigned(cells.levels, cell * width + at)] === 0) continue;
      left[cell] = 0;
      removed += 1;
    }
  }
  return removed;
}

/** Cells that are left once those without peers are taken out, again and again until there are none; undefined: all of them. */
function cellsWithPeers({ cells, byLevel }: PageModel, exposed: Int32Array, isExposed: Uint8Array): Uint8Array | undefined {
  const own = sessionsByLevel(cells, exposed);
  // Mostly there are none, and the sums of all cells say so without a look at each.
  const isAny = own.some((treated, at) => lostLevels(treated, (level) => nth(byLevel[at] ?? treated, level) - nth(treated, level)));
  if (!isAny) return undefined;
  const left = new Uint8Array(cells.count).fill(1);
  while (withoutPeers(cells, isExposed, left) > 0);
  return left;
}

/** How many combinations of traits some cells have: one may lie in several cells, by the other conditions that a call asks about. */
function combinationsOf({ combination }: PageModel, isOwn: (cell: number) => boolean): number {
  const seen = new Uint8Array(combination.length);
  let count = 0;
  for (let cell = 0; cell < combination.length; cell += 1) {
    const own = nth(combination, cell);
    if (seen[own] === 1 || !isOwn(cell)) continue;
    seen[own] = 1;
    count += 1;
  }
  return count;
}

/**
 * Combinations of sessions without the condition that are enough beside each one with it, and in all: more make the interval hardly
 * narrower …
 */
const CONTROLS_FOR_EACH = 10;
/** … and take the time of all other conditions. */
const ENOUGH_CONTROLS = 8_000;

/**
 * Of the cells without the condition that are left all, or as many as are enough, chosen evenly: by combinations of traits, so that a
 * condition is held against the same sessions whatever else is asked about.
 */
function controlsOf(model: PageModel, isExposed: Uint8Array, left: Uint8Array | undefined): Int32Array {
  const { cells, spread } = model;
  const exposed = combinationsOf(model, (cell) => isExposed[cell] === 1 && left?.[cell] !== 0);
  const others = combinationsOf(model, (cell) => isExposed[cell] === 0 && left?.[cell] !== 0);
  const part = Math.max(ENOUGH_CONTROLS, CONTROLS_FOR_EACH * exposed) / others;
  const controls = new Int32Array(cells.count);
  let end = 0;
  for (let cell = 0; cell < cells.count; cell += 1) {
    const own = nthDouble(spread, cell);
    if (own >= part || isExposed[cell] === 1 || left?.[cell] === 0) continue;
    controls[end] = cell;
    end += 1;
  }
  return controls.subarray(0, end);
}

/** Cells on one side with the sessions of each. */
interface Side {
  readonly list: Int32Array;
  readonly sessions: Float64Array;
}

const shares = (totals: Float64Array) => totals.map((value) => value / Math.max(nthDouble(totals, 0), 1e-9));

/** The features of a side, summed up. */
function totalsOf(design: Design, { list, sessions }: Side): Float64Array {
  const totals = new Float64Array(design.features);
  for (let at = 0; at < list.length; at += 1) addFeatures(design, nth(list, at), nthDouble(sessions, at), totals);
  return totals;
}

/** Weighs each cell of a side by these factors of its features; gives the features of its sessions with these weights. */
function weigh(design: Design, { list, sessions }: Side, factors: Float64Array, weights: Float64Array): Float64Array {
  const totals = new Float64Array(design.features);
  for (let at = 0; at < list.length; at += 1) {
    const cell = nth(list, at);
    const weight = productOf(design, factors, cell);
    weights[at] = weight;
    addFeatures(design, cell, weight * nthDouble(sessions, at), totals);
  }
  return totals;
}

/**
 * Weighs sessions so that the weighted means of the features meet those of the exposed (entropy balancing, Hainmueller 2012); gives the
 * weights and the features that they make.
 */
function tilt({ design, solveUsual }: PageModel, controls: Side, target: Float64Array) {
  const weights = new Float64Array(controls.list.length);
  let totals: Float64Array = new Float64Array(design.features);
  descend({
    start: new Float64Array(design.features),
    gradientAt(coefficients) {
      totals = weigh(design, controls, coefficients.map(Math.exp), weights);
      return shares(totals).map((mean, row) => (row === 0 ? 0 : mean + TOLERANCE * nth(coefficients, row) - nth(target, row)));
    },
    // Among all sessions of the page features go together nearly as they do for most conditions.
    solve: solveUsual,
    longest: LONGEST_STEP,
    enough: ENOUGH,
    mostSteps: MOST_STEPS,
  });
  return { weights, totals };
}

/** The largest difference of the shares of a level, over the standard deviation among the exposed and the others before weighting. */
function imbalanceOf(target: Float64Array, before: Float64Array, after: Float64Array): number {
  let largest = 0;
  for (let feature = 1; feature < target.length; feature += 1) {
    const [own, plain, weighed] = [nthDouble(target, feature), nthDouble(before, feature), nthDouble(after, feature)];
    const deviation = Math.sqrt((own * (1 - own) + plain * (1 - plain)) / 2);
    // A level that hardly any session has differs by chance alone.
    if (deviation > 0.02) largest = Math.max(largest, Math.abs(own - weighed) / deviation);
  }
  return largest;
}

function sideOf({ sessions }: Cells, list: Int32Array): Side {
  const own = new Float64Array(list.length);
  for (let at = 0; at < list.length; at += 1) own[at] = nthDouble(sessions, nth(list, at));
  return { list, sessions: own };
}

/** Weighs the sessions without the condition so that they are like those with it, the cells of a list, in all that was known before. */
export function balance(model: PageModel, met: Int32Array): Comparison {
  const { cells, design } = model;
  const isExposed = new Uint8Array(cells.count);
  for (const cell of met) isExposed[cell] = 1;
  const left = cellsWithPeers(model, met, isExposed);
  const exposed = left ? met.filter((cell) => left[cell] === 1) : met;
  const controls = controlsOf(model, isExposed, left);
  const [own, others] = [sideOf(cells, exposed), sideOf(cells, controls)];
  const [exposedTotals, controlTotals] = [totalsOf(design, own), totalsOf(design, others)];
  const comparable = nthDouble(exposedTotals, 0);
  const target = shares(exposedTotals);
  const { weights, totals: weighedTotals } = tilt(model, others, target);
  let squares = 0;
  for (let at = 0; at < controls.length; at += 1)
    squares += nthDouble(weights, at) ** 2 * nthDouble(others.sessions, at) * nthDouble(cells.factor, nth(controls, at));
  const total = nthDouble(weighedTotals, 0);
  return {
    exposed,
    controls,
    weights: weights.map((weight) => (weight * comparable) / Math.max(total, 1e-300)),
    comparable,
    imbalance: imbalanceOf(target, shares(controlTotals), shares(weighedTotals)),
    effectiveControls: squares > 0 ? total ** 2 / squares : 0,
  };
}
