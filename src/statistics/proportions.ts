import { gammaln } from 'simple-statistics';
import { Z_95 } from './tails.ts';

/** The interval of Wilson 1927 for a share of `trials`, which need not be a whole number. */
export function wilson(share: number, trials: number): [low: number, high: number] {
  if (!(trials > 0)) return [0, 1];
  const square = Z_95 ** 2;
  const centre = (share + square / (2 * trials)) / (1 + square / trials);
  const half = (Z_95 * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials ** 2))) / (1 + square / trials);
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/** A count out of a total. */
interface Sample {
  readonly hits: number;
  readonly of: number;
}

const logChoices = (n: number, k: number) => gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);

/** Two-sided p of Fisher's exact test: how likely hits fall on two samples as unevenly as they did. */
export function fisherTest(first: Sample, second: Sample): number {
  const hits = first.hits + second.hits;
  const all = logChoices(first.of + second.of, hits);
  const chance = (k: number) => Math.exp(logChoices(first.of, k) + logChoices(second.of, hits - k) - all);
  const own = chance(first.hits) * (1 + 1e-7);
  let p = 0;
  for (let k = Math.max(0, hits - second.of); k <= Math.min(hits, first.of); k += 1) if (chance(k) <= own) p += chance(k);
  return Math.min(1, p);
}
