import { tailOf } from '../../../statistics/tails.ts';
import type { ScanFinding } from '../engine/scan.ts';
import { type Cluster, type Place, type Scene, seriesId } from './change-series.ts';
import { type ChangeEvent, partAt } from './events.ts';

/** Score from which a device has moved on days that another one gives: there are two others. */
const OPPOSED = 2.8;

/** Devices beside the one of a place, with the same visits otherwise. */
function siblingsOf({ series }: Scene, metric: string, place: Place): Place[] {
  return (['desktop', 'mobile', 'tablet'] as const)
    .filter((device) => device !== place.device)
    .map((device) => ({ ...place, device }))
    .filter((other) => series.has(seriesId(metric, other)));
}

/**
 * Devices that moved the other way on the days of a change of one device, which are changes of their own: on days that are known less
 * evidence is needed than in a search.
 */
export function opposedEvents(scene: Scene, { lead: { finding } }: Cluster, events: readonly ChangeEvent[]): ChangeEvent[] {
  if (finding.shape === 'drift') return [];
  return events.flatMap(({ place, parts: [own] }) => {
    if (!own || place.device === 'all' || scene.base.device !== 'all' || place.zoneId !== undefined) return [];
    const told = new Set(events.flatMap((event) => event.parts.map(({ metric }) => seriesId(metric, event.place))));
    return siblingsOf(scene, own.metric, place)
      .filter((other) => !told.has(seriesId(own.metric, other)))
      .flatMap((other) => opposedEvent(scene, finding, own.metric, other, own.relative));
  });
}

function opposedEvent(scene: Scene, finding: ScanFinding, metric: string, place: Place, against: number): ChangeEvent[] {
  const part = partAt(scene, metric, place, finding);
  if (!part || part.relative * against >= 0 || Math.abs(part.score) < OPPOSED) return [];
  const { shape, from, to, days, earliest, latest } = finding;
  if (shape === 'drift') return [];
  const pValue = Math.min(1, 2 * tailOf(part.score));
  return [{ shape, from, to, days, earliest, latest, place, parts: [part], pValue, seriesCount: 1 }];
}
