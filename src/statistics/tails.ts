/** The two-sided 95 % of the standard normal, to the two decimals in which intervals are usually given. */
export const Z_95 = 1.96;
/** The two-sided 99 % of the standard normal. */
export const Z_99 = 2.5758;

/**
 * Logarithm of the probability that a standard normal lies farther from 0 than this (erfc by Chebyshev, 1.2e-7; Press et al. 2007, 6.2).
 */
export function logTail(score: number): number {
  const x = Math.abs(score) / Math.SQRT2;
  const t = 2 / (2 + x);
  const polynomial =
    -1.26551223 +
    t *
      (1.00002368 +
        t *
          (0.37409196 +
            t *
              (0.09678418 +
                t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
  return Math.log(t) - x * x + polynomial;
}

/** The probability that a standard normal lies as far from 0 as this, or farther. */
export function tailOf(score: number): number {
  return Math.min(1, Math.exp(logTail(score)));
}

/** The standard normal, at least 0, beyond which so much of the probability lies either way; the inverse of `logTail`. */
export function scoreOfTail(logP: number): number {
  let [low, high] = [0, 40];
  for (let round = 0; round < 50; round += 1) {
    const middle = (low + high) / 2;
    [low, high] = logTail(middle) > logP ? [middle, high] : [low, middle];
  }
  return low;
}

/** The standard normal that is as improbable as a value of Student's t (Wallace 1959). */
export function normalOf(t: number, freedom: number): number {
  return ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p(t ** 2 / freedom)) * Math.sign(t);
}

/** The value of Student's t for a standard normal; the inverse of `normalOf`. */
export function studentOf(z: number, freedom: number): number {
  const scaled = (z * (8 * freedom + 3)) / (8 * freedom + 1);
  return Math.sqrt(freedom * Math.expm1(scaled ** 2 / freedom)) * Math.sign(z);
}

/** Logarithm of the probability that the largest of `count` independent scores lies as far out (Šidák 1967). */
export function logOfLargest(score: number, count: number): number {
  const single = logTail(score);
  const bound = Math.log(count) + single;
  return bound < -7 ? bound : Math.log(-Math.expm1(count * Math.log1p(-Math.min(1 - 1e-12, Math.exp(single)))));
}

/** Sums of money and time have tails like a Pareto distribution with about this index. */
const PARETO = 2.5;

/**
 * Logarithm of the probability that a single very large event, as an order of a hundred usual ones, lifts a sum of `events` by this share:
 * days of few orders have such outliers in nature.
 */
export function logOfLarge(events: number, share: number): number {
  return Math.min(0, Math.log(events) - PARETO * Math.log1p(share * events));
}

/** The share by which a single very large event lifts a sum of `events` with this probability; the inverse of `logOfLarge`. */
export const largeShare = (events: number, chance: number): number => ((events / chance) ** (1 / PARETO) - 1) / events;

/** Logarithm of the probability of at most `seen` events where `mean` are expected: Poisson, of `trials` binomial. */
export function logOfAtMost(seen: number, mean: number, trials?: number): number {
  const chance = trials === undefined ? 0 : Math.min(0.99, mean / trials);
  let log = trials === undefined ? -mean : trials * Math.log1p(-chance);
  let sum = 1;
  let term = 1;
  for (let count = 0; count < Math.round(seen); count += 1) {
    term *= trials === undefined ? mean / (count + 1) : ((trials - count) / (count + 1)) * (chance / (1 - chance));
    sum += term;
    if (sum > 1e200) [sum, term, log] = [sum / 1e200, term / 1e200, log + 200 * Math.LN10];
  }
  return Math.min(0, log + Math.log(sum));
}
