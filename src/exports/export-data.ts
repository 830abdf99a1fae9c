import { setTimeout } from 'node:timers/promises';
import { ApiError, onApiError, orNone, refuse } from '../api/errors.ts';
import { listExportableFields } from '../api/operations/data-export.ts';
import { endOrTime } from '../lib/concurrency.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { type Interval, intersect } from '../lib/intervals.ts';
import { counted } from '../lib/number-text.ts';
import { EVER, type Held, RETRY_MS, rangeOf } from './coverage.ts';
import { type ExportContext, readJobs, readVariables } from './export-lists.ts';
import { USUAL_SCOPES } from './plan/resolve-fields.ts';
import { lower } from './plan/similar-jobs.ts';
import type { ProjectWorkspace } from './project-workspace.ts';
import { columnsOf, listedFields } from './query/columns.ts';
import {
  columnsIn,
  type DataView,
  dataViewOf,
  type HoldingRun,
  heldIn,
  neededOf,
  type ReadsVariable,
  type ShownView,
  viewName,
} from './query/data-view.ts';
import type { Dialect } from './query/examples.ts';
import { openSql, runSql, SqlError, type SqlResult } from './query/sql-process.ts';
import { viewSql } from './query/view-sql.ts';
import { type Author, damageOf, isOfStatement, NoSuchName, sqlFailure } from './sql-errors.ts';
import { namesColumn } from './statement.ts';
import { makeDirectory, WorkspaceError } from './store/disk.ts';
import { isConvertible, isReady, isSameRun, type RunManifest } from './store/manifest.ts';
import type { LoadRecord } from './warehouse/ledger.ts';
import { type LoadPlaces, rowsWords, waitingWords } from './warehouse/loaded-table.ts';
import type { ProjectWarehouse } from './warehouse/project-warehouse.ts';
import { warehouseViewOf } from './warehouse/warehouse-view.ts';

/** How long a query waits for loads that are under way. */
const WAIT_MS = 5_000;

/** Waits until conversions of these jobs, or all, and loads of this process have ended, so long at most. */
export async function prepared(
  workspace: ProjectWorkspace,
  jobIds: ReadonlySet<number> | undefined,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const wait = (ended: AbortSignal) => setTimeout(Math.max(0, waitMs), undefined, { signal: ended });
  await endOrTime(workspace.converted(jobIds), wait, signal);
  signal.throwIfAborted();
}

/** Whether the warehouse has a run whole. */
const isLoaded = (run: RunManifest, records: readonly LoadRecord[]) =>
  records.some((record) => record.state === 'loaded' && isSameRun(record.run, run));

/** The loads of the warehouse, or in words why they are not known: files on the disk can be used all the same. */
export function recordsOrReason(warehouse: ProjectWarehouse, signal?: AbortSignal): Promise<LoadRecord[] | string> {
  return warehouse.records(signal).catch(onApiError(({ message }) => message));
}

/**
 * How the load of a run stands after a download, waiting for it at most so long; undefined where it is loaded. Progress goes on from the
 * 100 of the download to 200.
 */
export async function loadState(
  run: RunManifest,
  place: LoadPlaces,
  waitMs: number,
  { signal, progress }: ExportContext,
): Promise<string | undefined> {
  await place.workspace.runs(run.jobId);
  let reported = 0;
  const stop = place.warehouse.onProgress(() => {
    const load = place.warehouse.underWay().find((each) => isSameRun(each, run));
    const share = load && load.totalRows > 0 ? load.rows / load.totalRows : 0;
    if (!load || share <= reported) return;
    reported = share;
    progress(100 * (1 + share), 200, `${rowsWords(load)} loaded into the warehouse`);
  });
  await prepared(place.workspace, undefined, waitMs, signal).finally(stop);
  const records = await recordsOrReason(place.warehouse, signal);
  if (typeof records === 'string') return records;
  return isLoaded(run, records) ? undefined : waitingWords(run, place, records);
}

/**
 * The loads of a project, after a short wait for those of these runs that are on their way, and the runs that are still being loaded; names
 * those that could not be, and throws where a job has no other.
 */
async function loadedRecords(
  { onDisk, ...place }: LoadPlaces & { readonly onDisk: readonly RunManifest[] },
  { note, signal }: ExportContext,
): Promise<{ readonly records: LoadRecord[]; readonly coming: RunManifest[] }> {
  const waiting = (records: readonly LoadRecord[]) => onDisk.filter((run) => !isLoaded(run, records));
  let records = await place.warehouse.records(signal);
  if (waiting(records).length > 0) {
    await prepared(place.workspace, undefined, WAIT_MS, signal);
    records = await place.warehouse.records(signal);
  }
  const late = waiting(records);
  const isMoving = (run: RunManifest) =>
    isConvertible(run) && (place.warehouse.failure(run) ?? place.workspace.conversionFailure(run)) === undefined;
  const only = late.find(({ jobId }) => !records.some((record) => record.state === 'loaded' && record.run.jobId === jobId));
  if (only) {
    const retry = isMoving(only) && { retryAfterMs: RETRY_MS };
    throw new ApiError(retry ? 'busy' : 'down', waitingWords(only, place, records), retry || {});
  }
  for (const run of late) if (!isMoving(run)) note(waitingWords(run, place, records));
  return { records, coming: late.filter(isMoving) };
}

/** A call has 40 seconds; reading the files takes a part of them. */
const TIMEOUT_MS = 32_000;
/** A statement ends so long after the call began, which may have waited for its files. */
const ENDS_MS = 38_000;
const LEAST_MS = 3_000;
/** A statement is held against the names of columns for so long. */
const CHECK_MS = 8_000;
/** Runs that are becoming tables are waited for until so long after the call began. */
const READY_MS = 24_000;
/** The way on from a run that cannot be read: a removal would take the other days of its job too. */
const REMEDY = hint('plan_export', ' plan_export with frequency once exports its days again.');
/** Most characters of the rows of a query as JSON. */
export const MAX_CHARS = 8_000_000;

/** Which downloaded runs are asked: those of one job as the view `data`, or those of several or all jobs as a view for each scope. */
export interface Asked {
  readonly jobId?: number | undefined;
  readonly jobIds?: readonly number[] | undefined;
  /** The time, and the views, that the answer reads: other runs are not waited for. All where they are left out. */
  readonly days?: readonly Interval[];
  readonly reads?: ((view: string) => boolean) | undefined;
  readonly readsVariable?: ReadsVariable | undefined;
}

/** Runs that one view shows. */
export interface DataPart {
  readonly runs: readonly RunManifest[];
  /** The time that they answer for when the runs that are still being read have been. */
  readonly soon: Held;
  readonly view: ShownView;
}

/** How much of a result is wanted, and who wrote the statement: an error names what they can change. */
interface Selection {
  readonly maxRows: number;
  readonly maxChars?: number;
  readonly author: Author;
  /** The statement only compares the ids of users and sessions, which may be numbers then instead of text. */
  readonly isIdsAlike?: true;
}

/** The data of a call, whichever engine holds them. */
export interface Data {
  readonly runs: readonly RunManifest[];
  readonly parts: readonly DataPart[];
  readonly workspace: ProjectWorkspace;
  readonly dialect: Dialect;
  /** The jobs behind the answer. */
  readonly about: ReturnType<typeof aboutOf>;
  /** Runs one statement over the views; `more` says that there is more than these rows or characters. */
  select(sql: string, limits: Selection): Promise<SqlResult>;
  /**
   * Keeps the rows of a statement that only compares ids as a table, which later ones of the kind may read; left out where the engine
   * cannot.
   */
  readonly keep?: (name: string, sql: string) => Promise<void>;
}

/** Thrown where nothing at all is downloaded, or nothing of a job that is named. */
export class NothingDownloaded extends ApiError {}

/** The time that is left for a statement, in ms. */
function timeLeft({ clock, nowMs }: ExportContext): number {
  return Math.max(LEAST_MS, Math.min(TIMEOUT_MS, nowMs + ENDS_MS - clock.now()));
}

/** Throws where nothing of what is meant is there. */
function requireRuns(runs: readonly RunManifest[], { jobId, jobIds }: Asked): void {
  const absent = jobIds?.filter((id) => !runs.some((run) => run.jobId === id)) ?? [];
  if (runs.length > 0 && absent.length === 0) return;
  const named = jobId === undefined ? absent : [jobId];
  const words = named.length === 0 ? 'Nothing' : `${jobId === undefined ? 'jobIds' : 'jobId'}: nothing of job ${named.join(', ')}`;
  throw new NothingDownloaded('missing', `${words} is downloaded yet.`);
}

/** Whether a run is meant. */
const isMeant =
  ({ jobId: only, jobIds }: Asked) =>
  ({ jobId }: RunManifest) =>
    (only === undefined || jobId === only) && (jobIds?.includes(jobId) ?? true);

/** The downloaded runs that are meant. */
const meantIn = async (workspace: ProjectWorkspace, asked: Asked) => (await workspace.runs(asked.jobId)).filter(isMeant(asked));

function aboutOf({ jobId }: Asked, runs: readonly RunManifest[]) {
  if (jobId !== undefined) return { jobId, job: runs.at(-1)?.jobName ?? '' };
  const latest = new Map(runs.map((run) => [run.jobId, run.jobName]));
  return { jobs: [...latest].map(([id, job]) => ({ jobId: id, job })) };
}

/** Runs as views: all as `data`, or by scope. */
function groupsOf<T>(items: readonly T[], { jobId }: Asked, scopeOf: (item: T) => string): (readonly [string, readonly T[]])[] {
  return jobId === undefined ? [...grouped(items, (item) => viewName(scopeOf(item)))] : [['data', items]];
}

async function guarded<T>(views: readonly DataPart['view'][], task: () => Promise<T>, author: Author = 'server'): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw await sqlFailure(error, views, author);
  }
}

/** The columns of ids that all views hold in the same type, where that is not the one they show. */
function alikeIds(views: readonly DataView[]): ReadonlySet<string> {
  const alike = new Set<string>();
  for (const id of ['user_id', 'session_id']) {
    const own = views.flatMap(({ columns, heldAs }) =>
      columns.flatMap(({ name, field = name, from }) => (from === undefined && field === id ? { name, type: heldAs.get(name) } : [])),
    );
    const [type, ...others] = new Set(own.map((column) => column.type));
    if (type !== undefined && others.length === 0) for (const { name } of own) alike.add(name);
  }
  return alike;
}

/** The part for runs of a scope; `coming` are those of all scopes that are still being read. */
function partOf<View extends DataPart['view']>(runs: readonly RunManifest[], coming: readonly RunManifest[], view: View) {
  const scope = runs[0]?.scope ?? '';
  return { runs, view, soon: coming.length > 0 ? heldIn([...runs, ...coming], scope) : view.held };
}

/** Whether an answer reads a run, which may be of no time at all. */
function isOfAnswer(run: RunManifest, { days = EVER, reads = () => true }: Asked): boolean {
  const { startMs, endMs } = rangeOf(run);
  return reads(viewName(run.scope)) && intersect(days, [{ startMs, endMs: Math.max(endMs, startMs + 1) }]).length > 0;
}

function stillReading(coming: readonly RunManifest[]): ApiError {
  const are = coming.length === 1 ? 'is' : 'are';
  return new ApiError('busy', `${counted(coming.length, 'run')} of it ${are} still being read.`, { retryAfterMs: RETRY_MS });
}

/** Runs an answer; where it lacks what a run holds that is still being read, it says so. */
async function orReading<T>(coming: readonly RunManifest[], task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const isNamed = ({ missing }: NoSuchName) => coming.some((run) => columnsIn(run).some(({ name }) => namesColumn(missing, name)));
    const isLack = error instanceof NoSuchName ? isNamed(error) : error instanceof ApiError && error.kind === 'missing';
    if (!isLack || coming.length === 0) throw error;
    throw stillReading(coming);
  }
}

/** Runs that are tables or without rows, and those still being read; names what cannot be, and throws where a scope has no others. */
async function readyRuns(asked: Asked, workspace: ProjectWorkspace, { note, signal, clock, nowMs }: ExportContext) {
  const lateOf = (runs: readonly RunManifest[]) =>
    runs.every(isReady) ? [] : neededOf(runs, asked.readsVariable).filter((run) => !isReady(run) && isOfAnswer(run, asked));
  const downloaded = await meantIn(workspace, asked);
  requireRuns(downloaded, asked);
  const waiting = new Set(lateOf(downloaded).map(({ jobId }) => jobId));
  if (waiting.size > 0) await prepared(workspace, waiting, nowMs + READY_MS - clock.now(), signal);
  const runs = await meantIn(workspace, asked);
  const ready = runs.filter(isReady);
  const isAlone = (run: RunManifest) => !ready.some(({ scope }) => scope === run.scope);
  const coming: RunManifest[] = [];
  for (const run of lateOf(runs)) {
    const format = isConvertible(run) ? undefined : new Error(`${run.format} cannot be queried, JSONL and CSV can`);
    const failure = workspace.conversionFailure(run) ?? format;
    if (failure instanceof SqlError && (failure.reason === 'start' || failure.reason === 'missing package'))
      throw await sqlFailure(failure, [], 'server');
    const words = `Run ${run.runId} of job ${run.jobId}`;
    if (failure && isAlone(run)) throw new WorkspaceError('disk', `${words} cannot be read: ${damageOf(failure)}.${REMEDY}`);
    if (failure) note(`${words} is left out: ${damageOf(failure)}.`);
    else coming.push(run);
  }
  if (coming.some(isAlone)) throw stillReading(coming);
  return { ready, coming };
}

/** Answers from the data of one engine, beside which runs may still be read. */
type Use<T> = (data: Pick<Data, 'runs' | 'parts' | 'select' | 'keep'>, coming: readonly RunManifest[]) => Promise<T>;

/** The data as files on the disk, which cannot be removed meanwhile. */
async function withFiles<T>(workspace: ProjectWorkspace, asked: Asked, context: ExportContext, use: Use<T>): Promise<T> {
  const { dir: directory, holder } = workspace;
  const { ready, coming } = await readyRuns(asked, workspace, context);
  const options = { directory, holder, timeoutMs: timeLeft(context), signal: context.signal };
  return workspace.reading(ready, (runs) =>
    guarded([], async () => {
      const parts = groupsOf(runs, asked, ({ scope }) => scope).map(([name, own]) =>
        partOf(own, coming, dataViewOf(own, name, asked.readsVariable)),
      );
      const views = parts.map(({ view }) => view);
      const common = { views: views.map(({ name }) => name), files: [...new Set(views.flatMap((view) => view.files))] };
      const ids = alikeIds(views);
      const comparing = openSql({ ...common, setup: views.map((view) => view.setup(ids)) }, options);
      const select: Data['select'] = (sql, { maxRows, maxChars = MAX_CHARS, author, isIdsAlike }) => {
        const statement = { sql, maxRows, maxChars };
        const run = () =>
          isIdsAlike ? comparing.run(statement) : runSql({ ...common, setup: views.map((view) => view.setup()), ...statement }, options);
        return guarded(views, run, author);
      };
      const keep: Data['keep'] = (keptAs, sql) =>
        guarded(views, async () => void (await comparing.run({ sql, keptAs, maxRows: 0, maxChars: 0 })));
      try {
        return await use({ runs, parts, select, keep }, coming);
      } finally {
        await comparing.close();
      }
    }),
  );
}

/** The data as the warehouse has them. */
async function withWarehouse<T>(
  { workspace, warehouse }: { readonly workspace: ProjectWorkspace; readonly warehouse: ProjectWarehouse },
  asked: Asked,
  context: ExportContext,
  use: Use<T>,
): Promise<T> {
  const onDisk = (await meantIn(workspace, asked)).filter((run) => isOfAnswer(run, asked));
  const { records: all, coming } = await loadedRecords({ workspace, warehouse, onDisk }, context);
  const records = all.filter(({ run }) => isMeant(asked)(run));
  const runsOf = (some: readonly LoadRecord[], state: LoadRecord['state']) =>
    some.flatMap((each) => (each.state === state ? each.run : []));
  const loaded = runsOf(records, 'loaded');
  requireRuns(loaded, asked);
  const onTheWay = [...coming, ...runsOf(records, 'loading').filter((run) => isOfAnswer(run, asked))];
  const parts = groupsOf(records, asked, ({ run }) => run.scope).map(([name, own]) =>
    partOf(runsOf(own, 'loaded'), onTheWay, warehouseViewOf(own, name, warehouse)),
  );
  const views = parts.map(({ view }) => view);
  const scopes = [...new Set(all.map(({ run }) => viewName(run.scope)))];
  const common = { views, scopes, timeoutMs: timeLeft(context), signal: context.signal };
  const select: Data['select'] = (sql, { maxRows, maxChars = MAX_CHARS, author }) =>
    guarded(views, () => warehouse.query({ ...common, sql, maxRows, maxChars }), author === 'server' ? 'server on a warehouse' : author);
  return use({ runs: loaded, parts, select }, onTheWay);
}

/** Runs with all that exports can hold: what the jobs that are meant list, and all fields of the usual scopes where none is named. */
async function possibleRuns({ jobId: only, jobIds = only === undefined ? undefined : [only] }: Asked, { ask }: ExportContext) {
  const jobs = (await readJobs(ask)).filter(({ jobId }) => jobIds?.includes(Number(jobId)) ?? true);
  const usual = USUAL_SCOPES.map(async (scope) => {
    const fields = await ask(listExportableFields, { scope });
    return { scope, fields: fields.map(({ name }) => ({ fieldName: name })) };
  });
  const all = [...(jobIds ? [] : await Promise.all(usual)), ...jobs];
  return all.map(({ scope, fields }): HoldingRun => ({ scope: lower(scope), from: '', to: '', fields: listedFields(fields) }));
}

/** Refuses a statement on files for what no run that may come can make right: what it is, and names that none of them has. */
export async function refuseAtOnce(sql: string, asked: Asked, toCome: readonly HoldingRun[], context: ExportContext): Promise<void> {
  const workspace = await context.workspace();
  const { dir: directory, holder } = workspace;
  const downloaded = await meantIn(workspace, asked);
  const isAnyHere = downloaded.length + toCome.length > 0;
  if (workspace.warehouse || (isAnyHere && toCome.length === 0 && downloaded.every(isReady))) return;
  const runs = isAnyHere ? [...downloaded, ...toCome] : await possibleRuns(asked, context).catch(orNone);
  if (runs.length === 0) return;
  const views = groupsOf(runs, asked, ({ scope }) => scope).map(([name, own]) => ({ name, columns: columnsOf(own.map(columnsIn)) }));
  const setup = views.map(({ name, columns }) => viewSql(name, columns, [], []));
  const readable = { views: views.map(({ name }) => name), setup, files: [] };
  try {
    await makeDirectory(directory);
    await runSql({ ...readable, sql, maxRows: 0, maxChars: 0 }, { directory, holder, timeoutMs: CHECK_MS, signal: context.signal });
  } catch (error) {
    // What a job exports of a variable, or where it lists no columns, only its files say.
    let areListed = runs.every(({ table, fields }) => table || fields.length > 0);
    const variables = await readVariables(context.ask, () => void (areListed = false));
    const isUnknown = (column: string) => areListed && !variables.some(({ key }) => column.includes(key));
    if (isOfStatement(error, isUnknown)) throw await sqlFailure(error, views, 'caller');
  }
}

/** Hands over the data that are asked for; throws where nothing is there. */
export async function withData<T>(asked: Asked, context: ExportContext, use: (data: Data) => Promise<T>): Promise<T> {
  if (asked.jobId !== undefined && asked.jobIds) refuse('jobId, jobIds: give one of them.');
  const workspace = await context.workspace();
  const { warehouse } = workspace;
  const answer: Use<T> = (own, coming) => {
    for (const { view } of own.parts) for (const sentence of view.notes) context.note(sentence);
    const data = { ...own, workspace, dialect: warehouse ? ('ClickHouse' as const) : ('DuckDB' as const), about: aboutOf(asked, own.runs) };
    return orReading(coming, () => use(data));
  };
  return warehouse ? withWarehouse({ workspace, warehouse }, asked, context, answer) : withFiles(workspace, asked, context, answer);
}
