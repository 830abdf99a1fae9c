import type { DailyPoint } from '../../../../src/domain/metrics/engine/series.ts';
import { seeded } from '../random.ts';

/**
 * The reference: weekday means and one variance of the logarithms of all days before the period, by least squares, with holidays known to it
 * and left out; the largest likelihood ratio over the days on which a change of the level may have begun. It knows no autocorrelation, drift
 * or earlier changes and shares no code with the engine.
 */
export interface Referred {
  readonly isFound: boolean;
  /** Index of the first day of the change. */
  readonly start: number;
  readonly score: number;
}

export function scoresOf(
  values: readonly number[],
  known: ReadonlySet<number>,
  learned: number,
  start: number,
  fixed = false,
): { score: number; start: number } {
  const groups = Array.from({ length: 7 }, (): number[] => []);
  for (let day = 0; day < learned; day += 1) if (!known.has(day)) groups[day % 7]?.push(values[day] ?? 0);
  const means = groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
  const count = groups.reduce((sum, { length }) => sum + length, 0);
  const squares = groups.reduce(
    (sum, group, weekday) => sum + group.reduce((own, value) => own + (value - (means[weekday] ?? 0)) ** 2, 0),
    0,
  );
  const deviation = Math.sqrt(squares / (count - 7));
  let best = { score: 0, start };
  let sum = 0;
  const taken = new Array<number>(7).fill(0);
  for (let day = values.length - 1; day >= start; day -= 1) {
    sum += (values[day] ?? 0) - (means[day % 7] ?? 0);
    taken[day % 7] = (taken[day % 7] ?? 0) + 1;
    const length = values.length - day;
    const variance = length + taken.reduce((total, days, weekday) => total + days ** 2 / (groups[weekday]?.length ?? 1), 0);
    const score = sum / (deviation * Math.sqrt(variance));
    if (fixed ? day === start : Math.abs(score) > Math.abs(best.score)) best = { score, start: day };
  }
  return best;
}

const limits = new Map<string, number>();

/** The score that one unchanged series in `1 / chance` exceeds, by simulation. */
export function limitOf(days: number, learned: number, chance: number): number {
  const key = `${days}/${learned}/${chance}`;
  const known = limits.get(key);
  if (known !== undefined) return known;
  const { normal } = seeded(4_711);
  const draws = 40_000;
  const scores = Array.from({ length: draws }, () =>
    Math.abs(scoresOf(Array.from({ length: days }, normal), new Set(), learned, learned).score),
  );
  const limit = scores.toSorted((a, b) => b - a)[Math.floor(draws * chance)] ?? Number.NaN;
  limits.set(key, limit);
  return limit;
}

/** Looks for a change that began on or after day `learned` and lasts to the end. */
export function referTo(points: readonly DailyPoint[], holidays: ReadonlySet<number>, learned: number, chance = 0.01): Referred {
  const values = points.map(({ numerator, denominator }) => Math.log((numerator + 0.5) / denominator));
  const { score, start } = scoresOf(values, holidays, learned, learned);
  return { isFound: Math.abs(score) > limitOf(points.length, learned, chance), start, score };
}
