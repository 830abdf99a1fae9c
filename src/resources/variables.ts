import { ApiError } from '../api/errors.ts';
import type { Completer } from '../tooling/resource.ts';
import { recentReports, scenariosOf } from './recent.ts';

/** The number that a variable of an address stands for; an address with anything else names nothing. */
export function integer(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ApiError('missing', `${name} "${text}" is no id`);
  return Number(text);
}

/** Scenarios whose steps are proposed; calls to speed analysis go one at a time. */
const MAX_SCENARIOS = 10;

/** Ids of the credential's projects, found by name too. */
const projectId: Completer = async ({ session }) => {
  const { projects } = await (await session.client()).credential();
  return projects.map(({ id, name }) => ({ value: String(id), words: name }));
};

/** Ids of the project's scenarios, found by name too. */
const scenarioId: Completer = async (context) => (await scenariosOf(context)).map(({ id, name }) => ({ value: String(id), words: name }));

/** Timestamps of the scenario's latest reports, found by ISO date too. */
const date: Completer = async (context) => {
  const { dates } = await recentReports(context, integer('scenarioId', context.filled['scenarioId'] ?? ''));
  return dates.map((ms) => ({ value: String(ms), words: new Date(ms).toISOString() }));
};

/** Steps of the latest report of each scenario, found by `scenario / step` too. */
const stepResultId: Completer = async (context) => {
  const scenarios = (await scenariosOf(context)).slice(0, MAX_SCENARIOS);
  const loads = await Promise.allSettled(scenarios.map(({ id }) => recentReports(context, id)));
  return loads.flatMap((load, index) =>
    load.status === 'rejected'
      ? []
      : load.value.steps.map(({ stepResultId: value, name }) => ({ value, words: `${scenarios[index]?.name} / ${name}` })),
  );
};

/** Ids of the jobs that are downloaded, found by name too. */
const downloadedJobId: Completer = async (context) => {
  const workspace = await context.session.workspace(await context.projectId());
  const runs = await workspace.runs();
  return runs.map(({ jobId, jobName }) => ({ value: String(jobId), words: jobName }));
};

/** Ids of the job's downloaded runs, the latest first, found by the day of their data too. */
const downloadedRunId: Completer = async (context) => {
  const workspace = await context.session.workspace(await context.projectId());
  const runs = await workspace.runs(integer('jobId', context.filled['jobId'] ?? ''));
  return runs.toReversed().map(({ runId, from }) => ({ value: String(runId), words: from }));
};

/** How the variables of addresses are completed. */
export const complete = { projectId, scenarioId, date, stepResultId, downloadedJobId, downloadedRunId };
