import { type Clues, cluesIn } from '../../domain/speed/clues.ts';
import { type NamedTimings, nameTimings, timingsNote, timingWords } from '../../domain/speed/custom-timings.ts';
import { judgeSeries } from '../../domain/speed/engine/judge-series.ts';
import { type FailedStep, failedStepsToRead } from '../../domain/speed/failures.ts';
import { type Bounds, chooseStep, type Report, studyWindows } from '../../domain/speed/runs.ts';
import { type Readings, scenarioAnswer } from '../../domain/speed/scenario-answer.ts';
import { partWords } from '../../domain/speed/scenario-cursor.ts';
import { draftStudy, judgeDraft, type Study, type StudyOptions, soundSteps } from '../../domain/speed/scenario-study.ts';
import { compareSummaries, mostFailing, type Summary, siteAnswer, summaryOf } from '../../domain/speed/site-answer.ts';
import { FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import { inTurns } from '../../statistics/kept-fits.ts';
import type { Context } from '../context.ts';
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

/** Studies a scenario without keeping other calls waiting. */
export async function studyInTurns(reports: readonly Report[], options: StudyOptions, { signal }: Pick<Context, 'signal'>): Promise<Study> {
  const draft = await inTurns(signal, () => draftStudy(reports, options));
  const { period, timeZone } = draft.judging;
  // One by one, so that none is begun anew for another.
  for (const { series, effect } of draft.tracked) await inTurns(signal, () => judgeSeries(series, { period, timeZone, effect }));
  return inTurns(signal, () => judgeDraft(draft));
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

/** One scenario with its study. */
export interface Studied {
  readonly scenarioId: number;
  readonly name: string | undefined;
  readonly study: Study;
  /** The metrics that were asked for, among the custom timings of its reports. */
  readonly named: NamedTimings;
}

/** The scenario that an answer is about in detail, with what its links and its picture are made from. */
interface Detail extends Studied {
  readonly clues: Clues;
  readonly readings: Readings;
}

type Reads = Pick<Context, 'ask' | 'clock' | 'note' | 'covers' | 'lists' | 'nowMs' | 'timeZone' | 'whole' | 'signal'>;

/** Reads a scenario and judges it; of several, each may claim its part of the false ones. */
export async function studyOne(
  scenarioId: number,
  { scenarioIds, step, metrics, cursor: _, ...bounds }: Asked,
  context: Pick<Context, 'ask' | 'nowMs' | 'timeZone' | 'signal'>,
): Promise<Studied> {
  const { ask, nowMs, timeZone } = context;
  const windows = studyWindows(bounds, nowMs, timeZone);
  const { name, reports } = await readReports(ask, scenarioId, { ...windows, passing: scenarioIds.length > MOST_KEPT_SCENARIOS });
  const named = nameTimings(metrics, reports);
  const chosen = step === undefined ? undefined : await chooseStep(soundSteps(reports, windows), step);
  const falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges / scenarioIds.length;
  const study = await studyInTurns(reports, { ...windows, metrics: named.metrics, step: chosen, timeZone, falseDiscoveryRate }, context);
  return { scenarioId, name, study, named };
}

/** Readings for the scenario in detail: the events near its change, and what the actions of failed runs say. */
async function detailOf(
  studied: Studied,
  { steps, of }: { readonly steps: () => readonly FailedStep[]; readonly of: number },
  { ask, note }: Pick<Context, 'ask' | 'note'>,
): Promise<Detail> {
  const clues = cluesIn(studied.study);
  const events = await readEventsNear(ask, studied.scenarioId, clues.since, note);
  const toRead = steps();
  const actions = await readActions(ask, toRead, note);
  return { ...studied, clues, readings: { events, actions, read: { runs: toRead.length, of } } };
}

async function analyzeOne(scenarioId: number, asked: Asked, context: Reads) {
  const studied = await studyOne(scenarioId, asked, context);
  for (const sentence of timingNotes(asked, [studied.named])) context.note(sentence);
  const { study, name } = studied;
  const { steps, of } = failedStepsToRead(study);
  const detail = await detailOf(studied, { steps: () => steps, of }, context);
  const { notes, ...answer } = scenarioAnswer(study, detail.clues, detail.readings, { name, whole: asked.step !== undefined });
  return { answer, notes, detail };
}

/** The notes about custom timings: which scenarios lack those asked for, or which exist where no metric was asked for. */
function timingNotes(asked: Asked, all: readonly NamedTimings[]): string[] {
  if (asked.metrics !== undefined) return timingWords('metrics', all);
  return all.length === 1 ? timingsNote(all) : [];
}

/** The walk through the scenarios of a question; its cursor belongs to the very same one. */
export function walkOf({ scenarioIds, cursor, ...asked }: Asked): ScenarioWalk {
  return { ids: scenarioIds, cursor, list: [scenarioIds, asked] };
}

async function analyzeSeveral(asked: Asked, context: Reads) {
  const { note, lists, whole, clock } = context;
  const isLate = stopsAfter(clock, asked.scenarioIds.length);
  const { nameOf } = await lists();
  // Only the worst study is kept: the reports of a whole site would fill the memory.
  let worst: { summary: Summary; studied: Studied } | undefined;
  const named: NamedTimings[] = [];
  const { done, part, failed } = await walkScenarios(
    walkOf(asked),
    async (scenarioId) => {
      const studied = await studyOne(scenarioId, asked, context);
      named.push(studied.named);
      // Nothing can be said of one that has none of what was asked for.
      if (studied.named.metrics?.length === 0) return undefined;
      const summary = summaryOf(scenarioId, studied.name ?? nameOf('scenario', scenarioId), studied.study);
      if (!worst || compareSummaries(summary, worst.summary) < 0) worst = { summary, studied };
      return summary;
    },
    whole ? undefined : isLate,
  );
  if (part) note(partWords(part));
  for (const { scenarioId, words } of failed) note(`${nameOf('scenario', scenarioId)} could not be read: ${words}`);
  for (const sentence of timingNotes(asked, named)) note(sentence);
  const summaries = done.flatMap((summary) => summary ?? []).toSorted(compareSummaries);
  if (!worst) throw new RangeError('no scenario was read');
  const { summary, studied } = worst;
  const failing = mostFailing(summaries)?.failing;
  const steps = () => readInTime(failing?.toRead ?? [], whole ? () => false : isLate, note);
  const detail = await detailOf({ ...studied, name: summary.name }, { steps, of: failing?.of ?? 0 }, context);
  const { notes, ...answer } = siteAnswer(summaries, { ...detail, summary }, { whole, metrics: asked.metrics, part });
  return { answer: { ...answer, ...(part?.cursor !== undefined && { cursor: part.cursor }) }, notes, detail };
}

/** Says which scenarios became slower or faster: one in all detail; of several each in a line, the worst first and in some detail. */
export async function analyzeScenarios(asked: Asked, context: Reads) {
  const { period } = studyWindows(asked, context.nowMs, context.timeZone);
  context.covers(period.startMs, period.endMs);
  const [only, ...more] = asked.scenarioIds;
  return only !== undefined && more.length === 0 ? analyzeOne(only, asked, context) : analyzeSeveral(asked, context);
}
