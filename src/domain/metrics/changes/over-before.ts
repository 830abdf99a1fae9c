import { DAY_MS } from '../../../lib/clock.ts';
import { dated } from '../engine/changes.ts';
import { type Days, driftBeside, type Looked, pValueBeside, type ScanFinding, substitute } from '../engine/scan.ts';
import type { Study } from '../engine/study.ts';
import { type ChangeSeries, CLOSE, isWithinPlace, type Place } from './change-series.ts';

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

/** The days of episodes that were over before a scan and touch a series, those that overlap as one. */
export const daysOver = ({ place }: ChangeSeries, overs: readonly Over[]): Days[] => daysOf(overs.filter((over) => isOf(over, place)));

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
 * The findings of one series that are news: an episode that was over before the scan is none, whichever day its end seems to fall on in a
 * narrow series; a fall behind it is held against the days before it too, and it makes no slope where a narrow series does not show it.
 */
export function newsOf({ place }: ChangeSeries, looked: Looked, overs: readonly Over[], first: string): ScanFinding[] {
  const { study, candidates } = looked;
  const around = overs.filter((over) => isOf(over, place));
  if (around.length === 0) return [...candidates];
  return candidates.flatMap((finding) => {
    if (finding.shape === 'drift') return driftBeside(looked, daysOf(around)) ?? [];
    if (finding.from < first && around.some((over) => isOver(study, finding, over))) return [];
    const ended = around.filter((over) => isAftermath(finding, over));
    const pValues = ended.map((over) => pValueBeside(study, finding, [over], true));
    return { ...finding, pValue: Math.max(finding.pValue, ...pValues) };
  });
}
