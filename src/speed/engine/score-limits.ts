import { nth } from '../../lib/nth.ts';
import { scoreOfTail, tailOf } from '../../statistics/tails.ts';
import type { Part } from './gls.ts';

type Kind = Part['kind'];

/** Squares of the standard scores that parts must exceed; bumps as long as the series, shorter ones, of which there are more, more. */
export type Limits = Readonly<Record<Kind, number>>;

/** Accepted chance that a series without any change shows one of a kind; together below 1 %. */
const ALPHA: Readonly<Record<Kind, number>> = { step: 0.004, bump: 0.0007, line: 0.0007 };

const RUNS = [12, 24, 37, 74, 148, 296, 888, 3552];
const PHIS = [0, 0.3, 0.6, 0.8, 0.9, 0.95];
/**
 * How many independent normal scores the largest score of a search is as large as, by runs (rows) and autocorrelation (columns): 1,500
 * series without a change for each, 400 in the last row, `test/bench/verdicts/speed/limits.ts`.
 */
const SEARCHED: Readonly<Record<Kind, readonly (readonly number[])[]>> = {
  step: [
    [11, 33, 180, 290, 320, 390],
    [26, 76, 210, 620, 610, 570],
    [34, 92, 210, 600, 550, 420],
    [37, 99, 200, 410, 490, 410],
    [33, 77, 160, 290, 370, 560],
    [33, 54, 120, 240, 420, 420],
    [57, 73, 100, 240, 600, 1400],
    [67, 70, 130, 230, 370, 980],
  ],
  bump: [
    [1, 1, 1.2, 2.4, 2.1, 1.6],
    [17, 67, 190, 160, 250, 250],
    [45, 220, 500, 480, 580, 460],
    [33, 110, 270, 540, 490, 400],
    [39, 52, 120, 350, 530, 710],
    [52, 77, 180, 470, 1200, 1700],
    [110, 150, 360, 1200, 3800, 5500],
    [150, 240, 600, 1800, 5000, 35000],
  ],
  line: [
    [2.8, 7.2, 25, 55, 100, 170],
    [1.9, 3.6, 11, 38, 99, 140],
    [2, 2.7, 4.5, 17, 56, 110],
    [2.1, 2.5, 3.4, 6.9, 14, 32],
    [1.3, 1.9, 2, 2.4, 4.1, 9.9],
    [1, 1.3, 1.2, 1.2, 1.5, 2.5],
    [1.2, 1.4, 1.3, 1.3, 1.3, 1.7],
    [1.1, 1.2, 1.1, 1.1, 1.1, 1.2],
  ],
};

/** Place of a value in a sorted scale, with the share of the way to the next mark. */
function placeIn(scale: readonly number[], value: number, stretch: (value: number) => number) {
  const next = scale.findIndex((mark, place) => place > 0 && mark > value);
  const low = (next < 0 ? scale.length - 1 : next) - 1;
  const [at = 0, from = 0, to = 1] = [value, nth(scale, low), nth(scale, low + 1)].map(stretch);
  return { low, share: Math.max(0, Math.min(1, (at - from) / (to - from))) };
}

function searched(kind: Kind, n: number, phi: number): number {
  const [row, column] = [placeIn(RUNS, n, Math.log), placeIn(PHIS, phi, (value) => -Math.log1p(-value))];
  const at = (down: number, right: number) => Math.log(SEARCHED[kind][row.low + down]?.[column.low + right] ?? 1);
  const across = (down: number) => at(down, 0) * (1 - column.share) + at(down, 1) * column.share;
  return Math.exp(across(0) * (1 - row.share) + across(1) * row.share);
}

/**
 * The limits for a series of `n` runs and this autocorrelation; `times` makes the accepted chances larger, for candidates that are
 * tested again.
 */
export function limitsFor(n: number, phi: number, times = 1): Limits {
  const limit = (kind: Kind) => scoreOfTail(Math.log(Math.min(1, (times * ALPHA[kind]) / searched(kind, n, phi)))) ** 2;
  return { step: limit('step'), bump: limit('bump'), line: limit('line') };
}

/** Chance that a series without any change shows a part of this kind that exceeds its penalty by as much, however it is placed. */
export function chanceOf(kind: Kind, exceeds: number, n: number, phi: number): number {
  return Math.min(1, searched(kind, n, phi) * tailOf(Math.sqrt(Math.max(0, exceeds))));
}

/** The same whatever the kind: several kinds are searched for, and each has its share of the accepted chance. */
export function chanceOfAny(kind: Kind, exceeds: number, n: number, phi: number): number {
  const whole = ALPHA.step + ALPHA.bump + ALPHA.line;
  return Math.min(1, (chanceOf(kind, exceeds, n, phi) * whole) / ALPHA[kind]);
}

/** Where chances begin to be larger than the model has them, and what they are there. */
const SIMULATED = { from: 0.003, chance: 0.007 } as const;

/**
 * A chance of the model as it comes out in simulated series: left outliers and an autocorrelation that is not quite known make strong
 * scores without a change far more frequent than normal noise does (8,000 series without a change, outliers 2 and 8 %, φ 0.3 and 0.9).
 * It falls as the square root of the model's up to φ 0.4, and the more slowly the stronger runs resemble each other, as its cube root from
 * 0.8 on.
 */
export function simulatedChance(p: number, phi: number): number {
  const { from, chance } = SIMULATED;
  const power = 1 / 2 - Math.max(0, Math.min(0.4, phi - 0.4)) / 2.4;
  return p >= from ? Math.max(p, chance) : chance * (p / from) ** power;
}
