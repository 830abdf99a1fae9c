import { driftBeside, type Looked } from '../engine/scan.ts';
import { areRelated, type ChangeSeries, type Cluster, type Found, isProduct, overlap } from './change-series.ts';

/** The series that show a change by what it is of; of a change that products alone show, these. */
function factorsOf({ members }: Cluster): readonly Found[] {
  const factors = members.filter(({ series: { metric } }) => !isProduct(metric));
  return factors.length > 0 ? factors : members;
}

/**
 * Drifts that series show beside changes of other places on days of the scan: a step of one segment bends the slope of a device without
 * being clear on it.
 */
export function hiddenDrifts(looked: readonly Looked[], byId: ReadonlyMap<string, ChangeSeries>, accepted: readonly Cluster[]): Found[] {
  const changes = accepted.filter(({ lead: { finding } }) => finding.shape === 'step' || finding.shape === 'episode');
  return looked.flatMap((each): Found[] => {
    const series = byId.get(each.id);
    if (!series || each.candidates.some(({ shape }) => shape === 'drift')) return [];
    const touches = (other: Found) => areRelated(other.series, series) && overlap(other.series.place, series.place);
    const days = changes.filter((cluster) => factorsOf(cluster).some(touches)).map(({ lead: { finding } }) => finding);
    const finding = days.length > 0 && driftBeside(each, days);
    return finding ? [{ series, study: each.study, finding }] : [];
  });
}
