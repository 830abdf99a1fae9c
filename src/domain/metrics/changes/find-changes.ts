import { lookThrough } from '../engine/scan.ts';
import type { ChangeSeries, Place } from './change-series.ts';
import { acceptedOf, clustersOf, type Found } from './clusters.ts';
import { eventsOf } from './events.ts';
import { outcomeOf, type RankedChange, rankChanges } from './rank-changes.ts';
import { sceneOf } from './scene.ts';

/** What to look through. */
export interface ScanRequest {
  /** All that was read; totals that changes are ranked by are among them. */
  readonly series: readonly ChangeSeries[];
  /** Metrics whose changes are wanted. */
  readonly metrics: readonly string[];
  /** All visitors that were asked for, with the main goal. */
  readonly base: Place;
  /** First and last day of the scan; the days before teach what is usual. */
  readonly from: string;
  readonly to: string;
}

/** What was found in all series together. */
export interface ScanAnswer {
  /** The most expensive first. */
  readonly changes: readonly RankedChange[];
  /** Series with enough data to be looked at, and those without. */
  readonly looked: number;
  readonly tooFew: number;
  /** What changes are ranked by. */
  readonly outcome: ReturnType<typeof outcomeOf>;
}

/** Looks through all series and reports each change once, at the place where it happened. */
export function findChanges({ series, metrics, base, from, to }: ScanRequest): ScanAnswer {
  const wanted = series.filter(({ metric }) => metrics.includes(metric));
  const looked = lookThrough(wanted, from, to);
  const byId = new Map(wanted.map((each) => [each.id, each]));
  const found = looked.flatMap(({ id, study, candidates }): Found[] => {
    const own = byId.get(id);
    return own ? candidates.map((finding) => ({ series: own, study, finding })) : [];
  });
  const { clusters, limit } = acceptedOf(clustersOf(found), looked.length);
  const scene = sceneOf(series, looked, { base, from, to });
  const events = clusters.flatMap((cluster) => eventsOf(scene, cluster, clusters, limit));
  return {
    changes: rankChanges(scene, events),
    looked: looked.length,
    tooFew: wanted.length - looked.length,
    outcome: outcomeOf(scene),
  };
}
