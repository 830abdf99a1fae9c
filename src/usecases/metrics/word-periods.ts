import { type PeriodsResult, wordComparison } from '../../domain/metrics/compare/comparison.ts';
import type { Comparison } from '../../domain/metrics/compare/comparison-rows.ts';
import { detectionSentences } from '../../domain/metrics/compare/detection.ts';
import { isWithoutDays, type Judged, type Reading } from '../../domain/metrics/compare/readings.ts';
import { grammarOf } from '../../domain/metrics/findings.ts';
import { definitionOf } from '../../domain/metrics/metric-definitions.ts';
import { refusedNotes } from '../../domain/metrics/read/query-notes.ts';
import type { FindingPlace } from '../../findings/finding.ts';
import { daysBetween } from '../../lib/calendar.ts';
import { isoAt, todayIn } from '../../lib/dates.ts';
import { type CompareContext, PARTS } from './compare-question.ts';
import type { PeriodsExplained } from './explain-periods.ts';
import type { PeriodsJudged } from './judge-periods.ts';
import type { PeriodsRead } from './read-periods.ts';

/** The answer of a comparison of two periods, and what its chart is made of. */
export interface PeriodsWorded {
  readonly comparison: Comparison;
  readonly result: PeriodsResult;
  readonly notes: readonly string[];
}

/** Why nothing is judged, and why a change between the ranges has no date. */
function methodNotes([whole]: readonly Judged[], { windows: { isAdjacent, between } }: PeriodsRead): string[] {
  const isDayless = whole && isWithoutDays(whole.reading);
  return [
    ...(isDayless ? ['Verdicts are of whole days, and the period holds none.'] : []),
    ...(isAdjacent || between ? [] : ['The baseline does not end where the period begins, so a change between them has no date.']),
  ];
}

/** Says which segments were looked at, or why none were; undefined where there is nothing to say. */
function segmentsNote({ isNoise }: PeriodsResult, { wantsSegments, segments }: PeriodsExplained): string | undefined {
  return isNoise && wantsSegments ? 'Segments were not looked at: no change is clear that they could explain.' : segments.choice;
}

function notesOf(result: PeriodsResult, read: PeriodsRead, explained: PeriodsExplained): string[] {
  const { question, windows, totals, isOne } = read;
  const ofSegments = segmentsNote(result, explained);
  // Visits of no known device cannot be asked for.
  const hasLeader = PARTS.some((device) => device === result.leader);
  return [
    ...(ofSegments === undefined ? [] : [ofSegments]),
    ...(hasLeader ? [`Next: devices ["${result.leader}"] shows its segments.`] : []),
    ...windows.notes,
    ...methodNotes(result.judged, read),
    ...(question.explain && !isOne ? ['explain takes one device and one set of segments at a time.'] : []),
    ...(question.zoneIds.length > 0
      ? [
          'The interface does not give the users of a zone: days are weighed by the visits of the site; before and after are as the ' +
            'platform gives them.',
        ]
      : []),
    ...refusedNotes(Object.fromEntries(Object.entries(totals.refused).filter(([metric]) => question.metrics.includes(metric)))),
  ];
}

/** The place of a reading by the names that people use. */
function placeIn({ lists, question }: PeriodsRead) {
  return ({ device, segmentIds, zoneId }: Pick<Reading, 'device' | 'segmentIds' | 'zoneId'>, metric: string): FindingPlace => ({
    ...(device !== 'all' && { device }),
    ...(segmentIds.length > 0 && { segment: segmentIds.map((id) => lists.nameOf('segment', id)).join(' and ') }),
    ...(question.goalId !== undefined && definitionOf(metric)?.perGoal && { goal: lists.nameOf('goal', question.goalId) }),
    ...(zoneId !== undefined && { zone: lists.nameOf('zone', zoneId) }),
  });
}

/** Of several projects each says its first finding and what that costs. */
const MOST_OF_SEVERAL = 2;

/** Words the answer and its notes. */
export function wordPeriods(
  read: PeriodsRead,
  judged: PeriodsJudged,
  explained: PeriodsExplained,
  { nowMs, isOneOfSeveral }: Pick<CompareContext, 'nowMs' | 'isOneOfSeveral'>,
): PeriodsWorded {
  const { windows, totals, timeZone, apart, kept, known } = read;
  const { baseline } = windows;
  const { input, causes, detect, events } = explained;
  const placeOf = placeIn(read);
  const result = wordComparison(causes, input, {
    grammar: grammarOf(todayIn(timeZone, nowMs)),
    faults: judged.faults,
    specialDays: known.specialDays,
    currency: totals.currency,
    placeOf,
    whole: placeOf({ device: read.question.devices[0] ?? 'all', segmentIds: read.question.segmentIds, zoneId: undefined }, 'visits'),
    period: { from: todayIn(timeZone, windows.period.startMs), to: todayIn(timeZone, windows.period.endMs) },
    first: detect ? detectionSentences(detect) : [],
    most: isOneOfSeveral ? MOST_OF_SEVERAL : undefined,
  });
  const days = daysBetween(baseline.startMs, baseline.endMs + 1, timeZone);
  const details = [
    ...(kept === undefined ? [] : [kept]),
    ...(result.data.details ?? []),
    ...(explained.special === '' ? [] : [explained.special]),
  ];
  const comparison = {
    ...result.data,
    ...(detect && detect.length > 0 && { detect: [...detect] }),
    ...(apart !== undefined && { answer: apart, findings: [] }),
    ...(judged.faults.length > 0 && { quality: [...judged.faults] }),
    baseline: { start: isoAt(baseline.startMs, timeZone), end: isoAt(baseline.endMs, timeZone), days: Number(days.toFixed(2)) },
    ...(events.length > 0 && { events: [...events] }),
    ...(details.length > 0 && apart === undefined ? { details } : { details: [] }),
  };
  return { comparison, result, notes: apart === undefined ? notesOf(result, read, explained) : [] };
}
