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
  const ofLevel = new Int16Array(offsets[covariates.length] ?? 0).fill(-1);
  let features = 1;
  for (const at of covariates.keys()) {
    const sessions = byLevel[at] ?? new Float64Array();
    const usual = sessions.reduce((best, value, level) => (value > (sessions[best] ?? 0) ? level : best), 0);
    for (const [level, own] of sessions.entries()) {
      if (level === usual || own < LEAST_OF_LEVEL) continue;
      ofLevel[(offsets[at] ?? 0) + level] = features;
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
      const feature = ofLevel[(offsets[at] ?? 0) + (levels[cell * width + at] ?? 0)] ?? -1;
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
  for (let at = starts[cell] ?? 0, end = starts[cell + 1] ?? 0; at < end; at += 1) product *= factors[active[at] ?? 0] ?? 1;
  return product;
}

/** Adds a cell's features, each times a value, to totals. */
export function addFeatures({ active, starts }: Design, cell: number, value: number, totals: Float64Array): void {
  for (let at = starts[cell] ?? 0, end = starts[cell + 1] ?? 0; at < end; at += 1) {
    const feature = active[at] ?? 0;
    totals[feature] = (totals[feature] ?? 0) + value;
  }
}

/** Adds the products of a cell's features, each times a value, to a square matrix (its lower half). */
export function addProducts({ active, starts, features }: Design, cell: number, value: number, matrix: Float64Array): void {
  const from = starts[cell] ?? 0;
  for (let one = from, end = starts[cell + 1] ?? 0; one < end; one += 1) {
    const row = (active[one] ?? 0) * features;
    for (let other = from; other <= one; other += 1) {
      const at = row + (active[other] ?? 0);
      matrix[at] = (matrix[at] ?? 0) + value;
    }
  }
}
