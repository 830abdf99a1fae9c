import { pValueBeside, substitute } from '../engine/same-change.ts';
import { FALSE_DISCOVERY_RATE, type Finding, hypothesesOf } from '../engine/scan.ts';
import { discoveryLimit } from '../engine/significance.ts';
import type { Study } from '../engine/study.ts';
import { type ChangeSeries, factorsOf, isProduct } from './change-series.ts';

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

/** Twice the logarithm of a likelihood ratio at 5 %, and at 0.3 % where one change must show in both series or they are a day apart. */
const CLOSE = { unrelated: 3.84, related: 9 };

const DAY_MS = 86_400_000;

/** Whether two changes begin and end within a day of each other. */
export function areNeighbours(a: Pick<Finding, 'from' | 'to'>, b: Pick<Finding, 'from' | 'to'>): boolean {
  const isNear = (one: string, other: string) => Math.abs(Date.parse(one) - Date.parse(other)) <= DAY_MS;
  const endAlike = a.to === undefined || b.to === undefined ? a.to === b.to : isNear(a.to, b.to);
  return isNear(a.from, b.from) && endAlike;
}

/** Whether a change of one must show in the other, up to where it is. */
function areRelated(a: ChangeSeries, b: ChangeSeries): boolean {
  if (a.place.zoneId !== b.place.zoneId) return false;
  const factors = new Set(factorsOf(a));
  return a.place.zoneId !== undefined || factorsOf(b).some((factor) => factors.has(factor));
}

function isSame(lead: Found, other: Found): boolean {
  const related = areRelated(lead.series, other.series);
  // Drifts have no days that distinguish them; where they come from is asked later.
  if (lead.finding.shape === 'drift' || other.finding.shape === 'drift') return lead.finding.shape === other.finding.shape;
  const instead = substitute(other.study, other.finding, lead.finding);
  if (!instead) return false;
  const isShort = lead.finding.shape === 'outlier' || other.finding.shape === 'outlier';
  if (related || (areNeighbours(lead.finding, other.finding) && !isShort)) return Math.min(instead.loss, instead.left) <= CLOSE.related;
  return instead.loss <= CLOSE.unrelated;
}

/** Puts together what the series cannot distinguish from one change on the same days, the clearest first. */
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

/** A cluster with the p-value that it has beside those that explain a part of it. */
interface Weighed {
  readonly cluster: Cluster;
  readonly pValue: number;
}

const isOfProducts = ({ members }: Cluster) => members.every(({ series: { metric } }) => isProduct(metric));

/** What of a cluster is no effect of others that touch the same visits: sums of two changes look like a third. */
function weigh({ lead, members }: Cluster, known: readonly Weighed[]): Weighed {
  const others = known
    .map(({ cluster }) => cluster.lead)
    .filter(({ finding, series }) => finding.shape !== 'drift' && areRelated(series, lead.series))
    .map(({ finding }) => finding);
  const isDrift = lead.finding.shape === 'drift';
  return { cluster: { lead, members }, pValue: isDrift ? lead.finding.pValue : pValueBeside(lead.study, lead.finding, others) };
}

/** What was found and the largest p-value that was taken for it. */
export interface Accepted {
  readonly clusters: readonly Cluster[];
  readonly limit: number;
}

/**
 * The clusters that are taken for changes. What is discovered are clusters, and a false cluster needs a false series: so many series may be
 * false as 5 % of the clusters (Benjamini and Hochberg 1995), however many series a true one has.
 */
export function acceptedOf(clusters: readonly Cluster[], looked: number): Accepted {
  const limitOf = (pValues: readonly number[]) => discoveryLimit(pValues, FALSE_DISCOVERY_RATE, hypothesesOf(looked));
  const first = limitOf(clusters.map(({ lead }) => lead.finding.pValue));
  // Products after what they are made of.
  const inOrder = clusters.toSorted((a, b) => Number(isOfProducts(a)) - Number(isOfProducts(b)));
  const weighed: Weighed[] = [];
  for (const cluster of inOrder) {
    const clear = weighed.filter(({ pValue }) => pValue <= first);
    weighed.push(weigh(cluster, clear));
  }
  const limit = limitOf(weighed.map(({ pValue }) => pValue));
  return { clusters: weighed.filter(({ pValue }) => pValue <= limit).map(({ cluster }) => cluster), limit };
}
