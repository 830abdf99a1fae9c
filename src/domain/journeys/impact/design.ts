import { nth, nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { type Cells, offsetsOf } from './cells.ts';

/** The levels as features of 0 or 1: the most usual level of each covariate has none, the first feature is 1 throughout. */
export interface Design {
  readonly features: number;
  readonly count: number;
  /** Features that are 1, cell after cell, each cell's in ascending order. */
  readonly active: Int16Array;
  /** Where those of each cell begin, and the end of the last one. */
  readonly starts: Int32Array;
}

/** A level of fewer sessions than this is counted to the most usual one: it can neither be balanced nor weigh much. */
export const LEAST_OF_LEVEL = 20;

/** The feature of each level, all covariates in one list; -1 of the most usual one and of those that hardly any session has. */
function featuresOf({ covariates }: Cells, byLevel: readonly Float64Array[]) {
  const offsets = offsetsOf(covariates);
  const ofLevel = new Int16Array(nth(offsets, covariates.length)).fill(-1);
  let features = 1;
  for (const at of covariates.keys()) {
    const sessions = byLevel[at] ?? new Float64Array();
    const usual = sessions.reduce((best, value, level) => (value > nthDouble(sessions, best) ? level : best), 0);
    for (const [level, own] of sessions.entries()) {
      if (level === usual || own < LEAST_OF_LEVEL) continue;
      ofLevel[nth(offsets, at) + level] = features;
      features += 1;
    }
  }
  return { ofLevel, offsets, features };
}

/** Makes the features from the sessions at each level. */
export function designOf(cells: Cells, byLevel: readonly Float64Array[]): Design {
  const { covariates, count, levels } = cells;
  const width = covariates.length;
  const { ofLevel, offsets, features } = featuresOf(cells, byLevel);
  const active = new Int16Array(count * (width + 1));
  const starts = new Int32Array(count + 1);
  let end = 0;
  for (let cell = 0; cell < count; cell += 1) {
    starts[cell] = end;
    active[end] = 0;
    end += 1;
    for (let at = 0; at < width; at += 1) {
      const feature = ofLevel[nth(offsets, at) + nthUnsigned(levels, cell * width + at)] ?? -1;
      if (feature < 0) continue;
      active[end] = feature;
      end += 1;
    }
  }
  starts[count] = end;
  return { features, count, active: active.subarray(0, end), starts };
}

/** The product of a cell's features, each of a factor. */
export function productOf({ active, starts }: Design, factors: Float64Array, cell: number): number {
  let product = 1;
  for (let at = nth(starts, cell), end = nth(starts, cell + 1); at < end; at += 1) product *= factors[nth(active, at)] ?? 1;
  return product;
}

/** Adds a cell's features, each times a value, to totals. */
export function addFeatures({ active, starts }: Design, cell: number, value: number, totals: Float64Array): void {
  for (let at = nth(starts, cell), end = nth(starts, cell + 1); at < end; at += 1) {
    const feature = nth(active, at);
    totals[feature] = nthDouble(totals, feature) + value;
  }
}

/** Adds the products of a cell's features, each times a value, to a square matrix (its lower half). */
export function addProducts({ active, starts, features }: Design, cell: number, value: number, matrix: Float64Array): void {
  const from = nth(starts, cell);
  for (let one = from, end = nth(starts, cell + 1); one < end; one += 1) {
    const row = nth(active, one) * features;
    for (let other = from; other <= one; other += 1) {
      const at = row + nth(active, other);
      matrix[at] = nthDouble(matrix, at) + value;
    }
  }
}
