import { type Days, driftBeside, type Looked } from '../engine/scan.ts';
import { areRelated, type ChangeSeries, type Cluster, type Found, isProduct, overlap } from './change-series.ts';

/** The series that show a change by what it is of; of a change that products alone show, these. */
function factorsOf({ members }: Cluster): readonly Found[] {
  const factors = members.filter(({ series: { metric } }) => !isProduct(metric));
  return factors.length > 0 ? factors : members;
}

/**
 * Drifts as they are beside changes of other places on days of the scan: a step of one segment bends the slope of a device without being
 * clear on it, or goes on where a slope ended. `overOf`: days of a series on which episodes were over before.
 */
export function driftsBeside(
  drifts: readonly Found[],
  looked: readonly Looked[],
  accepted: readonly Cluster[],
  [byId, overOf]: readonly [ReadonlyMap<string, ChangeSeries>, (series: ChangeSeries) => readonly Days[]],
): Found[] {
  const changes = accepted.filter(({ lead: { finding } }) => finding.shape === 'step' || finding.shape === 'episode');
  const beside = new Map<string, Found | undefined>();
  for (const each of looked) {
    const series = byId.get(each.id);
    if (!series) continue;
    const touches = (other: Found) => areRelated(other.series, series) && overlap(other.series.place, series.place);
    const days = changes.filter((cluster) => factorsOf(cluster).some(touches)).map(({ lead: { finding } }) => finding);
    if (days.length === 0) continue;
    const finding = driftBeside(each, [...overOf(series), ...days]);
    beside.set(each.id, finding && { series, study: each.study, finding });
  }
  const kept = drifts.filter(({ series }) => !beside.has(series.id));
  return [...kept, ...[...beside.values()].flatMap((drift) => drift ?? [])];
}
