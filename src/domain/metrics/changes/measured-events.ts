import { measureChange } from '../engine/measure.ts';
import { type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent } from './events.ts';

/**
 * Gives a change the first day and size that every tool gives it, by the days of its first metric at its place; unchanged where these
 * do not show it by themselves, and for drifts and single days.
 */
export function measuredEvent({ series }: Scene, event: ChangeEvent): ChangeEvent {
  const { shape, from, to, parts, place } = event;
  const [first, ...rest] = parts;
  const own = first && series.get(seriesId(first.metric, first.place));
  if (!first || !own || first.mix || place.zoneId !== undefined || (shape !== 'step' && shape !== 'episode')) return event;
  const found = measureChange(own.kind, own.days, { from, to, relative: first.relative, low: first.low, high: first.high });
  if (!found) return event;
  const { relative, low, high, days, earliest, latest } = found;
  return {
    ...event,
    from: found.from,
    to: found.to,
    days,
    earliest,
    latest,
    parts: [{ ...first, relative, low, high }, ...rest],
  };
}

/** Tells changes once that turn out to be the same one when they are measured, with the series of all of them. */
export function onceMeasured(events: readonly ChangeEvent[]): ChangeEvent[] {
  const known = new Map<string, ChangeEvent>();
  for (const event of events) {
    const { shape, from, to, place, parts } = event;
    const key = JSON.stringify([shape, from, to, place, parts]);
    const same = known.get(key);
    if (!same) known.set(key, event);
    else known.set(key, { ...same, pValue: Math.min(same.pValue, event.pValue), seriesCount: same.seriesCount + event.seriesCount });
  }
  return [...known.values()];
}
