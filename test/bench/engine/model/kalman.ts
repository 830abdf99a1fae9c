import { nthDouble } from '../../../../src/lib/nth.ts';

/**
 * When the values of a series were taken, in units in which a shock dies out, and how the slow part of its noise goes on from each value to
 * the next: how much is kept, and how much variance is added, in units of its variance. The last value leads nowhere.
 */
export interface Timing {
  readonly times: Float64Array;
  readonly kept: Float64Array;
  readonly added: Float64Array;
  /** Variance of the slow part at the first value. */
  readonly first: number;
}

/** Part of the level of a local day that the next day keeps; no other value was tried. */
const KEPT_BY_NEXT_DAY = 0.5;

/** Daily values, whose level walks: its variance grows by one unit a day. The level of the first day is left to a column. */
export function walking(times: Float64Array): Timing {
  const added = times.map((time, at) => (times[at + 1] ?? time) - time);
  return { times, kept: new Float64Array(times.length).fill(1), added, first: 0 };
}

/** Runs at whole units of time, of which those of one local day share a level; `days` are numbers of days. */
export function sharingDays(times: Float64Array, days: ArrayLike<number>): Timing {
  const kept = times.map((_, at) => KEPT_BY_NEXT_DAY ** ((days[at + 1] ?? days[at] ?? 0) - (days[at] ?? 0)));
  return { times, kept, added: kept.map((value) => 1 - value * value), first: 1 };
}

/** The variances of the parts of the noise of a series. */
export interface NoiseShape {
  /** Of each value by itself, as by counting; infinite where the value is missing. */
  readonly sampling: Float64Array;
  /** Of shocks, which decay by `carry` a unit of time (an Ornstein–Uhlenbeck process). */
  readonly shock: number;
  readonly carry: number;
  /** Of the slow part, in the units of the timing. */
  readonly slow: number;
}

/**
 * A matrix W, lower triangular, with W'W the inverse of the covariance of the noise: the innovations of a Kalman filter with two states
 * over their standard deviations (Harvey 1989, 3.4). The members are what the filter does at each value.
 */
export interface Filter {
  readonly size: number;
  readonly scale: Float64Array;
  readonly shockGain: Float64Array;
  readonly slowGain: Float64Array;
  readonly shockKept: Float64Array;
  readonly slowKept: Float64Array;
  /** Logarithm of the determinant of the covariance. */
  readonly logDeterminant: number;
}

/** The filter of some noise on the first `size` values; `into` is a filter of as many whose arrays may be overwritten. */
export function filterOf({ times, kept, added, first }: Timing, noise: NoiseShape, size = times.length, into?: Filter): Filter {
  const { sampling, shock, carry, slow } = noise;
  const [scale, shockGain, slowGain, shockKept, slowKept] = into
    ? [into.scale, into.shockGain, into.slowGain, into.shockKept, into.slowKept]
    : [new Float64Array(size), new Float64Array(size), new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  let ofShock = shock;
  let shared = 0;
  let ofSlow = slow * first;
  let gap = 1;
  let decay = carry;
  let logDeterminant = 0;
  let product = 1;
  for (let at = 0; at < size; at += 1) {
    const withShock = ofShock + shared;
    const withSlow = shared + ofSlow;
    const own = nthDouble(sampling, at);
    const total = withShock + withSlow + own;
    const isMissing = own === Number.POSITIVE_INFINITY;
    const one = isMissing ? 0 : withShock / total;
    const other = isMissing ? 0 : withSlow / total;
    const next = at + 1 < size ? nthDouble(times, at + 1) - nthDouble(times, at) : gap;
    if (next !== gap) {
      gap = next;
      decay = carry ** next;
    }
    const stays = nthDouble(kept, at);
    scale[at] = isMissing ? 0 : 1 / Math.sqrt(total);
    shockGain[at] = one;
    slowGain[at] = other;
    shockKept[at] = decay;
    slowKept[at] = stays;
    // One logarithm for many factors, as far as their product can be held.
    if (!isMissing) product *= total;
    if (product > 1e100 || product < 1e-100) {
      logDeterminant += Math.log(product);
      product = 1;
    }
    ofShock = decay * decay * (ofShock - one * withShock) + shock * (1 - decay * decay);
    shared = decay * stays * (shared - one * withSlow);
    ofSlow = stays * stays * (ofSlow - other * withSlow) + slow * nthDouble(added, at);
  }
  return { size, scale, shockGain, slowGain, shockKept, slowKept, logDeterminant: logDeterminant + Math.log(product) };
}

/** W times a column; both may be one array. */
export function whiten({ size, scale, shockGain, slowGain, shockKept, slowKept }: Filter, column: Float64Array, into: Float64Array): void {
  let [shock, slow] = [0, 0];
  for (let at = 0; at < size; at += 1) {
    const left = nthDouble(column, at) - shock - slow;
    into[at] = left * nthDouble(scale, at);
    shock = nthDouble(shockKept, at) * (shock + nthDouble(shockGain, at) * left);
    slow = nthDouble(slowKept, at) * (slow + nthDouble(slowGain, at) * left);
  }
}

/** W' times a column; both may be one array. */
export function whitenBack(filter: Filter, column: Float64Array, into: Float64Array): void {
  const { size, scale, shockGain, slowGain, shockKept, slowKept } = filter;
  let [ofShock, ofSlow] = [0, 0];
  for (let at = size - 1; at >= 0; at -= 1) {
    const shock = nthDouble(shockKept, at) * ofShock;
    const slow = nthDouble(slowKept, at) * ofSlow;
    const left = nthDouble(scale, at) * nthDouble(column, at) + nthDouble(shockGain, at) * shock + nthDouble(slowGain, at) * slow;
    into[at] = left;
    ofShock = shock - left;
    ofSlow = slow - left;
  }
}

/**
 * The whitened steps from each value to the end: the square of their length, and its change by what the filter expects of the
 * shock and of the slow part there, with which steps that began before come along.
 */
export interface StepEnergies {
  readonly own: Float64Array;
  readonly byShock: Float64Array;
  readonly bySlow: Float64Array;
}

/** The energies of all steps, by one recursion from the end: the quadratic form of (shock, slow part, 1) from each value on. */
export function stepEnergies({ size, scale, shockGain, slowGain, shockKept, slowKept }: Filter): StepEnergies {
  const [own, byShock, bySlow] = [new Float64Array(size + 1), new Float64Array(size + 1), new Float64Array(size + 1)];
  let ss = 0;
  let sw = 0;
  let ww = 0;
  let s1 = 0;
  let w1 = 0;
  let one = 0;
  for (let at = size - 1; at >= 0; at -= 1) {
    const weight = nthDouble(scale, at) ** 2;
    // What of (shock, slow part, 1) here is in the shock and in the slow part of the next value.
    const c = nthDouble(shockKept, at) * nthDouble(shockGain, at);
    const a = nthDouble(shockKept, at) - c;
    const h = nthDouble(slowKept, at) * nthDouble(slowGain, at);
    const e = nthDouble(slowKept, at) - h;
    // The form of the next value times each of the three columns (a, −h), (−c, e), (c, h, 1).
    const pa = ss * a - sw * h;
    const pb = sw * e - ss * c;
    const pc = ss * c + sw * h + s1;
    const qa = sw * a - ww * h;
    const qb = ww * e - sw * c;
    const qc = sw * c + ww * h + w1;
    one += weight + c * pc + h * qc + s1 * c + w1 * h;
    ss = weight + a * pa - h * qa;
    sw = weight + a * pb - h * qb;
    ww = weight + e * qb - c * pb;
    s1 = a * pc - h * qc - weight;
    w1 = e * qc - c * pc - weight;
    own[at] = one;
    byShock[at] = s1;
    bySlow[at] = w1;
  }
  return { own, byShock, bySlow };
}
