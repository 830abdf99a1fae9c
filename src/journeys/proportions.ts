import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import { wilson } from '../statistics/proportions.ts';
import { tailOf } from '../statistics/tails.ts';

/** A share: a count out of a total. */
export interface Proportion {
  readonly hits: number;
  readonly of: number;
}

/** A share in percent with one decimal; undefined where there is nothing to share. */
export function percentOf(hits: number, of: number): number | undefined {
  return of > 0 ? Math.round((1000 * hits) / of) / 10 : undefined;
}

/** The interval that holds a share at 95 %, in percent (Wilson 1927); undefined where there is nothing to share. */
export function intervalOf({ hits, of }: Proportion): { lowPercent: number; highPercent: number } | undefined {
  if (of <= 0) return undefined;
  const [low, high] = wilson(hits / of, of);
  const rounded = (share: number) => Math.round(1000 * share) / 10;
  return { lowPercent: rounded(low), highPercent: rounded(high) };
}

/** Fewer events on a side than this, or fewer that did not happen, say nothing. */
const LEAST_EXPECTED = 10;

/** Two shares in one stratum, such as a device. */
type Stratum = readonly [one: Proportion, other: Proportion];

/** How one share differs from another where strata are alike. */
export interface Difference {
  readonly pValue: number;
  readonly points: number;
  /** The other share, had it the strata of the one, 0 to 1. */
  readonly other: number;
}

/**
 * The probability that two shares differ as much within strata by chance alone (Cochran 1954, Mantel and Haenszel 1959, two-sided), and by
 * how much; undefined with too few events in strata that both have.
 */
export function differenceOf(strata: readonly Stratum[]): Difference | undefined {
  const shared = strata.filter(([one, other]) => one.of > 0 && other.of > 0);
  const sums = { excess: 0, variance: 0, least: 0, of: 0, hits: 0, expected: 0 };
  for (const [one, other] of shared) {
    const total = one.of + other.of;
    const pooled = (one.hits + other.hits) / total;
    sums.excess += one.hits - one.of * pooled;
    sums.variance += (one.of * other.of * pooled * (1 - pooled)) / Math.max(1, total - 1);
    sums.least += Math.min(one.of, other.of) * Math.min(pooled, 1 - pooled);
    sums.of += one.of;
    sums.hits += one.hits;
    sums.expected += (one.of * other.hits) / other.of;
  }
  if (sums.least < LEAST_EXPECTED) return undefined;
  const points = (100 * (sums.hits - sums.expected)) / sums.of;
  return { pValue: tailOf(sums.excess / Math.sqrt(sums.variance)), points, other: sums.expected / sums.of };
}

/** Of several questions those whose answer is no chance, at a false discovery rate of 5 %. */
export function discovered<T extends { readonly pValue: number }>(questions: readonly T[]): T[] {
  const limit = discoveryLimit(
    questions.map(({ pValue }) => pValue),
    FALSE_DISCOVERY_RATES.visitGroups,
  );
  return questions.filter(({ pValue }) => pValue <= limit);
}
