import { type PeriodsResult, wordComparison } from '../../domain/metrics/compare/comparison.ts';
import type { Comparison } from '../../domain/metrics/compare/comparison-rows.ts';
import type { Windows } from '../../domain/metrics/compare/comparison-windows.ts';
import { type Change, earlierOf, outlierNote } from '../../domain/metrics/compare/comparison-words.ts';
import { detectionSentence } from '../../domain/metrics/compare/detection.ts';
import { isWithoutDays, type Judged } from '../../domain/metrics/compare/readings.ts';
import { countingSentence, SOUND } from '../../domain/metrics/quality/counting.ts';
import { refusedNotes } from '../../domain/metrics/read/query-notes.ts';
import { daysBetween } from '../../lib/calendar.ts';
import { isoAt, todayIn } from '../../lib/dates.ts';
import { sentencesOf } from '../../lib/sentences.ts';
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

/** How the numbers were made, and what is not in them; docs/statistics.md explains the columns. */
function methodNotes([whole, ...groups]: readonly Judged[], { isAdjacent, isFar, between }: Windows): string[] {
  const isPart = whole?.isOfMain && whole.otherwise === undefined;
  const ofMain = 'a change inside the period makes the verdict, since its named day';
  return [
    whole && whole.verdict !== 'not enough data'
      ? `levelPercent: weekdays evened; chance exceeds noisePercent once in 100 (${whole.learnedDays} days).`
      : noNoiseNote(whole),
    ...([whole, ...groups].some((each) => each?.isOfMain || each?.otherwise !== undefined)
      ? [`Without noisePercent: ${ofMain}${isPart ? '; levelPercent is what it makes of the whole period' : ''}.`]
      : []),
    ...(isAdjacent || between ? [] : ['The baseline does not end where the period begins: a change among the days between has no date.']),
    ...(isFar ? ['Drift over the time between the two ranges is not in the noise.'] : []),
  ];
}

/** Why nothing is judged: verdicts are of whole days. */
function noNoiseNote(whole: Judged | undefined): string {
  return whole && isWithoutDays(whole.reading)
    ? 'Noise: verdicts are of whole days, and the period holds none.'
    : 'Noise: too few days with a value before the period.';
}

/** The names of the special days of a period that holds no other days; empty where it does. */
function specialNames({ known: { specialDays } }: PeriodsRead, whole: Judged | undefined): readonly string[] {
  const own = new Set(whole?.reading.periodDays.flatMap(({ interval }) => interval.label ?? []));
  const names = [...own].map((label) => specialDays(label)?.name);
  return names.includes(undefined) ? [] : [...new Set(names.filter((name) => name !== undefined))];
}

/** Says which segments were looked at, or why none were; undefined where there is nothing to say. */
function segmentsNote({ isNoise }: PeriodsResult, { wantsSegments, segments }: PeriodsExplained): string | undefined {
  return isNoise && wantsSegments ? 'Segments are left out: no change is clear that they could explain.' : segments.choice;
}

/** A change with those of its single days that lie in one of the two ranges: others teach nothing and are not compared. */
function withOwnOutliers(change: Change, { windows: { baseline, period }, timeZone }: PeriodsRead): Change {
  const ranges = [baseline, period].map(({ startMs, endMs }) => [todayIn(timeZone, startMs), todayIn(timeZone, endMs)] as const);
  const isCompared = (day: string) => ranges.some(([first, last]) => day >= first && day <= last);
  const changes = change.judgement.changes.filter(({ shape, from }) => shape !== 'outlier' || isCompared(from));
  return { ...change, judgement: { ...change.judgement, changes } };
}

function notesOf(result: PeriodsResult, read: PeriodsRead, explained: PeriodsExplained): string[] {
  const { question, windows, totals, isOne } = read;
  const ofSegments = segmentsNote(result, explained);
  const [whole] = result.judged;
  const special = whole && whole.noise !== null ? specialNames(read, whole).join(', ') : '';
  // Visits of no known device cannot be asked for.
  const hasLeader = PARTS.some((device) => device === result.leader);
  return [
    ...(ofSegments === undefined ? [] : [ofSegments]),
    ...(hasLeader ? [`Next: devices ["${result.leader}"] shows its segments.`] : []),
    ...explained.input.judged.changes.flatMap((change) => outlierNote(withOwnOutliers(change, read)) ?? []),
    ...windows.notes,
    ...(special === ''
      ? []
      : [`noisePercent is wide: the period holds special days alone (${special}), whose effect differs from year to year.`]),
    ...methodNotes(result.judged, windows),
    ...(question.explain && !isOne ? ['explain takes one device and one set of segments at a time.'] : []),
    ...(question.zoneIds.length > 0
      ? [
          'The interface does not give the users of a zone: days are weighed by the visits of the site; before and after are as the ' +
            'platform gives them.',
        ]
      : []),
    ...refusedNotes(totals.refused),
  ];
}

/** The sentences of the answer: what was asked by name, then the change, what is special of its days, and whether counting is sound. */
function answerOf(
  { data, finding, headline, isNoise, judged }: PeriodsResult,
  read: PeriodsRead,
  { faults }: PeriodsJudged,
  { special, detect }: PeriodsExplained,
  { isOneOfSeveral }: Pick<CompareContext, 'isOneOfSeveral'>,
): string {
  const { apart, kept = '', byDevice } = read;
  if (apart !== undefined) return apart;
  const isSound = byDevice && faults.length === 0 && headline.judgement.verdict !== 'not enough data';
  // Noise so wide says little of special days: what they are beside usual ones does.
  const isSpecial = isNoise && !earlierOf(headline) && specialNames(read, judged[0]).length > 0;
  const answer = isSpecial ? [special, data.answer] : [data.answer, special];
  const about = isOneOfSeveral ? [finding] : [detect ? detectionSentence(detect) : '', ...answer, isSound ? SOUND : ''];
  const [first, ...further] = sentencesOf([countingSentence(faults), ...about].filter((sentence) => sentence !== '').join(' '));
  return [first, kept, ...further].filter((sentence) => sentence !== '').join(' ');
}

/** Words the answer and its notes. */
export function wordPeriods(
  read: PeriodsRead,
  judged: PeriodsJudged,
  explained: PeriodsExplained,
  context: Pick<CompareContext, 'isOneOfSeveral'>,
): PeriodsWorded {
  const { windows, totals, timeZone, apart } = read;
  const { baseline } = windows;
  const { input, causes, detect, events } = explained;
  const result = wordComparison(causes, input, totals.currency);
  const days = daysBetween(baseline.startMs, baseline.endMs + 1, timeZone);
  const comparison = {
    ...result.data,
    ...(detect && detect.length > 0 && { detect: [...detect] }),
    answer: answerOf(result, read, judged, explained, context),
    ...(judged.faults.length > 0 && { quality: [...judged.faults] }),
    baseline: { start: isoAt(baseline.startMs, timeZone), end: isoAt(baseline.endMs, timeZone), days: Number(days.toFixed(2)) },
    ...(events.length > 0 && { events: [...events] }),
  };
  return { comparison, result, notes: apart === undefined ? notesOf(result, read, explained) : [] };
}
