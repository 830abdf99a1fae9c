import type { CompletionContext } from '../tooling/resource.ts';

/** What proposals need of a scenario's latest reports. */
export interface RecentReports {
  /** Timestamps in ms, newest first. */
  readonly dates: readonly number[];
  /** Steps of the newest report. */
  readonly steps: readonly { readonly stepResultId: string; readonly name: string }[];
}

/** A new report comes once an hour; proposals that are a minute old are good enough. */
const LIFE_MS = 60_000;

/** Scenarios of the project, from the session's lists. */
export async function scenariosOf({ session, projectId, ask }: CompletionContext): Promise<{ id: number; name: string }[]> {
  const { listScenarios } = await import('../api/operations/speed-analysis.ts');
  const { scenarios } = await session.names.remembered(await projectId(), ask)(listScenarios, {});
  return scenarios.flatMap(({ id, name }) => (typeof id === 'number' ? [{ id, name }] : []));
}

/** The latest reports of a scenario without their timings, kept for a minute. */
export async function recentReports({ session, projectId, ask }: CompletionContext, scenarioId: number): Promise<RecentReports> {
  const key = `${await projectId()} recent reports of ${scenarioId}`;
  return session.names.remember(key, LIFE_MS, async () => {
    const { listScenarioReports } = await import('../api/operations/speed-analysis.ts');
    const { scenario } = await ask(listScenarioReports, { scenarioId });
    const reports = scenario.reports.toSorted((a, b) => b.date - a.date);
    const steps = (reports[0]?.steps ?? []).map(({ stepResultId, name }) => ({ stepResultId: String(stepResultId), name: name ?? '' }));
    return { dates: reports.map(({ date }) => date), steps };
  });
}
