import { seeded } from '../random.ts';
import type { World } from './worlds.ts';

/** What the reference sees in a world: the strongest step. */
export interface OracleView {
  /** Largest likelihood ratio of a step against none, as a standard score with its sign. */
  readonly z: number;
  /** Place of the first run since the step. */
  readonly at: number;
  /** Likelihood ratio of an even drift against none, as a standard score. */
  readonly driftZ: number;
}

/**
 * Likelihood-ratio scan for one step by somebody who knows the noise, its correlation, the cycle and which runs are outliers:
 * generalised least squares with exact AR(1) weights, gaps of left-out runs included; only the level and the step are unknown.
 */
export function oracleScan(deviations: ArrayLike<number>, places: ArrayLike<number>, { noise, ar }: { noise: number; ar: number }): OracleView {
  const n = deviations.length;
  const [y, one, rho] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const line = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    const r = i === 0 ? 0 : ar ** ((places[i] ?? 0) - (places[i - 1] ?? 0));
    const sd = noise * Math.sqrt(1 - r * r);
    const before = i === 0 ? 0 : 1;
    y[i] = ((deviations[i] ?? 0) - r * before * (deviations[i - 1] ?? 0)) / sd;
    one[i] = (1 - r * before) / sd;
    line[i] = ((places[i] ?? 0) - r * before * (places[i - 1] ?? 0)) / sd;
    rho[i] = 1 / sd;
  }
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  const [yy1, o11] = [dot(y, one), dot(one, one)];
  const [ll, l1, ly] = [dot(line, line), dot(line, one), dot(line, y)];
  const driftZ = (ly - (l1 * yy1) / o11) / Math.sqrt(ll - (l1 * l1) / o11);
  let [best, at] = [0, 0];
  // Sums over the runs after the first one since the step, which weigh alike in the step and in the level.
  let [sy, s1] = [0, 0];
  for (let k = n - 1; k >= 1; k -= 1) {
    const first = rho[k] ?? 0;
    const num = sy + first * (y[k] ?? 0);
    const cross = s1 + first * (one[k] ?? 0);
    const own = s1 + first * first;
    const z = (num - (cross * yy1) / o11) / Math.sqrt(Math.max(1e-12, own - (cross * cross) / o11));
    if (Math.abs(z) > Math.abs(best)) [best, at] = [z, k];
    sy += (one[k] ?? 0) * (y[k] ?? 0);
    s1 += (one[k] ?? 0) ** 2;
  }
  return { z: best, at, driftZ };
}

/** The scan of a generated world, with places counted in its runs. */
export function oracleView({ values, cycle, isOutlier, nature, dates }: World): OracleView {
  const kept = values.map((_, i) => i).filter((i) => isOutlier[i] === 0);
  const deviations = kept.map((i) => Math.log(values[i] ?? 1) - (cycle[i] ?? 0));
  const places = kept.map((i) => Math.round(((dates[i] ?? 0) - (dates[0] ?? 0)) / nature.cadenceMs));
  const view = oracleScan(deviations, places, nature);
  return { ...view, at: kept[view.at] ?? 0 };
}

const limits = new Map<string, number>();

/** The score that a share `alpha` of worlds without a step reaches, by 3,000 draws of the reference's own model. */
export function oracleLimit(n: number, { ar, outliers }: { ar: number; outliers: number }, alpha: number): number {
  const rounded = Math.round(n / 20) * 20;
  const key = `${rounded} ${ar} ${outliers} ${alpha}`;
  const known = limits.get(key);
  if (known !== undefined) return known;
  const random = seeded(777);
  const scores = Array.from({ length: 3_000 }, () => {
    const [deviations, places]: [number[], number[]] = [[], []];
    let deviation = random.normal();
    for (let i = 0; i < rounded; i += 1) {
      deviation = ar * deviation + Math.sqrt(1 - ar * ar) * random.normal();
      if (random.uniform() < outliers) continue;
      deviations.push(deviation);
      places.push(i);
    }
    return Math.abs(oracleScan(deviations, places, { noise: 1, ar }).z);
  }).toSorted((a, b) => a - b);
  const limit = scores[Math.floor((1 - alpha) * scores.length)] ?? 0;
  limits.set(key, limit);
  return limit;
}
