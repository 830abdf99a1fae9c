import { nth, nthDouble } from '../../../lib/nth.ts';
import { descend } from '../../../statistics/descent.ts';
import { solverOf } from '../../../statistics/elimination.ts';
import { type Cells, everyCell, sessionsByLevel } from './cells.ts';
import { addFeatures, addProducts, type Design, designOf, productOf } from './design.ts';

/** Revenue of a conversion: its mean, and the mean of its square over its mean. */
export interface Basket {
  readonly mean: number;
  readonly size: number;
}

/** The cells of a page with what all conditions there share. */
export interface PageModel {
  readonly cells: Cells;
  /** The chance of the outcome by what was known before, for each cell. */
  readonly chances: Float64Array;
  /** The number of the stratum of each cell, from 0: cells with about the same chance. */
  readonly stratum: Int32Array;
  readonly strata: number;
  readonly basket: Basket;
  /** Sessions at each level of each covariate. */
  readonly byLevel: readonly Float64Array[];
}

/** Strata of as many sessions each: within one the chance differs hardly at all, and what is left of it the chance itself takes out … */
const MOST_STRATA = 50;
/** … and each is large enough to hold sessions without a condition. */
const LEAST_OF_STRATUM = 100;

function basketOf({ conversions, revenue, revenueSquares }: Cells): Basket {
  const [hits, money] = [total(conversions), total(revenue)];
  return { mean: hits > 0 ? money / hits : 0, size: money > 0 ? total(revenueSquares) / money : 1 };
}

function strataOf({ sessions }: Cells, chances: Float64Array): Pick<PageModel, 'stratum' | 'strata'> {
  const order = Int32Array.from(chances, (_, cell) => cell).toSorted((a, b) => nth(chances, a) - nth(chances, b) || a - b);
  const [all, stratum] = [total(sessions), new Int32Array(chances.length)];
  const strata = Math.max(1, Math.min(MOST_STRATA, Math.floor(all / LEAST_OF_STRATUM)));
  let [passed, own, chance] = [0, 0, -1];
  for (const cell of order) {
    // Cells with one chance are never parted.
    if (nth(chances, cell) > chance + 1e-9) own = Math.min(strata - 1, Math.floor((strata * passed) / all));
    chance = nth(chances, cell);
    stratum[cell] = own;
    passed += nth(sessions, cell);
  }
  return { stratum, strata };
}

/** It is there after six or seven. */
const MOST_STEPS = 40;
const ENOUGH = 1e-4;
/** Precision of the normal prior of each coefficient: keeps levels with sales always or never finite (sd 2 on the logit scale). */
const PRECISION = 0.25;

/** A step that does not overshoot, on the logit scale. */
const LONGEST_STEP = 4;
/** A chance that is none. */
const CERTAIN = 1e-9;

const precisionOf = (feature: number) => (feature === 0 ? 1e-6 : PRECISION);
const total = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0);
/** The chance with these odds, which may be beyond all numbers. */
const chanceOf = (odds: number) => 1 / (1 + 1 / odds);

/** Chances of the cells at these coefficients, with the gradient of the penalised likelihood. */
function slopeAt(cells: Cells, design: Design, coefficients: Float64Array) {
  const { features, count } = design;
  const [gradient, chances] = [new Float64Array(features), new Float64Array(count)];
  const factors = coefficients.map(Math.exp);
  for (let cell = 0; cell < count; cell += 1) {
    const chance = chanceOf(productOf(design, factors, cell));
    chances[cell] = chance;
    addFeatures(design, cell, nthDouble(cells.sessions, cell) * chance - nthDouble(cells.conversions, cell), gradient);
  }
  for (const [feature, coefficient] of coefficients.entries())
    gradient[feature] = nthDouble(gradient, feature) + precisionOf(feature) * coefficient;
  return { chances, gradient };
}

/**
 * The chance of the outcome for each cell by what was known before the exposure: a logistic regression on all sessions that reached the
 * page, exposed or not. `products`: how the features of these sessions go together.
 */
function chancesOf(cells: Cells, design: Design, products: Float64Array): Float64Array {
  const coefficients = new Float64Array(design.features);
  const [all, hits] = [total(cells.sessions), total(cells.conversions)];
  const usual = (hits + 0.5) / (all + 1);
  // Where all have the outcome, or none, nothing else foresees it.
  if (hits === 0 || hits === all) return new Float64Array(design.count).fill(hits === 0 ? CERTAIN : 1 - CERTAIN);
  coefficients[0] = Math.log(usual / (1 - usual));
  const curvature = products.map((value) => value * usual * (1 - usual));
  for (let feature = 0; feature < design.features; feature += 1) {
    const diagonal = feature * (design.features + 1);
    curvature[diagonal] = nthDouble(curvature, diagonal) + precisionOf(feature);
  }
  let found: Float64Array = new Float64Array(design.count);
  descend({
    start: coefficients,
    gradientAt(point) {
      const { gradient, chances } = slopeAt(cells, design, point);
      found = chances;
      return gradient;
    },
    solve: solverOf(curvature, design.features),
    longest: LONGEST_STEP,
    enough: ENOUGH,
    mostSteps: MOST_STEPS,
  });
  return found;
}

/** Prepares the cells of a page for its conditions. */
export function pageModelOf(cells: Cells): PageModel {
  const byLevel = sessionsByLevel(cells, everyCell(cells));
  const design = designOf(cells, byLevel);
  const products = new Float64Array(design.features ** 2);
  for (let cell = 0; cell < cells.count; cell += 1) addProducts(design, cell, nthDouble(cells.sessions, cell), products);
  const chances = chancesOf(cells, design, products);
  return { cells, byLevel, chances, ...strataOf(cells, chances), basket: basketOf(cells) };
}
