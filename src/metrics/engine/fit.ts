import { nthDouble } from '../../lib/nth.ts';
import { leastSquares } from '../../statistics/elimination.ts';
import { dot, numbersOf } from '../../statistics/vectors.ts';
import { whitenerOf } from '../../statistics/whitening.ts';
import type { Change } from './changes.ts';
import { nuisanceOf, orderedColumns } from './drift-grid.ts';
import type { Noise } from './noise.ts';
import type { Regressor } from './regressors.ts';
import { type Series, WEEK } from './series.ts';

/** The regular part of a series, with coefficients learned from the days before the first judged one. */
export type Fit = ReturnType<typeof fitOf>;

/** Fits what moves a series to the days before the first judged one; `changes` among them are taken out. */
export function fitOf(series: Series, noise: Noise, changes: readonly Change[]) {
  const { learned, times } = series;
  const known = changes.filter(({ from, shape }) => from < learned && shape !== 'outlier');
  const taught = nuisanceOf(series, learned, known, noise.weekdaySd);
  const { apply } = whitenerOf(times.subarray(0, learned), noise);
  const white = orderedColumns(taught, noise.drift).map((column) => apply(column.slice()));
  const values = apply(taught.values.slice());
  const { inverse: covariance, heights: coefficients } = leastSquares(white, values);
  const whole = nuisanceOf(series, times.length, known, noise.weekdaySd);
  return {
    /** Level, known changes, weekdays, calendar and drift over all days of the series. */
    columns: orderedColumns(whole, noise.drift).map((column) => column.subarray(0, times.length)),
    coefficients,
    covariance,
    /** Index of the first column that moves by the calendar; one follows for each regressor of the series. */
    calendar: taught.free + WEEK,
  };
}

/** The variance of a sum of coefficients with these factors. */
export function varianceOf({ covariance }: Pick<Fit, 'covariance'>, factors: Float64Array): number {
  return covariance.reduce((sum, row, at) => sum + nthDouble(factors, at) * dot(row, factors), 0);
}

/** The effects of the calendar over days, each with its weight, as deviations, and the standard error of both together. */
export function calendarEffect(fit: Fit, { regressors }: Pick<Series, 'regressors'>, weights: Float64Array) {
  const own = (at: number) => regressors[at - fit.calendar];
  const factors = numbersOf(fit.columns, (column, at) => (own(at) ? dot(column, weights) : 0));
  const sumOf = (of: Regressor['of']) =>
    factors.reduce((sum, factor, at) => sum + (own(at)?.of === of ? factor * nthDouble(fit.coefficients, at) : 0), 0);
  return { month: sumOf('month'), season: sumOf('season'), error: Math.sqrt(Math.max(0, varianceOf(fit, factors))) };
}
