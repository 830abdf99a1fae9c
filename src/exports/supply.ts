import { ApiError, orUndefined } from '../api/errors.ts';
import { listExportableFields } from '../api/operations/data-export.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { rangeTexts } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { daysIn, hullOf, type Interval, intersect, lengthOf, subtract } from '../lib/intervals.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted } from '../lib/number-text.ts';
import { firstOf } from '../lib/sentences.ts';
import { coverageOf, EVER, rangeOf, timeOfLack } from './coverage.ts';
import { availableRuns, type ListedDelivery, withoutFilesWords } from './deliveries.ts';
import { successfulRuns } from './download/run-rows.ts';
import { type Asked, type Data, NothingDownloaded, withData } from './export-data.ts';
import { type ExportContext, openPlansOf, readJobs, readVariables, runsHere } from './export-lists.ts';
import { PRESET } from './plan/journey-fields.ts';
import { isVariableField, USUAL_SCOPES } from './plan/resolve-fields.ts';
import { deviceOf, isOnce, isRunning, type JobRecord, lower } from './plan/similar-jobs.ts';
import { draftPlan } from './plan-export.ts';
import type { PlanPart } from './plans.ts';
import type { ProjectWorkspace } from './project-workspace.ts';
import { folded, foldedNames, keysOf, listedFields } from './query/columns.ts';
import { columnsIn, type HoldingRun, heldIn } from './query/data-view.ts';
import { NoSuchName } from './sql-errors.ts';
import { type FilesNeeded, lastMidnight, namesColumn, overBy } from './statement.ts';
import { WorkspaceError } from './store/disk.ts';
import { awaitPlanned, fetchRuns, USUAL_WAIT_SECONDS } from './sync-exports.ts';

/** Days that are taken where a question names none. */
const USUAL_DAYS = 7;
/** Longer gaps are not planned with an answer: a job a week each. */
const MOST_DAYS = 35;
/** A call that lasted this long already does not look for the way. */
const PATIENCE_MS = 15_000;
/** Files of a job are deleted after days; a job that was made earlier is not looked after. */
const FOLLOWED_MS = 7 * DAY_MS;
/** More jobs are counted. */
const MOST_NAMED = 3;

/** The files of any question, where nothing is downloaded: those with most columns. */
const ANYTHING = USUAL_SCOPES.map((scope): FilesNeeded => ({ scope, days: [] }));

/** The time that runs answer for of the scope or job of a question. */
function heldFor({ scope, jobId }: Pick<FilesNeeded, 'scope' | 'jobId'>, runs: readonly HoldingRun[]) {
  const own = jobId === undefined ? runs : runs.filter((run) => run.jobId === jobId);
  return heldIn(own, jobId === undefined ? scope : (own[0]?.scope ?? ''));
}

/** Holds a question against runs, with those of its columns that some have; of a question that names no days, of any time. */
function answeredBy(need: FilesNeeded, runs: readonly HoldingRun[], columns: readonly HoldingRun[] = runs) {
  const { scope, days, reads } = need;
  const own = columns.filter((run) => lower(run.scope) === scope).flatMap((run) => columnsIn(run).map(({ name }) => name));
  return coverageOf(
    days.length > 0 ? days : EVER,
    own.filter((column) => reads?.(column)),
    heldFor(need, runs),
  );
}

/** The run of all visitors that the job of a plan brings, as far as the plan says what its files will hold. */
function runToCome({ jobId, body: { scope = '', frequency, fields, deviceLabel, segmentId } }: PlanPart): HoldingRun[] {
  const isOfAll = deviceLabel === 'all' && segmentId === undefined;
  return frequency.dateRange && isOfAll ? [{ scope, jobId: Number(jobId), ...frequency.dateRange, fields: listedFields(fields) }] : [];
}

/** Whether a run brings what a question reads and no file holds; of a question that names no days, where no file has its columns. */
function brings(run: HoldingRun, need: FilesNeeded, here: readonly HoldingRun[]): boolean {
  if (lower(run.scope) !== need.scope) return false;
  const { have, lack } = answeredBy(need, here, [run]);
  if (need.days.length === 0) return have.length === 0;
  return lack.some(({ days }) => intersect(days, [rangeOf(run)]).length > 0);
}

async function plannedParts(context: ExportContext) {
  return (await (await openPlansOf(context)).all()).flatMap(({ parts }) => parts);
}

/** The once jobs of applied plans whose files are not here and hold what a question lacks. */
async function plannedFor(needs: readonly FilesNeeded[], context: ExportContext): Promise<PlanPart[]> {
  if (needs.length === 0) return [];
  const [parts, here] = await Promise.all([plannedParts(context), runsHere(context)]);
  const sinceMs = context.clock.now() - FOLLOWED_MS;
  return parts
    .filter(
      ({ jobId, sentAt }) => typeof jobId === 'number' && Date.parse(sentAt ?? '') > sinceMs && here.every((run) => run.jobId !== jobId),
    )
    .filter((part) =>
      needs.some((need) =>
        need.jobId === undefined
          ? runToCome(part).some((run) => brings(run, need, here))
          : need.jobId === part.jobId && part.body.frequency.dateRange !== undefined,
      ),
    );
}

/** The days and columns of a scope that a question lacks. */
interface Missing extends Omit<FilesNeeded, 'reads'> {
  /** All that it reads, or where rows are here those that they lack, with what matches the rows; each with its name in a plan. */
  readonly columns: ReadonlyMap<string, string>;
  /** Whether the question names its days: else some of them will do. */
  readonly isExact: boolean;
  /** The question is about all that there is, whatever the columns. */
  readonly isAny?: boolean;
}

/** The columns that a question reads and an export can hold, each with its name in a plan. */
async function columnsWanted({ scope, reads }: FilesNeeded, { lists, note }: ExportContext): Promise<(readonly [string, string])[]> {
  const { ask } = await lists();
  const [fields, variables] = await Promise.all([ask(listExportableFields, { scope }), readVariables(ask, note)]);
  // The two fields that stand for variables have no column of their own.
  const plain = fields.map(({ name }) => name).filter((name) => !isVariableField(name));
  // Of two of one name the custom one counts.
  const named = variables
    .toSorted((a, b) => b.kind.localeCompare(a.kind))
    .map(({ kind, key }) => [key, `${kind} variable ${key}`] as const);
  return [...named, ...plain.map((name) => [name, name] as const)].filter(([column]) => column !== '' && reads?.(column));
}

/** The lack of a question beside the files that are here and these, which are on their way. */
async function missingOf(
  need: FilesNeeded,
  needs: readonly FilesNeeded[],
  toCome: readonly HoldingRun[],
  context: ExportContext,
): Promise<Missing[]> {
  const { scope, jobId } = need;
  const isExact = need.days.length > 0;
  const endMs = lastMidnight(context.nowMs);
  const usual = [{ startMs: endMs - USUAL_DAYS * DAY_MS, endMs }];
  const runs = [...(await runsHere(context)), ...toCome];
  if (jobId !== undefined) {
    const days = isExact ? subtract(need.days, heldFor(need, runs)()) : EVER;
    const isLack = isExact ? days.length > 0 : runs.every((run) => run.jobId !== jobId);
    return isLack ? [{ scope, jobId, columns: new Map(), days, isExact }] : [];
  }
  const asked = isExact ? need.days : usual;
  const wanted = await columnsWanted(need, context);
  // Of a join, a column that the files of the other scope have is taken from there.
  const elsewhere = needs.flatMap((other) => (other.scope === scope ? [] : heldIn(runs, other.scope)));
  const own = wanted.filter(([column]) => elsewhere.every((held) => held(column).length === 0));
  const { have, lack } = coverageOf(asked, new Map(own).keys(), heldIn(runs, scope));
  if (lack.length === 0 || (!isExact && daysIn(have).size > 0)) return [];
  const absent = new Set(lack.map(({ column }) => column));
  const keys = keysOf(scope, []).missing.map((key): [string, string] => [key, key]);
  const columns = new Map(absent.has(undefined) ? own : [...keys, ...own.filter(([column]) => absent.has(column))]);
  return [{ scope, columns, days: timeOfLack(lack), isExact, isAny: !need.reads }];
}

/** The lack of a question, with all that may tell how it gets it. */
interface Search {
  readonly lacks: readonly Missing[];
  /** All that lacked before the ways that have been said. */
  readonly asked: readonly Missing[];
  readonly jobs: readonly JobRecord[];
  /** Runs with files of the jobs that export what lacks. */
  readonly runs: readonly ListedDelivery[];
  /** Jobs of plans. */
  readonly parts: readonly PlanPart[];
  readonly workspace: ProjectWorkspace;
  readonly context: ExportContext;
}

/** Whether a job exports these columns for all visitors, as far as its record shows it. */
function exportsAll(job: JobRecord, { scope, jobId, columns }: Missing): boolean {
  if (jobId !== undefined) return job.jobId === jobId;
  const own = foldedNames(columnsIn({ fields: listedFields(job.fields) }));
  const isWhole = (deviceOf(job) ?? 'all') === 'all' && lower(job.state) !== 'deleted' && lower(job.scope) === scope;
  return isWhole && [...columns.keys()].every((column) => own.has(folded(column)));
}

interface Fetching extends Pick<Search, 'runs'> {
  readonly lacks: readonly Pick<Missing, 'days'>[];
  readonly workspace: { readonly underWay: (run: ListedDelivery) => unknown };
}

/** One sentence: runs with days of what lacks are being downloaded, by job; undefined where none is. */
export function beingFetched({ lacks, runs, workspace }: Fetching): string | undefined {
  const lacking = lacks.flatMap(({ days }) => days);
  const fetched = runs.filter((run) => workspace.underWay(run) !== undefined && intersect(lacking, [run.range]).length > 0);
  if (fetched.length === 0) return undefined;
  const jobs = [...new Set(fetched.map(({ name, jobId }) => `"${name}" (${jobId})`))];
  const are = `${fetched.length === 1 ? 'is' : 'are'} being`;
  return `${counted(fetched.length, 'run')} with days of it ${are} fetched: ${firstOf(jobs, MOST_NAMED)}. Ask again, which waits for them.`;
}

/** The fewest runs that hold all that any of these holds of a time. */
export function fewestRuns<Run extends Pick<ListedDelivery, 'jobId' | 'range'>>(runs: readonly Run[], days: readonly Interval[]): Run[] {
  const chosen: Run[] = [];
  let rest = intersect(
    days,
    runs.map(({ range }) => range),
  );
  for (let first = rest[0]; first; first = rest[0]) {
    const { startMs } = first;
    const open = runs.filter(({ range }) => range.startMs <= startMs && range.endMs > startMs);
    // Of equal ones that of the job which brings the others.
    const isOther = ({ jobId }: Run) => Number(jobId !== chosen.at(-1)?.jobId);
    const [next] = open.toSorted((a, b) => b.range.endMs - a.range.endMs || isOther(a) - isOther(b));
    if (!next) break;
    chosen.push(next);
    rest = subtract(rest, [next.range]);
  }
  return chosen;
}

/** The runs that bring what is lacking, as far as the platform has it; where any days will do, those of the job that brings most. */
function runsBringing(lack: Missing, { jobs, runs }: Search): ListedDelivery[] {
  const all = jobs.filter((job) => exportsAll(job, lack));
  const widthOf = ({ fields }: JobRecord) => fields?.length ?? 0;
  const least = lack.isAny ? Math.max(...all.filter(({ jobId }) => runs.some((run) => run.jobId === jobId)).map(widthOf)) : 0;
  const holders = new Set(all.filter((job) => widthOf(job) >= least).map(({ jobId }) => jobId));
  const fetchable = runs.filter(({ jobId, state }) => state === 'available' && holders.has(jobId));
  const chosen = fewestRuns(fetchable, lack.days);
  if (lack.isExact && lack.jobId === undefined) return chosen;
  const byJob = [...grouped(chosen, ({ jobId }) => jobId).values()];
  const timeOf = (own: readonly ListedDelivery[]) =>
    lengthOf(
      intersect(
        lack.days,
        own.map(({ range }) => range),
      ),
    );
  return byJob.toSorted((a, b) => timeOf(b) - timeOf(a))[0] ?? [];
}

/** Thrown through a question whose files came meanwhile: it is asked again; its message is on those that are still to come. */
class FilesCame extends Error {}

/** Fetches the files of days that the platform still has, no more than the question reads; `rest`: what they leave. */
async function onPlatform(search: Search): Promise<{ readonly words: string; readonly rest: readonly Missing[] } | undefined> {
  const { lacks, workspace, context } = search;
  const bringing = lacks.map((lack) => ({ lack, runs: runsBringing(lack, search) }));
  const chosen = [...new Set(bringing.flatMap(({ runs }) => runs))];
  if (chosen.length === 0) return undefined;
  const untilMs = context.nowMs + USUAL_WAIT_SECONDS * 1_000;
  const { outcomes } = await fetchRuns(workspace, chosen, { ...context, untilMs }).catch((error: unknown) => {
    // Where nothing can be written, the call below says why.
    if (error instanceof WorkspaceError) return { outcomes: [] };
    throw error;
  });
  context.signal.throwIfAborted();
  const coming = beingFetched(search);
  if (outcomes.some((outcome) => outcome?.status === 'fulfilled')) throw new FilesCame(coming);
  const names = new Map(chosen.map(({ jobId, name }) => [jobId, `"${name}"`]));
  const args = JSON.stringify({ jobIds: [...names.keys()].map(String) });
  const again = hint('sync_exports', `: sync_exports ${args} tries again and says why`);
  return {
    words: coming ?? `The files of ${firstOf([...names.values()], MOST_NAMED)} could not be fetched${again}.`,
    rest: bringing.flatMap(({ lack, runs }) => {
      const days = subtract(
        lack.days,
        runs.map(({ range }) => range),
      );
      return runs.length === 0 || (lack.isExact && lack.jobId === undefined && days.length > 0) ? { ...lack, days } : [];
    }),
  };
}

/** A job brings it with the run that comes next, or that is under way. */
function withNextRun({ lacks, jobs }: Search): string | undefined {
  const isBrought = (lack: Missing, job: JobRecord) => {
    if (!isRunning(job) || !exportsAll(job, lack)) return false;
    const range = [rangeOf({ from: job.nextFrom, to: job.nextTo })];
    const isAll = subtract(lack.days, range).length === 0;
    return lack.jobId === undefined ? lacks.length === 1 && isAll : isAll || !lack.isExact;
  };
  const next = jobs.find((job) => lacks.some((lack) => isBrought(lack, job)));
  if (!next) return undefined;
  const job = `Job ${next.jobId} "${next.name ?? ''}" brings what is missing`;
  const waits = hint('download_export_run', `: download_export_run {"jobId":"${next.jobId}"} waits for its files`);
  if (isOnce(next)) return `${job} and has not run to its end yet${waits}.`;
  return `${job} with its next run, at ${next.nextRunTime ?? 'a time not known'}.`;
}

/** A job that is named brings nothing any more. */
function ofNoRun({ lacks, jobs }: Search): string | undefined {
  const jobId = lacks.find((lack) => lack.jobId !== undefined)?.jobId;
  if (jobId === undefined) return undefined;
  if (jobs.every((job) => job.jobId !== jobId)) return `There is no export job ${jobId} in this project.`;
  const why = hint('find_export_gaps', `: find_export_gaps {"jobId":"${jobId}"} says why, and plans what brings them`);
  return `The platform has no files of it from job ${jobId}${why}.`;
}

/** The platform has no rows of it: a job that was made for these days ran and found none, as the same export once more would. */
export async function foundEmpty({
  lacks,
  parts,
  context,
}: Pick<Search, 'lacks' | 'parts'> & { context: Pick<ExportContext, 'ask' | 'nowMs'> }) {
  for (const { scope, columns, days } of lacks) {
    const exportsIt = (run: HoldingRun) => coverageOf(days, columns.keys(), heldIn([run], scope)).lack.length === 0;
    const jobs = parts.filter((part) => typeof part.jobId === 'number' && runToCome(part).some(exportsIt));
    const jobIds = jobs.map(({ jobId }) => Number(jobId));
    if (jobIds.length === 0 || (await successfulRuns(context.ask, jobIds)).length > 0) continue;
    const sinceMs = Math.min(...jobs.map(({ sentAt }) => Date.parse(sentAt ?? '') || 0));
    const [sentence] = await withoutFilesWords([], { jobIds, sinceMs }, context);
    if (sentence !== undefined) return `The platform has no rows of it: an export of these days found none. ${sentence}`;
  }
  return undefined;
}

/** One plan is made at once, so that a yes of the person is all that it needs. */
async function planned({ lacks, asked, context }: Search): Promise<string | undefined> {
  const { nowMs } = context;
  const whole = hullOf(asked.flatMap(({ days }) => days));
  if (whole && whole.endMs - whole.startMs > MOST_DAYS * DAY_MS) {
    const [possible] = rangeTexts([{ ...whole, startMs: whole.endMs - MOST_DAYS * DAY_MS }], 'UTC');
    return `No call brings all of it: an export for a question holds at most ${MOST_DAYS} days. Ask for ${possible}, or fewer.`;
  }
  // The notes belong to an answer that shows the plan.
  const quiet = { ...context, note: () => undefined };
  const drafts = await Promise.all(
    lacks.map(({ scope, columns, days }) => {
      const { startMs = 0, endMs = 0 } = hullOf(days) ?? {};
      const range = { startDate: isoTime(lastMidnight(startMs)), endDate: isoTime(Math.ceil(endMs / DAY_MS) * DAY_MS) };
      const fields = [PRESET, ...columns.values()];
      return draftPlan({ scope, fields, ...range, frequency: 'once', format: 'JSONL', deviceLabel: 'all' }, quiet);
    }),
  );
  const bodies = drafts.flatMap((draft) => draft.bodies);
  const known = drafts.flatMap((draft) => draft.known);
  const [first, ...others] = bodies;
  if (!first) return undefined;
  const { planId } = await (await openPlansOf(context)).add({ bodies, known, nowMs, fetches: true });
  const jobs = others.length === 0 ? '' : ` and ${counted(others.length, 'more job')}`;
  return hint(
    'apply_export_plan',
    `A once export that brings ${lacks === asked ? 'what is missing' : 'the rest'} is planned ` +
      `("${first.name}", ${first.fields.length} columns${jobs}), not created yet. ` +
      `Where the user agrees, apply_export_plan ${JSON.stringify({ planId, confirm: true })} creates it and fetches its files; ` +
      'then ask again.',
    'The platform has no files of it.',
  );
}

/** The ways to what lacks: each is asked for what those before it leave. */
const WAYS: readonly ((search: Search) => ReturnType<typeof onPlatform> | string | undefined | Promise<string | undefined>)[] = [
  onPlatform,
  withNextRun,
  ofNoRun,
  foundEmpty,
  planned,
];

/** Finds the way to what a question lacks; `about`: only where it lacks this column or scope. */
type WayOn = (about?: string) => Promise<string | undefined>;

/**
 * The calls that bring the files which a question lacks: of days that the platform still has, and a plan of the others that is made at
 * once. Undefined where nothing is lacking, where none can be named, or where the call has little time left.
 */
async function wayToFiles(
  needs: readonly FilesNeeded[],
  toCome: readonly HoldingRun[],
  context: ExportContext,
  about?: string,
): Promise<string | undefined> {
  if (needs.length === 0 || context.clock.now() - context.nowMs > PATIENCE_MS) return undefined;
  const lacks = (await Promise.all(needs.map((need) => missingOf(need, needs, toCome, context)))).flat();
  const concerns = ({ scope, columns }: Missing) =>
    about === undefined || scope === folded(about) || [...columns.keys()].some((column) => namesColumn(about, column));
  if (!lacks.some(concerns)) return undefined;
  const [jobs, workspace] = await Promise.all([readJobs(context.ask), context.workspace()]);
  const holders = jobs.filter((job) => lacks.some((lack) => exportsAll(job, lack)));
  const runs = await availableRuns(holders, Math.min(...lacks.map(({ days }) => days[0]?.startMs ?? 0)), context);
  const search = { asked: lacks, jobs, runs, parts: await plannedParts(context), workspace, context };
  const said: string[] = [];
  let rest: readonly Missing[] = lacks;
  for (const way of WAYS) {
    if (rest.length === 0) break;
    // A way that cannot be looked at is passed by.
    const found = await Promise.resolve(way({ ...search, lacks: rest })).catch(orUndefined);
    if (found === undefined) continue;
    said.push(typeof found === 'string' ? found : found.words);
    rest = typeof found === 'string' ? [] : found.rest;
  }
  return said.length === 0 ? undefined : said.join(' ');
}

/** How a question gets what it lacks: words on files that it waited for and that are still to come, else the call that brings them. */
export interface Supply {
  readonly coming: string | undefined;
  /** Whether days that it names lack files among these, or files with its columns. */
  readonly lacks: (runs: readonly HoldingRun[]) => boolean;
  readonly wayOn: WayOn;
}

/** The files that a question reads: of jobs that it names theirs, else those of scopes; of a workspace without files, anything. */
async function neededBy({ jobId, jobIds, days = [] }: Asked, ofScopes: readonly FilesNeeded[], context: ExportContext) {
  const named = jobId === undefined ? jobIds : [jobId];
  const bounded = overBy(days, context.nowMs).filter(({ startMs }) => Number.isFinite(startMs));
  if (named) return named.map((id): FilesNeeded => ({ scope: '', jobId: id, days: bounded }));
  return ofScopes.length > 0 || (await runsHere(context)).length > 0 ? ofScopes : ANYTHING;
}

/**
 * Answers a question over downloaded runs: waits first for files that it lacks and that an applied plan is about to bring, unless `refuse`
 * throws beside them. Hands over how it gets what is lacking, and refuses with that where nothing is downloaded, or nothing has a name;
 * where files of it came from the platform meanwhile it is run again.
 */
export async function withFilesFor<T>(
  asked: Asked,
  ofScopes: readonly FilesNeeded[],
  context: ExportContext,
  answer: (data: Data, supply: Supply) => Promise<T>,
  refuse?: (toCome: readonly HoldingRun[]) => Promise<void>,
): Promise<T> {
  for (;;) {
    try {
      return await overFiles(asked, ofScopes, context, answer, refuse);
    } catch (error) {
      if (!(error instanceof FilesCame)) throw error;
      if (error.message !== '') context.note(ofAnswer(error.message));
    }
  }
}

async function overFiles<T>(...[asked, ofScopes, context, answer, refuse]: Parameters<typeof withFilesFor<T>>): Promise<T> {
  const needs = await neededBy(asked, ofScopes, context);
  const parts = await plannedFor(needs, context);
  const toCome = parts.flatMap(runToCome);
  const wayTo = (beside: readonly HoldingRun[], about?: string) => wayToFiles(needs, beside, context, about).catch(orUndefined);
  // Of days that are named, the way to the rest is told at once where these files do not bring all of them.
  const isExact = parts.length > 0 && needs.every(({ days, jobId }) => days.length > 0 && jobId === undefined);
  let wayOn: WayOn = (about) => wayTo(toCome, about);
  try {
    await refuse?.(toCome);
    const rest = isExact ? await wayTo(toCome) : undefined;
    const onTheWay = (await awaitPlanned(parts, rest === undefined, context)).join('; ');
    const coming =
      rest === undefined && onTheWay !== ''
        ? `Its files are on the way (${onTheWay}): ask the same again, which waits for them.`
        : undefined;
    const besides = onTheWay === '' ? '' : ` On the way, but not all of it: ${onTheWay}.`;
    wayOn = async (about) => coming ?? (rest === undefined ? await wayTo([], about) : `${rest}${besides}`);
    const lacks = (runs: readonly HoldingRun[]) => needs.some((need) => need.days.length > 0 && answeredBy(need, runs).lack.length > 0);
    return await withData(asked, context, (data) => answer(data, { coming, wayOn, lacks }));
  } catch (error) {
    if (!(error instanceof NoSuchName || error instanceof NothingDownloaded)) throw error;
    const missing = error instanceof NoSuchName ? error.missing : undefined;
    const way = await wayOn(missing);
    const isScope = missing !== undefined && needs.some(({ scope }) => scope === folded(missing));
    const absent = isScope
      ? `sql: no ${folded(missing)} are downloaded.`
      : `sql: no downloaded file has "${missing}", which an export can hold.`;
    const lack = missing === undefined ? error.message : absent;
    throw way === undefined ? error : new ApiError('missing', `${lack} ${way}`);
  }
}
