import { HIGHEST_PHI, type Noise, weightsOf, whiten } from './noise.ts';
import { type Fit, type Frame, fitParts, type Part } from './parts.ts';

/** What whitening needs: the series freed of its cycle, the time of each run in days, the gaps before the runs. */
export interface Runs {
  readonly x: Float64Array;
  readonly days: Float64Array;
  readonly gaps: Float64Array;
  /** Least standard deviation, log scale. */
  readonly floor: number;
}

/** Whitens a series and what it is held against. */
export function frameOf({ x, days, gaps }: Runs, { phi, sigma }: Noise): Frame {
  const weights = weightsOf(gaps, phi);
  const later = new Float64Array(x.length + 2);
  for (let place = x.length - 1; place >= 0; place -= 1) later[place] = (later[place + 1] ?? 0) + (weights.kept[place] ?? 0) ** 2;
  return { sigma, weights, series: whiten(x, weights), line: whiten(days, weights), later };
}

/** Parts with the noise that makes them likeliest. */
export interface Likelihood {
  readonly noise: Noise;
  /** −2 × the logarithm of the likelihood, up to a constant. */
  readonly deviance: number;
}

const squaresOf = ({ residual }: Fit) => residual.reduce((sum, value) => sum + value * value, 0);
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const ROUNDS = 10;

/**
 * The autocorrelation by restricted maximum likelihood (Patterson and Thompson 1971), which takes into account what the levels have
 * been fitted to, and the likelihood at it.
 */
export function likelihoodOf(runs: Runs, parts: readonly Part[]): Likelihood {
  const n = runs.x.length;
  const free = Math.max(1, n - parts.length - 1);
  const least = runs.floor ** 2;
  function at(phi: number) {
    const frame = frameOf(runs, { phi, sigma: 1 });
    const fit = fitParts(frame, parts);
    const squares = squaresOf(fit);
    const ofWeights = frame.weights.own.reduce((sum, weight) => sum - 2 * Math.log(weight), 0);
    return {
      phi,
      squares,
      restricted: free * Math.log(Math.max(least, squares / free)) + fit.logDeterminant + ofWeights,
      deviance: n * Math.log(Math.max(least, squares / n)) + ofWeights,
    };
  }
  let [low, high] = [0, HIGHEST_PHI];
  let [left, right] = [at(high - GOLDEN * (high - low)), at(low + GOLDEN * (high - low))];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (left.restricted < right.restricted) {
      high = right.phi;
      right = left;
      left = at(high - GOLDEN * (high - low));
    } else {
      low = left.phi;
      left = right;
      right = at(low + GOLDEN * (high - low));
    }
  }
  const best = left.restricted < right.restricted ? left : right;
  return { noise: { phi: best.phi, sigma: Math.sqrt(Math.max(least, best.squares / free)) }, deviance: best.deviance };
}
