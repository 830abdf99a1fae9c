import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import { counted } from '../../lib/number-text.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';
import { type DataView, dataViewOf, viewName } from '../../workspace/query/data-view.ts';
import type { Dialect } from '../../workspace/query/examples.ts';
import { openSql, runSql, SqlError, type SqlResult } from '../../workspace/query/sql-process.ts';
import { WorkspaceError } from '../../workspace/store/disk.ts';
import { isConvertible, isReady, type RunManifest } from '../../workspace/store/manifest.ts';
import type { ProjectWarehouse } from '../../workspace/warehouse/project-warehouse.ts';
import { warehouseViewOf } from '../../workspace/warehouse/warehouse-view.ts';
import type { ExportContext } from './export-lists.ts';
import { loadedRecords, prepared, RETRY_MS } from './loaded-runs.ts';
import { type Author, damageOf, sqlFailure } from './sql-errors.ts';

/** A call has 40 seconds; reading the files takes a part of them. */
const TIMEOUT_MS = 32_000;
/** The same for the warehouse, which may have been waited for. */
const WAREHOUSE_TIMEOUT_MS = 28_000;
/** A statement ends so long after the call began, which may have waited for its files. */
const ENDS_MS = 38_000;
const LEAST_MS = 3_000;
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
}

/** Runs that one view shows. */
export interface DataPart {
  readonly runs: readonly RunManifest[];
  readonly view: Omit<DataView, 'setup' | 'setupAsHeld' | 'heldAs' | 'files'>;
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

/** The words for a workspace without any run. */
export const NOTHING_HERE = 'Nothing is downloaded yet.';

/** Thrown where nothing at all is downloaded. */
export class NothingDownloaded extends ApiError {}

/** The time that is left for a statement, in ms. */
function timeLeft(mostMs: number, { clock, nowMs }: ExportContext): number {
  return Math.max(LEAST_MS, Math.min(mostMs, nowMs + ENDS_MS - clock.now()));
}

/** Throws where nothing of what is meant is there. */
function requireRuns(runs: readonly RunManifest[], { jobId, jobIds }: Asked): void {
  const absent = jobIds?.filter((id) => !runs.some((run) => run.jobId === id)) ?? [];
  if (runs.length > 0 && absent.length === 0) return;
  const [name, jobs] =
    jobId === undefined ? ['jobIds', absent.length > 0 ? `of job ${absent.join(', ')}` : ''] : ['jobId', `of job ${jobId}`];
  const next =
    hint('download_export_run', ' download_export_run fetches its latest run.') +
    hint('sync_exports', ' sync_exports fetches all that the platform still has.');
  if (jobs === '') throw new NothingDownloaded('missing', `${NOTHING_HERE}${next}`);
  throw new ApiError('missing', `${name}: nothing ${jobs} is in the workspace yet.${next}`);
}

function meant<T>(all: readonly T[], { jobId, jobIds }: Asked, jobOf: (item: T) => number): T[] {
  return all.filter((item) => (jobId === undefined || jobOf(item) === jobId) && (jobIds?.includes(jobOf(item)) ?? true));
}

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

/** Runs that are tables or without rows; names the others, and throws where there are no others. */
async function readyRuns(asked: Asked, workspace: ProjectWorkspace, { note, signal, clock, nowMs }: ExportContext): Promise<RunManifest[]> {
  const found = async () => meant(await workspace.runs(asked.jobId), asked, (run) => run.jobId);
  const downloaded = await found();
  requireRuns(downloaded, asked);
  if (!downloaded.every(isReady))
    await prepared(workspace, new Set(downloaded.map(({ jobId }) => jobId)), nowMs + READY_MS - clock.now(), signal);
  const runs = await found();
  const ready = runs.filter(isReady);
  const late = runs.filter((run) => !isReady(run));
  let reading = 0;
  for (const run of late) {
    const format = isConvertible(run) ? undefined : new Error(`${run.format} cannot be queried, JSONL and CSV can`);
    const failure = workspace.conversionFailure(run) ?? format;
    if (failure instanceof SqlError && (failure.reason === 'start' || failure.reason === 'missing package'))
      throw await sqlFailure(failure, [], 'server');
    const isAlone = !ready.some(({ scope }) => scope === run.scope);
    const words = `Run ${run.runId} of job ${run.jobId}`;
    if (!failure && isAlone) throw new ApiError('busy', `${words} is still being read. Ask again.`, { retryAfterMs: RETRY_MS });
    if (failure && isAlone) throw new WorkspaceError('disk', `${words} cannot be read: ${damageOf(failure)}.${REMEDY}`);
    if (failure) note(`${words} is left out: ${damageOf(failure)}.`);
    else reading += 1;
  }
  if (reading > 0) note(`Still being read, and not counted yet: ${counted(reading, 'run')}. Ask again.`);
  return ready;
}

/** The data as files on the disk, which cannot be removed meanwhile. */
async function withFiles<T>(
  workspace: ProjectWorkspace,
  asked: Asked,
  context: ExportContext,
  use: (data: Data) => Promise<T>,
): Promise<T> {
  const { dir: directory, holder } = workspace;
  const pathOf: typeof workspace.pathOf = (...place) => workspace.pathOf(...place);
  const ready = await readyRuns(asked, workspace, context);
  const options = { directory, holder, timeoutMs: timeLeft(TIMEOUT_MS, context), signal: context.signal };
  return workspace.reading(ready, (runs) =>
    guarded([], async () => {
      const parts = groupsOf(runs, asked, ({ scope }) => scope).map(([name, own]) => ({
        runs: own,
        view: dataViewOf(own, { directory, pathOf, name }),
      }));
      const views = parts.map(({ view }) => view);
      for (const { notes } of views) for (const sentence of notes) context.note(sentence);
      const common = { views: views.map(({ name }) => name), files: [...new Set(views.flatMap((view) => view.files))] };
      const ids = alikeIds(views);
      const comparing = openSql({ ...common, setup: views.map((view) => view.setupAsHeld(ids)) }, options);
      const data: Data = {
        workspace,
        dialect: 'DuckDB',
        runs,
        parts,
        about: aboutOf(asked, runs),
        select: (sql, { maxRows, maxChars = MAX_CHARS, author, isIdsAlike }) => {
          const statement = { sql, maxRows, maxChars };
          const run = () =>
            isIdsAlike ? comparing.run(statement) : runSql({ ...common, setup: views.map((view) => view.setup), ...statement }, options);
          return guarded(views, run, author);
        },
        keep: (keptAs, sql) => guarded(views, async () => void (await comparing.run({ sql, keptAs, maxRows: 0, maxChars: 0 }))),
      };
      try {
        return await use(data);
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
  use: (data: Data) => Promise<T>,
): Promise<T> {
  const { signal, note } = context;
  const onDisk = meant(await workspace.runs(asked.jobId), asked, (run) => run.jobId);
  const all = await loadedRecords({ workspace, warehouse, onDisk }, context);
  const records = meant(all, asked, ({ run }) => run.jobId);
  const loaded = records.filter(({ state }) => state === 'loaded').map(({ run }) => run);
  requireRuns(loaded, asked);
  const parts = groupsOf(records, asked, ({ run }) => run.scope).map(([name, own]) => ({
    runs: own.filter(({ state }) => state === 'loaded').map(({ run }) => run),
    view: warehouseViewOf(own, name, warehouse),
  }));
  const views = parts.map(({ view }) => view);
  for (const { notes } of views) for (const sentence of notes) note(sentence);
  const scopes = [...new Set(all.map(({ run }) => viewName(run.scope)))];
  const common = { views, scopes, timeoutMs: timeLeft(WAREHOUSE_TIMEOUT_MS, context), signal };
  return use({
    workspace,
    dialect: 'ClickHouse',
    runs: loaded,
    parts,
    about: aboutOf(asked, loaded),
    select: (sql, { maxRows, maxChars = MAX_CHARS, author }) =>
      guarded(views, () => warehouse.query({ ...common, sql, maxRows, maxChars }), author === 'server' ? 'server on a warehouse' : author),
  });
}

/** Hands over the data that are asked for; throws where nothing is there. */
export async function withData<T>(asked: Asked, context: ExportContext, use: (data: Data) => Promise<T>): Promise<T> {
  if (asked.jobId !== undefined && asked.jobIds) throw new ApiError('invalid', 'jobId, jobIds: give one of them.');
  const workspace = await context.workspace();
  const { warehouse } = workspace;
  return warehouse ? withWarehouse({ workspace, warehouse }, asked, context, use) : withFiles(workspace, asked, context, use);
}
