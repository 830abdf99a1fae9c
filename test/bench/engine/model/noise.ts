import { nth, nthDouble } from '../../../../src/lib/nth.ts';
import { median } from '../../../../src/statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../../../src/statistics/robust-scale.ts';
import { addPriors, changeColumn, covarianceOf, deletedResiduals, type Fit, fitOf, type IndexRange, type Regressor } from './fit.ts';
import { type Filter, filterOf, type NoiseShape, type Timing, whiten } from './kalman.ts';
import { factorise, productsOf } from './linear.ts';
import { type DayScale, isCounted, WEEK } from './scale.ts';
import { clearest } from './search.ts';

/** Days that slopes and walks are counted in: a quarter of a year. */
const QUARTER = 91;
/** Carries of shocks that are weighed against each other, with what they are thought to be worth before the values speak. */
const CARRIES = [0, 0.2, 0.4, 0.6, 0.8] as const;
const CARRY_PRIORS = [0.8, 0.1, 0.06, 0.03, 0.01] as const;
/** Standard deviations of the slope of a quarter that are weighed: totals follow the seasons more than rates do. */
const SLOPES = [0.003, 0.01, 0.03, 0.1, 0.3] as const;
const SLOPE_PRIORS = { rate: [0.55, 0.25, 0.12, 0.05, 0.03], total: [0.13, 0.23, 0.31, 0.21, 0.12] } as const;
/** Variance of the walk over that of the slope that it shares. Chosen by hand: no other value was tried. */
const WALK = 0.3;
const USUAL_SLOPE = 0.03;
const USUAL_CARRY = 0.1;
/** Standard deviations beyond which days count less (Huber 1964), and the factor by which that lowers the variance of normal days. */
const FAR = { counted: 2.5, summed: 3.5 };
const LOSS = { counted: 0.9665, summed: 0.9985 };
/** Log units of likelihood by which the strongest change must be likelier than none to be taken out before the noise is learned. */
const CLEARLY = 2;

/** The noise of a daily series, learned from the days before the first one that is judged. */
export interface DayNoise extends NoiseShape {
  /** Prior standard deviation of the slope of a quarter. */
  readonly slopeSd: number;
  /** Degrees of freedom of the estimate of the variance. */
  readonly freedom: number;
  /** Factor of the sampling of the scale, and the variance that the days of each weekday have beyond that of the usual one. */
  readonly ofSampling: number;
  readonly byWeekday: Float64Array;
}

/** The variance that each day has by itself under some noise: by sampling, its weekday, and the doubt about special days. */
export function varianceOfDays(
  { sampling, weekdays }: DayScale,
  { ofSampling, byWeekday }: Pick<DayNoise, 'ofSampling' | 'byWeekday'>,
  doubt: Float64Array,
): Float64Array {
  return sampling.map((value, at) => value * ofSampling + nthDouble(byWeekday, nth(weekdays, at)) + nthDouble(doubt, at));
}

/** A straight slope, as what it makes of a quarter, up to the last long gap. */
export function slopeColumn({ times, block }: Pick<DayScale, 'times' | 'block'>, sd: number): Regressor {
  const first = nthDouble(times, block);
  return { of: 'slope', values: times.map((time) => Math.max(0, time - first) / QUARTER), mean: 0, sd };
}

const walkOf = (slopeSd: number) => (WALK * slopeSd ** 2) / QUARTER;

/** The part of a series that an estimate of the noise sees: the days that teach. */
interface Taught {
  readonly x: Float64Array;
  readonly timing: Timing;
  readonly columns: readonly Regressor[];
  readonly slope: Regressor;
  readonly size: number;
}

interface Forgiven extends Pick<NoiseShape, 'sampling' | 'shock'> {
  /** Days that are taken away by having more variance than others. */
  readonly lost: number;
}

const roughFit = ({ x, timing, columns, slope, size }: Taught, { sampling, shock }: Forgiven): Fit =>
  fitOf(x, timing, [...columns, { ...slope, sd: USUAL_SLOPE }], { sampling, shock, carry: USUAL_CARRY, slow: walkOf(USUAL_SLOPE) }, size);

/**
 * Sampling with more variance for days that lie far off, so that they do not teach that such days are usual. Twice, because far days
 * disturb what the others are measured by.
 */
function forgiving(taught: Taught, start: Forgiven, farthest: number): Forgiven {
  let forgiven = start;
  for (let turn = 0; turn < 2; turn += 1) {
    const added = forgiven.sampling.map((value, at) => value - nthDouble(start.sampling, at)).subarray(0, taught.size);
    const distances = deletedResiduals(roughFit(taught, forgiven), added).map(Math.abs);
    const scale = median(distances.filter((distance) => distance > 0)) / MEDIAN_OF_NORMAL || 1;
    const factors = distances.map((distance) => Math.max(1, distance / (farthest * scale)) ** 4);
    forgiven = {
      shock: start.shock,
      sampling: start.sampling.map((variance, at) => variance + ((factors[at] ?? 1) - 1) * (variance + start.shock)),
      lost: start.lost + factors.reduce((sum, factor) => sum + 1 - 1 / factor, 0),
    };
  }
  return forgiven;
}

/** Standard deviations beyond which a day counts no more for its weekday, and the share of the variance of normal days that this leaves. */
const CUT = 2.5;
/** Variance of the logarithm of such a variance, times the number of its days. */
const CHANCE_OF_SCATTER = 2.6;
/** Times of what chance makes below which weekdays are taken to scatter alike: a scatter that is none makes other days look clear. */
const DOUBT = 3.5;
/** A weekday of fewer days is taken to scatter like all. */
const LEAST_OF_WEEKDAY = 6;

/**
 * How much wider than on the usual weekday the days of each scatter, as a factor of the variance, 1 where they do not: what is usual on a
 * weekend that follows the weather would be an event on a Tuesday. By empirical Bayes: what chance makes of so few days is taken away.
 */
function scatterOfWeekdays(residuals: Float64Array, weekdays: Uint8Array): readonly number[] {
  const variances = Array.from({ length: WEEK }, (_, weekday) => {
    const own = residuals.filter((_value, at) => weekdays[at] === weekday);
    if (own.length < LEAST_OF_WEEKDAY) return 0;
    const far = (CUT * median(own.map(Math.abs))) / MEDIAN_OF_NORMAL;
    return own.reduce((sum, value) => sum + Math.min(Math.abs(value), far) ** 2, 0) / own.length / LOSS.counted;
  });
  if (variances.some((variance) => variance <= 0)) return variances.map(() => 1);
  const logs = variances.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / WEEK;
  const scatter = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (WEEK - 1);
  const kept = Math.max(0, 1 - ((DOUBT * CHANCE_OF_SCATTER * WEEK) / residuals.length / scatter) ** 2);
  const usual = median(logs);
  return logs.map((log) => Math.max(1, Math.exp(kept * (log - usual))));
}

/** How noise is made, and how probable that is, as logarithms up to a constant. */
interface Point {
  readonly carry: number;
  readonly slopeSd: number;
  /** Restricted likelihood (Patterson and Thompson 1971) times the prior. */
  readonly weight: number;
  /** Likelihood at the best coefficients and variance. */
  readonly likelihood: number;
}

/** Weighs all carries and slopes; the scale of the noise is at its best for each. */
function pointsOf({ x, timing, columns, slope, size }: Taught, { sampling, shock, lost }: Forgiven, isTotal: boolean): Point[] {
  const all = [...columns, slope];
  const raw = [...all.map(({ values }) => values), x];
  const white = raw.map(() => new Float64Array(size));
  const width = raw.length;
  const products = new Float64Array(width * width);
  const priors = SLOPE_PRIORS[isTotal ? 'total' : 'rate'];
  const free = columns.filter(({ sd }) => sd === Number.POSITIVE_INFINITY).length;
  const freedom = Math.max(2, size - lost - free);
  let filter: Filter | undefined;
  return CARRIES.flatMap((carry, index) =>
    SLOPES.map((slopeSd, at): Point => {
      filter = filterOf(timing, { sampling, shock, carry, slow: walkOf(slopeSd) }, size, filter);
      for (const [place, column] of raw.entries()) whiten(filter, column, white[place] ?? column);
      productsOf(white, size, products);
      addPriors(products, [...columns, { ...slope, sd: slopeSd }], width);
      const determinant = factorise(products, all.length, width) + 2 * Math.log(slopeSd);
      const squares = Math.log(Math.max(Number.MIN_VALUE, nthDouble(products, width * width - 1)));
      const prior = Math.log(nth(CARRY_PRIORS, index) * nth(priors, at));
      return {
        carry,
        slopeSd,
        weight: prior - (filter.logDeterminant + determinant + freedom * squares) / 2,
        likelihood: prior - (filter.logDeterminant + (freedom + free) * squares) / 2,
      };
    }),
  );
}

/**
 * Means over the grid, weighed by likelihood and prior, so that nothing jumps at a threshold: of the carry by what a shock adds up to over
 * its life (Andrews 1991), which errs less on the side of false alarms.
 */
function weighed(points: readonly Point[]): { carry: number; slopeSd: number } {
  const best = Math.max(...points.map(({ weight }) => weight));
  let [weights, lives, slopes] = [0, 0, 0];
  for (const { carry, slopeSd, weight } of points) {
    const own = Math.exp(weight - best);
    weights += own;
    lives += (own * (1 + carry)) / (1 - carry);
    slopes += own * slopeSd;
  }
  return { carry: (lives - weights) / (lives + weights), slopeSd: slopes / weights };
}

/** The likeliest of step and bump among the days that teach, where the likelihood is clearly for it. */
function withStrongest(taught: Taught, forgiven: Forgiven, isTotal: boolean): { taught: Taught; points: readonly Point[] } {
  const { size, columns } = taught;
  const points = pointsOf(taught, forgiven, isTotal);
  const fit = roughFit(taught, forgiven);
  const places = { from: WEEK, to: size - 2, level: 1 };
  const found = (['step', 'bump'] as const)
    .flatMap((shape) => clearest(fit, { shape, ...places, shortest: WEEK, isCoarse: true }, size) ?? [])
    .toSorted((a, b) => b.score ** 2 - a.score ** 2)[0];
  if (!found || found.score ** 2 / 2 < CLEARLY) return { taught, points };
  const more = { ...taught, columns: [...columns, changeColumn(taught.x.length, found)] };
  const others = pointsOf(more, forgiven, isTotal);
  const likeliest = (of: readonly Point[]) => Math.max(...of.map(({ likelihood }) => likelihood));
  return likeliest(others) > likeliest(points) + CLEARLY + 2 * Math.log(size) ? { taught: more, points: others } : { taught, points };
}

/** Mean square of what the columns leave of the days, over the degrees of freedom that they leave. */
function residualsOf({ x, timing, columns, slope, size }: Taught, noise: NoiseShape, slopeSd: number, lost: number) {
  const fit = fitOf(x, timing, [...columns, { ...slope, sd: slopeSd }], noise, size);
  const left = x.slice(0, size);
  const all = [...columns, slope];
  for (const [place, { values }] of all.entries())
    for (let at = 0; at < size; at += 1) left[at] = nthDouble(left, at) - nthDouble(fit.coefficients, place) * nthDouble(values, at);
  whiten(fit.filter, left, left);
  let squares = 0;
  for (let at = 0; at < size; at += 1) squares += nthDouble(left, at) ** 2;
  const freedom = Math.max(2, size - lost - spentOn(fit, [...columns, { ...slope, sd: slopeSd }]));
  return { squares: squares / freedom, freedom };
}

/** Degrees of freedom that columns take, less than one where a prior holds a coefficient: the trace of C'PC A⁻¹ = I − Λ A⁻¹. */
function spentOn(fit: Fit, columns: readonly Regressor[]): number {
  return columns.reduce((sum, { sd }, at) => {
    if (sd === Number.POSITIVE_INFINITY) return sum + 1;
    const own = new Float64Array(columns.length);
    own[at] = 1;
    return sum + 1 - covarianceOf(fit, own, own) / sd ** 2;
  }, 0);
}

/**
 * Learns the noise of a series from the days before the first one that is judged, `known` changes among them and the strongest other one
 * taken out. `doubt` is the variance that special days have beyond that of others. Carry and slope are weighed means over a grid; the
 * variance is what their fit leaves, never below sampling where sampling is known.
 */
export function learnDayNoise(
  scale: DayScale,
  columns: readonly Regressor[],
  timing: Timing,
  known: readonly IndexRange[],
  { doubt, rough }: { readonly doubt: Float64Array; readonly rough: number },
): DayNoise {
  const { learned, kind, sampling, x } = scale;
  const counted = isCounted(kind);
  const chance = counted ? sampling.subarray(0, learned).reduce((sum, value) => sum + value, 0) / learned : 0;
  const total = Math.max(rough, chance);
  // Of amounts, half of the noise is taken to be sampling: their days are weighed between equally and by their traffic.
  const shock = counted ? Math.max(total - chance, 0.05 * total) : total / 2;
  const chanceOfDay = counted ? sampling : sampling.map((factor) => (factor * total) / 2);
  const past = known.filter(({ from }) => from < learned).map((interval) => changeColumn(x.length, interval));
  const taught: Taught = { x, timing, columns: [...columns, ...past], slope: slopeColumn(scale, USUAL_SLOPE), size: learned };
  const doubtful = { shock, sampling: chanceOfDay.map((variance, at) => variance + nthDouble(doubt, at)), lost: 0 };
  const scatter = scatterOfWeekdays(deletedResiduals(roughFit(taught, doubtful)), scale.weekdays.subarray(0, learned));
  const wide = Float64Array.from(scale.weekdays, (weekday) => (nth(scatter, weekday) - 1) * total);
  const expected = doubtful.sampling.map((variance, at) => variance + nthDouble(wide, at));
  // A day whose own effect is unknown says as little of the noise as one that lies far off.
  let unknown = 0;
  for (let at = 0; at < learned; at += 1) unknown += nthDouble(doubt, at) / (nthDouble(expected, at) + shock);
  const forgiven = forgiving(taught, { sampling: expected, shock, lost: unknown }, FAR[counted ? 'counted' : 'summed']);
  const isTotal = kind === 'count' || kind === 'amount';
  const strongest = withStrongest(taught, forgiven, isTotal);
  const { carry, slopeSd } = weighed(strongest.points);
  const shape = { sampling: forgiven.sampling, shock, carry, slow: walkOf(slopeSd) };
  const left = residualsOf(strongest.taught, shape, slopeSd, forgiven.lost);
  const factor = left.squares / LOSS[counted ? 'counted' : 'summed'];
  const spread = {
    ofSampling: counted ? 1 : (total / 2) * factor,
    byWeekday: Float64Array.from(scatter, (own) => (own - 1) * total * factor),
  };
  return {
    ...spread,
    sampling: varianceOfDays(scale, spread, doubt),
    shock: counted ? Math.max(0, factor * (chance + shock) - chance) : shock * factor,
    carry,
    slow: shape.slow,
    slopeSd,
    freedom: left.freedom,
  };
}
