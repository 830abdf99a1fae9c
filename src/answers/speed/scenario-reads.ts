import type { Measured } from '../../analysis/speed/budgets.ts';
import { type Between, eventsNear, type NearEvent, nearFrom } from '../../analysis/speed/events.ts';
import { type FailedStep, type Failure, groupFailures } from '../../analysis/speed/failures.ts';
import { isFailed, type Report, type Window } from '../../analysis/speed/runs.ts';
import { windowsToRead } from '../../analysis/speed/windows.ts';
import { ApiError } from '../../api/errors.ts';
import { getStepReport, listScenarioReports, listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import type { Ask } from '../../mcp/catalogues.ts';

/** An ISO date-time; `dateFrom` and `dateTo` of the interface exclude their own instant. */
function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** All reports of a scenario in both windows, and its name. */
export async function readReports(ask: Ask, scenarioId: number, windows: { baseline: Window; period: Window }) {
  const reports: Report[] = [];
  let name: string | undefined;
  for (const { startMs, endMs } of windowsToRead(windows)) {
    const dates = { dateFrom: iso(startMs - 1), dateTo: iso(endMs + 1) };
    const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, ...dates });
    name ??= scenario.name ?? undefined;
    reports.push(...scenario.reports);
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
      if (!(error instanceof ApiError) || error.kind !== 'timeout' || done.length === 0) throw error;
      return { done, missing: scenarioIds.slice(index) };
    }
  }
  return { done, missing: [] };
}
