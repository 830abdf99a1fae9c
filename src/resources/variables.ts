import { ApiError } from '../api/errors.ts';
import { type Named, type NameKind, pathOf } from '../names/match-name.ts';
import type { Completer, CompletionContext } from '../tooling/resource.ts';

/** The numeric value of a variable of an address; throws a `missing` error for anything else. */
export function integer(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ApiError('missing', `${name} "${text}" is not a valid id`);
  return Number(text);
}

/** Scenarios whose steps are proposed; calls to speed analysis go one at a time. */
const MAX_SCENARIOS = 10;

/** Facts about a scenario's latest reports, for proposals. */
interface RecentReports {
  /** Timestamps in ms, newest first. */
  readonly dates: readonly number[];
  /** Steps of the newest report. */
  readonly steps: readonly { readonly stepResultId: string; readonly name: string }[];
}

/** A new report comes once an hour; proposals that are a minute old are good enough. */
const LIFE_MS = 60_000;

/** Objects of the project, from the session's lists. */
export async function objectsOf({ session, projectId, ask }: CompletionContext, kind: NameKind): Promise<readonly Named[]> {
  return session.names.list(kind, await projectId(), ask);
}

/** The latest reports of a scenario without their timings, kept for a minute. */
export async function recentReports({ session, projectId, ask }: CompletionContext, scenarioId: number): Promise<RecentReports> {
  const key = `${await projectId()} recent reports of ${scenarioId}`;
  return session.names.remember(key, LIFE_MS, async () => {
    const { listScenarioReports } = await import('../api/operations/speed-analysis.ts');
    const { scenario } = await ask(listScenarioReports, { scenarioId });
    const reports = scenario.reports.toSorted((a, b) => b.date - a.date);
    const steps = (reports[0]?.steps ?? []).flatMap(({ stepResultId: id, name }) =>
      id === null || id === undefined ? [] : [{ stepResultId: String(id), name: name ?? '' }],
    );
    return { dates: reports.map(({ date }) => date), steps };
  });
}

/** How the variables of addresses are completed. */
export const complete = {
  /** Ids of the credential's projects, found by name too. */
  projectId: async ({ session }) => {
    const { projects } = await (await session.client()).credential();
    return projects.map(({ id, name }) => ({ value: String(id), words: name }));
  },
  /** Ids of the project's scenarios, found by name too. */
  scenarioId: async (context) => (await objectsOf(context, 'scenario')).map((each) => ({ value: String(each.id), words: pathOf(each) })),
  /** Timestamps of the scenario's latest reports, found by ISO date too. */
  date: async (context) => {
    const { dates } = await recentReports(context, integer('scenarioId', context.filled['scenarioId'] ?? ''));
    return dates.map((ms) => ({ value: String(ms), words: new Date(ms).toISOString() }));
  },
  /** Steps of the latest report of each scenario, found by `scenario / step` too. */
  stepResultId: async (context) => {
    const scenarios = (await objectsOf(context, 'scenario')).slice(0, MAX_SCENARIOS);
    const loads = await Promise.allSettled(scenarios.map(({ id }) => recentReports(context, id)));
    return loads.flatMap((load, index) =>
      load.status === 'rejected'
        ? []
        : load.value.steps.map(({ stepResultId: value, name }) => ({ value, words: `${scenarios[index]?.path.join()} / ${name}` })),
    );
  },
  /** Ids of the jobs that are downloaded, found by name too. */
  downloadedJobId: async (context) => {
    const workspace = await context.session.workspace(await context.projectId());
    const runs = await workspace.runs();
    return runs.map(({ jobId, jobName }) => ({ value: String(jobId), words: jobName }));
  },
  /** Ids of the job's downloaded runs, the latest first, found by the day of their data too. */
  downloadedRunId: async (context) => {
    const workspace = await context.session.workspace(await context.projectId());
    const runs = await workspace.runs(integer('jobId', context.filled['jobId'] ?? ''));
    return runs.toReversed().map(({ runId, from }) => ({ value: String(runId), words: from }));
  },
} satisfies Record<string, Completer>;
