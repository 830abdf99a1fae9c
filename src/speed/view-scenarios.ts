import type { Interval } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { present } from '../lib/sentences.ts';
import type { Drawing } from '../names/context.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import { type Asked, type Reads, studyInTurns, walkOf } from './analyze-scenarios.ts';
import type { FailedAction } from './failures.ts';
import { chooseStep, type Step, studyWindows } from './runs.ts';
import { beginWords } from './scenario-answer.ts';
import { yetWords } from './scenario-cursor.ts';
import { readActions, readInTime, readReports, stopsAfter, walkScenarios } from './scenario-reports.ts';
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
  type ViewDrawn,
} from './scenario-views.ts';
import { type Breakdown, cycleAnswer, isCycle } from './speed-cycle.ts';
import { usualSpeedMetrics } from './speed-metrics.ts';

/** A question about scenarios that is no verdict. */
export interface ViewAsked extends Asked {
  readonly view: 'levels' | 'failures' | 'runs';
  readonly breakdown?: Breakdown | undefined;
  readonly orderBy?: string | undefined;
  readonly limit?: number | undefined;
}

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

function metricsOf({ metrics = LEVEL_METRICS }: ViewAsked): readonly string[] {
  return metrics.includes('all') ? usualSpeedMetrics : metrics;
}

/** Levels, failures or single runs of scenarios, each scenario read once. */
export async function viewScenarios(asked: ViewAsked, context: Reads & Drawing<ViewDrawn>): Promise<ViewAnswer> {
  const { ask, clock, covers, lists, note, timeZone } = context;
  const days = daysOf(asked, context);
  const { period, range, shown } = days;
  covers(shown.startMs, shown.endMs);
  if (shown.startMs < period.startMs)
    note(`By ${asked.breakdown} over the ${LOOK_BACK_DAYS} days before too: fewer than ${CYCLE_DAYS} days show no cycle.`);
  const isLate = stopsAfter(clock, asked.scenarioIds.length);
  const { nameOf } = await lists();
  const { done: site, part } = await walkScenarios(
    walkOf(asked),
    async (scenarioId) => {
      const { name = nameOf('scenario', scenarioId), reports } = await readReports(ask, scenarioId, [range]);
      return scenarioRuns(scenarioId, name, reports, range);
    },
    { note, nameOf, isDue: isLate },
  );
  const step = asked.step === undefined ? undefined : await chooseStep(site[0]?.steps ?? [], asked.step);
  const firstMs = Math.min(...site.flatMap(({ all }) => all[0]?.date ?? []));
  for (const sentence of beginWords(firstMs, shown, timeZone)) note(sentence);
  const view = await answerFor(site, step, { asked, days }, { ...context, isLate });
  const { figures, answer } = view;
  const interval = asked.view === 'failures' ? period : shown;
  const yet = part ? yetWords(part) : '';
  if (figures) context.draw({ figures, timeZone, interval, answer, breakdown: asked.breakdown, yet });
  return { ...view, answer: present(yet, answer).join(': '), ...(part?.cursor !== undefined && { cursor: part.cursor }) };
}

/** The course of the level of a metric over period and baseline, of the only step of a scenario or of all its steps. */
async function courseOf(site: readonly ScenarioRuns[], metric: string, { baseline, period }: Days, context: Reads): Promise<Course> {
  const falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges / site.length;
  const studies: Course[number][] = [];
  for (const { scenarioId, all, name, steps } of site) {
    const step = steps.length === 1 ? steps[0] : undefined;
    const options = { baseline, period, metrics: [metric], step, timeZone: context.timeZone, falseDiscoveryRate };
    studies.push({ scenarioId, name, study: await studyInTurns(all, options, context) });
  }
  return studies;
}

/** The courses of metrics by day, week or month, as far as there is time: that of the first one always. */
async function coursesOf(
  site: readonly ScenarioRuns[],
  metrics: readonly string[],
  { breakdown, ...days }: Days & { readonly breakdown: Breakdown },
  context: Timed,
) {
  const courses = new Map<string, Course>();
  for (const metric of metrics) {
    if (isCycle(breakdown) || (courses.size > 0 && !context.whole && context.isLate())) break;
    courses.set(metric, await courseOf(site, metric, days, context));
  }
  return courses;
}

/** The answer that the runs of these scenarios give, of one step where it is asked for. */
async function answerFor(
  site: readonly ScenarioRuns[],
  step: Step | undefined,
  { asked, days }: { readonly asked: ViewAsked; readonly days: Days },
  context: Timed,
): Promise<ViewAnswer> {
  const { view, breakdown, orderBy } = asked;
  const { whole, timeZone } = context;
  const { shown: range } = days;
  const limit = whole ? Number.MAX_SAFE_INTEGER : (asked.limit ?? ROWS);
  if (view === 'failures') {
    const rows = failureRows(site, days, timeZone);
    return failureAnswer(site, rows, { ...days, timeZone, limit, actions: await actionsOf(rows, context) });
  }
  const named = metricsOf(asked);
  const metric = orderBy ?? named[0] ?? LEVEL_METRICS[0];
  const ofStep = step ? site.map((each) => ({ ...each, steps: [step] })) : site;
  if (view === 'runs') {
    // All steps are needed to find what slow runs have in common.
    const course = await courseOf(ofStep, metric, days, context);
    return runAnswer(runsIn(site, range), { metric, step: step?.name, timeZone, range, limit: asked.limit ?? RUNS, course });
  }
  if (breakdown === undefined) {
    const metrics = orderBy === undefined || named.includes(orderBy) || orderBy === 'failedPercent' ? named : [orderBy, ...named];
    return levelAnswer(ofStep, { metrics, orderBy, limit });
  }
  const others = asked.metrics === undefined ? [] : named.filter((each) => each !== metric);
  const courses = await coursesOf(ofStep, [metric, ...others], { breakdown, ...days }, context);
  return cycleAnswer(runsIn(ofStep, range), { breakdown, metrics: [metric, ...others], range, timeZone, limit, courses });
}
