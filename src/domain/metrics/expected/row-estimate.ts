import { formatPercent } from '../../../lib/number-text.ts';
import { studentOf, Z_95, Z_99 } from '../../../statistics/tails.ts';

/** A relative difference or growth with its bounds at 95 %, and whether it lies beyond what chance makes of it once in a hundred times. */
export interface Estimate {
  readonly relative: number;
  readonly low: number;
  readonly high: number;
  readonly isClear: boolean;
  /** Weeks, or periods of the table, that it was estimated from. */
  readonly count: number;
}

/** An estimate of a logarithm and its standard error. */
export function estimateOf(effect: number, error: number, freedom: number, count: number): Estimate {
  const at = (z: number) => studentOf(z, freedom) * error;
  return {
    relative: Math.expm1(effect),
    low: Math.expm1(effect - at(Z_95)),
    high: Math.expm1(effect + at(Z_95)),
    isClear: Math.abs(effect) > at(Z_99),
    count,
  };
}

/** A relative change as `-5.2%`; of what grew tenfold and more tenths say nothing. */
export const signed = (share: number) => formatPercent(100 * share, { digits: Math.abs(share) < 10 ? 1 : 0, group: true, sign: true });

/** The same in words: `5.2% lower`. */
export const directed = (share: number) => `${signed(Math.abs(share)).replace('+', '')} ${share < 0 ? 'lower' : 'higher'}`;

/** The bounds of an estimate in brackets. */
export const boundsText = ({ low, high }: Estimate): string => `(95%: ${signed(low)} to ${signed(high)})`;

/** The verdict on an estimate, which is at 1 % while its bounds are at 95 %. */
export function verdictText({ isClear, low, high }: Estimate): string {
  if (isClear) return 'significant';
  return low * high > 0 ? 'significant at 5% but not at 1%' : 'not significant';
}
