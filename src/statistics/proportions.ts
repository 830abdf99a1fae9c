import { Z_95 } from './tails.ts';

/** The interval of Wilson 1927 for a share of `trials`, which need not be a whole number. */
export function wilson(share: number, trials: number): [low: number, high: number] {
  if (!(trials > 0)) return [0, 1];
  const square = Z_95 ** 2;
  const centre = (share + square / (2 * trials)) / (1 + square / trials);
  const half = (Z_95 * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials ** 2))) / (1 + square / trials);
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
