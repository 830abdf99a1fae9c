import { instantOf } from '../../../api/params.ts';
import { type Place } from '../../handler.ts';
import { Refusal } from '../../refusal.ts';
import { retentionStartMs, segmentsOf } from '../sessions/index.ts';
import { isoTime } from './fields.ts';
import type { JobDraft, JobInput } from './job.ts';
import { COMPUTE_MS } from './schedule.ts';
import { columnName, type FieldSelector, scopeNamed, scopeNames } from './table.ts';
import { dynamicVariablesOf } from './variables.ts';

const OWNER_ID = 7009;

function refuse(message: string): never {
  throw new Refusal(400, 'VALIDATION_ERROR', message);
}

function selectorsOf({ fields, scope = 'sessions' }: JobInput, { world, project }: Place): FieldSelector[] {
  const known = scopeNamed(scope) ?? refuse(`scope: "${scope}" is not known; there are ${scopeNames.join(', ')}.`);
  const keys = new Set(dynamicVariablesOf(project, world.origin.startMs).map(({ key }) => key));
  const columns = new Set<string>();
  return fields.map(({ fieldName, aliasName, customVarPosition, dynamicVarKey }, index) => {
    if (!known.fields.some(({ name }) => name === fieldName))
      refuse(`fields[${index}].fieldName: scope ${scope} has no field "${fieldName}"; see exportable-fields.`);
    if (dynamicVarKey !== undefined && !keys.has(dynamicVarKey))
      refuse(`fields[${index}].dynamicVarKey: "${dynamicVarKey}" is not known; see dynamic-var-keys.`);
    const selector = {
      fieldName,
      ...(aliasName !== undefined && { aliasName }),
      ...(customVarPosition !== undefined && { customVarPosition: Number(customVarPosition) }),
      ...(dynamicVarKey !== undefined && { dynamicVarKey }),
    };
    const column = columnName(selector);
    if (columns.has(column)) refuse(`fields[${index}]: two columns would be named "${column}"; give one an aliasName.`);
    columns.add(column);
    return selector;
  });
}

function rangeOf({ frequency: { dateRange } }: JobInput, nowMs: number): Pick<JobDraft, 'range'> {
  if (!dateRange) return {};
  const [fromMs, toMs] = [instantOf(dateRange.from), instantOf(dateRange.to)];
  const earliestMs = retentionStartMs(nowMs);
  if (fromMs < earliestMs)
    refuse(`frequency.dateRange.from: ${dateRange.from} is before the data retention, which begins ${isoTime(earliestMs)}.`);
  return { range: { fromMs, toMs } };
}

function segmentOf({ segmentId }: JobInput, project: Place['project']): Pick<JobDraft, 'segmentId'> {
  if (segmentId === undefined) return {};
  const segment = segmentsOf(project.id).find(({ id }) => id === Number(segmentId));
  return { segmentId: segment?.id ?? refuse(`segmentId: project ${project.id} has no segment ${segmentId}.`) };
}

/** The job that a checked request asks for; refuses what only the platform can know. */
export function newJob(input: JobInput, place: Place): JobDraft {
  return {
    projectId: place.project.id,
    name: input.name,
    ownerId: OWNER_ID,
    createdMs: place.nowMs,
    format: input.format,
    scope: input.scope ?? 'sessions',
    frequency: input.frequency.value,
    ...rangeOf(input, place.nowMs),
    fields: selectorsOf(input, place),
    device: input.deviceLabel,
    ...segmentOf(input, place.project),
    computeMs: COMPUTE_MS,
  };
}
