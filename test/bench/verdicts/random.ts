/** A seeded source of draws for generated worlds; the same seed gives the same draws for ever. */
export interface Random {
  /** Uniform in [0, 1). */
  readonly uniform: () => number;
  /** Standard normal. */
  readonly normal: () => number;
  /** Gamma with this shape and scale 1. */
  readonly gamma: (shape: number) => number;
  readonly poisson: (mean: number) => number;
  readonly binomial: (trials: number, chance: number) => number;
  /** Counts with variance `mean + mean² / size` (gamma–Poisson). */
  readonly negativeBinomial: (mean: number, size: number) => number;
  /** An integer in [from, to], both included. */
  readonly integer: (from: number, to: number) => number;
}

/** Counts above which the normal approximation is closer than a count of draws is worth. */
const LARGE = 60;

/** splitmix32 (Steele, Lea and Flood 2014): passes PractRand for far longer than a simulation lasts. */
function uniformOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let h = state ^ (state >>> 16);
    h = Math.imul(h, 0x21f0aaad);
    h ^= h >>> 15;
    h = Math.imul(h, 0x735a2d97);
    return ((h ^ (h >>> 15)) >>> 0) / 0x1_0000_0000;
  };
}

/** Starts the source of one world. */
export function seeded(seed: number): Random {
  const uniform = uniformOf(Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b);
  // Box and Muller 1958; 1 − u, because the logarithm of 0 is none.
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  /** Marsaglia and Tsang 2000. */
  function gamma(shape: number): number {
    if (shape < 1) return gamma(shape + 1) * (1 - uniform()) ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }
  function poisson(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > LARGE) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = uniform(); product > limit; product *= uniform()) count += 1;
    return count;
  }
  function binomial(trials: number, chance: number): number {
    if (chance > 0.5) return trials - binomial(trials, 1 - chance);
    const mean = trials * chance;
    if (mean > LARGE) return Math.min(trials, Math.max(0, Math.round(mean + Math.sqrt(mean * (1 - chance)) * normal())));
    if (chance < 0.05 && trials > 1_000) return Math.min(trials, poisson(mean));
    // Distances between successes are geometric.
    if (chance <= 0) return 0;
    let count = -1;
    for (let at = 0; at <= trials; count += 1) at += Math.floor(Math.log(1 - uniform()) / Math.log(1 - chance)) + 1;
    return Math.max(0, count);
  }
  return {
    uniform,
    normal,
    gamma,
    poisson,
    binomial,
    negativeBinomial: (mean, size) => poisson((mean * gamma(size)) / size),
    integer: (from, to) => from + Math.floor(uniform() * (to - from + 1)),
  };
}

/** Uniform between two numbers. */
export const between = ({ uniform }: Random, low: number, high: number) => low + (high - low) * uniform();
