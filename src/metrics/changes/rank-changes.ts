import type { Facts } from '../../findings/finding.ts';
import type { ChangeEvent } from './events.ts';

/** A change with the record of each of its metrics. */
export interface RankedChange {
  readonly event: ChangeEvent;
  readonly facts: readonly Facts[];
}

const OUTCOMES = ['revenueSum', 'conversionCount', 'visits'];

/** The cost of a change: that of the first of its metrics that has one. */
export const costOf = ({ facts }: RankedChange): Facts['cost'] => facts.find(({ cost }) => cost)?.cost;

/**
 * Puts what goes on before what ended, with which stand drifts that cost nothing and totals that do so because the calendar may have moved
 * them: by what it costs of revenue, then of conversions, then of visits, then the clearest first.
 */
export function inRank(changes: readonly RankedChange[], last: string): RankedChange[] {
  const sizeOf = (own: RankedChange) => Math.abs(costOf(own)?.value ?? 0);
  const classOf = (own: RankedChange) => OUTCOMES.indexOf(costOf(own)?.of ?? '') + (costOf(own) ? 0 : 1 + OUTCOMES.length);
  const isOver = (own: RankedChange) => {
    const [{ metric, change }] = own.event;
    return Number((change.to ?? last) < last || (!costOf(own) && (change.shape === 'drift' || OUTCOMES.includes(metric))));
  };
  const chanceOf = ({ event }: RankedChange) => Math.min(...event.map(({ change }) => change.pValue));
  return changes.toSorted((a, b) => isOver(a) - isOver(b) || classOf(a) - classOf(b) || sizeOf(b) - sizeOf(a) || chanceOf(a) - chanceOf(b));
}
