import { nth, nthDouble } from '../../../../src/lib/nth.ts';
import { ascending, median } from '../../../../src/statistics/order.ts';
import type { LocalTimes } from './calendar.ts';
import { addPriors, type Regressor } from './fit.ts';
import { type Filter, filterOf, type NoiseShape, sharingDays, type Timing, whiten } from './kalman.ts';
import { factorise, productsOf } from './linear.ts';

/** Runs of one metric on the log scale. */
export interface RunScale {
  /** Logarithms of the values (plus `offset`) in parts of `middle`. */
  readonly logs: Float64Array;
  readonly offset: number;
  readonly middle: number;
  readonly timing: Timing;
  /** Time of each run in days, centred. */
  readonly days: Float64Array;
  readonly local: LocalTimes;
  /** Least standard deviation that is believed. */
  readonly floor: number;
}

const DAY_MS = 86_400_000;
/** A deviation has died out after this many runs. */
const LONGEST_GAP = 200;
/** Logarithms are multiples of this: what rounding adds to a value in another unit then decides nothing. */
const GRAIN = 2 ** -36;

/** The smallest change that counts; both limits must be reached. */
export interface LeastChange {
  /** 0.05 for 5 %. */
  readonly relative: number;
  /** In the unit of the metric. */
  readonly absolute: number;
}

/**
 * The offset of all values before their logarithm is taken: the smallest difference that counts, where values reach down to it. It keeps
 * zeros finite and differences that do not matter small.
 */
function logOffset(values: ArrayLike<number>, absolute: number): number {
  const sorted = ascending(values);
  const [least, largest] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  if (least > absolute && least > 0) return 0;
  return Math.max(absolute, largest * 1e-3, Number.MIN_VALUE) - Math.min(0, least);
}

/** Brings runs, oldest first, onto the log scale; times count the usual distance of two runs. */
export function scaleRuns(dates: ArrayLike<number>, values: ArrayLike<number>, local: LocalTimes, least: LeastChange): RunScale {
  const offset = logOffset(values, least.absolute);
  const middle = median(values) + offset;
  const gaps = Float64Array.from({ length: dates.length - 1 }, (_, at) => nth(dates, at + 1) - nth(dates, at));
  const usualMs = median(gaps);
  const times = new Float64Array(dates.length);
  for (const [at, gap] of gaps.entries())
    times[at + 1] = nthDouble(times, at) + Math.min(LONGEST_GAP, Math.max(1, Math.round(gap / usualMs)));
  const centre = (nth(dates, 0) + nth(dates, dates.length - 1)) / 2;
  return {
    logs: Float64Array.from(values, (value) => Math.round(Math.log((value + offset) / middle) / GRAIN) * GRAIN),
    offset,
    middle,
    timing: sharingDays(times, local.day),
    days: Float64Array.from(dates, (date) => (date - centre) / DAY_MS),
    local,
    floor: Math.log1p(least.relative) / 8,
  };
}

/** Variance of a run that lies far off, in variances of a run: it says as good as nothing. */
const FAR_VARIANCE = 1e3;

/** How runs scatter: the share of their variance that their days have in common, and the correlation of a run with the next one. */
interface Shares {
  readonly phi: number;
  readonly ofDays: number;
}

/** Noise and how likely it is. */
export interface Likely extends Shares {
  /** −2 × the logarithm of the restricted likelihood and of the likelihood, up to a constant. */
  readonly restricted: number;
  readonly deviance: number;
  /** Variance of a run. */
  readonly variance: number;
}

/** The numbers that likelihoods are computed from, with the arrays that all of them use. */
export interface Sample {
  readonly x: Float64Array;
  readonly timing: Timing;
  readonly columns: readonly Regressor[];
  readonly isFar: Uint8Array;
  readonly floor: number;
}

/** A likelihood for the noise of runs around some columns. */
function likelihoodsOf({ x, timing, columns, isFar, floor }: Sample): (shares: Shares) => Likely {
  const size = x.length;
  const raw = [...columns.map(({ values }) => values), x];
  const white = raw.map(() => new Float64Array(size));
  const products = new Float64Array(raw.length ** 2);
  const sampling = Float64Array.from(isFar, (far) => far * FAR_VARIANCE);
  const count = size - isFar.reduce((sum, far) => sum + far, 0);
  const free = Math.max(1, count - columns.length);
  let filter: Filter | undefined;
  return ({ phi, ofDays }) => {
    filter = filterOf(timing, { sampling, shock: 1 - ofDays, carry: phi, slow: ofDays }, size, filter);
    for (const [at, column] of raw.entries()) whiten(filter, column, white[at] ?? column);
    productsOf(white, size, products);
    addPriors(products, columns, raw.length);
    const determinant = factorise(products, columns.length, raw.length);
    const squares = nthDouble(products, raw.length ** 2 - 1);
    const least = floor ** 2;
    return {
      phi,
      ofDays,
      restricted: filter.logDeterminant + determinant + free * Math.log(Math.max(least, squares / free)),
      deviance: filter.logDeterminant + count * Math.log(Math.max(least, squares / count)),
      variance: Math.max(least, squares / free),
    };
  };
}

/** Highest autocorrelation that is estimated: above it a level and noise look alike. */
export const HIGHEST_PHI = 0.97;
/** Autocorrelations that are tried first, and the width of the parabolas around the best one, in atanh. */
const PHIS = [0.1, 0.4, 0.65, 0.85, 0.95];
const WIDTH = 0.25;
/** Shares of days that are tried. */
const SHARES = [0, 0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6];
const FIRST_SHARES = [0.06, 0.2, 0.45];
/** Deviance by which a share of days must be likelier than none. */
const DAYS_NEEDED = 2;

/** The least of a function of atanh φ near a start, by a parabola through three points, moved until the middle one is the lowest. */
function bestPhi(at: (shares: Shares) => Likely, start: Likely, highest: number): Likely {
  const top = Math.atanh(highest);
  const valueAt = (place: number) => at({ phi: Math.tanh(Math.max(0, Math.min(top, place))), ofDays: start.ofDays });
  let middle = start;
  let place = Math.atanh(start.phi);
  let [low, high] = [valueAt(place - WIDTH), valueAt(place + WIDTH)];
  for (let round = 0; round < 8 && Math.min(low.restricted, high.restricted) < middle.restricted; round += 1) {
    if (low.restricted < high.restricted) {
      [high, middle] = [middle, low];
      place = Math.atanh(middle.phi);
      low = valueAt(place - WIDTH);
    } else {
      [low, middle] = [middle, high];
      place = Math.atanh(middle.phi);
      high = valueAt(place + WIDTH);
    }
  }
  const bend = low.restricted + high.restricted - 2 * middle.restricted;
  if (!(bend > 0) || low.phi >= middle.phi || high.phi <= middle.phi) return middle;
  const found = valueAt(place + (WIDTH * (low.restricted - high.restricted)) / 2 / bend);
  return found.restricted < middle.restricted ? found : middle;
}

/** The likeliest of the shares of days around the one of a start, moved until its neighbours are less likely. */
function bestShare(at: (shares: Shares) => Likely, start: Likely): Likely {
  let place = SHARES.findLastIndex((share) => share <= start.ofDays);
  let best = start;
  for (const step of [1, -1]) {
    for (let next = SHARES[place + step]; next !== undefined; next = SHARES[place + step]) {
      const found = at({ phi: best.phi, ofDays: next });
      if (found.restricted >= best.restricted) break;
      best = found;
      place += step;
    }
    if (best !== start) break;
  }
  return best;
}

/** The noise that is likeliest around some columns, from a start or from a coarse grid. */
export function learnRunNoise(sample: Sample, hasDays: boolean, start?: Shares, highest = HIGHEST_PHI): Likely {
  const at = likelihoodsOf(sample);
  const least = (all: readonly Likely[]) => all.toSorted((a, b) => a.restricted - b.restricted)[0] as Likely; // of lists that hold one
  const first = start
    ? at({ ...start, phi: Math.min(start.phi, highest) })
    : least(PHIS.filter((phi) => phi < highest).map((phi) => at({ phi, ofDays: 0 })));
  const alone = bestPhi(at, first, highest);
  if (!hasDays) return alone;
  const jumped = start ? alone : least([alone, ...FIRST_SHARES.map((ofDays) => at({ phi: alone.phi, ofDays }))]);
  const shared = bestShare(at, jumped);
  const best = shared === alone ? alone : bestPhi(at, shared, highest);
  if (best.ofDays === 0) return best;
  const none = alone.ofDays === 0 ? alone : bestPhi(at, at({ phi: best.phi, ofDays: 0 }), highest);
  return best.restricted < none.restricted - DAYS_NEEDED ? best : none;
}

/** The variances of the parts of some noise, by run. */
export const shapeOf = ({ phi, ofDays, variance }: Likely, isFar: Uint8Array): NoiseShape => ({
  sampling: Float64Array.from(isFar, (far) => far * FAR_VARIANCE * variance),
  shock: (1 - ofDays) * variance,
  carry: phi,
  slow: ofDays * variance,
});
