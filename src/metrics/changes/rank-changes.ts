import { type Cost, costOnDays } from '../change-cost.ts';
import { daysBeside } from '../engine/measure.ts';
import { sumOf } from '../engine/series.ts';
import { calendarCause, onceASeason } from '../season.ts';
import { type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent, Part } from './events.ts';

/** A change with what each metric of it costs, and the first of these costs; undefined for one that no total depends on. */
export interface RankedChange extends ChangeEvent {
  readonly parts: readonly (Part & { readonly cost?: Cost | undefined })[];
  readonly cost: Cost | undefined;
}

/** The cost of a metric of a change by itself; what only follows from the mix of visits, or may be the season's, costs nothing. */
function costOf(scene: Scene, event: ChangeEvent, { metric, place, mix, relative, low, high }: Part): Cost | undefined {
  const { shape, from, to } = event;
  if (mix || place.zoneId !== undefined) return undefined;
  const lasting = { ...event, relative, low, high };
  const found = scene.series.get(seriesId(metric, place));
  if (!found || calendarCause(metric, found.days, lasting).length > 0) return undefined;
  const labels = new Set(daysBeside(found.kind, found.days, event).map(({ label }) => label));
  // Half of a slope lies above its middle.
  const share = shape === 'drift' ? 1 / 2 : 1;
  const sized = { relative: share * relative, low: share * low, high: share * high };
  const totalOn = (name: string, first: string, last: string) => {
    const own = scene.series.get(seriesId(name, place))?.days.filter(({ label }) => label >= first && label <= last && labels.has(label));
    return own && { total: sumOf(own, 'numerator'), days: own.length };
  };
  const isOfOtherGoal = scene.isOfOtherGoal || place.goalId !== scene.base.goalId;
  return costOnDays(metric, totalOn, { from, ...(to !== undefined && { to }), ...sized }, scene.to, { isOfOtherGoal });
}

const OUTCOMES = ['revenueSum', 'conversionCount', 'visits'];

/** The changes with what they cost, as they are told. */
export function rankChanges(scene: Scene, events: readonly ChangeEvent[]): RankedChange[] {
  const told = onceASeason(events, (event) => {
    const [first] = event.parts;
    const found = first && scene.series.get(seriesId(first.metric, first.place));
    return found && { metric: found.metric, place: found.id, points: found.days, change: { ...event, ...first } };
  });
  const priced = told.map((event): RankedChange => {
    const parts = event.parts.map((part) => ({ ...part, cost: costOf(scene, event, part) }));
    const [cost] = parts.flatMap((part) => part.cost ?? []);
    return { ...event, parts, cost };
  });
  return inRank(priced, scene.to);
}

/**
 * Puts what goes on before what ended, with which stand drifts that cost nothing and totals that do so because the calendar may have moved
 * them: by what it costs of revenue, then of conversions, then of visits, then the clearest first.
 */
export function inRank(changes: readonly RankedChange[], last: string): RankedChange[] {
  const sizeOf = ({ cost }: RankedChange) => Math.abs(cost?.value ?? 0);
  const classOf = ({ cost }: RankedChange) => (cost ? OUTCOMES.indexOf(cost.metric) : OUTCOMES.length);
  const isOver = ({ shape, to = last, cost, parts: [first] }: RankedChange) =>
    Number(to < last || (!cost && (shape === 'drift' || OUTCOMES.includes(first?.metric ?? ''))));
  return changes.toSorted((a, b) => isOver(a) - isOver(b) || classOf(a) - classOf(b) || sizeOf(b) - sizeOf(a) || a.pValue - b.pValue);
}
