import type { Ask } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { listScenarioReports, listScenarios } from '../api/operations/speed-analysis.ts';
import { byMost } from '../lib/order.ts';
import { firstOf } from '../lib/sentences.ts';
import { resultIdOf, soundOf, stepsOf } from './runs.ts';

/** Scenarios that are looked through; calls to speed analysis go one at a time. */
const MAX_SCENARIOS = 10;
const MAX_NAMED = 3;

/** Steps with this number, each with the id of its result in the latest run of its scenario. */
async function resultsOf(number: string, ask: Ask): Promise<string[]> {
  const { scenarios } = await ask(listScenarios, {});
  const ids = scenarios.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])).slice(0, MAX_SCENARIOS);
  const answers = await Promise.allSettled(ids.map((scenarioId) => ask(listScenarioReports, { scenarioId })));
  return answers.flatMap((answer) => {
    if (answer.status === 'rejected') return [];
    const { name, reports } = answer.value.scenario;
    return stepsOf(soundOf(reports)).flatMap((step) => {
      const isNamed = String(step.stepId) === number || String(step.number) === number;
      const latest = step.runs.toSorted(byMost(({ date }) => date))[0];
      const id = isNamed && latest ? resultIdOf(latest.result) : undefined;
      return id === undefined ? [] : [`${id} ("${step.name}" of "${name ?? ''}")`];
    });
  });
}

/**
 * The result of `read`; where the platform knows no such result and the text is the number of a step, the error names the id that it has.
 */
export async function readStepResult<T>(id: string, ask: Ask, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'missing' || !/^\d{1,15}$/.test(id)) throw error;
    const results = await resultsOf(id, ask).catch(() => []);
    if (results.length === 0) throw error;
    const sentence = `${id} is the number of a step; a stepResultId, that of one run of the step, is needed here`;
    throw new ApiError('missing', `${sentence}. The latest: ${firstOf(results, MAX_NAMED)}.`);
  }
}
