import { specialSentence } from '../../domain/metrics/calendar/special-words.ts';
import { type Causes, type CausesInput, explainHeadline } from '../../domain/metrics/compare/causes.ts';
import { type Change, earlierOf } from '../../domain/metrics/compare/change.ts';
import { type Detection, detectionsOf } from '../../domain/metrics/compare/detection.ts';
import { daysOf } from '../../domain/metrics/compare/judged-changes.ts';
import { isChanged } from '../../domain/metrics/compare/readings.ts';
import { nameOf } from '../../domain/metrics/metric-definitions.ts';
import { inTurns } from '../../statistics/kept-fits.ts';
import type { CompareContext } from './compare-question.ts';
import { type ChosenSegments, readSegments } from './compare-segments.ts';
import type { PeriodsJudged } from './judge-periods.ts';
import { type Begun, type NearEvents, readEventsBefore } from './read-events.ts';
import type { PeriodsRead } from './read-periods.ts';

/** Causes of the headline, and what lies near it. */
export interface PeriodsExplained extends Pick<NearEvents, 'events'> {
  readonly input: CausesInput;
  readonly causes: Causes;
  readonly segments: ChosenSegments;
  /** Segments were wanted, and looked at where there is a change. */
  readonly wantsSegments: boolean;
  /** A sentence on the special days in the ranges; empty where none matters. */
  readonly special: string;
  /** How long a change of the size that was asked for takes to show. */
  readonly detect: readonly Detection[] | undefined;
  readonly notes: readonly string[];
}

/** The sentence on special days of both ranges, by the headline or else the first metric of the table that they moved. */
function specialOf({ periods, changes: { headline, changes } }: PeriodsJudged, { known }: PeriodsRead): string {
  const [whole] = periods.readings;
  if (!whole) return '';
  const inRanges = new Set([...whole.baselineDays, ...whole.periodDays].flatMap(({ interval }) => interval.label ?? []));
  for (const { metric, judgement } of [headline, ...changes]) {
    const name = nameOf(metric).toLowerCase();
    const sentence = specialSentence(daysOf(whole, metric), inRanges, known.specialDays, name, judgement.changes);
    if (sentence !== '') return sentence;
  }
  return '';
}

/** When the headline began, as far as is known; a single day that stands out began on itself, whatever began before it. */
function begunOf(headline: Change): Begun[] {
  const { judgement, since, days } = headline;
  const own = since ?? earlierOf(headline);
  const isOneDay = days.first === days.last && isChanged(judgement) && since === undefined;
  return [...(own ? [own] : []), ...(isOneDay ? [{ from: days.first, latest: days.first }] : [])];
}

/** Reads segments and events where there is a change to explain, and searches its causes. */
export async function explainPeriods(read: PeriodsRead, judged: PeriodsJudged, context: CompareContext): Promise<PeriodsExplained> {
  const { question, windows, known, isOne } = read;
  const { faults, periods, changes } = judged;
  const [whole] = periods.readings;
  const explains = question.explain && faults.length === 0;
  const wantsSegments = explains && isOne && !context.isOneOfSeveral;
  const { notes, ...segments } =
    wantsSegments && whole && !changes.isNoise
      ? await readSegments({ question, metric: changes.headline.metric, whole, windows, known }, context)
      : { all: [], chosen: [], notes: [] };
  context.progress(3, 3, 'reading metrics');
  const input = { ...periods, judged: changes, segments, explains };
  const causes = await inTurns(context.signal, () => explainHeadline(input));
  const near = await readEventsBefore(begunOf(causes.judged.headline), context);
  const { detect: size } = question;
  const detect = whole && size !== undefined ? await inTurns(context.signal, () => detectionsOf(whole, question.metrics, size)) : undefined;
  return {
    input,
    causes,
    segments,
    wantsSegments,
    special: specialOf(judged, read),
    detect,
    events: near.events,
    notes: [...notes, ...near.notes],
  };
}
