import { resolveDate } from '../lib/dates.ts';
import type { Context } from '../names/context.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import { inTurns } from '../statistics/kept-fits.ts';
import { datedMove, type Examples, examplesOf } from './clues.ts';
import {
  type Bounds,
  chooseStep,
  type NamedTimings,
  nameTimings,
  type Report,
  soundOf,
  stepsOf,
  studyWindows,
  timingsNote,
  timingWords,
  windowsToRead,
} from './runs.ts';
import { compareSummaries, mostFailing, type Summary, scenarioAnswer, summaryOf, type Worst } from './scenario-answer.ts';
import type { ScenarioPart } from './scenario-cursor.ts';
import {
  MOST_KEPT_SCENARIOS,
  readActions,
  readEventsNear,
  readInTime,
  readReports,
  type ScenarioWalk,
  stopsAfter,
  walkScenarios,
} from './scenario-reports.ts';
import { draftStudy, type Study, type StudyOptions } from './scenario-study.ts';

/** Studies a scenario without keeping other calls waiting. */
export async function studyInTurns(reports: readonly Report[], options: StudyOptions, { signal }: Pick<Context, 'signal'>): Promise<Study> {
  return inTurns(signal, await inTurns(signal, () => draftStudy(reports, options)));
}

/** A question about scenarios. */
export interface Asked extends Bounds {
  /** At least one, each once. */
  readonly scenarioIds: readonly number[];
  /** Of the only scenario. */
  readonly step?: string | undefined;
  readonly metrics?: readonly string[] | undefined;
  /** Of the answer before, where that could not look at all. */
  readonly cursor?: string | undefined;
}

/** The scenario that an answer is about in detail, with what its links and its picture are made from. */
export interface Detail extends Omit<Worst, 'actions'> {
  /** The scenarios that were looked at, where others were not. */
  readonly part: ScenarioPart | undefined;
  readonly examples: Examples;
}

/** The parts of the context that an answer about scenarios needs. */
export type Reads = Pick<Context, 'ask' | 'clock' | 'note' | 'covers' | 'lists' | 'nowMs' | 'timeZone' | 'whole' | 'signal'>;

/** The period that a scenario is analysed in where none is named. */
export const usualPeriod = ({ nowMs, timeZone }: Pick<Context, 'nowMs' | 'timeZone'>): Bounds => ({
  startDate: new Date(resolveDate('-7d', { edge: 'start', timeZone, nowMs }).instantMs).toISOString(),
});

/** Reads a scenario and judges it; of several, each may claim its part of the false ones. */
export async function studyOne(
  scenarioId: number,
  { scenarioIds, step, metrics, cursor: _, ...bounds }: Asked,
  context: Pick<Context, 'ask' | 'nowMs' | 'timeZone' | 'signal'>,
) {
  const { ask, nowMs, timeZone } = context;
  const windows = studyWindows(bounds, nowMs, timeZone);
  const { name, reports } = await readReports(ask, scenarioId, windowsToRead(windows), scenarioIds.length > MOST_KEPT_SCENARIOS);
  const named = nameTimings(metrics, reports);
  const chosen = step === undefined ? undefined : await chooseStep(stepsOf(soundOf(reports)), step);
  const falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges / scenarioIds.length;
  const study = await studyInTurns(reports, { ...windows, metrics: named.metrics, step: chosen, timeZone, falseDiscoveryRate }, context);
  // The metrics that were asked for, among the custom timings of its reports.
  return { name, study, named };
}

/** The walk through the scenarios of a question; its cursor belongs to the very same one. */
export function walkOf({ scenarioIds, cursor, ...asked }: Asked): ScenarioWalk {
  return { ids: scenarioIds, cursor, list: [scenarioIds, asked] };
}

/** Says which scenarios became slower or faster: one in all detail; of several each in a line, the worst first and in some detail. */
export async function analyzeScenarios(asked: Asked, context: Reads) {
  const { ask, note, whole, nowMs, timeZone } = context;
  const { scenarioIds, metrics } = asked;
  const { period } = studyWindows(asked, nowMs, timeZone);
  context.covers(period.startMs, period.endMs);
  const isLate = stopsAfter(context.clock, scenarioIds.length);
  const { nameOf } = await context.lists();
  // Only the worst study is kept: the reports of a whole site would fill the memory.
  let worst: { summary: Summary; study: Study } | undefined;
  const named: NamedTimings[] = [];
  const { done, part } = await walkScenarios(
    walkOf(asked),
    async (scenarioId) => {
      const { name = nameOf('scenario', scenarioId), study, named: own } = await studyOne(scenarioId, asked, context);
      named.push(own);
      // Nothing can be said of one that has none of what was asked for.
      if (own.metrics?.length === 0) return undefined;
      const summary = summaryOf(scenarioId, name, study);
      if (!worst || compareSummaries(summary, worst.summary) < 0) worst = { summary, study };
      return summary;
    },
    { note, nameOf, isDue: whole ? undefined : isLate },
  );
  const isOnly = scenarioIds.length === 1;
  // Which scenarios lack the custom timings asked for, or which exist where no metric was asked for.
  const ofNone = isOnly ? timingsNote(named) : [];
  for (const sentence of metrics === undefined ? ofNone : timingWords('metrics', named)) note(sentence);
  const summaries = done.flatMap((summary) => summary ?? []).toSorted(compareSummaries);
  if (!worst) throw new RangeError('no scenario was read');
  const { summary, study } = worst;
  const events = await readEventsNear(ask, summary.scenarioId, datedMove(study), note);
  const { toRead, of } = (isOnly ? summary : mostFailing(summaries))?.failures ?? { toRead: [], of: 0 };
  const read = readInTime(toRead, whole ? () => false : isLate, note);
  const actions = { actions: await readActions(ask, read, note), runs: read.length, of };
  const only = asked.step === undefined ? 'usual' : 'all';
  const { notes, ...answer } = scenarioAnswer(
    summaries,
    { summary, study, events, actions },
    { whole, metrics, part, only: isOnly ? only : undefined },
  );
  const detail: Detail = { summary, study, events, part, examples: examplesOf(study) };
  return { answer: { ...answer, ...(part?.cursor !== undefined && { cursor: part.cursor }) }, notes, detail };
}
