import { substitute } from '../engine/same-change.ts';
import { FALSE_DISCOVERY_RATE, type Finding, hypothesesOf } from '../engine/scan.ts';
import { discoveryLimit } from '../engine/significance.ts';
import type { Study } from '../engine/study.ts';
import { type ChangeSeries, factorsOf } from './change-series.ts';

/** Something that may be a change in one series. */
export interface Found {
  readonly series: ChangeSeries;
  readonly study: Study;
  readonly finding: Finding;
}

/** What happened on the same days in several series; the clearest of them gives the days. */
export interface Cluster {
  readonly lead: Found;
  /** The lead included. */
  readonly members: readonly Found[];
}

/** Twice the logarithm of a likelihood ratio at 5 %, and at 0.3 % where one change must show in both series. */
const CLOSE = { unrelated: 3.84, related: 9 };

/** Whether a change of one must show in the other, up to where it is. */
function areRelated(a: ChangeSeries, b: ChangeSeries): boolean {
  if (a.place.zoneId !== b.place.zoneId) return false;
  const factors = new Set(factorsOf(a));
  return a.place.zoneId !== undefined || factorsOf(b).some((factor) => factors.has(factor));
}

function isSame(lead: Found, other: Found): boolean {
  const related = areRelated(lead.series, other.series);
  if (lead.finding.shape === 'drift' || other.finding.shape === 'drift')
    return related && lead.finding.shape === other.finding.shape && lead.finding.relative * other.finding.relative > 0;
  const instead = substitute(other.study, other.finding, lead.finding);
  if (!instead) return false;
  return related ? Math.min(instead.loss, instead.left) <= CLOSE.related : instead.loss <= CLOSE.unrelated;
}

/** Puts together what the series cannot tell from one change on the same days, the clearest first. */
export function clustersOf(found: readonly Found[]): Cluster[] {
  const clusters: Cluster[] = [];
  let left = found.toSorted((a, b) => a.finding.pValue - b.finding.pValue);
  for (let [lead] = left; lead; [lead] = left) {
    const own = lead;
    const members = left.filter((other) => other === own || isSame(own, other));
    clusters.push({ lead: own, members });
    const taken = new Set(members);
    left = left.filter((other) => !taken.has(other));
  }
  return clusters;
}

/**
 * The largest p-value of a cluster that is still taken for a change. What is discovered are clusters, and a false cluster needs a false
 * series: so many series may be false as 5 % of the clusters, however many series a true one has.
 */
export function clusterLimit(clusters: readonly Cluster[], looked: number): number {
  const pValues = clusters.map(({ lead }) => lead.finding.pValue);
  return discoveryLimit(pValues, FALSE_DISCOVERY_RATE, hypothesesOf(looked));
}
