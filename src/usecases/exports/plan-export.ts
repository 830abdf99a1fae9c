import { checkInput } from '../../api/check-input.ts';
import { ApiError, onApiError } from '../../api/errors.ts';
import { createExportJob, listExportableFields } from '../../api/operations/data-export.ts';
import { instantOf } from '../../api/params.ts';
import { sharedMembers } from '../../api/wire.ts';
import { bodiesOf, type ExportOrder, type JobBody, splitRange } from '../../domain/exports/plan/job-bodies.ts';
import { isPreset, PRESET, withPreset } from '../../domain/exports/plan/journey-fields.ts';
import { equalAmong, existingSentence, planWarnings } from '../../domain/exports/plan/plan-warnings.ts';
import {
  chooseScope,
  type ExportColumn,
  problemsOfScope,
  type Resolved,
  resolveFields,
  USUAL_SCOPES,
} from '../../domain/exports/plan/resolve-fields.ts';
import {
  idsOfEqual,
  type JobRecord,
  jobsWithContent,
  lower,
  type SimilarJob,
  similarJobs,
} from '../../domain/exports/plan/similar-jobs.ts';
import { rangeName } from '../../lib/dates.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import { hullOf, type Interval } from '../../lib/intervals.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { counted } from '../../lib/number-text.ts';
import { expiresMs } from '../../workspace/plans.ts';
import { knownField } from '../../workspace/query/column-types.ts';
import type { Lists } from '../context.ts';
import { currencyOf } from './amounts.ts';
import { availableRuns, type ListedDelivery } from './deliveries.ts';
import { comingRanges, type ExportContext, openPlansOf, readJobs, readVariables, segmentsOf } from './export-lists.ts';

/** A wanted export, with dates and ids resolved. */
interface ExportRequest {
  readonly fields: readonly string[];
  readonly name?: string | undefined;
  readonly scope?: string | undefined;
  readonly format: JobBody['format'];
  readonly frequency?: JobBody['frequency']['value'] | undefined;
  readonly startDate?: string | undefined;
  /** The instant at which the range ends. */
  readonly endDate?: string | undefined;
  readonly deviceLabel: JobBody['deviceLabel'];
  readonly segmentId?: number | undefined;
}

function refuse(problems: readonly string[]): never {
  throw new ApiError('invalid', problems);
}

/** When the export runs, and over which range; refuses what does not go together. */
function scheduleOf({ frequency, startDate, endDate }: ExportRequest): { frequency: ExportOrder['frequency']; range?: Interval } {
  const hasDates = startDate !== undefined || endDate !== undefined;
  const value = frequency ?? (hasDates ? 'once' : undefined);
  if (value === undefined) return refuse(['frequency: say daily or hourly, or give startDate and endDate of a once export.']);
  if (value !== 'once') {
    if (hasDates)
      refuse([
        `startDate, endDate: only with frequency once; a ${value} job chooses its own range. Plan the past as a second export with ` +
          'frequency once.',
      ]);
    return { frequency: value };
  }
  if (startDate === undefined || endDate === undefined)
    return refuse([`${startDate === undefined ? 'startDate' : 'endDate'}: required with frequency once.`]);
  const [startMs, endMs] = [instantOf(startDate), instantOf(endDate)];
  if (startMs >= endMs) refuse([`endDate: must be after startDate (${startDate} … ${endDate}).`]);
  return { frequency: value, range: { startMs, endMs } };
}

/** The fields that are asked for, the preset of the tools over visits as those that it stands for. */
async function fieldsOf({ fields, scope }: ExportRequest, { ask }: Lists): Promise<readonly string[]> {
  if (!fields.some(isPreset)) return fields;
  const there = scope === undefined ? [] : await ask(listExportableFields, { scope });
  const all = withPreset(fields, scope, new Set(there.map(({ name }) => name)));
  return all ?? refuse([`fields: ${PRESET} stands for fields of sessions and of views, a plan each; say scope sessions or views.`]);
}

/** The columns, in the scope that was named or the one that has them all. */
async function columnsOf(request: ExportRequest, { ask }: Lists, note: ExportContext['note']): Promise<Resolved> {
  const { fields, scope } = request;
  // A key that occurs in other days only would make an empty column.
  const variables = await readVariables(ask, note, scheduleOf(request).range);
  const inScopes = (scopes: readonly string[]) =>
    Promise.all(
      scopes.map(async (each) =>
        resolveFields(fields, { scope: each, fields: await ask(listExportableFields, { scope: each }), ...variables }),
      ),
    );
  const resolved = await inScopes(scope === undefined ? USUAL_SCOPES : [scope]);
  const chosen = chooseScope(resolved);
  if (chosen) return chosen;
  const closest = resolved.reduce((best, each) => (each.problems.length < best.problems.length ? each : best));
  const others = scope === undefined ? resolved : await inScopes(USUAL_SCOPES);
  const where = scope === undefined ? [`No scope has all fields; this is what scope ${closest.scope} lacks:`] : [];
  const known =
    closest.columns.length > 0 ? [`These can be planned: fields ${JSON.stringify(closest.columns.map(({ asked }) => asked))}.`] : [];
  return refuse([...where, ...problemsOfScope(closest, others).map((problem) => `fields: ${problem}`), ...known]);
}

/** Refuses a segment that does not exist; one that cannot be looked up is left to the service. */
async function requireSegment(segmentId: number | undefined, { of }: Lists, note: ExportContext['note']): Promise<void> {
  if (segmentId === undefined) return;
  const segments = await of('segment').catch(
    onApiError(({ message }) => note(`Whether segment ${segmentId} exists could not be looked up: ${message}`)),
  );
  if (!segments || segments.some(({ id }) => id === segmentId)) return;
  refuse([`segmentId: there is no segment ${segmentId}${hint('list_segments', '; list_segments lists them')}.`]);
}

function fieldRow({ asked, fieldName, aliasName, customVarPosition, dynamicVarKey, meaning, also }: ExportColumn) {
  const variable = customVarPosition ?? dynamicVarKey;
  return {
    asked,
    fieldName: variable === undefined ? fieldName : `${fieldName} ${variable}`,
    aliasName,
    meaning,
    also: also && [...also],
  };
}

function existingRow({ job, likeness, coverage }: SimilarJob, timeZone: string) {
  const shared = hullOf(coverage?.have ?? []);
  const { jobId, name, state, frequency } = job;
  return {
    jobId,
    name: name ?? '',
    state: state ?? '',
    frequency: frequency ?? '',
    likeness: likeness === 'holds' ? 'has all these columns' : likeness,
    shared: shared && rangeName(shared, timeZone),
  };
}

/** Jobs of a split plan that an answer lists. */
const MOST_JOBS = 16;
/** Existing jobs that an answer lists; the equal ones come first. */
const MOST_EXISTING = 5;

/** The members that all jobs of a plan share, and those that each has for itself. */
function bodyMembers(bodies: readonly JobBody[], { note, whole }: ExportContext) {
  const { body, each } = sharedMembers(bodies);
  if (!each || whole || each.length <= MOST_JOBS) return { body, each };
  note(`each shows the first ${MOST_JOBS} of ${each.length} jobs; the others follow in the same way.`);
  return { body, each: each.slice(0, MOST_JOBS) };
}

/** `1 daily export of sessions with 15 columns is planned, and not created yet.` */
function plannedSentence({ frequency, scope, columns }: ExportOrder, jobs: number): string {
  const exports = counted(jobs, `${frequency === 'once' ? 'one-off' : frequency} export`);
  return `${exports} of ${scope} with ${counted(columns.length, 'column')} ${jobs === 1 ? 'is' : 'are'} planned, and not created yet.`;
}

/** Checks an export, splits it into jobs, and looks for equal ones. */
export async function draftPlan(asked: ExportRequest, context: ExportContext) {
  const { ask, note, timeZone } = context;
  const { frequency, range } = scheduleOf(asked);
  const lists = await context.lists();
  const request = { ...asked, fields: await fieldsOf(asked, lists) };
  await requireSegment(request.segmentId, lists, note);
  const { scope, columns, notes } = await columnsOf(request, lists, note);
  const ranges = range ? splitRange(range, timeZone) : [];
  const store = await openPlansOf(context);
  const [jobs, earlier] = await Promise.all([readJobs(ask), store.all()]);

  const { name, format, deviceLabel: device, segmentId } = request;
  const order: ExportOrder = { name, format, scope, frequency, columns, device, segmentId, ranges };
  const bodies = bodiesOf(order, { timeZone, taken: new Set(jobs.map((job) => job.name ?? '')) });
  for (const body of bodies) checkInput(createExportJob, body);
  const available = range ? await availableRuns(jobsWithContent(jobs, order), range.startMs, context) : [];
  const exported = grouped<ListedDelivery, number | string>(available, ({ jobId }) => jobId);
  const covered = (job: JobRecord) => [
    ...(exported.get(job.jobId) ?? []).map((run) => run.range),
    ...(lower(job.state) === 'completed' ? [] : comingRanges(job, earlier)),
  ];
  const similar = similarJobs(jobs, order, covered, segmentsOf(earlier));
  return { store, order, columns, notes, bodies, similar, known: idsOfEqual(jobs, bodies) };
}

/** Checks an export, splits it into jobs, looks for equal ones, and keeps the plan. */
export async function planExport(asked: ExportRequest, context: ExportContext) {
  const { note, timeZone, nowMs } = context;
  const { store, order, columns, notes, bodies, similar, known } = await draftPlan(asked, context);
  const plan = await store.add({ bodies, known, nowMs });
  const existing = existingSentence({ order, similar });
  for (const sentence of [...planWarnings({ order, similar, bodies, nowMs }), ...notes]) note(sentence);
  if (asked.scope === undefined)
    note(`Scope ${order.scope}: ${order.scope === 'sessions' ? 'one row per visit' : 'one row per page view'}; it has all these fields.`);
  const currency = await currencyOf(
    columns.map(({ fieldName }) => knownField(fieldName).unit),
    context,
  );
  if (currency !== undefined) note(`Amounts are in cents of ${currency}.`);
  const isSecond = order.frequency !== 'once' && equalAmong(similar).length > 0;
  const args = JSON.stringify({ planId: plan.planId, confirm: true, ...(isSecond && { allowDuplicate: true }) });
  note(
    ofAnswer(
      'Nothing is created yet. Show the plan to the user' +
        hint('apply_export_plan', `; apply_export_plan ${args} creates it where they agree`) +
        '.',
    ),
  );
  return {
    answer: existing ?? plannedSentence(order, bodies.length),
    planId: plan.planId,
    expires: new Date(expiresMs(plan)).toISOString(),
    ...bodyMembers(bodies, context),
    fields: columns.map(fieldRow),
    ...(similar.length > 0 && { existing: similar.slice(0, MOST_EXISTING).map((one) => existingRow(one, timeZone)) }),
  };
}
