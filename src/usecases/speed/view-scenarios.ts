import type { FailedAction } from '../../domain/speed/failures.ts';
import { chooseStep, studyWindows } from '../../domain/speed/runs.ts';
import { beginWords } from '../../domain/speed/scenario-answer.ts';
import { placeWords, type ScenarioPart } from '../../domain/speed/scenario-cursor.ts';
import {
  type Course,
  type FailureDays,
  type FailureRow,
  failureAnswer,
  failureRows,
  LEVEL_METRICS,
  levelAnswer,
  runAnswer,
  runsIn,
  type ScenarioRuns,
  scenarioRuns,
  type ViewAnswer,
} from '../../domain/speed/scenario-views.ts';
import { type Breakdown, cycleAnswer, isCycle } from '../../domain/speed/speed-cycle.ts';
import { usualSpeedMetrics } from '../../domain/speed/speed-metrics.ts';
import type { Interval } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import type { Context } from '../context.ts';
import { type Asked, studyInTurns, walkOf } from './analyze-scenarios.ts';
import { readActions, readInTime, readReports, stopsAfter, walkScenarios } from './scenario-reports.ts';

/** A question about scenarios that is no verdict. */
export interface ViewAsked extends Asked {
  readonly view: 'levels' | 'failures' | 'runs';
  readonly breakdown?: Breakdown | undefined;
  readonly orderBy?: string | undefined;
  readonly limit?: number | undefined;
}

type Reads = Pick<Context, 'ask' | 'note' | 'covers' | 'lists' | 'clock' | 'nowMs' | 'timeZone' | 'whole' | 'signal'>;

/** Rows of a table when no limit is given, and runs of each kind. */
const ROWS = 30;
const RUNS = 3;
/** Weeks that a cycle is judged by, and since when failing is looked at. */
const LOOK_BACK_DAYS = 30;
/** A period of this many days shows a cycle by itself. */
const CYCLE_DAYS = 21;
/** Failed steps whose report is read for what their action says; each is a request. */
const MOST_ACTIONS = 4;

/** The days of a view. */
interface Days extends FailureDays {
  readonly baseline: Interval;
  /** Whose rows are shown: of a short period with the days before, where a cycle needs them. */
  readonly shown: Interval;
}

/** The days that are asked about, those shown, and those read: with the baseline wherever the level is judged, as the verdicts have it. */
function daysOf({ view, breakdown, ...asked }: ViewAsked, { nowMs, timeZone }: Reads): Days {
  const { period, baseline } = studyWindows(asked, nowMs, timeZone);
  const { startMs, endMs } = period;
  const isJudged = view !== 'levels' || (breakdown !== undefined && !isCycle(breakdown));
  const isLong = breakdown === 'week' || (breakdown !== undefined && isCycle(breakdown));
  const showsMore = view !== 'failures' && isLong && endMs - startMs < CYCLE_DAYS * DAY_MS;
  const shown = { startMs: showsMore ? startMs - LOOK_BACK_DAYS * DAY_MS : startMs, endMs };
  return { period, baseline, shown, range: { startMs: Math.min(shown.startMs, isJudged ? baseline.startMs : startMs), endMs } };
}

/** With whether the time for one answer has passed. */
type Timed = Reads & { readonly isLate: () => boolean };

/** Reads the runs of each scenario once, while there is time. */
async function readSite(
  asked: ViewAsked,
  range: Interval,
  context: Timed,
): Promise<{ site: readonly ScenarioRuns[]; part: ScenarioPart | undefined }> {
  const { ask, note, lists, isLate } = context;
  const { step, view } = asked;
  const { nameOf } = await lists();
  const { done, part } = await walkScenarios(
    walkOf(asked),
    async (scenarioId) => {
      const { name = nameOf('scenario', scenarioId), reports } = await readReports(ask, scenarioId, { baseline: range, period: range });
      const runs = scenarioRuns(scenarioId, name, reports, range);
      // All steps are needed to find what slow runs have in common.
      return step === undefined || view === 'runs' ? runs : { ...runs, steps: [await chooseStep(runs.steps, step)] };
    },
    { note, nameOf, isDue: isLate },
  );
  return { site: done, part };
}

/** The failing action of the latest failed run, for the first rows. */
async function actionsOf(rows: readonly FailureRow[], { ask, note, isLate }: Timed): Promise<Map<FailureRow, FailedAction>> {
  const actions = new Map<FailureRow, FailedAction>();
  for (const row of rows.slice(0, MOST_ACTIONS)) {
    const steps = readInTime(row.latest ? [row.latest] : [], isLate, note);
    if (row.latest && steps.length === 0) break;
    const [action] = await readActions(ask, steps, note);
    if (action) actions.set(row, action);
  }
  return actions;
}

function metricsOf({ metrics }: ViewAsked): readonly string[] {
  if (metrics === undefined) return LEVEL_METRICS;
  return metrics.includes('all') ? usualSpeedMetrics : metrics;
}

/** Levels, failures or single runs of scenarios, each scenario read once. */
export async function viewScenarios(asked: ViewAsked, context: Reads): Promise<ViewAnswer> {
  const days = daysOf(asked, context);
  const { startMs, endMs } = days.shown;
  context.covers(startMs, endMs);
  if (startMs < days.period.startMs)
    context.note(`By ${asked.breakdown} over the ${LOOK_BACK_DAYS} days before too: fewer than ${CYCLE_DAYS} days show no cycle.`);
  const timed = { ...context, isLate: stopsAfter(context.clock, asked.scenarioIds.length) };
  const { site, part } = await readSite(asked, days.range, timed);
  const firstMs = Math.min(...site.flatMap(({ all }) => all[0]?.date ?? []));
  for (const sentence of beginWords(firstMs, days.shown, context.timeZone)) context.note(sentence);
  const answer = await answerFor(site, asked, days, timed);
  if (part === undefined) return answer;
  const ofAll = `Of ${placeWords(part)}: `;
  return { ...answer, answer: `${ofAll}${answer.answer}`, ...(part.cursor !== undefined && { cursor: part.cursor }) };
}

/** The course of the level of a metric over period and baseline, of the only step of a scenario or of all its steps. */
async function courseOf(site: readonly ScenarioRuns[], metric: string, { baseline, period }: Days, context: Reads): Promise<Course> {
  const falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges / site.length;
  const studies: Course[number][] = [];
  for (const { scenarioId, all, name, steps: own } of site) {
    const [step, ...others] = own;
    const chosen = others.length === 0 ? step : undefined;
    const options = { baseline, period, metrics: [metric], step: chosen, timeZone: context.timeZone, falseDiscoveryRate };
    studies.push({ scenarioId, name, study: await studyInTurns(all, options, context) });
  }
  return studies;
}

/** The slowest and fastest runs, of one step where it is asked for, each against the level of its time. */
async function runsOf(site: readonly ScenarioRuns[], metric: string, asked: ViewAsked, days: Days, context: Timed) {
  const [only] = site;
  const step = only && asked.step !== undefined ? await chooseStep(only.steps, asked.step) : undefined;
  const judged = only && step ? [{ ...only, steps: [step] }] : site;
  const course = await courseOf(judged, metric, days, context);
  return runAnswer(runsIn(site, days.shown), {
    metric,
    step: step?.name,
    timeZone: context.timeZone,
    range: days.shown,
    limit: asked.limit ?? RUNS,
    course,
  });
}

/** The courses of metrics by day, week or month, as far as there is time: that of the first one always. */
async function coursesOf(
  site: readonly ScenarioRuns[],
  metrics: readonly string[],
  days: Days,
  context: Timed,
): Promise<Map<string, Course>> {
  const courses = new Map<string, Course>();
  for (const metric of metrics) {
    if (courses.size > 0 && !context.whole && context.isLate()) break;
    courses.set(metric, await courseOf(site, metric, days, context));
  }
  return courses;
}

/** The answer that the runs of these scenarios give. */
async function answerFor(site: readonly ScenarioRuns[], asked: ViewAsked, days: Days, context: Timed): Promise<ViewAnswer> {
  const { view, breakdown, orderBy } = asked;
  const { whole, timeZone } = context;
  const limit = whole ? Number.MAX_SAFE_INTEGER : (asked.limit ?? ROWS);
  if (view === 'failures') {
    const rows = failureRows(site, days, timeZone);
    return failureAnswer(site, rows, { ...days, timeZone, limit, actions: await actionsOf(rows, context) });
  }
  const named = metricsOf(asked);
  const metric = orderBy ?? named[0] ?? LEVEL_METRICS[0];
  if (view === 'runs') return runsOf(site, metric, asked, days, context);
  if (breakdown === undefined) {
    const metrics = orderBy === undefined || named.includes(orderBy) || orderBy === 'failedPercent' ? named : [orderBy, ...named];
    return levelAnswer(site, { metrics, orderBy, limit });
  }
  const others = asked.metrics === undefined ? [] : named.filter((each) => each !== metric);
  const courses = isCycle(breakdown) ? new Map<string, Course>() : await coursesOf(site, [metric, ...others], days, context);
  return cycleAnswer(runsIn(site, days.shown), { breakdown, metrics: [metric, ...others], range: days.shown, timeZone, limit, courses });
}
