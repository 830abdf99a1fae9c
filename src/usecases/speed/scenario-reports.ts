import type { Ask } from '../../api/client.ts';
import { isOutOfTime } from '../../api/deadline.ts';
import { ApiError } from '../../api/errors.ts';
import { getScenarioReport, getStepReport, listScenarioReports, listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import type { Measured } from '../../domain/speed/budgets.ts';
import { type FailedStep, type Failure, groupFailures } from '../../domain/speed/failures.ts';
import { isFailed, type Report, type Window, windowsToRead } from '../../domain/speed/runs.ts';
import { type Between, eventsNear, type NearEvent, nearFrom } from '../../domain/speed/speed-events.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';

interface Wanted {
  readonly scenarioId: number;
  /** Timestamp of the report in ms; left out: the latest one. */
  readonly date: number | undefined;
  readonly nowMs: number;
}

/** Dates of all reports of the last `days`, or of all there are. */
async function datesOf(scenarioId: number, days: number | undefined, ask: Ask): Promise<number[]> {
  const window = days === undefined ? {} : { lastDays: days };
  const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, ...window });
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

async function latestReport(scenarioId: number, ask: Ask) {
  const date = await latestDate(scenarioId, ask);
  if (date === undefined) throw new ApiError('missing', `Scenario ${scenarioId} has no report yet.`);
  return (await ask(getScenarioReport, { scenarioId, date })).scenarioReport;
}

/** The report at an instant or the latest; where there is none at that instant the error lists the nearest. */
export async function findReport({ scenarioId, date, nowMs }: Wanted, ask: Ask) {
  if (date === undefined) return latestReport(scenarioId, ask);
  try {
    return (await ask(getScenarioReport, { scenarioId, date })).scenarioReport;
  } catch (error) {
    if (!(error instanceof ApiError) || !['missing', 'invalid'].includes(error.kind)) throw error;
    const days = Math.max(1, Math.ceil((nowMs - date) / DAY_MS) + 1);
    const dates = await datesOf(scenarioId, days, ask);
    // The report is there: what was refused is something else, which the platform says itself.
    if (dates.includes(date)) throw error;
    const nearest = dates.toSorted((a, b) => Math.abs(a - date) - Math.abs(b - date)).slice(0, 3);
    if (nearest.length === 0) throw error;
    const listed = nearest.map((near) => `${near} (${new Date(near).toISOString()})`).join(', ');
    throw new ApiError(
      'invalid',
      `date: scenario ${scenarioId} has no report at ${date} (${new Date(date).toISOString()}). Nearest: ${listed}.`,
    );
  }
}

/** An ISO date-time; `dateFrom` and `dateTo` of the interface exclude their own instant. */
function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** All reports of a scenario in both windows, and its name. */
export async function readReports(ask: Ask, scenarioId: number, windows: { baseline: Window; period: Window }) {
  const reports: Report[] = [];
  let name: string | undefined;
  for (const { startMs, endMs } of windowsToRead(windows)) {
    // To the full minute, so that callers who ask at the same time ask the same and share one request.
    const dates = { dateFrom: iso(startMs - 1), dateTo: iso(Math.ceil((endMs + 1) / MINUTE_MS) * MINUTE_MS) };
    const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, ...dates });
    name ??= scenario.name ?? undefined;
    reports.push(...scenario.reports.filter(({ date }) => date <= endMs));
  }
  return { name, reports };
}

type Note = (sentence: string) => void;

/** The events near a change that are tied to the scenario; where there is none, those of the whole project. */
export async function readEventsNear(ask: Ask, scenarioId: number, change: Between | undefined, note: Note): Promise<NearEvent[]> {
  if (change === undefined) return [];
  const dateFrom = iso(nearFrom(change) - 1);
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

/** What failed in these steps, by the words of their actions; steps that cannot be read count without words. */
export async function readFailures(ask: Ask, steps: readonly FailedStep[], note: Note): Promise<Failure[]> {
  const outcomes = await Promise.allSettled(steps.map(({ result }) => ask(getStepReport, { stepId: String(result.stepResultId) })));
  const read = outcomes.map((outcome, index) => ({
    failed: steps[index],
    report: outcome.status === 'fulfilled' ? outcome.value.step : undefined,
  }));
  const known = read.flatMap(({ failed, report }) => (failed ? [{ failed, report }] : []));
  const unread = known.filter(({ report }) => report === undefined).length;
  if (unread > 0) note(`${unread} of ${steps.length} step reports of failed runs could not be read.`);
  else if (steps.length > 0) note(`Failed actions: those of the latest ${steps.length} failed runs.`);
  return groupFailures(known);
}

/** The reports of a scenario that hold its latest `runs` without failure; short windows first, because a long history is heavy. */
export async function readLatest(ask: Ask, scenarioId: number, runs: number): Promise<Measured> {
  for (const lastDays of [2, 14]) {
    const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, lastDays });
    const sound = scenario.reports.filter((report) => !isFailed(report));
    if (sound.length >= runs) return { scenarioId, name: scenario.name ?? undefined, reports: scenario.reports };
  }
  const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0 });
  return { scenarioId, name: scenario.name ?? undefined, reports: scenario.reports };
}

/** Reads the reports of several scenarios one after the other until the time of the call is out; the rest is returned as missing. */
export async function readEach<T>(
  scenarioIds: readonly number[],
  read: (scenarioId: number) => Promise<T>,
): Promise<{ done: T[]; missing: number[] }> {
  const done: T[] = [];
  for (const [index, scenarioId] of scenarioIds.entries()) {
    try {
      done.push(await read(scenarioId));
    } catch (error) {
      // Without any answer the failure itself is the answer.
      if (!isOutOfTime(error) || done.length === 0) throw error;
      return { done, missing: scenarioIds.slice(index) };
    }
  }
  return { done, missing: [] };
}
