import { ApiError, refuse } from '../../api/errors.ts';
import { getStepHar } from '../../api/operations/speed-analysis.ts';
import { placeOfRun, type RunFigures, typicalRuns } from '../../domain/har/compare/typical-runs.ts';
import type { PaintTimes } from '../../domain/har/requests/largest-paint.ts';
import { isFailed } from '../../domain/speed/runs.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { minuteAt, resolveDate } from '../../lib/dates.ts';
import { formatMs } from '../../lib/number-text.ts';
import { median } from '../../statistics/order.ts';
import type { Context } from '../context.ts';
import { studyOne } from './analyze-scenarios.ts';
import { type BlamedStep, figuresOf, readGivenRun, runsNear, scenarioBetween, stepOf } from './run-neighbours.ts';
import { stopsAfter } from './scenario-reports.ts';

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
  /** Of a typical run: `its TBT (median 417 ms)`, where that is far from its own. */
  readonly butFor?: string;
}

/** A run with its HAR file as the platform gave it. */
export interface RunRead {
  readonly file: unknown;
  readonly run: RunNamed;
  readonly paints: PaintTimes | undefined;
}

/** Days among whose runs a typical one is chosen; more where these hold none. */
const DAYS = [7, 30] as const;

type Asking = Pick<Context, 'ask' | 'nowMs' | 'timeZone' | 'note' | 'lists' | 'clock' | 'remember' | 'signal'>;

/** A blocking time no further than this from the median is typical; it scatters more than what runs are chosen by. */
const NEAR_BLOCKING = { ms: 50, share: 0.25 };

/** The blocking time of runs, where that of the chosen one is far from it. */
function unlikeBlocking({ paints: { tbtMs } }: RunFigures, runs: readonly RunFigures[]): string | undefined {
  const known = runs.flatMap(({ paints }) => paints.tbtMs ?? []);
  if (tbtMs === null || known.length < 2) return undefined;
  const middle = median(known);
  const isNear = Math.abs(tbtMs - middle) <= Math.max(NEAR_BLOCKING.ms, NEAR_BLOCKING.share * middle);
  return isNear ? undefined : `its TBT (median ${formatMs(middle)})`;
}

/** The period that a scenario is analysed in where none is named. */
const USUAL_PERIOD = '-7d';

/** The step that the analysis of the scenario blames: the one at which runs fail, else the one that became slower; undefined for none. */
async function blamedStep(scenarioId: number, context: Asking): Promise<BlamedStep | undefined> {
  const { nowMs, timeZone } = context;
  const startDate = new Date(resolveDate(USUAL_PERIOD, { edge: 'start', timeZone, nowMs }).instantMs).toISOString();
  const { study } = await studyOne(scenarioId, { scenarioIds: [scenarioId], startDate }, context);
  const [failing] = study.failures.isFailing ? study.failures.steps : [];
  if (failing) return { name: failing.step, why: 'runs fail at it' };
  const slower = study.headline?.state === 'slower' ? study.headline.step : undefined;
  return slower && { name: slower.name, why: 'it became slower' };
}

/** The most typical run of a step by load time, requests and LCP. */
async function chooseRun(scenarioId: number, step: string | undefined, context: Asking) {
  const { ask, nowMs, timeZone, note } = context;
  for (const days of DAYS) {
    const scenario = await scenarioBetween(ask, scenarioId, nowMs - days * DAY_MS, nowMs);
    if (scenario.reports.every(isFailed)) continue;
    const chosen = await stepOf(scenario, step, note, () => blamedStep(scenarioId, context));
    const runs = figuresOf(chosen);
    const [typical] = typicalRuns(runs, 1);
    if (!typical) continue;
    const { stepResultId, paints, date } = typical;
    const butFor = unlikeBlocking(typical, runs);
    const place =
      runs.length === 1
        ? `typical, the only run of the last ${days} days`
        : `typical of the ${runs.length} runs of the last ${days} days by LCP, load time and requests`;
    const of = scenario.name == null ? {} : { scenario: scenario.name };
    const named = { stepResultId, ...of, step: `${chosen.number} "${chosen.name}"`, time: minuteAt(date, timeZone), place };
    return { paints, run: { ...named, ...(butFor !== undefined && { butFor }) } };
  }
  throw new ApiError('missing', `The scenario has no run without a failure in the last ${DAYS[1]} days.`);
}

/** Reads the run that is named, or chooses one. Throws `invalid` where neither a run nor a scenario is named. */
export async function readRun({ scenarioStepResultId, scenarioId, step, isPlaced }: RunAsked, context: Asking): Promise<RunRead> {
  const { ask, timeZone, note, lists, clock } = context;
  if (scenarioStepResultId === undefined) {
    if (scenarioId === undefined) refuse('scenarioStepResultId: is required (string); or pass scenarioId and step.');
    const { run, paints } = await chooseRun(scenarioId, step, context);
    return { file: (await ask(getStepHar, { scenarioStepResultId: run.stepResultId })).har, run, paints };
  }
  if (step !== undefined) refuse('step: belongs to scenarioId; a stepResultId is of one step.');
  const isLate = stopsAfter(clock);
  const known = await readGivenRun(ask, scenarioStepResultId);
  const time = known.dateMs === undefined ? {} : { time: minuteAt(known.dateMs, timeZone) };
  const run = { stepResultId: scenarioStepResultId, ...time };
  const near = isPlaced ? await runsNear(known, scenarioId, { ask, note, lists, isLate }).catch(() => undefined) : undefined;
  const place =
    near &&
    known.paints &&
    placeOfRun(
      known.paints,
      near.runs.map(({ paints }) => paints),
    );
  const named = { ...run, ...(near?.step !== undefined && { step: near.step }), ...(place !== undefined && { place }) };
  return { file: known.har, run: named, paints: known.paints };
}

/** The verdict on a load, with which run it is where one was chosen; that it is unlike others comes first. */
export function verdictOfRun(verdict: string, { step, time, place, butFor }: RunNamed): string {
  if (place === undefined || place.startsWith('usual')) return verdict;
  if (!place.startsWith('typical')) return `This run is not typical, ${place}. ${verdict}`;
  return `${verdict} Step ${step}, a typical run (${time})${butFor === undefined ? '' : ` but for ${butFor}`}.`;
}
