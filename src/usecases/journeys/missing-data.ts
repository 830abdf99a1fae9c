import { ApiError } from '../../api/errors.ts';
import { PRESET } from '../../domain/exports/plan/journey-fields.ts';
import { type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { hint } from '../../lib/hint.ts';
import type { Context } from '../context.ts';
import { readJobs } from '../exports/export-lists.ts';

type JobsContext = Pick<Context, 'ask'>;

/** The call that plans the fields that the tools over visits need. */
function planWords(scope: string): string {
  return hint(
    'plan_export',
    `: plan_export {"fields":["${PRESET}"],"scope":"${scope}","frequency":"daily"} plans one (once with dates for past days)`,
  );
}

function exportsAll({ scope, fields }: JobRecord, wanted: string, needed: readonly string[]): boolean {
  const names = new Set((fields ?? []).map(({ fieldName }) => fieldName));
  return lower(scope) === wanted && needed.every((field) => names.has(field));
}

/** Jobs of the platform that export all these fields, the recurring ones first; none where the list cannot be read. */
async function jobsWith(scope: string, fields: readonly string[], { ask }: JobsContext): Promise<JobRecord[]> {
  try {
    const jobs = (await readJobs(ask)).filter((job) => exportsAll(job, scope, fields));
    const rank = (job: JobRecord) => (lower(job.frequency) === 'once' ? 1 : 0);
    return jobs.toSorted((a, b) => rank(a) - rank(b));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

async function wayTo(scope: string, fields: readonly string[], context: JobsContext): Promise<string> {
  const [job] = await jobsWith(scope, fields, context);
  return job
    ? `Job ${job.jobId} "${job.name ?? ''}" exports them` +
        hint('sync_exports', `: sync_exports {"jobIds":["${job.jobId}"]} fetches its files`) +
        '.'
    : `No job exports them${planWords(scope)}.`;
}

/** The error for a scope of which nothing is here: which job has it, or the plan that makes it. */
export async function missingScope(scope: string, fields: readonly string[], context: JobsContext): Promise<ApiError> {
  const way = await wayTo(scope, fields, context);
  return new ApiError('missing', `No export of ${scope} is in the workspace; this answer needs its ${fields.join(', ')}. ${way}`);
}

/** The error for columns that the downloaded files of a scope lack. */
export async function missingFields(scope: string, fields: readonly string[], context: JobsContext): Promise<ApiError> {
  const way = await wayTo(scope, fields, context);
  return new ApiError('missing', `The downloaded files of ${scope} have no ${fields.join(', ')}, which this answer needs. ${way}`);
}
