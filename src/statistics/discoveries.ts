/**
 * Expected shares of false ones among what an answer names, by what it names. Series of the platform come in dozens, of which one in twenty
 * may be chance; runs of speed come in hundreds. A row of a query that is called high or low is read by itself. Its 2 % come to about 5 %
 * in simulations, because far tails are not exact (docs/statistics.md). The 1 % of conditions come to more too, because their sessions
 * differ in what no export has: of 30 effects named in 44 generated worlds one was not planted, at 5 % four of 38, and all clear planted
 * ones were found (docs/impact-statistics.md).
 */
export const FALSE_DISCOVERY_RATES = {
  siteChanges: 0.05,
  speedChanges: 0.03,
  unexpectedRows: 0.02,
  visitGroups: 0.05,
  sides: 0.05,
  conditions: 0.01,
} as const;

/**
 * The largest p-value up to which hypotheses are rejected at a false discovery rate (Benjamini and Hochberg 1995), or 0; `count`
 * hypotheses, of which those with large p-values may be left out of the list.
 */
export function discoveryLimit(pValues: readonly number[], rate: number, count = pValues.length): number {
  const sorted = pValues.toSorted((a, b) => a - b);
  const last = sorted.findLastIndex((value, index) => value <= ((index + 1) * rate) / count);
  return last < 0 ? 0 : ((last + 1) * rate) / count;
}

/**
 * P-values of several questions, each allowed for the others (Holm 1979), in the order given; `count` questions, of which those with large
 * p-values may be left out.
 */
export function adjusted(pValues: readonly number[], count = pValues.length): number[] {
  const order = pValues.map((_, index) => index).toSorted((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1));
  const result = pValues.map(() => 1);
  let largest = 0;
  for (const [rank, index] of order.entries()) {
    largest = Math.min(1, Math.max(largest, (count - rank) * (pValues[index] ?? 1)));
    result[index] = largest;
  }
  return result;
}
