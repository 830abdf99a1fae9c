import type { Ask } from '../api/client.ts';
import { isOutOfTime } from '../api/deadline.ts';
import { ApiError } from '../api/errors.ts';
import { getScenarioReport, getStepReport, listScenarioReports, listSpeedEvents } from '../api/operations/speed-analysis.ts';
import type { Interval } from '../lib/calendar.ts';
import { type Clock, DAY_MS, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { hint } from '../lib/hint.ts';
import { byLeast } from '../lib/order.ts';
import type { Context } from '../names/context.ts';
import { type Measured, type RunChoice, reportsToJudge } from './budgets.ts';
import { type FailedAction, groupActions } from './failures.ts';
import { type Report, resultIdOf, type StepResult, soundOf } from './runs.ts';
import { inReadingOrder, partOf, partWords, readScenarioCursor } from './scenario-cursor.ts';
import { type Between, eventsNear, type NearEvent, nearFrom } from './speed-events.ts';

/** Dates of all reports of the last `days`, or of all there are. */
async function datesOf(scenarioId: number, days: number | undefined, ask: Ask): Promise<number[]> {
  const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, lastDays: days });
  return scenario.reports.map(({ date }) => date);
}

/** The largest date of all reports, undefined where there is none yet; short windows first, because a long history is heavy. */
export async function latestDate(scenarioId: number, ask: Ask): Promise<number | undefined> {
  for (const days of [2, 14, undefined]) {
    const dates = await datesOf(scenarioId, days, ask);
    if (dates.length > 0) return Math.max(...dates);
  }
  return undefined;
}

/** The report at an instant, timestamp in ms, or the latest; where there is none at that instant the error lists the nearest. */
export async function findReport(
  { scenarioId, date: named, nowMs }: { scenarioId: number; date: number | undefined; nowMs: number },
  ask: Ask,
) {
  const date = named ?? (await latestDate(scenarioId, ask));
  if (date === undefined) throw new ApiError('missing', `Scenario ${scenarioId} has no report yet.`);
  try {
    return (await ask(getScenarioReport, { scenarioId, date })).scenarioReport;
  } catch (error) {
    if (!(error instanceof ApiError) || !['missing', 'invalid'].includes(error.kind)) throw error;
    const days = Math.max(1, Math.ceil((nowMs - date) / DAY_MS) + 1);
    const dates = await datesOf(scenarioId, days, ask);
    // The report is there: what was refused is something else, which the platform says itself.
    if (dates.includes(date)) throw error;
    const nearest = dates.toSorted(byLeast((each) => Math.abs(each - date))).slice(0, 3);
    if (nearest.length === 0) throw error;
    const listed = nearest.map((near) => `${near} (${isoTime(near)})`).join(', ');
    throw new ApiError('invalid', `date: scenario ${scenarioId} has no report at ${date} (${isoTime(date)}). Nearest: ${listed}.`);
  }
}

/** Of more scenarios than this the reports are not kept for later calls: five weeks of hourly runs of one take 8 MB. */
export const MOST_KEPT_SCENARIOS = 24;

/** All reports of a scenario in some windows, and its name. */
export async function readReports(ask: Ask, scenarioId: number, windows: readonly Interval[], passing = false) {
  const reports: Report[] = [];
  let name: string | undefined;
  for (const { startMs, endMs } of windows) {
    // The interface excludes both instants. To the full minute, so that callers who ask at the same time share one request.
    const dates = { dateFrom: isoTime(startMs - 1), dateTo: isoTime(Math.ceil((endMs + 1) / MINUTE_MS) * MINUTE_MS) };
    const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, ...dates }, { passing });
    name ??= scenario.name ?? undefined;
    reports.push(...scenario.reports.filter(({ date }) => date <= endMs));
  }
  return { name, reports };
}

type Note = (sentence: string) => void;

/** The events near a change that are tied to the scenario; where there is none, those of the whole project. */
export async function readEventsNear(ask: Ask, scenarioId: number, change: Between | undefined, note: Note): Promise<NearEvent[]> {
  if (change === undefined) return [];
  const dateFrom = isoTime(nearFrom(change) - 1);
  const own = eventsNear((await ask(listSpeedEvents, { scenarioId, dateFrom })).events, change);
  if (own.length > 0) return own;
  const events = eventsNear((await ask(listSpeedEvents, { dateFrom })).events, change);
  note(
    events.length > 0
      ? 'The events near the change are not tied to this scenario.'
      : 'No speed event lies within 24 h before the change or 2 h after it.',
  );
  return events;
}

/** The failures of these runs, by the words of their actions; those whose step report cannot be read count without words. */
export async function readActions(ask: Ask, steps: readonly StepResult[], note: Note): Promise<FailedAction[]> {
  const read = await Promise.all(
    steps.map(async (result) => {
      const stepId = resultIdOf(result);
      const report = stepId === undefined ? undefined : await ask(getStepReport, { stepId }).catch(() => undefined);
      return { result, report: report?.step };
    }),
  );
  const unread = read.filter(({ report }) => report === undefined).length;
  if (unread > 0) note(`${unread} of ${steps.length} step reports of failed runs could not be read.`);
  return groupActions(read);
}

/** Days that are read where those since the instant hold too few runs; then everything, because a long history is heavy. */
const FURTHER_DAYS = 30;

/** The reports of a scenario since an instant, or further back until enough of them are without failure. */
export async function readToJudge(
  ask: Ask,
  scenarioId: number,
  { passing = false, ...choice }: RunChoice & { passing?: boolean },
): Promise<Measured> {
  const read = async (window: { dateFrom?: string; lastDays?: number }) =>
    (await ask(listScenarioReports, { scenarioId, limit: 0, ...window }, { passing })).scenario;
  let scenario = await read({ dateFrom: isoTime(choice.sinceMs - 1) });
  for (const window of [{ lastDays: FURTHER_DAYS }, {}]) if (soundOf(scenario.reports).length < choice.least) scenario = await read(window);
  return { scenarioId, name: scenario.name ?? undefined, reports: reportsToJudge(scenario.reports, choice) };
}

/** Failures that would befall every scenario. */
const OF_ALL: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden', 'busy', 'settings']);

/** After this long a call answers with the scenarios that it has read, and names those that are left. */
const FIRST_SCREEN_MS = 10_000;
/** So few scenarios that one answer should hold them all have longer. */
const FEW_SCENARIOS = 12;
const ALL_MS = 25_000;

/** Whether the time in which so many scenarios are read for one answer has passed; it runs from now. */
export function stopsAfter(clock: Pick<Clock, 'now'>, scenarios = Number.POSITIVE_INFINITY): () => boolean {
  const startedMs = clock.now();
  const allowedMs = scenarios <= FEW_SCENARIOS ? ALL_MS : FIRST_SCREEN_MS;
  return () => clock.now() - startedMs >= allowedMs;
}

/** The failed steps whose reports are worth reading: none once that time has passed, which is noted. */
export function readInTime(steps: readonly StepResult[], isLate: () => boolean, note: Note): readonly StepResult[] {
  if (steps.length === 0 || !isLate()) return steps;
  note(`There was no time to read why runs failed${hint('analyze_scenario', ': analyze_scenario with one scenarioId says it')}.`);
  return [];
}

/** The question of a call about many scenarios, which may go on where another one ended. */
export interface ScenarioWalk {
  readonly ids: readonly number[];
  readonly cursor: string | undefined;
  /** All that the answer depends on, the scenarios included. */
  readonly list: unknown;
}

/** How the parts of a walk are told, and whether the time for one answer has passed. */
interface Walking extends Pick<Context, 'note'> {
  readonly nameOf: (kind: 'scenario', id: number) => string;
  readonly isDue?: (() => boolean) | undefined;
}

/** Reads the scenarios from the cursor on, the first ones without it, as far as one call comes, and notes which could not be read. */
export async function walkScenarios<T>(
  { ids, cursor, list }: ScenarioWalk,
  read: (scenarioId: number) => Promise<T>,
  { note, nameOf, isDue }: Walking,
) {
  const ordered = inReadingOrder(ids);
  const { start, rows, end = ordered.length } = readScenarioCursor(cursor, list, ordered.length);
  // Later pages are of the very scenarios of the first one, or rows would be missing among them.
  const outcome = await readEach(ordered.slice(start, end), read, rows === undefined ? isDue : undefined);
  const looked = end - start - outcome.missing.length;
  const part = partOf(start, looked, ordered.length, list);
  if (part) note(partWords(part));
  for (const { scenarioId, error } of outcome.failed) note(`${nameOf('scenario', scenarioId)} could not be read: ${error.message}`);
  return {
    ...outcome,
    /** Scenarios before these. */
    start,
    /** The cursor among the rows of the answer. */
    rows,
    /** Undefined where all scenarios are read. */
    part,
  };
}

/** Reads scenarios one after the other until the time of the call is out, or `isDue` says so; throws where not one could be read. */
export async function readEach<T>(
  scenarioIds: readonly number[],
  read: (scenarioId: number) => Promise<T>,
  isDue: () => boolean = () => false,
) {
  const done: T[] = [];
  const failed: { readonly scenarioId: number; readonly error: ApiError }[] = [];
  let reached = 0;
  for (const scenarioId of scenarioIds) {
    if (done.length > 0 && isDue()) break;
    try {
      done.push(await read(scenarioId));
    } catch (error) {
      const isLate = isOutOfTime(error);
      if (!(error instanceof ApiError) || (OF_ALL.has(error.kind) && !isLate)) throw error;
      // Without any answer the failure itself is the answer.
      if (done.length === 0 && (isLate || error.kind === 'down')) throw error;
      if (isLate) break;
      failed.push({ scenarioId, error });
    }
    reached += 1;
  }
  const [first] = failed;
  if (first && done.length === 0) throw first.error;
  return {
    done,
    /** Not reached before the time of the call was out. */
    missing: scenarioIds.slice(reached),
    /** Refused or failed. */
    failed,
  };
}
