import { sampleVariance, sum } from 'simple-statistics';
import { nth } from '../lib/nth.ts';

/** Autocorrelation beyond which a few values cannot tell a trend from a slow wave. */
const MOST_CARRY = 0.8;

/** By how much single errors understate that of a mean or slope of values that follow each other (a first-order autoregression). */
function carryFactor(residuals: readonly number[]): number {
  const squares = sum(residuals.map((value) => value ** 2));
  const products = sum(residuals.slice(1).map((value, at) => value * nth(residuals, at)));
  // A few values show less of it than there is.
  const carry = squares > 0 ? products / squares + 1 / residuals.length : 0;
  const kept = Math.max(0, Math.min(MOST_CARRY, carry));
  return Math.sqrt((1 + kept) / (1 - kept));
}

/** The standard error of the slope of a line through values at some places, by what it leaves of them. */
export function slopeError(residuals: readonly number[], places: readonly number[] = [...residuals.keys()]): number {
  const spread = sampleVariance([...places]) * (places.length - 1);
  return Math.sqrt(sum(residuals.map((value) => value ** 2)) / (places.length - 2) / spread) * carryFactor(residuals);
}
