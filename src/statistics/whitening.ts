import { nthDouble } from '../lib/nth.ts';
/** How whitening treats each run: `own` is its weight, `kept` what is left of a constant at it. */
export interface Weights {
  readonly own: Float64Array;
  readonly kept: Float64Array;
}

/**
 * The weights of exact AR(1) likelihood with gaps: a run `gap` places after the one before is predicted with φ to the power of the gap, and
 * the more surely the nearer it is. The gap of the first run is not read.
 */
export function weightsOf(gaps: Float64Array, phi: number): Weights {
  const own = new Float64Array(gaps.length).fill(1);
  const kept = new Float64Array(gaps.length).fill(1 - phi);
  own[0] = Math.sqrt(1 - phi * phi);
  kept[0] = own[0];
  for (let index = 1; index < gaps.length; index += 1) {
    const gap = nthDouble(gaps, index);
    if (gap === 1) continue;
    const rho = phi ** gap;
    own[index] = Math.sqrt((1 - phi * phi) / (1 - rho * rho));
    kept[index] = nthDouble(own, index) * (1 - rho);
  }
  return { own, kept };
}

/** Subtracts the AR(1) prediction from each value. */
export function whiten(x: Float64Array, { own, kept }: Weights): Float64Array {
  const whitened = new Float64Array(x.length);
  let before = 0;
  for (let index = 0; index < x.length; index += 1) {
    const value = nthDouble(x, index);
    const weight = nthDouble(own, index);
    whitened[index] = weight * value - (weight - nthDouble(kept, index)) * before;
    before = value;
  }
  return whitened;
}

/** Variances of the noise of a series: of sampling by day, of the shocks of days, and how much of a shock the next day keeps. */
export interface NoiseShape {
  /** By day; independent from day to day. */
  readonly sampling: Float64Array;
  readonly shock: number;
  /** Autocorrelation of the shocks from one day to the next, 0 … < 1. */
  readonly carry: number;
}

/**
 * Turns noise of a given shape into independent noise of variance 1: a lower triangular matrix W with W'W the inverse of its covariance.
 */
export interface Whitener {
  /** W times a column, in place; rows after the last day stay. Returns the column. */
  readonly apply: (column: Float64Array) => Float64Array;
  /** W' times a column, in place; rows after the last day stay. Returns the column. */
  readonly applyTransposed: (column: Float64Array) => Float64Array;
  /** Sums of the members of W'W over the rows and columns from one on, by how many they are. */
  readonly precisionsFrom: (from: number) => Float64Array;
  /** Logarithm of the determinant of the covariance. */
  readonly logDeterminant: number;
}

/**
 * The innovations of a scalar Kalman filter over their standard deviations (Harvey 1989, 3.4): the shocks are an autoregression of order 1,
 * seen through the noise of sampling. Days that are missing let the shock decay.
 */
export function whitenerOf(times: Float64Array, { sampling, shock, carry }: NoiseShape): Whitener {
  const size = times.length;
  // The prediction for a day is `kept` × the prediction for the day before + `taken` × its value.
  const scales = new Float64Array(size);
  const kept = new Float64Array(size);
  const taken = new Float64Array(size);
  let variance = shock;
  let logDeterminant = 0;
  for (let at = 0; at < size; at += 1) {
    const total = variance + nthDouble(sampling, at);
    const gain = variance / total;
    const decay = at + 1 < size ? carry ** (nthDouble(times, at + 1) - nthDouble(times, at)) : 0;
    scales[at] = 1 / Math.sqrt(total);
    kept[at] = decay * (1 - gain);
    taken[at] = decay * gain;
    logDeterminant += Math.log(total);
    variance = decay ** 2 * variance * (1 - gain) + shock * (1 - decay ** 2);
  }
  // Computed where intervals are asked for; the rows lie one behind the other.
  let energies: Float64Array | undefined;
  let cells: Float64Array | undefined;
  const rows: (Float64Array | undefined)[] = [];
  const before = (length: number) => (length * (length - 1)) / 2;
  function rowFrom(from: number, ofStates: Float64Array): Float64Array {
    const length = size + 1 - from;
    cells ??= new Float64Array(before(size + 2));
    const row = cells.subarray(before(length), before(length + 1));
    let [state, squares] = [0, 0];
    for (let at = from; at < size; at += 1) {
      squares += ((1 - state) * nthDouble(scales, at)) ** 2;
      state = nthDouble(kept, at) * state + nthDouble(taken, at);
      row[at + 1 - from] = squares + state ** 2 * nthDouble(ofStates, at + 1);
    }
    return row;
  }
  return {
    logDeterminant,
    apply(column) {
      let state = 0;
      for (let at = 0; at < size; at += 1) {
        const value = nthDouble(column, at);
        column[at] = (value - state) * nthDouble(scales, at);
        state = nthDouble(kept, at) * state + nthDouble(taken, at) * value;
      }
      return column;
    },
    applyTransposed(column) {
      let state = 0;
      for (let at = size - 1; at >= 0; at -= 1) {
        const scaled = nthDouble(column, at) * nthDouble(scales, at);
        column[at] = scaled + nthDouble(taken, at) * state;
        state = nthDouble(kept, at) * state - scaled;
      }
      return column;
    },
    precisionsFrom: (from) => (rows[from] ??= rowFrom(from, (energies ??= energiesOf(scales, kept)))),
  };
}

/** The sum of the squares that a state of 1 on each day leaves in the innovations from there on. */
function energiesOf(scales: Float64Array, kept: Float64Array): Float64Array {
  const energies = new Float64Array(scales.length + 1);
  for (let at = scales.length - 1; at >= 0; at -= 1)
    energies[at] = nthDouble(scales, at) ** 2 + nthDouble(kept, at) ** 2 * nthDouble(energies, at + 1);
  return energies;
}
