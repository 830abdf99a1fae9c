import { dayAfter } from '../../../lib/calendar.ts';
import { nth } from '../../../lib/nth.ts';
import { tailOf, Z_95 } from '../../../statistics/tails.ts';
import { sizeOfDays } from '../engine/measure.ts';
import type { Days } from '../engine/scan.ts';
import { areRelated, type ChangeSeries, type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent, Part } from './events.ts';

/** Score from which a series shows a change that was found elsewhere. */
const SHOWN = 2;
const LAST = '9999';

const isOn = (label: string, { from, to = LAST }: Days) => label >= from && label <= to;
const isInside = (own: Days, outer: Days) => own.from > outer.from && (own.to ?? LAST) <= (outer.to ?? LAST);

const seriesOf = ({ series }: Scene, { parts: [first] }: ChangeEvent) => first && series.get(seriesId(first.metric, first.place));

/** The clearest change on whose days another one lies and that its series shows as well. */
function outerOf(scene: Scene, event: ChangeEvent, events: readonly ChangeEvent[]): ChangeEvent | undefined {
  const own = seriesOf(scene, event);
  if (!own || event.shape === 'drift') return undefined;
  const around = events.filter((other) => {
    const its = seriesOf(scene, other);
    const isLevel = other.shape === 'step' || other.shape === 'episode';
    if (!its || !isLevel || other.pValue > event.pValue || !isInside(event, other) || !areRelated(own, its)) return false;
    const usual = own.days.filter(({ label }) => !isOn(label, event));
    const size = sizeOfDays(own.kind, usual, other);
    return size !== undefined && Math.abs(size.score) >= SHOWN;
  });
  return around.toSorted((a, b) => a.pValue - b.pValue)[0];
}

/** Some days of a series as a multiple of what is usual of them, and its variance as a share; the fewer are left the more they scatter. */
function multipleOf({ studies }: Scene, { id, days }: ChangeSeries, isOwn: (label: string) => boolean) {
  const study = studies.get(id);
  if (!study) return undefined;
  const { series, noise } = study;
  const counted = new Map(days.map(({ label, numerator }) => [label, numerator]));
  const at = series.labels.flatMap((label, index) => (isOwn(label) && counted.has(label) ? [index] : []));
  const usual = at.reduce((sum, index) => sum + nth(series.expected, index), 0);
  if (!(usual > 0)) return undefined;
  const seen = at.reduce((sum, index) => sum + (counted.get(series.labels[index] ?? '') ?? 0), 0);
  const shareOf = (index: number) => nth(series.expected, index) / usual;
  const [sampling, shock] = [
    at.reduce((sum, index) => sum + shareOf(index) ** 2 * nth(noise.sampling, index), 0),
    at.reduce((sum, index) => sum + shareOf(index) ** 2 * noise.shock, 0),
  ];
  return { value: seen / usual, days: at.length, varianceAt: (level: number) => sampling / level + shock };
}

/** How a change compares with the other days of the one that it lies in. */
function besideOuter(scene: Scene, event: ChangeEvent, outer: ChangeEvent): Pick<Part, 'relative' | 'low' | 'high' | 'score'> | undefined {
  const own = seriesOf(scene, event);
  const inner = own && multipleOf(scene, own, (label) => isOn(label, event));
  const rest = own && multipleOf(scene, own, (label) => isOn(label, outer) && !isOn(label, event));
  if (!inner || !rest || !(rest.value > 0)) return undefined;
  const relative = inner.value / rest.value - 1;
  const error = Math.sqrt(inner.varianceAt(rest.value) + rest.varianceAt(rest.value));
  return { relative, low: Math.max(-1, relative - Z_95 * error), high: relative + Z_95 * error, score: relative / error };
}

/** Beginnings and ends that a change inside another one may have had. */
function triesOf({ shape, to }: ChangeEvent, days: number): number {
  return shape === 'outlier' || to === undefined ? days : (days * (days - 1)) / 2;
}

/** An event inside another change, held against the level of that; undefined where it is no clearer there than chance makes one. */
function within(scene: Scene, event: ChangeEvent, outer: ChangeEvent, limit: number): ChangeEvent | undefined {
  const [first] = event.parts;
  const size = besideOuter(scene, event, outer);
  if (!first || !size) return event;
  const days = scene.series.get(seriesId(first.metric, first.place))?.days.filter(({ label }) => isOn(label, outer)).length ?? 1;
  const pValue = Math.min(1, triesOf(event, days) * 2 * tailOf(Math.abs(size.score)));
  if (pValue > limit || size.relative * first.relative <= 0) return undefined;
  const soonest = dayAfter(outer.from, 1);
  const earliest = event.earliest < soonest ? soonest : event.earliest;
  return { ...event, earliest, pValue: Math.max(event.pValue, pValue), parts: [{ ...first, ...size }] };
}

/**
 * Holds what lies on the days of a larger change against the other days of that change, which are few and whose level is known no better:
 * else a usual day of a break is told as a second one. What is no clearer there than `limit` is no change.
 */
export function heldWithin(scene: Scene, events: readonly ChangeEvent[], limit: number): ChangeEvent[] {
  return events.flatMap((event) => {
    const outer = outerOf(scene, event, events);
    const own = outer ? within(scene, event, outer, limit) : event;
    return own ? [own] : [];
  });
}
