import { Z_95 } from '../../../statistics/tails.ts';
import { factorsOf } from '../change-cost.ts';
import { measureChange, sizeOfDays } from '../engine/measure.ts';
import { isProduct, type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent, Part } from './events.ts';
import { measuredPart } from './measured-events.ts';

/** The factor of a product that changed as it did at its place; undefined where none did. */
function factorBehind({ series }: Scene, { metric, place, relative, low, high }: Part, { from, to }: ChangeEvent) {
  const found = factorsOf(metric).flatMap((factor) => {
    const own = series.get(seriesId(factor, place));
    const change = own && measureChange(own.kind, own.days, { from, to, relative, low, high });
    return change ? [{ metric: factor, change }] : [];
  });
  return found.toSorted((a, b) => a.change.pValue - b.change.pValue)[0];
}

/** The rates behind a total on the days of its change, none of which shows it by itself: what they are not is visits. */
function rateParts({ series }: Scene, { metric, place }: Part, days: ChangeEvent): Part[] {
  const rates = factorsOf(metric).filter((factor) => factor !== 'visits');
  return rates.flatMap((factor) => {
    const own = series.get(seriesId(factor, place));
    const size = own && sizeOfDays(own.kind, own.days, days);
    return size ? [{ metric: factor, place, ...size }] : [];
  });
}

/**
 * Tells a change that only conversions or revenue show by the factor that made it, with its days, its size and its cost: in a scan of these
 * alone, or where the factor began before it, it would be another change than in every other question. Where none did alone, the rates
 * on its days stand beside it.
 */
export function madeByFactor(scene: Scene, event: ChangeEvent): ChangeEvent {
  const { shape, parts, place } = event;
  const [first] = parts;
  if (!first || !isProduct(first.metric) || place.zoneId !== undefined || (shape !== 'step' && shape !== 'episode')) return event;
  const behind = factorBehind(scene, first, event);
  if (!behind) return { ...event, parts: [...parts, ...rateParts(scene, first, event)] };
  const { metric, change } = behind;
  const { relative, low, high, from, to, days, earliest, latest } = change;
  const own: Part = { metric, place: first.place, relative, low, high, score: (2 * Z_95 * relative) / (high - low) };
  const rest = parts.filter((part) => !isProduct(part.metric)).map((part) => measuredPart(scene, part, change));
  return { ...event, shape: change.shape, from, to, days, earliest, latest, parts: [own, ...rest] };
}
