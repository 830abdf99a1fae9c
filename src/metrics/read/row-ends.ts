import { sum } from 'simple-statistics';
import { nth } from '../../lib/nth.ts';
import { tailOf } from '../../statistics/tails.ts';
import { definitionOf } from '../metric-definitions.ts';

/** How far each of some rows lies above the others together, as a standard normal; below 0 under them. */
type ScoresOf<Row> = (rows: readonly Row[]) => readonly number[];

/** The ends of a rank of rows; undefined where chance explains that a row is one, or several are. */
export interface Ends<Row> {
  readonly highest?: Row | undefined;
  readonly lowest?: Row | undefined;
}

/**
 * The highest and the lowest of rows, as far as each stands out from the others by more than chance, which rows beyond it do not: without
 * the other end too, where that is not all that it stands out from.
 */
export function endsOf<Row extends { readonly value: number }>(rows: readonly Row[], scoresOf: ScoresOf<Row>, level: number): Ends<Row> {
  const endOf = (sign: 1 | -1, without?: Row) => {
    const among = rows.filter((row) => row !== without);
    const scores = scoresOf(among);
    const isClear = (score: number) => score * sign > 0 && among.length * tailOf(score) < level;
    const [end, next] = among.filter((_, at) => isClear(nth(scores, at))).toSorted((a, b) => sign * (b.value - a.value));
    return end?.value === next?.value ? undefined : end;
  };
  const all = { highest: endOf(1), lowest: endOf(-1) };
  const alone = { highest: endOf(1, all.lowest), lowest: endOf(-1, all.highest) };
  return alone.highest || alone.lowest ? alone : all;
}

/** The base of a value whose counts are not known: so many are beyond chance. */
export const UNCOUNTED = 1e9;

/** The number of counts that a rate or an average is made of, by the values beside it; very many where these do not say, and of sums. */
export function baseOf(metric: string, beside: (metric: string) => unknown): number {
  const combination = definitionOf(metric)?.combination;
  const counted = combination?.by === 'ratio' ? combination.denominator : combination?.by === 'mean' && combination.weight;
  return Number(counted && beside(counted)) || UNCOUNTED;
}

/** Scores by the counts behind values: of percentages binomial (Anscombe 1948), of averages of what scatters as far as its mean. */
export function countScores(metric: string): ScoresOf<{ readonly value: number; readonly base: number }> {
  const isShare = definitionOf(metric)?.unit === '%';
  return (rows) => {
    const whole = sum(rows.map(({ base }) => base));
    const middle = sum(rows.map(({ base, value }) => base * value)) / whole;
    const [one, free] = isShare ? [100, 1 - middle / 100] : [middle, 1];
    const rootOf = (counts: number) => 2 * Math.sqrt(counts + 3 / 8);
    return rows.map(({ base, value }) => {
      const difference = rootOf((base * value) / one) - rootOf((base * middle) / one);
      return difference / Math.sqrt((1 - base / whole) * free);
    });
  };
}
