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

/** The probability that two shares differ as much by chance alone (score test, two-sided); undefined with too few events. */
export function differenceOf(one: Proportion, other: Proportion): { pValue: number; points: number } | undefined {
  if (one.of === 0 || other.of === 0) return undefined;
  const pooled = (one.hits + other.hits) / (one.of + other.of);
  const least = Math.min(one.of, other.of) * Math.min(pooled, 1 - pooled);
  if (least < LEAST_EXPECTED) return undefined;
  const points = one.hits / one.of - other.hits / other.of;
  const score = points / Math.sqrt(pooled * (1 - pooled) * (1 / one.of + 1 / other.of));
  return { pValue: tailOf(score), points: 100 * points };
}

/** Of several questions those whose answer is no chance, at a false discovery rate of 5 %. */
export function discovered<T extends { readonly pValue: number }>(questions: readonly T[]): T[] {
  const limit = discoveryLimit(
    questions.map(({ pValue }) => pValue),
    FALSE_DISCOVERY_RATES.visitGroups,
  );
  return questions.filter(({ pValue }) => pValue <= limit);
}
