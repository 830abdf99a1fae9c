import { solveSymmetric } from '../../statistics/elimination.ts';
import { addFeatures, addProducts, type Cells, type Design, scoreOf } from './cells.ts';

/** Most steps of Newton's method; it is there after five or six. */
const MOST_STEPS = 25;
const ENOUGH = 1e-3;
/** Precision of the normal prior of each coefficient: keeps levels with sales always or never finite (sd 2 on the logit scale). */
const PRECISION = 0.25;

const logistic = (score: number) => 1 / (1 + Math.exp(-score));

/** Gradient and curvature of the penalised likelihood at these coefficients. */
function slopeAt(cells: Cells, design: Design, coefficients: Float64Array) {
  const { features, count } = design;
  const [gradient, matrix] = [new Float64Array(features), new Float64Array(features * features)];
  for (let cell = 0; cell < count; cell += 1) {
    const sessions = cells.sessions[cell] ?? 0;
    const chance = logistic(scoreOf(design, coefficients, cell));
    addFeatures(design, cell, (cells.conversions[cell] ?? 0) - sessions * chance, gradient);
    addProducts(design, cell, sessions * chance * (1 - chance), matrix);
  }
  for (const [feature, coefficient] of coefficients.entries()) {
    const precision = feature === 0 ? 1e-6 : PRECISION;
    const diagonal = feature * features + feature;
    gradient[feature] = (gradient[feature] ?? 0) - precision * coefficient;
    matrix[diagonal] = (matrix[diagonal] ?? 0) + precision;
  }
  return { gradient, matrix };
}

const total = (column: Float64Array) => column.reduce((sum, value) => sum + value, 0);

/**
 * The chance of the outcome for each cell by what was known before the exposure: a logistic regression on all sessions that reached the
 * page, exposed or not.
 */
export function chancesOf(cells: Cells, design: Design): Float64Array {
  const coefficients = new Float64Array(design.features);
  const [all, hits] = [total(cells.sessions), total(cells.conversions)];
  coefficients[0] = Math.log((hits + 0.5) / (all - hits + 0.5));
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const { gradient, matrix } = slopeAt(cells, design, coefficients);
    // A step of more than 4 on the logit scale overshoots.
    const change = solveSymmetric(matrix, gradient).map((value) => Math.max(-4, Math.min(4, value)));
    for (const [feature, value] of change.entries()) coefficients[feature] = (coefficients[feature] ?? 0) + value;
    if (change.every((value) => Math.abs(value) < ENOUGH)) break;
  }
  return Float64Array.from({ length: design.count }, (_, cell) => logistic(scoreOf(design, coefficients, cell)));
}
