import { dayAfter } from '../../../lib/calendar.ts';
import { changesSince } from '../engine/measure.ts';
import { type ChangeSeries, type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent, Part } from './events.ts';

/** Days before an event in which what it is a part of may have begun: as many as a scan looks at by default. */
const EARLIER_DAYS = 28;
/** As sure as changes are that are looked for among the days that teach. */
const EARLIER_P_VALUE = 0.0002;

const holdsZero = ({ low, high }: Part) => low <= 0 && high >= 0;

/** The change under way when an event begins, by the days of its own series. */
function underWay({ kind, days }: ChangeSeries, { from }: ChangeEvent) {
  const since = dayAfter(from, -EARLIER_DAYS);
  const [clearest] = changesSince(kind, days, since, EARLIER_P_VALUE)
    .filter((change) => change.from < from && (change.to === undefined || change.to >= from))
    .toSorted((a, b) => a.pValue - b.pValue);
  return clearest;
}

/**
 * A scan that begins within a change finds the change where a wider series shows it, but at its place nothing begins any more: there the
 * change under way is told, with the day on which it began. An event that no part of its place shows is none.
 */
export function begunEarlier({ series }: Scene, event: ChangeEvent): ChangeEvent[] {
  const { shape, parts } = event;
  const [first] = parts;
  if (!first || (shape !== 'step' && shape !== 'episode') || !parts.every(holdsZero)) return [event];
  const own = series.get(seriesId(first.metric, first.place));
  const found = own && underWay(own, event);
  if (!found) return [];
  const { relative, low, high, from, to, days, earliest, latest, pValue } = found;
  return [{ ...event, shape: found.shape, from, to, days, earliest, latest, pValue, parts: [{ ...first, relative, low, high }] }];
}
