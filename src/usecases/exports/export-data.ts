import { ApiError } from '../../api/errors.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';
import type { Look } from '../../workspace/query/batches.ts';
import { type DataView, dataViewOf, viewName } from '../../workspace/query/data-view.ts';
import type { Dialect } from '../../workspace/query/examples.ts';
import { HALF_CHARACTER, lookInto, openSql, runSql, SqlError, type SqlOptions, type SqlResult } from '../../workspace/query/sql-process.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import type { ProjectWarehouse } from '../../workspace/warehouse/project-warehouse.ts';
import { warehouseViewOf } from '../../workspace/warehouse/warehouse-view.ts';
import type { Context } from '../context.ts';
import { loadedRecords } from './loaded-runs.ts';
import { type Author, sqlFailure, unreadableFile } from './sql-errors.ts';

/** A call has 40 seconds; reading the files takes a part of them. */
const TIMEOUT_MS = 32_000;
/** The same for the warehouse, which may have been waited for. */
const WAREHOUSE_TIMEOUT_MS = 28_000;
/** A statement ends so long after the call began, which may have waited for its files. */
const ENDS_MS = 38_000;
const LEAST_MS = 3_000;
/** Most characters of the rows of a query as JSON. */
export const MAX_CHARS = 8_000_000;

/** The parts of a call that a query uses. */
export type DataUses = Pick<Context, 'workspace' | 'note' | 'covers' | 'timeZone' | 'clock' | 'nowMs' | 'signal' | 'whole'>;

/** Which downloaded runs are asked: those of one job as the view `data`, or those of several or all jobs as a view for each scope. */
export interface Asked {
  readonly jobId?: number | undefined;
  readonly jobIds?: readonly number[] | undefined;
}

/** The data behind both answers. */
export interface Sources {
  readonly jobId?: number;
  readonly job?: string;
  readonly jobs?: { readonly jobId: number; readonly job: string }[];
}

/** Runs that one view shows. */
export interface DataPart {
  readonly runs: readonly RunManifest[];
  readonly view: Omit<DataView, 'setup' | 'setupAsHeld' | 'heldAs' | 'files'>;
}

/** How much of a result is wanted, and who wrote the statement: an error names what they can change. */
export interface Selection {
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
  readonly about: Sources;
  /** Runs one statement over the views; `more` says that there is more than these rows or characters. */
  select(sql: string, limits: Selection): Promise<SqlResult>;
  /**
   * Keeps the rows of a statement that only compares ids as a table, which later ones of the kind may read; left out where the engine
   * cannot.
   */
  readonly keep?: (name: string, sql: string) => Promise<void>;
}

/** The words for a workspace without any run. */
export const NOTHING_HERE = 'jobIds: nothing is in the workspace yet.';

/** Thrown where nothing at all is downloaded. */
export class NothingDownloaded extends ApiError {}

/** The time that is left for a statement, in ms. */
function timeLeft(mostMs: number, { clock, nowMs }: DataUses): number {
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

function aboutOf({ jobId }: Asked, runs: readonly RunManifest[]): Sources {
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
      columns.flatMap(({ name, field = name, from }) => (from === undefined && field === id ? [{ name, type: heldAs.get(name) }] : [])),
    );
    const [type, ...others] = new Set(own.map((column) => column.type));
    if (type !== undefined && others.length === 0) for (const { name } of own) alike.add(name);
  }
  return alike;
}

/** Files of runs as views, with a session for comparisons. */
async function openFiles(
  runs: readonly RunManifest[],
  asked: Asked,
  { pathOf, options, note }: Pick<DataUses, 'note'> & { readonly pathOf: ProjectWorkspace['pathOf']; readonly options: SqlOptions },
) {
  const look: Look = (files) => lookInto({ files }, options);
  const mended = new Set<RunManifest>();
  const left = new Set<RunManifest>();
  const open = async () => {
    const parts: { runs: readonly RunManifest[]; view: DataView }[] = [];
    const groups = groupsOf(
      runs.filter((run) => !left.has(run)),
      asked,
      ({ scope }) => scope,
    );
    for (const [name, own] of groups)
      parts.push({ runs: own, view: await dataViewOf(own, { directory: options.directory, pathOf, look, name, mended }) });
    const views = parts.map(({ view }) => view);
    for (const { notes } of views) for (const sentence of notes) note(sentence);
    const common = { views: views.map(({ name }) => name), files: [...new Set(views.flatMap((view) => view.files))] };
    const ids = alikeIds(views);
    return {
      parts,
      views,
      common,
      comparing: openSql({ ...common, setup: views.map(({ setupAsHeld }) => setupAsHeld(ids)) }, options),
    };
  };
  let opened = await open();
  /** Runs a statement; a run that cannot be read is mended, or else left out by name, so that the other ones answer. */
  async function readable<R>(task: () => Promise<R>, author?: Author): Promise<R> {
    try {
      return await task();
    } catch (error) {
      const fault = error instanceof SqlError ? unreadableFile(error.message) : undefined;
      const run = runs.find((each) => each.files.some((file) => fault?.endsWith(`${each.jobId}/${each.runId}/${file.name}`)));
      const others = runs.filter((each) => each !== run && each.scope === run?.scope && !left.has(each));
      const isCut = error instanceof SqlError && HALF_CHARACTER.test(error.message);
      if (!run || left.has(run) || (!isCut && others.length === 0)) throw await sqlFailure(error, opened.views, author ?? 'server');
      if (isCut && !mended.has(run)) mended.add(run);
      else {
        left.add(run);
        note(`Run ${run.runId} of job ${run.jobId} is left out: its file ${fault} cannot be read.`);
      }
      await opened.comparing.close();
      opened = await open();
      return readable(task, author);
    }
  }
  return { current: () => opened, readable };
}

/** The data as files on the disk, which cannot be removed meanwhile. */
async function withFiles<T>(workspace: ProjectWorkspace, asked: Asked, context: DataUses, use: (data: Data) => Promise<T>): Promise<T> {
  const { signal } = context;
  const { dir: directory, holder } = workspace;
  const pathOf: typeof workspace.pathOf = (...place) => workspace.pathOf(...place);
  const options = { directory, holder, timeoutMs: timeLeft(TIMEOUT_MS, context), signal };
  const chosen = meant(await workspace.runs(asked.jobId), asked, (run) => run.jobId);
  requireRuns(chosen, asked);
  return workspace.reading(chosen, (runs) =>
    guarded([], async () => {
      const files = await openFiles(runs, asked, { pathOf, options, note: context.note });
      const data: Data = {
        workspace,
        dialect: 'DuckDB',
        runs,
        parts: files.current().parts,
        about: aboutOf(asked, runs),
        select: (sql, { maxRows, maxChars = MAX_CHARS, author, isIdsAlike }) => {
          const statement = { sql, maxRows, maxChars };
          const run = () =>
            isIdsAlike
              ? files.current().comparing.run(statement)
              : runSql({ ...files.current().common, setup: files.current().views.map((view) => view.setup), ...statement }, options);
          return files.readable(run, author);
        },
        keep: (keptAs, sql) =>
          files.readable(async () => void (await files.current().comparing.run({ sql, keptAs, maxRows: 0, maxChars: 0 }))),
      };
      try {
        return await use(data);
      } finally {
        await files.current().comparing.close();
      }
    }),
  );
}

/** The data as the warehouse has them. */
async function withWarehouse<T>(
  { workspace, warehouse }: { readonly workspace: ProjectWorkspace; readonly warehouse: ProjectWarehouse },
  asked: Asked,
  context: DataUses,
  use: (data: Data) => Promise<T>,
): Promise<T> {
  const { signal, note } = context;
  const onDisk = meant(await workspace.runs(asked.jobId), asked, (run) => run.jobId);
  const all = await loadedRecords({ workspace, warehouse, onDisk }, { note, signal });
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
export async function withData<T>(asked: Asked, context: DataUses, use: (data: Data) => Promise<T>): Promise<T> {
  if (asked.jobId !== undefined && asked.jobIds) throw new ApiError('invalid', 'jobId, jobIds: give one of them.');
  const workspace = await context.workspace();
  const { warehouse } = workspace;
  return warehouse ? withWarehouse({ workspace, warehouse }, asked, context, use) : withFiles(workspace, asked, context, use);
}
