import type { Part } from './parts.ts';

/** Squares of the standard scores that parts must exceed. */
export interface Limits {
  readonly step: number;
  /** Of a bump as long as the series; shorter ones, of which there are more, must exceed more. */
  readonly bump: number;
  readonly line: number;
}

type Kind = Part['kind'];

/** Accepted chance that a series without any change shows one of a kind; together below 1 %. */
const ALPHA: Readonly<Record<Kind, number>> = { step: 0.004, bump: 0.001, line: 0.0007 };

const RUNS = [12, 24, 37, 74, 148, 296, 888, 3552];
const PHIS = [0, 0.3, 0.6, 0.8, 0.9, 0.95];
/**
 * How many independent normal scores the largest score of a search is as large as, by runs (rows) and autocorrelation (columns): 400
 * series without a change for each, `test/bench/verdicts/speed/calibrate.ts`.
 */
const SEARCHED: Readonly<Record<Kind, readonly (readonly number[])[]>> = {
  step: [
    [11, 29, 100, 130, 155, 140],
    [26, 90, 280, 500, 370, 360],
    [27, 75, 240, 500, 600, 450],
    [28, 100, 280, 420, 390, 290],
    [25, 65, 104, 190, 430, 370],
    [26, 50, 64, 121, 367, 412],
    [46, 62, 98, 200, 485, 1020],
    [60, 60, 100, 200, 450, 1650],
  ],
  bump: [
    [1, 1, 2, 2, 2, 2],
    [18, 50, 110, 135, 130, 130],
    [44, 180, 390, 340, 450, 600],
    [61, 245, 680, 1100, 810, 690],
    [94, 580, 1630, 2200, 2900, 1020],
    [180, 245, 550, 3100, 4100, 5800],
    [250, 520, 1000, 2800, 11000, 8400],
    [300, 450, 890, 3000, 14000, 20000],
  ],
  line: [
    [3, 8, 25, 42, 67, 100],
    [1.8, 4, 10, 40, 70, 110],
    [1.5, 2.3, 4.6, 12, 33, 80],
    [1.8, 2.7, 4.4, 4.6, 9, 19],
    [1, 1.1, 1.2, 1.5, 3.2, 8],
    [1, 1.1, 1.1, 1.1, 1.4, 1.9],
    [1, 1, 1.1, 1, 1, 1.2],
    [1.3, 1.4, 1.4, 1.4, 1.4, 1.4],
  ],
};

/** Place of a value in a sorted scale, with the share of the way to the next mark. */
function placeIn(scale: readonly number[], value: number, stretch: (value: number) => number): { low: number; share: number } {
  const low = Math.max(
    0,
    Math.min(
      scale.length - 2,
      scale.findLastIndex((mark) => mark <= value),
    ),
  );
  const [from, to] = [stretch(scale[low] ?? 0), stretch(scale[low + 1] ?? 0)];
  return { low, share: Math.max(0, Math.min(1, (stretch(value) - from) / (to - from))) };
}

function searched(kind: Kind, n: number, phi: number): number {
  const [row, column] = [placeIn(RUNS, n, Math.log), placeIn(PHIS, phi, (value) => -Math.log1p(-value))];
  const at = (down: number, right: number) => Math.log(SEARCHED[kind][row.low + down]?.[column.low + right] ?? 1);
  const across = (down: number) => at(down, 0) * (1 - column.share) + at(down, 1) * column.share;
  return Math.exp(across(0) * (1 - row.share) + across(1) * row.share);
}

/** Two-sided tail of the normal distribution, exact to five digits however small (Abramowitz and Stegun 26.2.14 and its series). */
export function twoSidedTail(z: number): number {
  const density = Math.sqrt(2 / Math.PI) * Math.exp((-z * z) / 2);
  if (z >= 2.5) {
    let fraction = z;
    for (let term = 40; term >= 1; term -= 1) fraction = z + term / fraction;
    return density / fraction;
  }
  let [sum, term] = [z, z];
  for (let odd = 3; odd < 80; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return Math.max(0, 1 - density * sum);
}

/** The score whose two-sided tail is this small; by bisection. */
function scoreOfTail(tail: number): number {
  let [low, high] = [0, 40];
  for (let round = 0; round < 50; round += 1) {
    const middle = (low + high) / 2;
    if (twoSidedTail(middle) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const known = new Map<string, Limits>();

/** The limits for a series of `n` runs and this autocorrelation. */
export function limitsFor(n: number, phi: number): Limits {
  const key = `${Math.round(20 * Math.log(n))} ${Math.round(100 * phi)}`;
  const before = known.get(key);
  if (before) return before;
  const limit = (kind: Kind) => scoreOfTail(Math.min(1, ALPHA[kind] / searched(kind, n, phi))) ** 2;
  const limits = { step: limit('step'), bump: limit('bump'), line: limit('line') };
  if (known.size > 2_000) known.clear();
  known.set(key, limits);
  return limits;
}

/** Chance that a series without any change shows a part of this kind that exceeds its penalty by as much, however it is placed. */
export function chanceOf(kind: Kind, exceeds: number, n: number, phi: number): number {
  return Math.min(1, searched(kind, n, phi) * twoSidedTail(Math.sqrt(Math.max(0, exceeds))));
}
