import { ApiError, refuse } from '../api/errors.ts';
import { getStepHar } from '../api/operations/speed-analysis.ts';
import { placeOfRun, typicalRuns } from '../har/compare/typical-runs.ts';
import { DAY_MS } from '../lib/clock.ts';
import { minuteAt } from '../lib/dates.ts';
import type { Context } from '../names/context.ts';
import { studyOne, usualPeriod } from './analyze-scenarios.ts';
import { type BlamedStep, figuresOf, readGivenRun, runsNear, stepOf } from './run-neighbours.ts';
import { isFailed } from './runs.ts';
import { readReports, stopsAfter } from './scenario-reports.ts';

/** A run by the id of a step result, or a step of a scenario, of which a typical run is chosen. */
export interface RunAsked {
  readonly scenarioStepResultId?: string | undefined;
  readonly scenarioId?: number | undefined;
  readonly step?: string | undefined;
  /** Whether it is to be said how usual the run is, which is to be read. */
  readonly isPlaced: boolean;
}

/** The run that an answer is about. */
export interface RunNamed {
  readonly stepResultId: string;
  /** Name of the scenario that it was chosen from. */
  readonly scenario?: string;
  readonly step?: string;
  readonly time?: string;
  /** How usual it is among the runs near it: `outlier: …`, `unusual: …`, `usual: …`, `typical of …`. */
  readonly place?: string;
}

/** A run with its HAR file as the platform gave it. */
export type RunRead = Awaited<ReturnType<typeof readRun>>;

/** Days among whose runs a typical one is chosen; more where these hold none. */
const DAYS = [7, 30] as const;

type Asking = Pick<Context, 'ask' | 'nowMs' | 'timeZone' | 'note' | 'lists' | 'clock' | 'remember' | 'signal'>;

/** The step that the analysis of the scenario blames: the one at which runs fail, else the one that became slower; undefined for none. */
async function blamedStep(scenarioId: number, context: Asking): Promise<BlamedStep | undefined> {
  const { study } = await studyOne(scenarioId, { scenarioIds: [scenarioId], ...usualPeriod(context) }, context);
  const [failing] = study.failures.isFailing ? study.failures.steps : [];
  if (failing) return { name: failing.step, why: 'runs fail at it' };
  const slower = study.headline?.state === 'slower' ? study.headline.step : undefined;
  return slower && { name: slower.name, why: 'it became slower' };
}

/** The most typical run of a step by load time, requests and LCP. */
async function chooseRun(scenarioId: number, step: string | undefined, context: Asking) {
  const { ask, nowMs, timeZone, note } = context;
  for (const days of DAYS) {
    const scenario = await readReports(ask, scenarioId, [{ startMs: nowMs - days * DAY_MS, endMs: nowMs }]);
    if (scenario.reports.every(isFailed)) continue;
    const chosen = await stepOf(scenario, step, note, () => blamedStep(scenarioId, context));
    const runs = figuresOf(chosen);
    const [typical] = typicalRuns(runs, 1);
    if (!typical) continue;
    const { stepResultId, paints, date } = typical;
    const place =
      runs.length === 1
        ? `typical, the only run of the last ${days} days`
        : `typical of the ${runs.length} runs of the last ${days} days by LCP, TBT, load time and requests`;
    const of = scenario.name !== undefined && { scenario: scenario.name };
    const run: RunNamed = { stepResultId, ...of, step: `${chosen.number} "${chosen.name}"`, time: minuteAt(date, timeZone), place };
    return { paints, run };
  }
  throw new ApiError('missing', `The scenario has no run without a failure in the last ${DAYS[1]} days.`);
}

/** Reads the run that is named, or chooses one. Throws `invalid` where neither a run nor a scenario is named. */
export async function readRun({ scenarioStepResultId, scenarioId, step, isPlaced }: RunAsked, context: Asking) {
  const { ask, timeZone, note, lists, clock } = context;
  if (scenarioStepResultId === undefined) {
    if (scenarioId === undefined) refuse('scenarioStepResultId: is required (string); or pass scenarioId and step.');
    const chosen = await chooseRun(scenarioId, step, context);
    return { ...chosen, file: (await ask(getStepHar, { scenarioStepResultId: chosen.run.stepResultId })).har };
  }
  if (step !== undefined) refuse('step: belongs to scenarioId; a stepResultId is of one step.');
  const isLate = stopsAfter(clock);
  const known = await readGivenRun(ask, scenarioStepResultId);
  const near = isPlaced ? await runsNear(known, scenarioId, { ask, note, lists, isLate }).catch(() => undefined) : undefined;
  const { dateMs, paints, har } = known;
  const others = near?.runs.map((each) => each.paints);
  const place = others && paints && placeOfRun(paints, others);
  const run: RunNamed = {
    stepResultId: scenarioStepResultId,
    ...(dateMs !== undefined && { time: minuteAt(dateMs, timeZone) }),
    ...(near?.step !== undefined && { step: near.step }),
    ...(place !== undefined && { place }),
  };
  return { file: har, run, paints };
}

/** The verdict on a load, with which run it is where one was chosen; that it is unlike others comes first. */
export function verdictOfRun(verdict: string, { step, time, place }: RunNamed): string {
  if (place === undefined || place.startsWith('usual')) return verdict;
  if (!place.startsWith('typical')) return `This run is not typical, ${place}. ${verdict}`;
  return `${verdict} Step ${step}, a typical run (${time}).`;
}
