import { isFarOff, solveSymmetric } from '../../statistics/elimination.ts';
import { addFeatures, addProducts, type Cells, type Design, scoreOf } from './cells.ts';

/** Most steps of Newton's method; it is there after five or six. */
const MOST_STEPS = 25;
const ENOUGH = 1e-4;
/** Precision of the normal prior of each coefficient: keeps levels with sales always or never finite (sd 2 on the logit scale). */
const PRECISION = 0.25;

/** A chance that is none. */
const CERTAIN = 1e-9;

const precisionOf = (feature: number) => (feature === 0 ? 1e-6 : PRECISION);
const total = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0);
const logistic = (score: number) => 1 / (1 + Math.exp(-score));

/** Chances of the cells at these coefficients, with the gradient of the penalised likelihood. */
function slopeAt(cells: Cells, design: Design, coefficients: Float64Array) {
  const { features, count } = design;
  const [gradient, chances] = [new Float64Array(features), new Float64Array(count)];
  for (let cell = 0; cell < count; cell += 1) {
    const chance = logistic(scoreOf(design, coefficients, cell));
    chances[cell] = chance;
    addFeatures(design, cell, (cells.conversions[cell] ?? 0) - (cells.sessions[cell] ?? 0) * chance, gradient);
  }
  for (const [feature, coefficient] of coefficients.entries())
    gradient[feature] = (gradient[feature] ?? 0) - precisionOf(feature) * coefficient;
  return { chances, gradient };
}

/** Adds what the prior says to the curvature of the likelihood. */
function withPrior(matrix: Float64Array, features: number): Float64Array {
  for (let feature = 0; feature < features; feature += 1)
    matrix[feature * features + feature] = (matrix[feature * features + feature] ?? 0) + precisionOf(feature);
  return matrix;
}

function curvatureAt({ sessions }: Cells, design: Design, chances: Float64Array): Float64Array {
  const { features, count } = design;
  const matrix = new Float64Array(features * features);
  for (let cell = 0; cell < count; cell += 1) {
    const chance = chances[cell] ?? 0;
    addProducts(design, cell, (sessions[cell] ?? 0) * chance * (1 - chance), matrix);
  }
  return withPrior(matrix, features);
}

/**
 * The chance of the outcome for each cell by what was known before the exposure: a logistic regression on all sessions that reached the
 * page, exposed or not. `products`: how the features of these sessions go together.
 */
export function chancesOf(cells: Cells, design: Design, products: Float64Array): Float64Array {
  const coefficients = new Float64Array(design.features);
  const [all, hits] = [total(cells.sessions), total(cells.conversions)];
  const usual = (hits + 0.5) / (all + 1);
  // Where all have the outcome, or none, nothing else foresees it.
  if (hits === 0 || hits === all) return new Float64Array(design.count).fill(hits === 0 ? CERTAIN : 1 - CERTAIN);
  coefficients[0] = Math.log(usual / (1 - usual));
  let curvature: Float64Array | undefined;
  let before = Number.POSITIVE_INFINITY;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { gradient, chances } = slopeAt(cells, design, coefficients);
    // The curvature costs most of a step, and that of a step before leads on nearly as well once the end is near.
    if (step === 0)
      curvature = withPrior(
        products.map((value) => value * usual * (1 - usual)),
        design.features,
      );
    curvature ??= curvatureAt(cells, design, chances);
    // A step of more than 4 on the logit scale overshoots.
    const change = solveSymmetric(curvature.slice(), gradient).map((value) => Math.max(-4, Math.min(4, value)));
    for (const [feature, value] of change.entries()) coefficients[feature] = (coefficients[feature] ?? 0) + value;
    const largest = change.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (largest < ENOUGH) break;
    // One of a longer step is that of another place.
    if (isFarOff(largest, before)) curvature = undefined;
    before = largest;
  }
  return slopeAt(cells, design, coefficients).chances;
}
