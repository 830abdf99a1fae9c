import { nthDouble, nthPlace, nthUnsigned } from '../../../lib/nth.ts';
import type { Noise } from './gls.ts';

/** Deviations from what neighbours foretell, in standard deviations, from which a run is an outlier. */
export const OUTLIER = 3;
/** Share of runs up to which they may be outliers. */
const MOST_OUTLIERS = 0.2;
/** Times that all runs are asked at most: the neighbours of an outlier look odd beside it, and those that are left widen the noise. */
const ROUNDS = 8;
/**
 * Runs in a row, and how many of them lie off to the same side, at least by this part, where a run belongs to a level of its own; the more
 * runs resemble each other, the more alike they must be, because slow waves are off together too. Chosen by
 * `npm run bench -- verdicts speed --seed 501`.
 */
const LEVEL = { runs: 6, agreeing: 5, part: 0.5, partByPhi: 0.8 } as const;

/** Whether a run is one of many neighbours that are off to the same side. */
function isOfLevel(x: Float64Array, run: number, phi: number): boolean {
  const least = Math.max(LEVEL.part, LEVEL.partByPhi * phi);
  for (let from = Math.max(0, run - LEVEL.runs + 1); from <= run; from += 1) {
    let alike = 0;
    for (let other = from; other < Math.min(x.length, from + LEVEL.runs); other += 1)
      alike += nthDouble(x, other) / nthDouble(x, run) >= least ? 1 : 0;
    if (alike >= LEVEL.agreeing) return true;
  }
  return false;
}

/** How surely each run is foretold by others, in units of the scatter around the level, and as what. */
interface Foretold {
  readonly precision: Float64Array;
  readonly mean: Float64Array;
}

interface Series {
  /** Deviations from the level as far as it is known. */
  readonly x: Float64Array;
  /** Times of the runs in units of their usual distance. */
  readonly slots: Float64Array;
}

/** Powers of the autocorrelation by the usual gaps. */
const powersOf = (phi: number) => Float64Array.from({ length: 10 }, (_, gap) => phi ** gap);

/** What the nearest usual run on one side foretells of each run; neighbours that are `skipped` are not asked. */
function foretold({ x, slots }: Series, powers: Float64Array, isUsual: Uint8Array, way: 1 | -1, skipped: 0 | 1): Foretold {
  const n = x.length;
  const precision = new Float64Array(n).fill(1);
  const mean = new Float64Array(n);
  const phi = nthDouble(powers, 1);
  for (let step = 1 + skipped, nearest = -1; step < n; step += 1) {
    const run = way === 1 ? step : n - 1 - step;
    const next = run - way * (1 + skipped);
    if (isUsual[next] === 1) nearest = next;
    if (nearest < 0) continue;
    const gap = Math.abs(nthDouble(slots, run) - nthDouble(slots, nearest));
    const rho = powers[gap] ?? phi ** gap;
    precision[run] = 1 / (1 - rho * rho);
    mean[run] = rho * nthDouble(x, nearest);
  }
  return { precision, mean };
}

/** How far each run lies from what both sides foretell, in standard deviations. */
function scoresOf({ x }: Series, { phi, sigma }: Noise, left: Foretold, right: Foretold): Float64Array {
  const sd = sigma / Math.sqrt(1 - phi * phi);
  const scores = new Float64Array(x.length);
  for (let run = 0; run < x.length; run += 1) {
    const ofLeft = nthDouble(left.precision, run);
    const ofRight = nthDouble(right.precision, run);
    const precision = ofLeft + ofRight - 1;
    const mean = (ofLeft * nthDouble(left.mean, run) + ofRight * nthDouble(right.mean, run)) / precision;
    scores[run] = ((nthDouble(x, run) - mean) * Math.sqrt(precision)) / sd;
  }
  return scores;
}

/**
 * Places of the runs that are no outliers: those that lie near to what the nearest usual runs on both sides foretell under autoregressive
 * noise, and those on a level of their own. Two outliers in a row foretell each other, so that each is also asked without the other one.
 */
export function usualRuns(series: Series, start: Int32Array, noiseOf: (places: Int32Array) => Noise): Int32Array {
  const { x } = series;
  let usual = start;
  for (let round = 0; round < ROUNDS; round += 1) {
    const noise = noiseOf(usual);
    const isUsual = new Uint8Array(x.length);
    for (let index = 0; index < usual.length; index += 1) isUsual[nthPlace(usual, index)] = 1;
    const powers = powersOf(noise.phi);
    const sideOf = (way: 1 | -1, skipped: 0 | 1) => foretold(series, powers, isUsual, way, skipped);
    const score = (left: Foretold, right: Foretold) => scoresOf(series, noise, left, right);
    const [before, after] = [sideOf(1, 0), sideOf(-1, 0)];
    const [alone, first, second] = [score(before, after), score(before, sideOf(-1, 1)), score(sideOf(1, 1), after)];
    const isOff = new Uint8Array(x.length);
    for (let run = 0; run < x.length; run += 1) if (Math.abs(nthDouble(alone, run)) >= OUTLIER) isOff[run] = 1;
    for (let run = 1; run < x.length; run += 1) {
      const one = nthDouble(first, run - 1);
      const other = nthDouble(second, run);
      if (one * other > 0 && Math.min(Math.abs(one), Math.abs(other)) >= OUTLIER) isOff.fill(1, run - 1, run + 1);
    }
    const next = placesOf(x, (run) => nthUnsigned(isOff, run) === 0 || isOfLevel(x, run, noise.phi));
    const isSame = next.length === usual.length && next.every((run) => isUsual[run] === 1);
    usual = next;
    if (isSame) break;
  }
  // Where the exceptions are too many, the scatter is as wide as they make it.
  return usual.length < (1 - MOST_OUTLIERS) * x.length ? placesOf(x, () => true) : usual;
}

/** The places of some runs. */
export function placesOf(x: Float64Array, isMeant: (run: number) => boolean): Int32Array {
  const places = new Int32Array(x.length);
  let count = 0;
  for (let run = 0; run < x.length; run += 1) {
    if (!isMeant(run)) continue;
    places[count] = run;
    count += 1;
  }
  return places.slice(0, count);
}
