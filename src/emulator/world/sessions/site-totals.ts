import { type Bucket, bucketsOf, eachStretch, filterOf, type Selection } from './selection.ts';
import type { SessionDay, SessionWorld } from './types.ts';

/** Counts of one period: every site metric is one of them or the ratio of two. */
export interface SiteTotals extends Bucket {
  visits: number;
  /** Sessions with one page view. */
  bounces: number;
  pageViews: number;
  durationMs: number;
  transactions: number;
  revenueCents: number;
  /** Sessions in which the goal was reached. */
  conversions: number;
}

function emptyTotals(bucket: Bucket): SiteTotals {
  return { ...bucket, visits: 0, bounces: 0, pageViews: 0, durationMs: 0, transactions: 0, revenueCents: 0, conversions: 0 };
}

function addStretch(
  sum: SiteTotals,
  day: SessionDay,
  from: number,
  to: number,
  goalBit: number,
  isSelected: (day: SessionDay, index: number) => boolean,
): void {
  // Sums live in local variables, because this loop reads hundreds of thousands of sessions.
  let [visits, bounces, pageViews, durationMs, transactions, revenueCents, conversions] = [0, 0, 0, 0, 0, 0, 0];
  for (let index = from; index < to; index += 1) {
    if (!isSelected(day, index)) continue;
    const views = day.pageViews[index] ?? 0;
    visits += 1;
    if (views === 1) bounces += 1;
    pageViews += views;
    durationMs += day.durationMs[index] ?? 0;
    transactions += day.transactions[index] ?? 0;
    revenueCents += day.revenueCents[index] ?? 0;
    if (((day.goals[index] ?? 0) & goalBit) !== 0) conversions += 1;
  }
  sum.visits += visits;
  sum.bounces += bounces;
  sum.pageViews += pageViews;
  sum.durationMs += durationMs;
  sum.transactions += transactions;
  sum.revenueCents += revenueCents;
  sum.conversions += conversions;
}

/** Adds up the sessions of a selection, period by period; `goalBit` 0 counts no conversions. */
export function siteTotals(world: SessionWorld, selection: Selection, goalBit: number): SiteTotals[] {
  const totals = bucketsOf(selection).map(emptyTotals);
  const isSelected = filterOf(selection);
  eachStretch(world, selection, (day, from, to, bucket) => {
    const sum = totals[bucket];
    if (sum) addStretch(sum, day, from, to, goalBit, isSelected);
  });
  return totals;
}
