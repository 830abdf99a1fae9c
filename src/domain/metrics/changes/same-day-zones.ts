import { grouped } from '../../../lib/grouped.ts';
import type { ChangeEvent } from './events.ts';

const isOfZone = ({ shape, place }: ChangeEvent) => shape === 'outlier' && place.zoneId !== undefined;
const relativeOf = ({ parts: [first] }: ChangeEvent) => first?.relative ?? 0;
const metricOf = ({ parts: [first] }: ChangeEvent) => first?.metric ?? '';

/**
 * Tells a single day once that several zones show in the same metric and direction, at the clearest of them with the others beside it: the
 * orders of one day are of every zone that their visitors tapped.
 */
export function sameDayOnce(events: readonly ChangeEvent[]): ChangeEvent[] {
  const days = grouped(events.filter(isOfZone), (event) => [event.from, metricOf(event), Math.sign(relativeOf(event))].join(' '));
  const told = new Map<ChangeEvent, ChangeEvent>();
  for (const own of days.values()) {
    const [clearest, ...others] = own.toSorted((a, b) => a.pValue - b.pValue);
    if (!clearest || others.length === 0) continue;
    told.set(clearest, {
      ...clearest,
      also: others.map((event) => ({ place: event.place, relative: relativeOf(event) })),
      seriesCount: own.reduce((sum, { seriesCount }) => sum + seriesCount, 0),
    });
  }
  const left = new Set([...days.values()].filter((own) => own.length > 1).flat());
  return events.flatMap((event) => told.get(event) ?? (left.has(event) ? [] : [event]));
}
