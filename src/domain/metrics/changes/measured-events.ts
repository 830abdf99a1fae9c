import type { DatedChange } from '../engine/changes.ts';
import { isPartOf } from '../engine/inner-changes.ts';
import { measureChange, sizeOfDays } from '../engine/measure.ts';
import { areSameVisitors, isWithinPlace, type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent, Part } from './events.ts';

/** A metric that moved with a change, measured on its days as every question does; as it was where they do not show that. */
function measuredPart({ series }: Scene, part: Part, days: Pick<DatedChange, 'from' | 'to'>): Part {
  const own = part.mix ? undefined : series.get(seriesId(part.metric, part.place));
  const size = own && sizeOfDays(own.kind, own.days, days);
  return size && size.relative * part.relative > 0 ? { ...part, ...size } : part;
}

/**
 * Gives a change the first day and size that every tool gives it, by the days of its first metric at its place, and what moved with it the
 * size that it has on these days; unchanged where they do not show it by themselves, and for drifts and single days.
 */
export function measuredEvent(scene: Scene, event: ChangeEvent): ChangeEvent {
  const { series } = scene;
  const { shape, from, to, parts, place } = event;
  const [first, ...rest] = parts;
  const own = first && series.get(seriesId(first.metric, first.place));
  if (!first || !own || first.mix || place.zoneId !== undefined || (shape !== 'step' && shape !== 'episode')) return event;
  const { relative: size, low: least, high: most } = first;
  const asFound = { from, to, relative: size, low: least, high: most };
  // It goes on only where its own days show no end of it.
  const ended = () => (to === undefined ? measureChange(own.kind, own.days, { ...asFound, to: scene.to }) : undefined);
  const found = measureChange(own.kind, own.days, asFound) ?? ended();
  if (!found) return event;
  const { relative, low, high, days, earliest, latest } = found;
  return {
    ...event,
    shape: found.shape,
    from: found.from,
    to: found.to,
    days,
    earliest,
    latest,
    parts: [{ ...first, relative, low, high }, ...rest.map((part) => measuredPart(scene, part, found))],
  };
}

/** Whether an event is a part of another one of the same metric and place, whose measured size has it in it already. */
function isPartOfEvent(event: ChangeEvent, outer: ChangeEvent, last: string): boolean {
  const [own] = event.parts;
  const [larger] = outer.parts;
  if (outer.shape === 'drift' || event.shape === 'drift' || !own || !larger || own.metric !== larger.metric) return false;
  if (seriesId(own.metric, event.place) !== seriesId(larger.metric, outer.place)) return false;
  return isPartOf({ ...event, relative: own.relative }, { ...outer, relative: larger.relative }, last);
}

/** Whether an event is another one again, or the share that some visitors have in it: it began and ended with it and goes the same way. */
function isShareOfEvent(event: ChangeEvent, outer: ChangeEvent, isTold: boolean): boolean {
  const [own] = event.parts;
  const [larger] = outer.parts;
  if (!own || !larger || own.metric !== larger.metric || event.place.goalId !== outer.place.goalId) return false;
  const isAt = isWithinPlace(event.place, outer.place) || (isTold && areSameVisitors(event.place, outer.place));
  if (event.place.zoneId !== outer.place.zoneId || !isAt) return false;
  const isSameTime =
    event.shape === outer.shape && event.earliest <= outer.latest && outer.earliest <= event.latest && event.to === outer.to;
  return isSameTime && own.relative * larger.relative > 0;
}

/**
 * Leaves out the days on which a change was smaller, which would be told as a change back, what is told already, and the share that a
 * part of its visitors has in it, whose cost would count twice.
 */
export function withoutParts(events: readonly ChangeEvent[], last: string): ChangeEvent[] {
  return events.filter(
    (event, at) => !events.some((outer, index) => isPartOfEvent(event, outer, last) || isShareOfEvent(event, outer, index < at)),
  );
}
