import { ApiError } from '../../api/errors.ts';
import { instantOf } from '../../api/params.ts';
import { lower } from '../../domain/exports/plan/similar-jobs.ts';
import { successfulRunsOf } from '../../workspace/download/sync-plan.ts';
import type { PlanPart } from '../../workspace/plans.ts';
import { folded, nameOfField } from '../../workspace/query/columns.ts';
import { type Interval, uncovered } from '../../workspace/query/intervals.ts';
import type { Context } from '../context.ts';
import { withoutFilesWords } from './runs-without-files.ts';

/** Days of a scope, and the columns by their names in answers, that a question lacks. */
interface Lacking {
  readonly scope: string;
  readonly columns: readonly string[];
  readonly days: readonly Interval[];
}

/** Whether the once job of a plan exports all that is lacking. */
function exportsIt({ body: { scope, frequency, fields } }: PlanPart, lack: Lacking): boolean {
  const { from = '', to = '' } = frequency.dateRange ?? {};
  const own = new Set(fields.map((field) => folded(nameOfField(field) ?? '')));
  const isOfScope = lower(scope) === lower(lack.scope) && lack.columns.every((column) => own.has(folded(column)));
  return isOfScope && uncovered(lack.days, [{ startMs: instantOf(from), endMs: instantOf(to) }]).length === 0;
}

/**
 * That the platform has no rows of what is lacking, because a job that was made for these days ran and found none; undefined where none
 * did, or where that cannot be read. The same export once more would find none either.
 */
export async function foundEmptyWords(
  lack: Lacking,
  parts: readonly PlanPart[],
  context: Pick<Context, 'ask' | 'nowMs'>,
): Promise<string | undefined> {
  const jobs = parts.flatMap((part) => (typeof part.jobId === 'number' && exportsIt(part, lack) ? [part] : []));
  if (jobs.length === 0) return undefined;
  try {
    const jobIds = jobs.map(({ jobId }) => Number(jobId));
    const listed = await successfulRunsOf(jobIds, context.ask);
    if (listed.length > 0) return undefined;
    const sinceMs = Math.min(...jobs.map(({ sentAt }) => Date.parse(sentAt ?? '') || 0));
    const [sentence] = await withoutFilesWords(listed, { jobIds, sinceMs }, context);
    return sentence === undefined ? undefined : `The platform has no rows of it: an export of these days found none. ${sentence}`;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
