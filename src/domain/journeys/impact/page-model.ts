import { nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { solverOf } from '../../../statistics/elimination.ts';
import { type Cells, everyCell, sessionsByLevel } from './cells.ts';
import { addProducts, type Design, designOf } from './design.ts';
import { chancesOf } from './outcome-model.ts';

/** Revenue of a conversion: its mean, and the mean of its square over its mean. */
export interface Basket {
  readonly mean: number;
  readonly size: number;
}

/** The cells of a page with what all conditions there share. */
export interface PageModel {
  readonly cells: Cells;
  readonly design: Design;
  /** Solves for a step of the weighing as far as features go together over all sessions. */
  readonly solveUsual: (gradient: Float64Array) => Float64Array;
  /** The chance of the outcome by what was known before, for each cell. */
  readonly chances: Float64Array;
  readonly basket: Basket;
  /** Sessions at each level of each covariate. */
  readonly byLevel: readonly Float64Array[];
  /** A number from 0 to 1 for each cell, spread evenly. */
  readonly spread: Float64Array;
  /** The number of the combination of levels of each cell, from 0. */
  readonly combination: Int32Array;
}

/** Balance gives up exact equality of means where it would cost everything: the difference that is left is this times the coefficient. */
export const TOLERANCE = 2e-4;

/** The curvature of the dual problem of balance, its lower half, where features go together like this. */
function curvatureOf(products: Float64Array, features: number): Float64Array {
  const curvature = new Float64Array(products.length);
  const all = products[0] ?? 1;
  // The first feature is 1 throughout, so that its column holds the sums of all.
  const mean = (feature: number) => nthDouble(products, feature * features) / all;
  // Weights do not depend on the coefficient of the first one.
  curvature[0] = 1;
  for (let row = 1; row < features; row += 1) {
    const own = mean(row);
    for (let column = 1; column < row; column += 1) {
      const at = row * features + column;
      curvature[at] = nthDouble(products, at) / all - own * mean(column);
    }
    const diagonal = row * features + row;
    curvature[diagonal] = nthDouble(products, diagonal) / all - own * own + TOLERANCE;
  }
  return curvature;
}

function total(column: Float64Array): number {
  let sum = 0;
  for (const value of column) sum += value;
  return sum;
}

function basketOf({ conversions, revenue, revenueSquares }: Cells): Basket {
  const [hits, money] = [total(conversions), total(revenue)];
  return { mean: hits > 0 ? money / hits : 0, size: money > 0 ? total(revenueSquares) / money : 1 };
}

/** Decided by the levels of a cell alone: the same sessions are left out whatever order the engine counted in. */
function spreadOf({ levels, count, covariates: { length: width } }: Cells): Float64Array {
  const spread = new Float64Array(count);
  for (let cell = 0; cell < count; cell += 1) {
    let hash = 0x811c9dc5;
    for (let at = cell * width; at < (cell + 1) * width; at += 1) hash = Math.imul(hash ^ nthUnsigned(levels, at), 0x01000193);
    spread[cell] = ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
  }
  return spread;
}

/** Combinations of levels by what they are spread by; the few that share it are one, in every call the same. */
function combinationsOf(spread: Float64Array): Int32Array {
  const known = new Map<number, number>();
  return Int32Array.from(spread, (value) => {
    const own = known.get(value) ?? known.size;
    known.set(value, own);
    return own;
  });
}

/** Prepares the cells of a page for its conditions. */
export function pageModelOf(cells: Cells): PageModel {
  const every = everyCell(cells);
  const byLevel = sessionsByLevel(cells, every);
  const design = designOf(cells, byLevel);
  const products = new Float64Array(design.features ** 2);
  for (let cell = 0; cell < cells.count; cell += 1) addProducts(design, cell, nthDouble(cells.sessions, cell), products);
  const spread = spreadOf(cells);
  return {
    cells,
    design,
    byLevel,
    solveUsual: solverOf(curvatureOf(products, design.features), design.features),
    chances: chancesOf(cells, design, products),
    basket: basketOf(cells),
    spread,
    combination: combinationsOf(spread),
  };
}
