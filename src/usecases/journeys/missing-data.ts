import { ApiError } from '../../api/errors.ts';
import { CUSTOM_VARIABLE, DYNAMIC_VARIABLE } from '../../domain/exports/plan/field-catalogue.ts';
import { PRESET } from '../../domain/exports/plan/journey-fields.ts';
import { type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { type CoveredDays, dayText } from '../../domain/journeys/covered-days.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import type { Context } from '../context.ts';
import { readJobs } from '../exports/export-lists.ts';
import { arrivalWords } from '../exports/fetch-planned.ts';
import { type ExportRequest, type PlanContext, planExport } from '../exports/plan-export.ts';

type JobsContext = Pick<Context, 'ask'>;

/** Fields that a comparison of variants reads, whatever its outcome. */
const KEYS = ['user_id', 'session_id', 'session_time', 'session_number_of_transactions'];

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

/** A custom or dynamic variable of the project. */
export interface Variable {
  readonly kind: 'custom' | 'dynamic';
  readonly key: string;
  /** Of a custom one. */
  readonly position?: number;
}

const fieldOf = { custom: CUSTOM_VARIABLE, dynamic: DYNAMIC_VARIABLE };

/** Most names of one kind in a sentence. */
const MOST_NAMES = 8;

/** The call that has the files with a variable: of a job that exports it, as far as its record shows, else a plan of just that. */
async function wayToVariable({ kind, key }: Variable, days: CoveredDays, context: PlanContext): Promise<string> {
  const exports = ({ fields }: JobRecord) =>
    (fields ?? []).some(({ fieldName, aliasName }) => fieldName === fieldOf[kind] && aliasName?.toLowerCase() === key.toLowerCase());
  const job = (await jobsWith('sessions', KEYS, context)).find(exports);
  if (job) {
    const isOnce = lower(job.frequency) === 'once';
    const arriving = isOnce ? await arrivalWords(Number(job.jobId), context) : undefined;
    if (arriving !== undefined)
      return `Job ${job.jobId} "${job.name ?? ''}" exports it, and its files are on the way (${arriving}): ask again in a minute`;
    const fetch = isOnce
      ? hint('download_export_run', `: download_export_run {"jobId":"${job.jobId}"} waits for its files`)
      : hint('sync_exports', `: sync_exports {"jobIds":["${job.jobId}"]} fetches its files`);
    return `Job ${job.jobId} "${job.name ?? ''}" exports it${fetch}`;
  }
  const order = { fields: [PRESET, `${kind} variable ${key}`], scope: 'sessions', frequency: 'once' } as const;
  const call = JSON.stringify({ ...order, startDate: dayText(days.first), endDate: dayText(days.last) });
  const plan = hint('plan_export', `: plan_export ${call} plans it for these days`);
  const made = await planFor(order, days, context);
  if (!made) return `No job is known to export it${plan}`;
  const { planId, name, columns } = made;
  return (
    'No job is known to export it' +
    hint(
      'apply_export_plan',
      `. A once export of it for these days is planned ("${name}", ${columns} columns) and not created yet: ` +
        `where the user agrees, apply_export_plan {"planId":"${planId}"} creates it and fetches its files; then ask again`,
      plan,
    )
  );
}

/** A plan that is made at once, so that a yes of the user is all that it needs; undefined where it cannot be made. */
async function planFor(
  order: Pick<ExportRequest, 'fields' | 'scope' | 'frequency'>,
  { first, last }: CoveredDays,
  context: PlanContext,
): Promise<{ planId: string; name: string; columns: number } | undefined> {
  const range = { startDate: new Date(first * DAY_MS).toISOString(), endDate: new Date((last + 1) * DAY_MS).toISOString() };
  try {
    const { planId, body, fields } = await planExport(
      { ...order, ...range, format: 'JSONL', deviceLabel: 'all', fetches: true },
      { ...context, note: () => undefined },
    );
    return { planId, name: String(body['name']), columns: fields.length };
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The error for a variable that no downloaded file holds: the one call that comes next, or the variables that there are. */
export async function missingVariable(
  name: string,
  { meant, variables }: { readonly meant: Variable | undefined; readonly variables: readonly Variable[] },
  days: CoveredDays,
  context: PlanContext,
): Promise<ApiError> {
  const absent = `conditions: no column of the downloaded files holds the variable "${name}"`;
  if (meant) {
    const which = meant.position === undefined ? `dynamic variable "${meant.key}"` : `custom variable ${meant.position}, "${meant.key}"`;
    return new ApiError('missing', `${absent}. It is ${which}. ${await wayToVariable(meant, days, context)}.`);
  }
  const named = (['custom', 'dynamic'] as const).flatMap((kind) => {
    const keys = variables.filter((each) => each.kind === kind).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${kind}: ${keys.slice(0, MOST_NAMES).join(', ')}${keys.length > MOST_NAMES ? ' …' : ''}`];
  });
  const there = named.length === 0 ? '' : ` The project has ${named.join('; ')}.`;
  return new ApiError('missing', `${absent}, and the project knows none of that name.${there}`);
}
