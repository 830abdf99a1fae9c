import { errorFunction, wilcoxonRankSum } from 'simple-statistics';

/** Beyond this product of the two sizes the normal approximation is used. */
const LARGEST_EXACT = 250;
const exactTables = new Map<string, readonly number[]>();

/** Probabilities of each rank sum of `few` out of `few + many` ranks, from the smallest sum on; by counting all choices. */
function rankSumTable(few: number, many: number): readonly number[] {
  const key = `${few},${many}`;
  const known = exactTables.get(key);
  if (known) return known;
  // ways[k][u]: choices of k ranks whose sum exceeds the smallest possible one by u.
  const longest = few * many + 1;
  const ways = Array.from({ length: few + 1 }, () => new Float64Array(longest));
  const [none] = ways;
  if (none) none[0] = 1;
  for (let rank = 1; rank <= few + many; rank += 1) {
    for (let count = Math.min(few, rank); count >= 1; count -= 1) {
      const shift = rank - count;
      const [smaller, row] = [ways[count - 1], ways[count]];
      if (!smaller || !row) continue;
      for (let u = longest - 1; u >= shift; u -= 1) row[u] = (row[u] ?? 0) + (smaller[u - shift] ?? 0);
    }
  }
  const counts = [...(ways[few] ?? [])];
  const total = counts.reduce((sum, count) => sum + count, 0);
  const table = counts.map((count) => count / total);
  exactTables.set(key, table);
  return table;
}

function exactP(u: number, first: number, second: number): number {
  // The distribution is the same for either sample.
  const table = rankSumTable(Math.min(first, second), Math.max(first, second));
  const at = Math.min(u, first * second - u);
  const tail = table.slice(0, Math.floor(at) + 1).reduce((sum, probability) => sum + probability, 0);
  return Math.min(1, 2 * tail);
}

/** Sum of t³ − t over the groups of equal values. */
function tieSum(values: readonly number[]): number {
  const sizes = new Map<number, number>();
  for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  let sum = 0;
  for (const size of sizes.values()) sum += size ** 3 - size;
  return sum;
}

/**
 * Two-sided p of the Mann–Whitney test: how likely two samples of one distribution lie at least this far apart.
 * Exact for small samples without ties, else by the normal approximation with corrections for ties and continuity.
 * `widening` multiplies the variance, for values that follow each other (see `wideningOf`).
 */
export function rankTest(before: readonly number[], after: readonly number[], widening = 1): number {
  const [first, second] = [before.length, after.length];
  if (first === 0 || second === 0) return 1;
  const n = first + second;
  const u = wilcoxonRankSum([...after], [...before]) - (second * (second + 1)) / 2;
  const ties = tieSum([...before, ...after]);
  const variance = ((first * second) / 12) * (n + 1 - ties / (n * (n - 1)));
  const distance = Math.max(0, Math.abs(u - (first * second) / 2) - 0.5);
  const normal = variance > 0 ? 1 - errorFunction(distance / Math.sqrt(2 * variance * widening)) : 1;
  const p = ties === 0 && first * second <= LARGEST_EXACT ? exactP(u, first, second) : normal;
  // The approximation of the error function is good to 1e-7.
  return Math.min(1, Math.max(1e-7, widening > 1 ? Math.max(p, normal) : p));
}

/** The smallest p that samples of these sizes can reach: where even that says nothing, there is not enough data. */
export function smallestP(first: number, second: number): number {
  let choices = 1;
  for (let index = 1; index <= Math.min(first, second); index += 1) choices *= (Math.max(first, second) + index) / index;
  return Math.min(1, 2 / choices);
}

/**
 * Adjusts p values for being many (Benjamini and Hochberg 1995): of the calls below a level, at most that share
 * is false, and of histories in which nothing has changed, at most that share gets any call.
 */
export function adjustForMany(values: readonly number[]): number[] {
  const order = values.map((p, index) => ({ p, index })).toSorted((a, b) => b.p - a.p);
  const adjusted = values.map(() => 1);
  let least = 1;
  for (const [place, { p, index }] of order.entries()) {
    least = Math.min(least, (p * values.length) / (values.length - place));
    adjusted[index] = least;
  }
  return adjusted;
}
