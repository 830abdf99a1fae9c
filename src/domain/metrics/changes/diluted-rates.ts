import { definitionOf } from '../metric-definitions.ts';
import type { Scene } from './change-series.ts';
import { type ChangeEvent, type Part, partAt } from './events.ts';
import { isDiluted } from './rank-changes.ts';

/** A rate of a goal that some event is about by itself; undefined of any other. */
function rateOf({ shape, parts: [first, ...rest], place }: ChangeEvent): Part | undefined {
  const isAlone = rest.every(({ metric }) => definitionOf(metric)?.perGoal);
  return shape !== 'drift' && place.zoneId === undefined && first?.metric === 'conversionRate' && isAlone ? first : undefined;
}

/** Whether visits moved against a rate on days that lie among its own. */
function isWithin(visits: ChangeEvent, rate: ChangeEvent, { relative }: Part): boolean {
  const [moved] = visits.parts;
  const isAgainst = moved?.metric === 'visits' && moved.relative * relative < 0;
  return isAgainst && visits.shape !== 'drift' && visits.from >= rate.from && (visits.to ?? '9') <= (rate.to ?? '9');
}

/**
 * Tells a rate that moved because others came or stayed away with the visits that made it, by its size on their days: a campaign of a week
 * lowers the rate of the days around it too, which are no change of their own.
 */
export function withoutDiluted(scene: Scene, events: readonly ChangeEvent[]): ChangeEvent[] {
  const taken = new Map<ChangeEvent, Part[]>();
  const left = events.filter((event) => {
    const rate = rateOf(event);
    if (!rate || !isDiluted(scene, event, rate.place, [rate])) return true;
    const visits = events.find((other) => other !== event && isWithin(other, event, rate));
    if (!visits) return true;
    const isTold = [...visits.parts, ...(taken.get(visits) ?? [])].some(
      ({ metric, place }) => metric === rate.metric && place.goalId === rate.place.goalId,
    );
    const own = partAt(scene, rate.metric, rate.place, visits);
    if (own && !isTold) taken.set(visits, [...(taken.get(visits) ?? []), { ...own, place: rate.place, mix: 'maybe' }]);
    return false;
  });
  return left.map((event) => ({ ...event, parts: [...event.parts, ...(taken.get(event) ?? [])] }));
}
