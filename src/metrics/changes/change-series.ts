import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import { hypothesesOf, pValueBeside, type ScanFinding, type Scanned, substitute } from '../engine/scan.ts';
import { sumOf } from '../engine/series.ts';
import type { Study } from '../engine/study.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { kindOf } from '../read/day-points.ts';
import { isZoneMetric } from '../read/metric-grid.ts';
import { keyOf, type Place, pointsKnown, type Visits } from '../site-changes.ts';

/** Days at the end of what was read that may be low or high by themselves, as those of a weekend, and no level that lasts. */
const FEW_DAYS = 2;

/** Everything that was read and looked at. */
export interface Scene {
  readonly series: ReadonlyMap<string, ChangeSeries>;
  /** All visitors that were asked for, with the main goal. */
  readonly base: Visits;
  /** First and last day of the scan. */
  readonly from: string;
  readonly to: string;
  /** Names some visits among others, as `mobile`. */
  readonly nameOf: (place: Place) => string;
}

/** The days of one metric of some visits. */
export interface ChangeSeries extends Scanned {
  readonly metric: string;
  readonly reading: Visits;
}

/** Names a metric at a place, so that the same one is found again. */
export const seriesId = (metric: string, place: Place) =>
  [metric, keyOf(definitionOf(metric)?.perGoal ? place : { ...place, goalId: undefined })].join('|');

/** Metrics that a reading was made for: those of a further goal are only what depends on it. */
function metricsOf(metrics: readonly string[], { goalId, zoneId }: Place, baseGoal: number | undefined): string[] {
  if (zoneId !== undefined) return metrics.filter(isZoneMetric);
  const ofSite = metrics.filter((metric) => !isZoneMetric(metric));
  return goalId === baseGoal ? ofSite : ofSite.filter((metric) => definitionOf(metric)?.perGoal);
}

/** All series of some readings, each once; a metric without any value at a place has no series. */
export function changeSeriesOf(readings: readonly Visits[], metrics: readonly string[], { goalId }: Place): ChangeSeries[] {
  const all = readings.flatMap((reading) =>
    metricsOf(metrics, reading, goalId).map((metric): ChangeSeries => {
      const own = definitionOf(metric)?.perGoal ? reading : { ...reading, goalId };
      return { id: seriesId(metric, own), kind: kindOf(metric), days: pointsKnown(own, metric), metric, reading: own };
    }),
  );
  const found = all.filter(({ days }) => days.some(({ numerator }) => numerator > 0));
  return [...new Map(found.map((series) => [series.id, series])).values()];
}

/** A share of fewer visits a day is mostly none or all of them: what days scatter by cannot be told from such values. */
const LEAST_OF_A_DAY = 8;

/** Whether the days of a series are enough to tell a change from chance. */
export function hasEnough({ kind, days }: ChangeSeries): boolean {
  return kind !== 'share' || sumOf(days, 'denominator') >= LEAST_OF_A_DAY * days.length;
}

/** Something that may be a change in one series. */
export interface Found {
  readonly series: ChangeSeries;
  readonly study: Study;
  readonly finding: ScanFinding;
}

/** Metrics of zones that rest on orders, whose number is in no answer of the interface. */
const OF_ORDERS: ReadonlySet<string> = new Set(['avgTransactionAfterTap', 'revenuePerTap', 'totalRevenueWithTap']);

/** Whether a change at a zone is of some days that a few orders, or a single one, may have made. */
export function isOfFewOrders({ series: { metric }, finding: { shape, to, days } }: Found): boolean {
  return OF_ORDERS.has(metric) && shape !== 'drift' && (to !== undefined || days <= FEW_DAYS);
}

/** Changes on the same days in several series; the clearest of them gives the days. */
export interface Cluster {
  readonly lead: Found;
  /** The lead included. */
  readonly members: readonly Found[];
}

/** Twice the logarithm of a likelihood ratio at 5 %, and at 0.3 % where one change must show in both series. */
const CLOSE = { unrelated: 3.84, related: 9 };

/** Whether a change of one must show in the other, up to where it is: both are of one metric, or of a zone. */
function areRelated(a: ChangeSeries, b: ChangeSeries): boolean {
  if (a.reading.zoneId !== b.reading.zoneId) return false;
  const idOf = ({ metric, reading: { goalId } }: ChangeSeries) => seriesId(metric, { device: 'all', segmentIds: [], goalId });
  return a.reading.zoneId !== undefined || idOf(a) === idOf(b);
}

/** Whether who came, more or fewer of them, may be all that moved a rate or an average. */
const mayBeMix = (visits: ChangeSeries, { metric, reading }: ChangeSeries) =>
  visits.metric === 'visits' && !isCount(metric) && visits.reading.zoneId === reading.zoneId;

function isSame(lead: Found, other: Found): boolean {
  const related = areRelated(lead.series, other.series) || mayBeMix(lead.series, other.series);
  // Drifts have no days that distinguish them; where they come from is asked later.
  if (lead.finding.shape === 'drift' || other.finding.shape === 'drift') return lead.finding.shape === other.finding.shape;
  const instead = substitute(other.study, other.finding, lead.finding);
  if (!instead) return false;
  return related ? Math.min(instead.loss, instead.left) <= CLOSE.related : instead.loss <= CLOSE.unrelated;
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

/**
 * The clusters that are accepted as changes, the clearest first, each by what clearer ones that touch the same visits leave of it: sums of
 * two changes look like a third. Discoveries are clusters, and a false cluster needs a false series: the number of false series may be 5 %
 * of the number of clusters (Benjamini and Hochberg 1995), however many series a true one has. `limit` is the largest p-value accepted.
 */
export function acceptedOf(clusters: readonly Cluster[], looked: number) {
  const limitOf = (pValues: readonly number[]) => discoveryLimit(pValues, FALSE_DISCOVERY_RATES.siteChanges, hypothesesOf(looked));
  const first = limitOf(clusters.map(({ lead }) => lead.finding.pValue));
  const weighed: { readonly cluster: Cluster; readonly pValue: number }[] = [];
  for (const cluster of clusters.toSorted((a, b) => a.lead.finding.pValue - b.lead.finding.pValue)) {
    const { series, study, finding } = cluster.lead;
    const clear = weighed.filter(({ pValue }) => pValue <= first).map((other) => other.cluster.lead);
    const beside = clear.filter((other) => other.finding.shape !== 'drift' && areRelated(other.series, series));
    const others = finding.shape === 'drift' ? [] : beside.map((other) => other.finding);
    weighed.push({ cluster, pValue: pValueBeside(study, finding, others) });
  }
  const limit = limitOf(weighed.map(({ pValue }) => pValue));
  return { clusters: weighed.filter(({ pValue }) => pValue <= limit).map(({ cluster }) => cluster), limit };
}
