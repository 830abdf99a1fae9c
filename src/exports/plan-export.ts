import { ApiError, onApiError, orNone, refuse } from '../api/errors.ts';
import { createExportJob, listExportableFields } from '../api/operations/data-export.ts';
import { instantOf } from '../api/params.ts';
import { joinedPreview, previewOf, sharedMembers } from '../api/wire.ts';
import { isoTime } from '../lib/clock.ts';
import { rangeName } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import { either, hint } from '../lib/hint.ts';
import { hullOf, type Interval } from '../lib/intervals.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted } from '../lib/number-text.ts';
import type { Context, Lists } from '../names/context.ts';
import { currencyOf } from './amounts.ts';
import type { AskedDays } from './coverage.ts';
import { availableRuns, type ListedDelivery } from './deliveries.ts';
import { comingRanges, type ExportContext, openPlansOf, readExports, readJobs, readVariables, segmentsOf } from './export-lists.ts';
import { creationQuestion, type ExportOrder, type JobBody, splitRange } from './plan/job-bodies.ts';
import { isPreset, PRESET, withPreset } from './plan/journey-fields.ts';
import { chooseScope, type ExportColumn, problemsOfScope, type Resolved, resolveFields, USUAL_SCOPES } from './plan/resolve-fields.ts';
import {
  draftJobs,
  equalAmong,
  equalRecurring,
  equalWords,
  existingSentence,
  isCompleted,
  isJobOf,
  type JobRecord,
  jobsWithContent,
  type KnownSegments,
  planWarnings,
  type SimilarJob,
  similarJobs,
} from './plan/similar-jobs.ts';
import { type ExportPlan, expiresMs, type PlanPart, type PlanStore } from './plans.ts';
import type { ProjectWorkspace } from './project-workspace.ts';
import { knownField } from './query/columns.ts';
import { fetchPlanned } from './sync-exports.ts';

/** A wanted export, with dates and ids resolved. */
interface ExportRequest extends AskedDays, Pick<ExportOrder, 'name' | 'format' | 'segmentId'>, Pick<JobBody, 'deviceLabel'> {
  readonly fields: readonly string[];
  readonly scope?: string | undefined;
  readonly frequency?: ExportOrder['frequency'] | undefined;
}

/** When the export runs, and over which range; refuses what does not go together. */
function scheduleOf({ frequency, startDate, endDate }: ExportRequest): { frequency: ExportOrder['frequency']; range?: Interval } {
  const hasDates = startDate !== undefined || endDate !== undefined;
  const value = frequency ?? (hasDates ? 'once' : undefined);
  if (value === undefined) return refuse('frequency: say daily or hourly, or give startDate and endDate of a once export.');
  if (value !== 'once') {
    if (hasDates)
      refuse(
        `startDate, endDate: only with frequency once; a ${value} job chooses its own range. Plan the past as a second export with ` +
          'frequency once.',
      );
    return { frequency: value };
  }
  if (startDate === undefined || endDate === undefined)
    return refuse(`${startDate === undefined ? 'startDate' : 'endDate'}: required with frequency once.`);
  const [startMs, endMs] = [instantOf(startDate), instantOf(endDate)];
  if (startMs >= endMs) refuse(`endDate: must be after startDate (${startDate} … ${endDate}).`);
  return { frequency: value, range: { startMs, endMs } };
}

/** The fields that are asked for, the preset of the tools over visits as those that it stands for. */
async function fieldsOf({ fields, scope }: ExportRequest, { ask }: Lists): Promise<readonly string[]> {
  if (!fields.some(isPreset)) return fields;
  const there = scope === undefined ? [] : await ask(listExportableFields, { scope });
  const all = withPreset(fields, scope, new Set(there.map(({ name }) => name)));
  return all ?? refuse(`fields: ${PRESET} stands for fields of sessions and of views, a plan each; say scope sessions or views.`);
}

/** The columns, in the scope that was named or the one that has them all. */
async function columnsOf(request: ExportRequest, { ask }: Lists, note: ExportContext['note']): Promise<Resolved> {
  const { fields, scope } = request;
  // A key that occurs in other days only would make an empty column.
  const variables = await readVariables(ask, note, scheduleOf(request).range);
  const inScopes = (scopes: readonly string[]) =>
    Promise.all(
      scopes.map(async (each) =>
        resolveFields(fields, { scope: each, fields: await ask(listExportableFields, { scope: each }), variables }),
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
  refuse(`segmentId: there is no segment ${segmentId}${hint('list_segments', '; list_segments lists them')}.`);
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

/** Checks an export, splits it into jobs, and looks for equal ones. */
export async function draftPlan(asked: ExportRequest, context: ExportContext) {
  const { note, timeZone } = context;
  const { frequency, range } = scheduleOf(asked);
  const lists = await context.lists();
  const request = { ...asked, fields: await fieldsOf(asked, lists) };
  await requireSegment(request.segmentId, lists, note);
  const { scope, columns, notes } = await columnsOf(request, lists, note);
  const ranges = range ? splitRange(range, timeZone) : [];
  const { store, jobs, plans: earlier } = await readExports(context);

  const { name, format, deviceLabel: device, segmentId } = request;
  const order: ExportOrder = { name, format, scope, frequency, columns, device, segmentId, ranges };
  const { bodies, known } = await draftJobs(order, jobs, { timeZone });
  const available = range ? await availableRuns(jobsWithContent(jobs, order), range.startMs, context) : [];
  const exported = grouped<ListedDelivery, number | string>(available, ({ jobId }) => jobId);
  const covered = (job: JobRecord) => [
    ...(exported.get(job.jobId) ?? []).map((run) => run.range),
    ...(isCompleted(job) ? [] : comingRanges(job, earlier)),
  ];
  const similar = similarJobs(jobs, order, covered, segmentsOf(earlier));
  return { store, order, columns, notes, bodies, similar, known };
}

/** Checks an export, splits it into jobs, looks for equal ones, and keeps the plan. */
export async function planExport(asked: ExportRequest, context: ExportContext) {
  const { note, timeZone, nowMs } = context;
  const { store, order, columns, notes, bodies, similar, known } = await draftPlan(asked, context);
  const { frequency, scope } = order;
  const plan = await store.add({ bodies, known, nowMs });
  const existing = existingSentence({ order, similar });
  for (const sentence of [...planWarnings({ order, similar, bodies, nowMs }), ...notes]) note(sentence);
  if (asked.scope === undefined)
    note(`Scope ${scope}: ${scope === 'sessions' ? 'one row per visit' : 'one row per page view'}; it has all these fields.`);
  const currency = await currencyOf(
    columns.map(({ fieldName }) => knownField(fieldName).unit),
    context,
  );
  if (currency !== undefined) note(`Amounts are in cents of ${currency}.`);
  const isSecond = frequency !== 'once' && equalAmong(similar).length > 0;
  const args = JSON.stringify({ planId: plan.planId, confirm: true, ...(isSecond && { allowDuplicate: true }) });
  note(
    ofAnswer(
      'Nothing is created yet. Show the plan to the user' +
        hint('apply_export_plan', `; apply_export_plan ${args} creates it where they agree`) +
        '.',
    ),
  );
  const exports = counted(bodies.length, `${frequency === 'once' ? 'one-off' : frequency} export`);
  const are = bodies.length === 1 ? 'is' : 'are';
  return {
    answer: existing ?? `${exports} of ${scope} with ${counted(columns.length, 'column')} ${are} planned, and not created yet.`,
    planId: plan.planId,
    expires: isoTime(expiresMs(plan)),
    ...bodyMembers(bodies, context),
    fields: columns.map(fieldRow),
    ...(similar.length > 0 && { existing: similar.slice(0, MOST_EXISTING).map((one) => existingRow(one, timeZone)) }),
  };
}

type ApplyContext = ExportContext & Pick<Context, 'confirm' | 'projectId'>;

/** How long a request whose answer was lost may still take effect; only then is it sent again. */
const SETTLE_MS = 60_000;

/** A call that applies a plan waits for its files until so long after it began, so that it ends in its time. */
const FETCH_MS = 36_000;

/** A plan being applied: its file is brought up to date before and after every creation. */
interface Application {
  readonly store: PlanStore;
  readonly context: ApplyContext;
  plan: ExportPlan;
}

function isOpen({ jobId }: PlanPart): boolean {
  return jobId === undefined;
}

/** Keeps what is known of a part. */
async function record(application: Application, index: number, known: Partial<PlanPart>): Promise<void> {
  const parts = application.plan.parts.map((part, at) => (at === index ? { ...part, ...known } : part));
  application.plan = { ...application.plan, parts };
  await application.store.save(application.plan);
}

async function planNamed(store: PlanStore, planId: string, nowMs: number): Promise<ExportPlan> {
  const plan = await store.read(planId);
  if (!plan) throw new ApiError('missing', `There is no plan ${planId}; ${either('plan_export', 'find_export_gaps')} makes one.`);
  if (plan.parts.some(isOpen) && nowMs >= expiresMs(plan)) {
    const made = plan.parts.filter((part) => !isOpen(part)).length;
    const done = made > 0 ? ` ${made} of its ${plan.parts.length} jobs exist.` : '';
    throw new ApiError('missing', `The plan ${planId} expired on ${isoTime(expiresMs(plan))}.${done} Make a new one.`);
  }
  return plan;
}

/** A job that equals what a part creates, as far as records show it, and is none of those before it nor of these. */
function equalTo({ body, before = [] }: PlanPart, jobs: readonly JobRecord[], others: readonly unknown[] = []): JobRecord | undefined {
  return jobs.find((job) => isJobOf(job, body) && ![...before, ...others].includes(job.jobId));
}

const idsIn = ({ parts }: ExportPlan) => parts.map(({ jobId }) => jobId);

/** Finds the jobs of requests whose answer was lost; throws where one may still take effect. */
async function adopt(application: Application, jobs: readonly JobRecord[]): Promise<void> {
  for (const [index, part] of application.plan.parts.entries()) {
    if (!isOpen(part) || part.sentAt === undefined) continue;
    const found = equalTo(part, jobs, idsIn(application.plan));
    if (found) await record(application, index, { jobId: found.jobId });
    else if (application.context.clock.now() < Date.parse(part.sentAt) + SETTLE_MS)
      throw new ApiError(
        'down',
        `Whether the job "${part.body.name}" was created is not certain yet: its answer was lost, and no such job is listed. Call ` +
          'again in a minute with the same plan; it looks again before it creates anything.',
      );
  }
}

/** Refuses to add to jobs that appeared since the plan was made: the same jobs may have been created by another client. */
function requireNoOther({ plan }: Application, jobs: readonly JobRecord[]): void {
  for (const part of plan.parts.filter(isOpen)) {
    const other = equalTo(part, jobs, [...plan.known, ...idsIn(plan)]);
    if (other)
      throw new ApiError(
        'invalid',
        `Since the plan was made an equal job appeared: ${other.jobId} "${other.name ?? ''}". ${createdWords(plan)} Make a new plan ` +
          'if another is wanted all the same.',
      );
  }
}

/**
 * Warns of jobs that deliver on the same schedule what a part would; refuses unless a second one is wanted. Requests that were sent may
 * be those jobs themselves.
 */
function duplicateWarning(
  plan: ExportPlan,
  jobs: readonly JobRecord[],
  { allowDuplicate, segments }: { allowDuplicate: boolean; segments: KnownSegments },
): string | undefined {
  const isOwn = (job: JobRecord): boolean =>
    plan.parts.some(
      ({ jobId, sentAt, before, body }) =>
        jobId === job.jobId || (sentAt !== undefined && isJobOf(job, body) && !before?.includes(job.jobId)),
    );
  const unsent = plan.parts.filter((part) => isOpen(part) && part.sentAt === undefined);
  const equal = unsent.flatMap(({ body }) => equalRecurring(body, jobs, segments)).filter((job) => !isOwn(job));
  if (equal.length === 0) return undefined;
  const words = equalWords(equal);
  if (allowDuplicate) return `${words}.`;
  return refuse(`${words}; allowDuplicate: true creates it all the same. ${createdWords(plan)}`);
}

function createdWords({ parts }: ExportPlan): string {
  const made = parts.filter((part) => !isOpen(part)).map(({ jobId, body }) => `${jobId} "${body.name}"`);
  return made.length > 0 ? `Created so far: ${made.join(', ')}.` : 'Nothing was created.';
}

/** Creates one job; says what exists where that fails. */
async function create(application: Application, index: number, part: PlanPart, jobs: readonly JobRecord[]): Promise<void> {
  const { context } = application;
  const equal = jobs.filter((job) => isJobOf(job, part.body));
  const before = [...equal, ...application.plan.parts].flatMap(({ jobId }) => jobId ?? []);
  const stamp = () => isoTime(context.clock.now());
  // By the clock: a person may have thought about the question for minutes, and earlier parts took their time.
  await record(application, index, { sentAt: stamp(), before });
  try {
    const { jobId } = await context.ask(createExportJob, part.body);
    await record(application, index, { jobId });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!error.outcomeUnknown) {
      await record(application, index, { sentAt: undefined, before: undefined });
      throw broken(application, part, `was not created: ${error.message}`, error);
    }
    // Where it is not listed yet, the next call looks again.
    const listed = await readJobs(context.ask, { fresh: true }).catch(() => []);
    const found = equalTo({ ...part, before }, listed);
    if (!found) {
      // The request may have left as late as this, after its time in the queue.
      await record(application, index, { sentAt: stamp() });
      throw broken(application, part, `may have been created: ${error.message} No such job is listed yet.`, error);
    }
    await record(application, index, { jobId: found.jobId });
    context.note(`The answer to the creation of "${part.body.name}" was lost; the list of jobs shows it as ${found.jobId}.`);
  }
}

function broken({ plan }: Application, { body }: PlanPart, what: string, { kind, status, code, retryAfterMs }: ApiError): ApiError {
  const open = plan.parts.filter(isOpen).length;
  const again = kind === 'invalid' ? ' If it is refused again, make a new plan.' : '';
  const next = `Call again with the same planId: it creates only the ${open} that are open, and looks for them first.${again}`;
  return new ApiError(kind, [`The job "${body.name}" ${what}`, `${createdWords(plan)} ${next}`], { status, code, retryAfterMs });
}

/** The workspace that keeps a plan: its id is unique, so it need not be said which project it is of. */
export async function holderOfPlan(planId: string, workspaces: readonly ProjectWorkspace[]): Promise<ProjectWorkspace | undefined> {
  const { openPlans } = await import('./plans.ts');
  const plans = await Promise.all(workspaces.map(({ plansDir, projectId }) => openPlans(plansDir, projectId).read(planId)));
  return workspaces.find((_, at) => plans[at] !== undefined);
}

interface Wanted {
  readonly planId: string;
  /** Creates a recurring job although an equal one exists. */
  readonly allowDuplicate?: boolean | undefined;
}

/** Creates the jobs of a plan that do not exist yet, one after the other, each at most once. */
export async function applyExportPlan({ planId, allowDuplicate = false }: Wanted, context: ApplyContext) {
  const { note, nowMs, clock } = context;
  // By the clock: the present of the call stands still over a question to the person.
  const untilMs = clock.now() + FETCH_MS;
  const store = await openPlansOf(context);
  const shown = await planNamed(store, planId, nowMs);
  const open = shown.parts.filter(isOpen);
  if (open.length === 0) {
    note('All jobs of this plan were created before; nothing was sent.');
    return answerOf(shown, { untilMs, words: [] }, context);
  }
  const isRecurring = open.some(({ body }) => body.frequency.value !== 'once');
  const jobsNow = isRecurring ? await readJobs(context.ask, { fresh: true }) : [];
  const how = { allowDuplicate, segments: segmentsOf(isRecurring ? await store.all() : []) };
  // Read again after the jobs: another process that applies the same plan notes each request before it sends it.
  const warning = isRecurring ? duplicateWarning(await planNamed(store, planId, nowMs), jobsNow, how) : undefined;
  const project = await context.projectId();
  const preview = (body: JobBody) => previewOf(createExportJob, body, project);
  const afterwards = shown.fetches && 'Once it is created, its files are fetched into the workspace.';
  const words = [warning, afterwards].filter(Boolean).join(' ');
  const [body, ...bodies] = open.map((part) => part.body);
  if (body) {
    const { segmentId } = body;
    const segment = segmentId === undefined ? undefined : (await context.lists()).nameOf('segment', Number(segmentId));
    const question = creationQuestion([body, ...bodies], { segment, timeZone: context.timeZone });
    context.confirm({ question, ...joinedPreview([preview(body), ...bodies.map(preview)]), ...(words !== '' && { warning: words }) });
  }
  return store.hold(planId, async () => {
    // Another process may have been quicker.
    const application: Application = { store, context, plan: await planNamed(store, planId, nowMs) };
    const jobs = await readJobs(context.ask, { fresh: true });
    await adopt(application, jobs);
    duplicateWarning(application.plan, jobs, how);
    if (!allowDuplicate) requireNoOther(application, jobs);
    for (const [index, part] of application.plan.parts.entries()) {
      if (!isOpen(part)) continue;
      context.signal.throwIfAborted();
      await create(application, index, part, jobs);
      context.progress(index + 1, application.plan.parts.length, `${index + 1} of ${application.plan.parts.length} jobs created`);
    }
    const next = isRecurring ? await nextRuns(application) : undefined;
    return answerOf(application.plan, { untilMs, words: [nextStep(application.plan)], next }, context);
  });
}

/** When the jobs of a plan run next, by job; empty where the platform does not tell: the jobs exist all the same. */
async function nextRuns({ plan, context }: Application): Promise<ReadonlyMap<number | string, string>> {
  const own = new Set(idsIn(plan));
  const jobs = await readJobs(context.ask, { fresh: true }).catch(orNone);
  return new Map(jobs.flatMap(({ jobId, nextRunTime }) => (nextRunTime && own.has(jobId) ? [[jobId, nextRunTime] as const] : [])));
}

/** All that is said of an applied plan beside its jobs. */
interface Applied {
  /** Files are waited for until then, by the clock. */
  readonly untilMs: number;
  /** Notes of a plan whose files are not fetched. */
  readonly words: readonly string[];
  /** When a recurring job runs next, by job. */
  readonly next?: ReadonlyMap<number | string, string> | undefined;
}

async function answerOf(plan: ExportPlan, { untilMs, words, next }: Applied, context: ApplyContext) {
  const { planId, parts } = plan;
  const fetched = plan.fetches && (await fetchPlanned(plan, untilMs, context));
  for (const sentence of fetched?.words ?? words) context.note(sentence);
  const underWay = fetched?.underWay ?? new Map<number | string, never>();
  const jobs = parts.map(({ jobId = '', body }) => ({
    jobId,
    name: body.name,
    ...body.frequency.dateRange,
    nextRunTime: next?.get(jobId),
    ...underWay.get(jobId),
  }));
  // Created is not all where a question waits for the files.
  return { planId, jobs, ...(underWay.size > 0 && { files: 'under way' as const }) };
}

function nextStep({ parts }: ExportPlan): string {
  const isOnce = parts.some(({ body }) => body.frequency.value === 'once');
  const args = JSON.stringify({ jobIds: parts.map(({ jobId }) => String(jobId)) });
  return isOnce
    ? `A once job runs at once${hint('query_export', `; query_export ${args} waits for its files, and describes them`)}.`
    : `When its runs begin is up to the platform${hint('get_export_job', ': nextRunTime of get_export_job')}.` +
        hint('sync_exports', ` sync_exports ${args} fetches their files, which are kept until their expirationDate.`);
}
