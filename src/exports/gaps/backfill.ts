import { exportFormat } from '../../api/params.ts';
import { hint } from '../../lib/hint.ts';
import { present } from '../../lib/sentences.ts';
import type { ExportOrder, JobBody } from '../plan/job-bodies.ts';
import { CUSTOM_VARIABLE, isVariableField, type Variable } from '../plan/resolve-fields.ts';
import { deviceOf, isOnce, type JobRecord } from '../plan/similar-jobs.ts';

/** The once job that delivers what another job did, and what of that is not known. */
export interface BackfillContent extends Omit<ExportOrder, 'name' | 'frequency' | 'ranges'> {
  /** Sentences for the notes. */
  readonly doubts: readonly string[];
}

type Column = ExportOrder['columns'][number];
type Field = NonNullable<JobRecord['fields']>[number];

/** The variable of a column, by what the record shows, by its name in the file, or because there is only one; else a doubt. */
function variableOf(field: Field, variables: readonly Variable[]): Partial<Column> | string {
  const isCustom = field.fieldName === CUSTOM_VARIABLE;
  const kind = isCustom ? 'custom' : 'dynamic';
  const member = isCustom ? 'customVarPosition' : 'dynamicVarKey';
  const named = variables.filter((each) => each.kind === kind);
  // Some records show it, although the reference does not list it.
  const shown: unknown = field[member];
  const meant = named.find(({ key }) => key === field.aliasName) ?? (named.length === 1 ? named[0] : undefined);
  const found = shown ?? meant?.position ?? meant?.key;
  if (typeof found === 'number' || typeof found === 'string') return { [member]: isCustom ? Number(found) : String(found) };
  const column = field.aliasName ? `the column ${field.aliasName}` : 'a column without a name of its own';
  return (
    `Which ${kind} variable ${column} holds is not shown by the interface: left out.` +
    hint(
      'plan_export',
      ` To keep it, call plan_export with the fields of the job and "${kind} variable KEY" (${named.map(({ key }) => key).join(', ')}).`,
    )
  );
}

/** The column of a field; in words why it is left out where it is a variable that the record does not name, undefined without a field. */
function columnOf(field: Field, variables: readonly Variable[]): Column | string | undefined {
  const { fieldName, aliasName } = field;
  if (!fieldName) return undefined;
  const column = { fieldName, ...(aliasName && { aliasName }) };
  if (!isVariableField(fieldName)) return column;
  const variable = variableOf(field, variables);
  return typeof variable === 'object' ? { ...column, ...variable } : variable;
}

/** The segment of a job: null for all visitors, undefined where neither the request that made it nor its record shows one. */
const segmentOf = (job: JobRecord, made: JobBody | undefined): unknown => made?.segmentId ?? job['segmentId'] ?? job.filters?.['segmentId'];

/** The content of a job as its record shows it; `made` is the request that created it, where a plan did. */
export function contentOf(job: JobRecord, made: JobBody | undefined, variables: readonly Variable[]): BackfillContent {
  const found = (made?.fields ?? job.fields ?? []).map((field: Field) => columnOf(field, variables));
  const [format, device] = [exportFormat.safeParse(job.format?.toUpperCase()).data, deviceOf(job)];
  const segment = segmentOf(job, made);
  const way = hint('plan_export', ', plan the backfill with plan_export and its segmentId', ', plan it apart');
  return {
    format: format ?? 'JSONL',
    scope: job.scope ?? 'sessions',
    columns: found.filter((each) => typeof each === 'object'),
    device: device ?? 'all',
    segmentId: segment === undefined || segment === null ? undefined : Number(segment),
    doubts: present(
      ...found.filter((each) => typeof each === 'string'),
      !format && `The format ${job.format ?? ''} can no longer be created; the backfill is JSONL.`,
      !device && 'The device filter of the job is not known; the backfill takes all devices.',
      !made && segment === undefined && `Jobs do not show a segment: if this one has one${way}.`,
    ),
  };
}

/** Name that the backfill jobs of a job begin with; it distinguishes them from other jobs. */
export function backfillName(job: Pick<JobRecord, 'name' | 'jobId'>): string {
  return `${job.name || job.jobId} backfill`;
}

/** Whether a once job is called as those that fill gaps of another. */
export function isBackfillOf(job: JobRecord, other: JobRecord): boolean {
  return isOnce(other) && other.name?.startsWith(`${backfillName(job)} `) === true;
}
