import { ApiError, reworded } from '../api/errors.ts';
import { getStepHar, getStepReport } from '../api/operations/speed-analysis.ts';
import type { RunFigures } from '../har/compare/typical-runs.ts';
import type { PaintTimes } from '../har/requests/largest-paint.ts';
import { DAY_MS } from '../lib/clock.ts';
import { byLeast } from '../lib/order.ts';
import type { Context } from '../names/context.ts';
import { fold } from '../names/match-name.ts';
import { courseOf, hasCourse } from './engine/judge-series.ts';
import {
  chooseStep,
  isFailed,
  listedSteps,
  metricOf,
  type Report,
  resultIdOf,
  type Step,
  type StepResult,
  seriesOf,
  soundOf,
  stepsOf,
  withoutRuns,
} from './runs.ts';
import { readReports } from './scenario-reports.ts';
import { metricFact } from './speed-metrics.ts';

/** How neighbours are read: `isLate` says that the answer should not wait for more. */
interface Reads extends Pick<Context, 'ask' | 'note' | 'lists'> {
  readonly isLate: () => boolean;
}

/** A run of a step that was named by the id of its result. */
export interface KnownRun {
  readonly stepResultId: string;
  readonly dateMs: number | undefined;
  readonly paints: PaintTimes | undefined;
}

/** Runs that lie no further from a run, or from an instant, are near it. */
export const NEAR_MS = 3 * DAY_MS;
/** HAR files read for the scatter of each side. */
const EACH_SIDE = 4;
/** Scenarios that are asked for a run whose scenario was not named; each is a request. */
const MOST_ASKED = 20;
const ASKED_AT_ONCE = 4;

/** The paints of a step result or step report, which does not say what the load moved. */
function paintsOf(result: Pick<StepResult, 'timings'> & Partial<Pick<StepResult, 'requestsCount' | 'weight'>>): PaintTimes {
  const value = (name: string) => metricOf(result, name);
  return {
    fcpMs: value('firstContentfulPaint'),
    lcpMs: value('largestContentfulPaint'),
    tbtMs: value('totalBlockingTime'),
    loadMs: value('loadEvent'),
    requests: result.requestsCount ?? null,
    transferBytes: result.weight ?? null,
  };
}

/** The result of `read`; where the platform knows none by a plain number, the error says which id is meant. */
export async function readStepResult<T>(id: string, read: () => Promise<T>): Promise<T> {
  return read().catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.kind !== 'missing' || !/^\d{1,15}$/.test(id)) throw error;
    throw reworded(error, `There is no stepResultId ${id}: it is that of one run, not the number of a step.`);
  });
}

/** A named run: its HAR file as the platform gave it, and its report as far as that can be read; without it an answer goes on. */
export async function readGivenRun(ask: Reads['ask'], stepResultId: string): Promise<KnownRun & { readonly har: unknown }> {
  const [{ har }, { step }] = await Promise.all([
    readStepResult(stepResultId, () => ask(getStepHar, { scenarioStepResultId: stepResultId })),
    ask(getStepReport, { stepId: stepResultId }).catch(() => ({ step: undefined })),
  ]);
  return { stepResultId, har, dateMs: step?.date ?? undefined, paints: step && paintsOf(step) };
}

const hasRun = ({ steps }: Report, { stepResultId }: KnownRun) => steps?.some((result) => resultIdOf(result) === stepResultId) ?? false;

/** The other runs of a step near one of its runs, failed ones aside, with its name; undefined where its scenario is unknown. */
export async function runsNear(run: KnownRun, named: number | undefined, context: Reads) {
  const { dateMs } = run;
  const scenarioId = named ?? (await scenarioOf(run, context));
  if (scenarioId === undefined || dateMs === undefined) return undefined;
  const { reports } = await readReports(context.ask, scenarioId, [{ startMs: dateMs - NEAR_MS, endMs: dateMs + NEAR_MS }]);
  const isOwn = ({ stepResultId }: RunFigures) => stepResultId === run.stepResultId;
  const steps = stepsOf(reports.filter((report) => !isFailed(report) || hasRun(report, run)));
  const step = steps.find((each) => figuresOf(each).some(isOwn));
  if (!step) return { step: undefined, runs: [] };
  const { effect } = metricFact('largestContentfulPaint');
  const series = seriesOf(step, 'largestContentfulPaint');
  const levels = hasCourse(series) ? courseOf({ series, effect }, 'UTC').level : [];
  const levelAt = (date = Number.NaN) => levels[series.dates.indexOf(date)] ?? Number.NaN;
  const runs = figuresOf(step);
  // A change that is located among them divides what is usual.
  const level = levelAt(runs.find(isOwn)?.date);
  return { step: step.name, runs: runs.filter((each) => !isOwn(each) && !(Math.abs(levelAt(each.date) - level) > effect.relative)) };
}

/** The scenario of a run: a step report does not name it, so scenarios are asked for a report at that instant while there is time. */
async function scenarioOf(run: KnownRun, { ask, lists, isLate }: Reads): Promise<number | undefined> {
  const { dateMs } = run;
  if (dateMs === undefined) return undefined;
  const scenarios = (await (await lists()).of('scenario')).slice(0, MOST_ASKED);
  for (let start = 0; start < scenarios.length && !isLate(); start += ASKED_AT_ONCE) {
    const asked = scenarios.slice(start, start + ASKED_AT_ONCE).map(async ({ id }) => {
      const { reports } = await readReports(ask, id, [{ startMs: dateMs, endMs: dateMs }]);
      return reports.some((report) => hasRun(report, run)) ? id : undefined;
    });
    const found = (await Promise.all(asked)).find((id) => id !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the runs near each of two runs of a step, as long as there is time; empty where the scenario cannot be found. */
export async function readNeighbours(before: KnownRun, after: KnownRun, named: number | undefined, context: Reads) {
  const none: Awaited<ReturnType<typeof readAround>> = { paints: [], hars: [] };
  if (before.stepResultId === after.stepResultId) return [none, none] as const;
  const scenarioId = named ?? (await scenarioOf(after, context));
  if (scenarioId === undefined) {
    context.note('The scenario of the runs was not found, so no runs near them were read; name it by scenarioId.');
    return [none, none] as const;
  }
  return Promise.all([readAround(before, after, scenarioId, context), readAround(after, before, scenarioId, context)]);
}

/** Runs with their HAR files as the platform gave them, and the first that could not be read. */
export async function readHars(runs: readonly RunFigures[], ask: Reads['ask']) {
  const files = await Promise.allSettled(runs.map(({ stepResultId }) => ask(getStepHar, { scenarioStepResultId: stepResultId })));
  const read = runs.flatMap((run, index) => {
    const file = files[index];
    return file?.status === 'fulfilled' ? [{ ...run, har: file.value.har }] : [];
  });
  return { read, failed: files.find((file) => file.status === 'rejected') };
}

/** Paints of the runs near one of two runs, on its side of the other, and the HAR files of the nearest as the platform gave them. */
async function readAround(run: KnownRun, other: KnownRun, scenarioId: number, context: Reads) {
  const [dateMs = Number.NaN, otherMs = Number.NaN] = [run.dateMs, other.dateMs];
  const { runs = [] } = (await runsNear(run, scenarioId, context)) ?? {};
  const near = runs.filter(({ stepResultId }) => stepResultId !== other.stepResultId);
  // What lies between the two counts as farther than all that lies beyond them.
  const isBetween = ({ date }: RunFigures) => (date - dateMs) * (otherMs - dateMs) > 0;
  const nearest = near.toSorted(byLeast(isBetween, ({ date }) => Math.abs(date - dateMs))).slice(0, EACH_SIDE);
  const { read } = await readHars(context.isLate() ? [] : nearest, context.ask);
  return { paints: near.map(({ paints }) => paints), hars: read.map(({ har }) => har) };
}

/** Whether a name begins with all words of another one: `Product page – mobile` with `Product`. */
function beginsWith(name: string, beginning: string): boolean {
  const [whole, part] = [fold(name), fold(beginning)];
  return part !== '' && whole.startsWith(part) && !/^[\p{L}\p{N}]/u.test(whole.slice(part.length));
}

/** The steps that a scenario is named after: its name begins with theirs, or theirs with its first words. */
function namesakesOf(scenario: string, steps: readonly Step[]): Step[] {
  const own = steps.filter((step) => beginsWith(scenario, step.name));
  const [head = ''] = scenario.split(/ [–-] /);
  return own.length > 0 ? own : steps.filter((step) => beginsWith(step.name, head));
}

/** A step that stands out of a scenario, and a clause that says by what. */
export interface BlamedStep {
  readonly name: string;
  readonly why: string;
}

/**
 * The step that is asked for; where none is, the only one, the one that is blamed, or the only one that the scenario is named after, which
 * is noted. Throws an error that lists the steps.
 */
export async function stepOf(
  { name: scenario = '', reports }: Awaited<ReturnType<typeof readReports>>,
  asked: string | undefined,
  note: Context['note'],
  blame: () => Promise<BlamedStep | undefined>,
): Promise<Step> {
  const steps = stepsOf(soundOf(reports));
  const [only] = steps;
  if (!only) throw withoutRuns();
  if (asked !== undefined) return chooseStep(steps, asked);
  if (steps.length === 1) return only;
  const blamed = await blame();
  const suspect = steps.find(({ name }) => name === blamed?.name);
  if (blamed && suspect) {
    note(`Step ${suspect.number} "${suspect.name}" of ${steps.length}, because ${blamed.why}; step names another.`);
    return suspect;
  }
  const unread = blamed ? ` ("${blamed.name}", where ${blamed.why}, has no run without a failure here)` : '';
  const [eponym, ...others] = namesakesOf(scenario, steps);
  if (eponym && others.length === 0) {
    note(`Step "${eponym.name}" of ${steps.length}, which the scenario is named after${unread}.`);
    return eponym;
  }
  throw new ApiError('invalid', `step: the scenario has the steps ${listedSteps(steps)}${unread}; name one.`);
}

/** The runs of a step as far as their choice depends on them. */
export function figuresOf({ runs }: Step): RunFigures[] {
  return runs.flatMap(({ date, result }) => {
    const stepResultId = resultIdOf(result);
    if (stepResultId === undefined) return [];
    return [{ date, stepResultId, loadTimeMs: result.loadTime ?? null, paints: paintsOf(result) }];
  });
}
