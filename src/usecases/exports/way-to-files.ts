import { ApiError } from '../../api/errors.ts';
import { listExportableFields } from '../../api/operations/data-export.ts';
import { instantOf } from '../../api/params.ts';
import { CUSTOM_VARIABLE, DYNAMIC_VARIABLE } from '../../domain/exports/plan/field-catalogue.ts';
import { PRESET } from '../../domain/exports/plan/journey-fields.ts';
import { deviceOf, type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { counted } from '../../lib/number-text.ts';
import { type SuccessfulRun, successfulRunsOf } from '../../workspace/download/sync-plan.ts';
import type { PlanPart } from '../../workspace/plans.ts';
import { folded, nameOfField } from '../../workspace/query/columns.ts';
import { coverageOf, type Interval, lengthOf, uncovered } from '../../workspace/query/intervals.ts';
import type { Context } from '../context.ts';
import { NOTHING_HERE, NothingDownloaded } from './export-data.ts';
import { openPlansOf, readJobs, readVariables } from './export-lists.ts';
import { awaitPlanned, type FetchContext, plannedFor, runToCome } from './fetch-planned.ts';
import { type FiledRun, type FilesNeeded, lackingDays, lastMidnight, namesColumn, overBy, runsHolding } from './files-needed.ts';
import { availableRuns, type PlanContext, planExport } from './plan-export.ts';
import { withoutFilesWords } from './runs-without-files.ts';

/** Whether the once job of a plan exports all that is lacking. */
function exportsIt({ body: { scope, frequency, fields } }: PlanPart, lack: Lack): boolean {
  const { from = '', to = '' } = frequency.dateRange ?? {};
  const own = new Set(fields.map((field) => folded(nameOfField(field) ?? '')));
  const isOfScope = lower(scope) === lower(lack.scope) && lack.columns.every(({ column }) => own.has(folded(column)));
  return isOfScope && uncovered(lack.days, [{ startMs: instantOf(from), endMs: instantOf(to) }]).length === 0;
}

/**
 * That the platform has no rows of what is lacking, because a job that was made for these days ran and found none; undefined where none
 * did, or where that cannot be read. The same export once more would find none either.
 */
export async function foundEmptyWords(
  lack: Lack,
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

/** More jobs are counted. */
const MOST_NAMED = 3;

/** The runs that are being fetched and hold some of these days. */
export function beingFetched(
  runs: readonly SuccessfulRun[],
  days: readonly Interval[],
  isUnderWay: (run: SuccessfulRun) => boolean,
): SuccessfulRun[] {
  const isWanted = ({ from, to }: SuccessfulRun) =>
    lengthOf(uncovered(days, [{ startMs: instantOf(from), endMs: instantOf(to) }])) < lengthOf(days);
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

/** The parts of a call that finding a way to files uses. */
export type WayContext = PlanContext & Pick<Context, 'clock'>;

/** Days that are taken where a question names none. */
const USUAL_DAYS = 7;
/** Longer gaps are not planned with an answer: a job a week each. */
const MOST_DAYS = 35;
/** A call that lasted this long already does not look for the way. */
const PATIENCE_MS = 15_000;

/** A column that a question reads: how job records show it, and how a plan names it. */
interface WantedColumn {
  readonly fieldName: string;
  readonly column: string;
  readonly planned: string;
}

/** Days and columns that no downloaded file holds. */
interface Lack {
  readonly scope: string;
  readonly columns: readonly WantedColumn[];
  readonly days: readonly Interval[];
  /** Whether the question names its days: else some of them will do. */
  readonly isExact: boolean;
}

async function columnsWanted({ scope, reads }: FilesNeeded, { lists, note }: WayContext): Promise<WantedColumn[]> {
  const { ask } = await lists();
  const [fields, { customVariables, dynamicKeys }] = await Promise.all([ask(listExportableFields, { scope }), readVariables(ask, note)]);
  // The two fields that stand for variables have no column of their own.
  const plain = fields.filter(({ name }) => name !== CUSTOM_VARIABLE && name !== DYNAMIC_VARIABLE);
  const all: WantedColumn[] = [
    ...plain.map(({ name }) => ({ fieldName: name, column: name, planned: name })),
    ...customVariables.map(({ key }) => ({ fieldName: CUSTOM_VARIABLE, column: key, planned: `custom variable ${key}` })),
    ...dynamicKeys.map((key) => ({ fieldName: DYNAMIC_VARIABLE, column: key, planned: `dynamic variable ${key}` })),
  ];
  return all.filter(({ column }) => column !== '' && reads(column));
}

/** The lack of a question beside the files that are here and these, which are on their way. */
async function lackOf(
  need: FilesNeeded,
  others: readonly FilesNeeded[],
  toCome: readonly FiledRun[],
  context: WayContext,
): Promise<Lack | undefined> {
  const isExact = need.days.length > 0;
  const endMs = lastMidnight(context.nowMs);
  const asked = isExact ? overBy(need.days, context.nowMs) : [{ startMs: endMs - USUAL_DAYS * DAY_MS, endMs }];
  const [wanted, here] = await Promise.all([columnsWanted(need, context), context.workspace().then((opened) => opened.runs())]);
  const runs = [...here, ...toCome];
  // Of a join, a column that the files of the other scope have is taken from there.
  const elsewhere = others.filter(({ scope }) => scope !== need.scope);
  const columns = wanted.filter(({ column }) => elsewhere.every(({ scope }) => runsHolding(runs, scope, [column]).length === 0));
  const names = columns.map(({ column }) => column);
  const days = lackingDays(asked, runs, need.scope, names);
  return days.length === 0 ? undefined : { scope: need.scope, columns, days, isExact };
}

/** Whether a job exports these columns of all visitors, as far as its record shows it. */
function exportsAll(job: JobRecord, { scope, columns }: Lack): boolean {
  const named = (job.fields ?? []).map(({ fieldName, aliasName }) => ({ fieldName: fieldName ?? '', aliasName }));
  const own = new Set(named.map((field) => `${field.fieldName} ${folded(nameOfField(field) ?? '')}`));
  const isWhole = (deviceOf(job) ?? 'all') === 'all' && lower(job.state) !== 'deleted' && lower(job.scope) === scope;
  return isWhole && columns.every(({ fieldName, column }) => own.has(`${fieldName} ${folded(column)}`));
}

/** Days (UTC) of which a piece lies in these intervals: a day of which some hours are there is not whole. */
function daysIn(intervals: readonly Interval[]): number {
  const days = intervals.flatMap(({ startMs, endMs }) => {
    const first = Math.floor(startMs / DAY_MS);
    return Array.from({ length: Math.ceil((endMs - 1) / DAY_MS) - first }, (_, at) => first + at);
  });
  return new Set(days).size;
}

/** The fields and days that lack, the jobs that export it, and those of their runs that still have files. */
interface Held {
  readonly lack: Lack;
  readonly holders: readonly JobRecord[];
  readonly runs: readonly SuccessfulRun[];
}

async function heldOf(lack: Lack, jobs: readonly JobRecord[], context: WayContext): Promise<Held> {
  const holders = jobs.filter((job) => exportsAll(job, lack));
  return { lack, holders, runs: await availableRuns(holders, lack.days[0]?.startMs ?? 0, context) };
}

/** The ids of few jobs whose runs the platform still has and that bring what is lacking; undefined where they do not bring all of it. */
function jobsBringing({ lack, holders, runs: all }: Held, here: ReadonlySet<number>): number[] | undefined {
  const runs = all.filter(({ runId }) => !here.has(runId));
  const left = (own: readonly SuccessfulRun[], days: readonly Interval[]) => uncovered(days, coverageOf(own).covered);
  const chosen: number[] = [];
  let days = lack.days;
  for (;;) {
    const rest = holders.map(({ jobId }) => {
      const own = runs.filter((run) => run.jobId === jobId);
      return { jobId: Number(jobId), days: left(own, days), runs: own.length };
    });
    const [best] = rest.toSorted((a, b) => daysIn(a.days) - daysIn(b.days) || a.runs - b.runs);
    if (!best || daysIn(best.days) >= daysIn(days)) break;
    chosen.push(best.jobId);
    days = best.days;
  }
  return chosen.length > 0 && (days.length === 0 || !lack.isExact) ? chosen : undefined;
}

/** The running job that will bring what is lacking with its next run. */
function nextOf(lack: Lack, jobs: readonly JobRecord[]): JobRecord | undefined {
  return jobs.find((job) => {
    const range = { startMs: instantOf(job.nextFrom ?? ''), endMs: instantOf(job.nextTo ?? '') };
    return exportsAll(job, lack) && range.startMs < range.endMs && uncovered(lack.days, [range]).length === 0;
  });
}

function nextWords({ jobId, name, frequency, nextRunTime }: JobRecord): string {
  const job = `Job ${jobId} "${name ?? ''}" brings what is missing`;
  if (lower(frequency) === 'once')
    return `${job} and has not run yet${hint('download_export_run', `: download_export_run {"jobId":"${jobId}"} waits for its files`)}.`;
  return `${job} with its next run, at ${nextRunTime ?? 'a time not known'}.`;
}

/** A plan that is made at once, so that a yes of the person is all that it needs; undefined where it cannot be made. */
async function planFor({ scope, columns, days }: Lack, context: WayContext) {
  const startMs = lastMidnight(Math.min(...days.map((each) => each.startMs)));
  const endMs = Math.ceil(Math.max(...days.map((each) => each.endMs - 1)) / DAY_MS) * DAY_MS;
  if (endMs - startMs > MOST_DAYS * DAY_MS) return undefined;
  const range = { startDate: new Date(startMs).toISOString(), endDate: new Date(endMs).toISOString() };
  const order = { scope, frequency: 'once', format: 'JSONL', deviceLabel: 'all', fetches: true, ...range } as const;
  return planExport(
    { ...order, fields: [PRESET, ...columns.map(({ planned }) => planned)] },
    // The notes belong to an answer that shows the plan.
    { ...context, note: () => undefined },
  );
}

/** One plan of what several would create. */
async function joinedPlan(planIds: readonly string[], context: WayContext) {
  const store = await openPlansOf(context);
  const plans = (await Promise.all(planIds.map((planId) => store.read(planId)))).flatMap((plan) => plan ?? []);
  const [only, ...others] = plans;
  if (!only || others.length === 0) return only;
  const bodies = plans.flatMap(({ parts }) => parts.map(({ body }) => body));
  return store.add({ bodies, known: plans.flatMap(({ known }) => known), nowMs: context.nowMs, fetches: true });
}

async function planWords(lacks: readonly Lack[], context: WayContext): Promise<string | undefined> {
  const made = await Promise.all(lacks.map((lack) => planFor(lack, context)));
  const planIds = made.flatMap((plan) => plan?.planId ?? []);
  const plan = planIds.length === lacks.length ? await joinedPlan(planIds, context) : undefined;
  const [first, ...others] = plan?.parts ?? [];
  if (!plan || !first) return undefined;
  const { name, fields } = first.body;
  const jobs = others.length === 0 ? '' : ` and ${counted(others.length, 'more job')}`;
  const args = JSON.stringify({ planId: plan.planId, confirm: true });
  return hint(
    'apply_export_plan',
    `A once export that brings what is missing is planned ("${name}", ${fields.length} columns${jobs}), not created yet. Where the user ` +
      `agrees, apply_export_plan ${args} creates it and fetches its files; then ask again.`,
    'The platform has no files of it.',
  );
}

/** That plans of the very days ran and found nothing, of the first lack of which that is known. */
async function emptyWords(lacks: readonly Lack[], context: WayContext): Promise<string | undefined> {
  const parts = (await (await openPlansOf(context)).all()).flatMap((plan) => plan.parts);
  for (const lack of lacks) {
    const words = await foundEmptyWords(lack, parts, context);
    if (words !== undefined) return words;
  }
  return undefined;
}

async function findWay(lacks: readonly Lack[], context: WayContext): Promise<string | undefined> {
  const [jobs, workspace] = await Promise.all([readJobs(context.ask), context.workspace()]);
  const held = await Promise.all(lacks.map((lack) => heldOf(lack, jobs, context)));
  const fetched = held.flatMap(({ lack, runs }) => beingFetched(runs, lack.days, (run) => workspace.underWay(run) !== undefined));
  const coming = beingFetchedWords(fetched);
  if (coming !== undefined) return coming;
  const here = new Set((await workspace.runs()).map(({ runId }) => runId));
  const bringing = held.map((each) => jobsBringing(each, here));
  const ids = [...new Set(bringing.flatMap((each) => each ?? []))];
  if (bringing.every((each) => each !== undefined)) {
    const args = JSON.stringify({ jobIds: ids.map(String) });
    const single = hint('download_export_run', `: download_export_run fetches a run of job ${ids.join(', ')}; then ask again`);
    return `The platform has the files${hint('sync_exports', `: sync_exports ${args} fetches them; then ask again`, single)}.`;
  }
  const [lack, ...others] = lacks;
  const next = lack && others.length === 0 ? nextOf(lack, jobs) : undefined;
  if (next) return nextWords(next);
  return (await emptyWords(lacks, context)) ?? planWords(lacks, context);
}

/** Finds the way to what a question lacks; `about`: only where it lacks this column or scope. */
type WayOn = (about?: string) => Promise<string | undefined>;

function concerns({ scope, columns }: Lack, about: string): boolean {
  return scope === folded(about) || columns.some(({ column }) => namesColumn(about, column));
}

/**
 * The one call that brings the files which a question lacks: what the platform still has, else a plan that is made at once. Undefined where
 * nothing is lacking, where none can be named, or where the call has little time left.
 */
async function wayToFiles(
  needs: readonly FilesNeeded[],
  toCome: readonly FiledRun[],
  context: WayContext,
  about?: string,
): Promise<string | undefined> {
  if (needs.length === 0 || context.clock.now() - context.nowMs > PATIENCE_MS) return undefined;
  try {
    const lacks = (await Promise.all(needs.map((need) => lackOf(need, needs, toCome, context)))).filter((lack) => lack !== undefined);
    const isMeant = about === undefined ? lacks.length > 0 : lacks.some((lack) => concerns(lack, about));
    return isMeant ? await findWay(lacks, context) : undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The way to what files on their way do not bring of the days that a question names; undefined where they bring all of it. */
async function wayToTheRest(needs: readonly FilesNeeded[], toCome: readonly FiledRun[], context: WayContext): Promise<string | undefined> {
  const exact = needs.filter(({ days }) => days.length > 0);
  return toCome.length === 0 || exact.length < needs.length ? undefined : wayToFiles(needs, toCome, context);
}

/** The words for files that a question waited for and that are still to come; undefined where there are none. */
function comingWords(coming: readonly string[]): string | undefined {
  return coming.length === 0 ? undefined : `Its files are on the way (${coming.join('; ')}): ask the same again, which waits for them.`;
}

/** How a question gets what it lacks: words on files that it waited for and that are still to come, else the call that brings them. */
export interface Supply {
  readonly coming: string | undefined;
  readonly wayOn: WayOn;
}

/**
 * Runs a question over all downloaded runs: waits first for files that it lacks and that an applied plan is about to bring. Hands over how
 * it gets what is lacking, and refuses with that where nothing is downloaded.
 */
export async function withFilesFor<T>(
  needs: readonly FilesNeeded[],
  context: WayContext & FetchContext,
  run: (supply: Supply) => Promise<T>,
): Promise<T> {
  const parts = await plannedFor(needs, context);
  const rest = await wayToTheRest(needs, parts.flatMap(runToCome), context);
  const onTheWay = await awaitPlanned(parts, rest === undefined, context);
  const coming = rest === undefined ? comingWords(onTheWay) : undefined;
  const besides = rest === undefined || onTheWay.length === 0 ? '' : ` On the way, but not all of it: ${onTheWay.join('; ')}.`;
  const wayOn: WayOn = async (about) => coming ?? (rest === undefined ? await wayToFiles(needs, [], context, about) : `${rest}${besides}`);
  try {
    return await run({ coming, wayOn });
  } catch (error) {
    if (!(error instanceof NothingDownloaded)) throw error;
    const way = await wayOn();
    throw way === undefined ? error : new ApiError('missing', `${NOTHING_HERE} ${way}`, { saysWayOn: true });
  }
}
