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
