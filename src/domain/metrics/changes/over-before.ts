import { DAY_MS } from '../../../lib/clock.ts';
import { dated } from '../engine/changes.ts';
import { type Days, driftBeside, type Looked, pValueBeside, type ScanFinding, substitute } from '../engine/scan.ts';
import type { Study } from '../engine/study.ts';
import {
  areRelated,
  type ChangeSeries,
  CLOSE,
  type Cluster,
  type Found,
  isProduct,
  isWithinPlace,
  overlap,
  type Place,
} from './change-series.ts';

/** Days behind an episode in which a change the other way may be no more than its end. */
const AFTERMATH_DAYS = 7;

/** An episode that was over before a scan, at some place. */
interface Over {
  readonly place: Place;
  readonly from: string;
  readonly to: string;
  readonly sign: number;
}

/** The episodes of all series that were over before a scan. */
export function overBefore(looked: readonly Looked[], byId: ReadonlyMap<string, ChangeSeries>): Over[] {
  return looked.flatMap(({ id, study: { series, changes } }) => {
    const place = byId.get(id)?.place;
    if (!place) return [];
    return changes
      .filter(({ shape, to }) => shape === 'episode' && to <= series.learned)
      .flatMap((change) => {
        const { from, to, relative } = dated(series, change);
        return to === undefined ? [] : [{ place, from, to, sign: Math.sign(relative) }];
      });
  });
}

const isOf = ({ place }: Over, own: Place) => place.zoneId === own.zoneId && (isWithinPlace(own, place) || isSamePlace(own, place));
const isSamePlace = (a: Place, b: Place) => a.device === b.device && a.segmentId === b.segmentId;

/** Whether the days of an episode that began before a scan cannot be told from those of one that was over then: it is that one. */
function isOver(study: Study, finding: ScanFinding, over: Over): boolean {
  const instead = finding.shape === 'episode' ? substitute(study, finding, over) : undefined;
  return instead !== undefined && Math.min(instead.loss, instead.left) <= CLOSE.related;
}

/** Whether a change begins shortly after an episode and goes the other way, as its end does. */
function isAftermath({ shape, from, relative }: ScanFinding, { to, sign }: Over): boolean {
  const days = (Date.parse(from) - Date.parse(to)) / DAY_MS;
  return (shape === 'step' || shape === 'episode') && relative * sign < 0 && days >= 1 && days <= AFTERMATH_DAYS;
}

/** The days of episodes, those that overlap as one. */
function daysOf(overs: readonly Over[]): Days[] {
  const days: { from: string; to: string }[] = [];
  for (const { from, to } of overs.toSorted((a, b) => a.from.localeCompare(b.from))) {
    const last = days.at(-1);
    if (last && from <= last.to) last.to = to > last.to ? to : last.to;
    else days.push({ from, to });
  }
  return days;
}

/**
 * The sudden findings of one series that are news: an episode that was over before the scan is none, whichever day its end seems to fall on
 * in a narrow series, and a fall behind it is held against the days before it too.
 */
export function newsOf({ place }: ChangeSeries, { study, candidates }: Looked, overs: readonly Over[], first: string): ScanFinding[] {
  const around = overs.filter((over) => isOf(over, place));
  const sudden = candidates.filter(({ shape }) => shape !== 'drift');
  const news = sudden.filter((finding) => !(finding.from < first && around.some((over) => isOver(study, finding, over))));
  return news.map((finding) => {
    const ended = around.filter((over) => isAftermath(finding, over));
    return { ...finding, pValue: Math.max(finding.pValue, ...ended.map((over) => pValueBeside(study, finding, [over], true))) };
  });
}

/** The series that show a change by what it is of; of a change that products alone show, these. */
function shownBy({ members }: Cluster): readonly Found[] {
  const factors = members.filter(({ series: { metric } }) => !isProduct(metric));
  return factors.length > 0 ? factors : members;
}

/**
 * Drifts beside all that is known to have happened to the visitors of a series, before the scan and on its days: a step of one segment
 * bends the slope of a device without being clear on it, or goes on where a slope ended.
 */
export function driftsIn(
  looked: readonly Looked[],
  byId: ReadonlyMap<string, ChangeSeries>,
  overs: readonly Over[],
  accepted: readonly Cluster[],
): Found[] {
  const changes = accepted.filter(({ lead: { finding } }) => finding.shape !== 'outlier');
  return looked.flatMap((each) => {
    const series = byId.get(each.id);
    if (!series) return [];
    const touches = (other: Found) => areRelated(other.series, series) && overlap(other.series.place, series.place);
    const days = changes.filter((cluster) => shownBy(cluster).some(touches)).map(({ lead: { finding } }) => finding);
    const finding = driftBeside(each, [...daysOf(overs.filter((over) => isOf(over, series.place))), ...days]);
    return finding ? [{ series, study: each.study, finding }] : [];
  });
}
