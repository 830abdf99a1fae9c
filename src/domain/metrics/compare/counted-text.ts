import { signed } from './comparison-words.ts';
import type { Contribution } from './contributions.ts';

/** A distance, as a share, between the change of a level and that of the figures which is more than rounding. */
const LEAST_APART = 0.01;

/**
 * `, -74.3% as counted`, behind the change of a level that weekdays and special days are evened out of; empty where the
 * figures of the ranges changed by the same.
 */
export function countedText(relative: number | null, group: Contribution | undefined): string {
  const { before = null, after = null } = group ?? {};
  if (relative === null || before === null || after === null || before <= 0) return '';
  const counted = after / before - 1;
  return Math.abs(counted - relative) < LEAST_APART ? '' : `, ${signed(counted)} as counted`;
}
