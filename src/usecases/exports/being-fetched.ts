import { instantOf } from '../../api/params.ts';
import { counted } from '../../lib/number-text.ts';
import type { SuccessfulRun } from '../../workspace/download/sync-plan.ts';
import { type Interval, uncovered } from '../../workspace/query/intervals.ts';

/** More jobs are counted. */
const MOST_NAMED = 3;

/** The runs that are being fetched and hold some of these days. */
export function beingFetched(
  runs: readonly SuccessfulRun[],
  days: readonly Interval[],
  isUnderWay: (run: SuccessfulRun) => boolean,
): SuccessfulRun[] {
  const length = (intervals: readonly Interval[]) => intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const isWanted = ({ from, to }: SuccessfulRun) =>
    length(uncovered(days, [{ startMs: instantOf(from), endMs: instantOf(to) }])) < length(days);
  return runs.filter((run) => isUnderWay(run) && isWanted(run));
}

/** The words on such runs; undefined without any. */
export function beingFetchedWords(runs: readonly SuccessfulRun[]): string | undefined {
  if (runs.length === 0) return undefined;
  const names = [...new Set(runs.map(({ name, jobId }) => `"${name}" (${jobId})`))];
  const more = names.length > MOST_NAMED ? ` and ${counted(names.length - MOST_NAMED, 'more job')}` : '';
  const are = runs.length === 1 ? 'is' : 'are';
  const jobs = names.slice(0, MOST_NAMED).join(', ');
  return `${counted(runs.length, 'run')} with days of it ${are} being fetched: ${jobs}${more}. Ask again in a minute.`;
}
