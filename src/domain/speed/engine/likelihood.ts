import { eliminate } from '../../statistics/elimination.ts';
import { weightsOf, whiten } from '../../statistics/whitening.ts';
import { type Frame, HIGHEST_PHI, type Noise, type Part } from './parts.ts';

/** The input of whitening: the series freed of its cycle, the time of each run in days, the gaps before the runs. */
export interface Runs {
  readonly x: Float64Array;
  readonly days: Float64Array;
  readonly gaps: Float64Array;
  /** Least standard deviation, log scale. */
  readonly floor: number;
}

/** Whitens the series and its regressors. */
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

/**
 * Sums of products over the runs that follow another at one distance: of both, of the later with the earlier, of the earlier alone. These
 * are symmetric; what lies above the diagonal stays 0.
 */
interface GapSums {
  readonly gap: number;
  runs: number;
  readonly later: Float64Array;
  readonly mixed: Float64Array;
  readonly earlier: Float64Array;
}

/** All that the likelihood of a series with any of these parts depends on, whatever the autocorrelation. */
export interface Sums {
  /** Of the level, the parts and the series, in this order. */
  readonly size: number;
  readonly byGap: readonly GapSums[];
  readonly runs: number;
  readonly floor: number;
}

function columnsOf({ x, days }: Runs, parts: readonly Part[]): Float64Array[] {
  const ofParts = parts.map((part) => {
    if (part.kind === 'line') return days;
    return new Float64Array(x.length).fill(1, part.from, part.kind === 'bump' ? part.to : x.length);
  });
  return [new Float64Array(x.length).fill(1), ...ofParts, x];
}

/** Reads a series once for all likelihoods of these parts. The first run has the gap 0. */
export function sumsOf(runs: Runs, parts: readonly Part[]): Sums {
  const columns = columnsOf(runs, parts);
  const size = columns.length;
  const byGap = new Map<number, GapSums>();
  const [now, before] = [new Float64Array(size), new Float64Array(size)];
  for (let index = 0; index < runs.x.length; index += 1) {
    const gap = index === 0 ? 0 : (runs.gaps[index] ?? 1);
    let sums = byGap.get(gap);
    if (!sums) {
      sums = {
        gap,
        runs: 0,
        later: new Float64Array(size * size),
        mixed: new Float64Array(size * size),
        earlier: new Float64Array(size * size),
      };
      byGap.set(gap, sums);
    }
    sums.runs += 1;
    const { later, mixed, earlier } = sums;
    before.set(now);
    for (let column = 0; column < size; column += 1) now[column] = columns[column]?.[index] ?? 0;
    for (let row = 0; row < size; row += 1) {
      const mine = now[row] ?? 0;
      const past = before[row] ?? 0;
      for (let column = 0, cell = row * size; column <= row; column += 1, cell += 1) {
        later[cell] = (later[cell] ?? 0) + mine * (now[column] ?? 0);
        mixed[cell] = (mixed[cell] ?? 0) + mine * (before[column] ?? 0) + past * (now[column] ?? 0);
        earlier[cell] = (earlier[cell] ?? 0) + past * (before[column] ?? 0);
      }
    }
  }
  return { size, byGap: [...byGap.values()], runs: runs.x.length, floor: runs.floor };
}

interface Point {
  readonly phi: number;
  readonly squares: number;
  readonly restricted: number;
  readonly deviance: number;
}

/** The likelihood at one autocorrelation, of the columns at `used`: the last one is the series, the others are fitted to it. */
function pointAt({ size, byGap, runs, floor }: Sums, used: readonly number[], phi: number): Point {
  const count = used.length;
  const gram = Array.from({ length: count }, () => new Float64Array(count));
  let ofWeights = 0;
  for (const { gap, runs: many, later, mixed, earlier } of byGap) {
    const rho = gap === 0 ? 0 : phi ** gap;
    const weight = (1 - phi * phi) / (1 - rho * rho);
    ofWeights -= many * Math.log(weight);
    for (const [row, line] of gram.entries())
      for (let column = 0; column <= row; column += 1) {
        const cell = (used[row] ?? 0) * size + (used[column] ?? 0);
        line[column] = (line[column] ?? 0) + weight * ((later[cell] ?? 0) - rho * (mixed[cell] ?? 0) + rho * rho * (earlier[cell] ?? 0));
      }
  }
  const logDeterminant = eliminate(gram);
  const squares = Math.max(0, gram[count - 1]?.[count - 1] ?? 0);
  const [least, free] = [floor * floor, Math.max(1, runs - count + 1)];
  return {
    phi,
    squares,
    restricted: free * Math.log(Math.max(least, squares / free)) + logDeterminant + ofWeights,
    deviance: runs * Math.log(Math.max(least, squares / runs)) + ofWeights,
  };
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
const ROUNDS = 14;
/** Standard errors that the autocorrelation may be higher by: three in long series, more where it is known badly. */
const phiErrors = (runs: number) => Math.max(3, 300 / runs);

/**
 * The autocorrelation by restricted maximum likelihood (Patterson and Thompson 1971), which takes into account what the levels have
 * been fitted to, and the likelihood at it. `without` leaves out one of the parts; the autocorrelation is looked for up to `highestPhi`.
 */
export function likelihoodOf(sums: Sums, without = -1, highestPhi = HIGHEST_PHI): Likelihood {
  const used = Array.from({ length: sums.size }, (_, column) => column).filter((column) => column !== without + 1 || without < 0);
  const at = (phi: number) => pointAt(sums, used, phi);
  let [low, high] = [0, Math.min(HIGHEST_PHI, highestPhi)];
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
  const free = Math.max(1, sums.runs - used.length + 1);
  return { noise: { phi: best.phi, sigma: Math.sqrt(Math.max(sums.floor ** 2, best.squares / free)) }, deviance: best.deviance };
}

/**
 * By how much a part lowers the deviance. Without it the autocorrelation is estimated anew, because slow waves and changes of level
 * explain each other, but no higher than the series with the part leaves possible: a confidence set for the nuisance parameter, as in
 * Berger and Boos (1994).
 */
export function gainOfPart(sums: Sums, index: number, whole: Likelihood): { gain: number; phi: number } {
  const { phi } = whole.noise;
  const without = likelihoodOf(sums, index, phi + phiErrors(sums.runs) * Math.sqrt((1 - phi * phi) / sums.runs));
  return { gain: without.deviance - whole.deviance, phi: without.noise.phi };
}
