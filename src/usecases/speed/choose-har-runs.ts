import { ApiError } from '../../api/errors.ts';
import { getStepHar, listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import { instantOf } from '../../api/params.ts';
import { largestShift, type RunFigures, typicalRuns } from '../../domain/har/compare/typical-runs.ts';
import { fold } from '../../domain/names/match-name.ts';
import { chooseStep, isFailed, resultIdOf, type Step, stepsOf } from '../../domain/speed/runs.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { resolveDate } from '../../lib/dates.ts';
import { counted } from '../../lib/number-text.ts';
import type { Context } from '../context.ts';
import { eventNamed, eventWords } from './event-named.ts';
import { paintsOf, type ScenarioReports, scenarioBetween } from './run-neighbours.ts';

/** Runs read on each side. */
const RUNS = 4;
/** Runs that lie no further from the instant are candidates. */
const NEAR_MS = 3 * DAY_MS;
/** Days in which the instant is searched where none is given. */
const SEARCHED_DAYS = 30;

type Asking = Pick<Context, 'ask' | 'nowMs' | 'timeZone' | 'note' | 'progress'>;

/**
 * The wanted comparison: a step before and since an instant or an event; by default the step whose load time moved most, at the run since
 * which it did.
 */
export interface RunsWanted {
  readonly scenarioId: number;
  readonly step?: string | undefined;
  readonly since?: string | undefined;
}

/** A run with its HAR file as the platform gave it. */
export interface HarRun extends RunFigures {
  readonly har: unknown;
}

/** The instant that a text names: a date, or an event by its key or text. */
async function instantNamed(since: string, scenarioId: number, { ask, nowMs, timeZone, note }: Asking): Promise<number> {
  const all = (await ask(listSpeedEvents, { scenarioId })).events;
  const byKey = all.find(({ key }) => key === since.trim());
  try {
    if (!byKey) return resolveDate(since, { edge: 'start', timeZone, nowMs }).instantMs;
  } catch {
    // No date: the text of an event, then.
  }
  const { found, near } = byKey
    ? { found: byKey, near: [] }
    : await eventNamed(since, [...all, ...(await ask(listSpeedEvents, {})).events]);
  if (!found?.date) {
    const listed = near.slice(0, 3).map(({ key, text }) => `${key} "${text ?? ''}"`);
    const closest = listed.length > 0 ? ` Closest events: ${[...new Set(listed)].join(', ')}.` : '';
    throw new ApiError('invalid', `since: "${since}" is neither a date nor the key or text of a speed event.${closest}`);
  }
  const atMs = instantOf(found.date);
  note(eventWords(found, atMs));
  return atMs;
}

/** Whether a name begins with all words of another one: `Product page – mobile` with `Product`. */
function beginsWith(name: string, beginning: string): boolean {
  const [whole, part] = [fold(name), fold(beginning)];
  return part !== '' && whole.startsWith(part) && !/^[\p{L}\p{N}]/u.test(whole.slice(part.length));
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
  { name: scenario, reports }: ScenarioReports,
  asked: string | undefined,
  note: Context['note'],
  blame: () => Promise<BlamedStep | undefined> = () => Promise.resolve(undefined),
): Promise<Step> {
  const steps = stepsOf(reports.filter((report) => !isFailed(report)));
  const [only] = steps;
  if (!only) throw new ApiError('missing', 'The scenario has no run without a failure in this time.');
  if (asked !== undefined) return chooseStep(steps, asked);
  if (steps.length === 1) return only;
  const blamed = await blame();
  const suspect = steps.find(({ name }) => name === blamed?.name);
  if (blamed && suspect) {
    note(`Step ${suspect.number} "${suspect.name}" of ${steps.length}, because ${blamed.why}; step names another.`);
    return suspect;
  }
  const unread = blamed ? ` ("${blamed.name}", where ${blamed.why}, has no run without a failure here)` : '';
  const [eponym, ...others] = steps.filter((step) => beginsWith(scenario ?? '', step.name));
  if (eponym && others.length === 0) {
    note(`Step "${eponym.name}" of ${steps.length}, which the scenario is named after${unread}.`);
    return eponym;
  }
  const listed = steps.map(({ number, name }) => `${number} "${name}"`).join(', ');
  throw new ApiError('invalid', `step: the scenario has the steps ${listed}${unread}; name one.`);
}

/** The runs of a step as far as their choice depends on them. */
export function figuresOf({ runs }: Step): RunFigures[] {
  return runs.flatMap(({ date, result }) => {
    const stepResultId = resultIdOf(result);
    if (stepResultId === undefined) return [];
    const figures = { requests: result.requestsCount ?? null, loadTimeMs: result.loadTime ?? null, paints: paintsOf(result) };
    return [{ date, stepResultId, ...figures }];
  });
}

/** The step that is asked for, else of several the one whose load time moved most, which is noted. */
async function comparedStep(scenario: ScenarioReports, asked: string | undefined, note: Context['note']): Promise<Step> {
  const steps = stepsOf(scenario.reports.filter((report) => !isFailed(report)));
  const scoreOf = (step: Step) => largestShift(figuresOf(step))?.score ?? 0;
  const [most, other] = steps.map((step) => ({ step, score: scoreOf(step) })).toSorted((a, b) => b.score - a.score);
  if (asked !== undefined || !most || !other) return stepOf(scenario, asked, note);
  note(`Step ${most.step.number} "${most.step.name}" of ${steps.length}, whose load time moved most; step names another.`);
  return most.step;
}

/** The HAR files of these runs; those that cannot be read are left out and noted, unless there is no other. */
async function readFiles(runs: readonly RunFigures[], side: string, { ask, note }: Asking): Promise<HarRun[]> {
  const files = await Promise.allSettled(runs.map(({ stepResultId }) => ask(getStepHar, { scenarioStepResultId: stepResultId })));
  const read = runs.flatMap((run, index): HarRun[] => {
    const file = files[index];
    return file?.status === 'fulfilled' ? [{ ...run, har: file.value.har }] : [];
  });
  const failed = files.find((file) => file.status === 'rejected');
  if (failed && read.length === 0) throw failed.reason;
  if (failed) note(`${runs.length - read.length} of ${runs.length} HAR files ${side} could not be read.`);
  return read;
}

/**
 * Chooses typical runs on both sides of an instant, the most typical first, and reads their HAR files; with the paints of all runs that
 * they were chosen from.
 */
export async function chooseHarRuns({ scenarioId, step: asked, since }: RunsWanted, context: Asking) {
  const { ask, nowMs, note, progress } = context;
  const given = since === undefined ? undefined : await instantNamed(since, scenarioId, context);
  if (given !== undefined && given >= nowMs) throw new ApiError('invalid', 'since: must lie in the past.');
  const [fromMs, toMs] =
    given === undefined ? [nowMs - SEARCHED_DAYS * DAY_MS, nowMs] : [given - NEAR_MS, Math.min(nowMs, given + NEAR_MS)];
  const step = await comparedStep(await scenarioBetween(ask, scenarioId, fromMs, toMs), asked, note);
  const runs = figuresOf(step);
  const sinceMs = given ?? largestShift(runs)?.atMs;
  if (sinceMs === undefined)
    throw new ApiError('missing', `The step has ${counted(runs.length, 'run')} of the last ${SEARCHED_DAYS} days; too few.`);
  const sides = {
    before: runs.filter(({ date }) => date < sinceMs && date >= sinceMs - NEAR_MS),
    after: runs.filter(({ date }) => date >= sinceMs && date <= sinceMs + NEAR_MS),
  };
  for (const side of ['before', 'after'] as const)
    if (sides[side].length === 0)
      throw new ApiError('missing', `The step has no run without a failure in the 3 days ${side} ${new Date(sinceMs).toISOString()}.`);
  if (given === undefined)
    note(`Compared around ${new Date(sinceMs).toISOString()}, where its load time moved most in ${SEARCHED_DAYS} days.`);
  progress(1, 3, 'chose typical runs');
  const before = await readFiles(typicalRuns(sides.before, RUNS), 'before', context);
  progress(2, 3, 'read the HAR files before');
  const after = await readFiles(typicalRuns(sides.after, RUNS), 'after', context);
  const paintsIn = (side: keyof typeof sides) => sides[side].map(({ paints }) => paints);
  const paints = { before: paintsIn('before'), after: paintsIn('after') };
  return { step: `${step.number} "${step.name}"`, sinceMs, before, after, paints };
}
