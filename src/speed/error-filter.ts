import type { Ask } from '../api/client.ts';
import { onApiError } from '../api/errors.ts';
import type { InputOf } from '../api/operation.ts';
import { listScenarioReports } from '../api/operations/speed-analysis.ts';
import { DEFAULT_REPORTS } from '../api/params.ts';
import { isFailed, type Report } from './runs.ts';

type Query = InputOf<typeof listScenarioReports>;

const FAIL_COUNTS = 'A run failed where fail is above 0';

/** The runs that the platform brings without its filter: in the window of the question, but no further back than the filter was asked. */
async function unfiltered(ask: Ask, { error: _, limit = DEFAULT_REPORTS, ...query }: Query, found: readonly Report[]) {
  const isWhole = (query.lastDays !== undefined || query.dateFrom !== undefined) && (limit === 0 || found.length < limit);
  const oldestMs = Math.min(...found.map(({ date }) => date));
  const since = isWhole || found.length === 0 ? {} : { dateFrom: new Date(oldestMs - 1).toISOString(), lastDays: undefined };
  const { scenario } = await ask(listScenarioReports, { ...query, ...since, ...((isWhole || found.length > 0) && { limit: 0 }) });
  return scenario.reports;
}

/** Where the filter `error` of the platform disagrees with what the runs say themselves, in a sentence; undefined where it does not. */
export async function errorDisagreement(ask: Ask, query: Query, found: readonly Report[]): Promise<string | undefined> {
  const failed = found.filter(isFailed).length;
  if (query.error === false)
    return failed > 0
      ? `${failed} of these ${found.length} runs failed all the same: the platform does not count them as errors. ${FAIL_COUNTS}.`
      : undefined;
  const all = await unfiltered(ask, query, found).catch(onApiError(() => undefined));
  if (!all) return `Whether the filter error finds all failed runs could not be checked. ${FAIL_COUNTS}.`;
  const dates = new Set(found.map(({ date }) => date));
  const missed = all.filter((report) => isFailed(report) && !dates.has(report.date)).length;
  if (missed === 0) return undefined;
  return (
    `${missed} more of ${all.length} runs failed, which the platform does not count as errors. ` +
    `${FAIL_COUNTS}: leave error out to see all.`
  );
}
