import { type Bucket, bucketsOf, type Selection, scan } from './selection.ts';
import type { SessionWorld } from './types.ts';

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

/** Adds up the sessions of a selection, period by period; `goalBit` 0 counts no conversions. */
export function siteTotals(world: SessionWorld, selection: Selection, goalBit: number): SiteTotals[] {
  const totals = bucketsOf(selection).map(emptyTotals);
  scan(world, selection, (day, index, bucket) => {
    const sum = totals[bucket];
    if (!sum) return;
    const views = day.pageViews[index] ?? 0;
    sum.visits += 1;
    if (views === 1) sum.bounces += 1;
    sum.pageViews += views;
    sum.durationMs += day.durationMs[index] ?? 0;
    sum.transactions += day.transactions[index] ?? 0;
    sum.revenueCents += day.revenueCents[index] ?? 0;
    if (((day.goals[index] ?? 0) & goalBit) !== 0) sum.conversions += 1;
  });
  return totals;
}
