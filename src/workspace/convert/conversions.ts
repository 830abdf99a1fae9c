import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { batchesOf, type TablePart } from '../query/batches.ts';
import { folded } from '../query/columns.ts';
import { idsOf, isResolved, keysOf, laterRuns } from '../query/data-view.ts';
import { HALF_CHARACTER, lookInto, SqlError, type SqlOptions, writeTable } from '../query/sql-process.ts';
import { syncDirectory, WorkspaceError, writeDurably } from '../store/disk.ts';
import { MANIFEST, runDirectory } from '../store/layout.ts';
import { takeLock, waitForLock } from '../store/lock.ts';
import { type RunId, type RunManifest, type RunTable, readManifest, runsIn, type StoredColumn } from '../store/manifest.ts';
import { NO_NUMBER, type TableWay, tablePlan } from './table-plan.ts';

/** The surroundings of the conversion of a project's runs. */
export interface ConversionContext {
  readonly projectDir: string;
  /** For whom it runs: holders take turns. */
  readonly holder: string;
  /** Whether the downloaded files stay after the check. */
  readonly keepSource: boolean;
  readonly signal: AbortSignal;
}

/** A conversion is given up after this time; the run then answers from its source. */
const TIMEOUT_MS = 30 * 60_000;
/** Longer than any query reads a run. */
const DROP_PATIENCE_MS = 45_000;

/** Jobs that this process converts; each has a next round where new runs arrived meanwhile. */
const underWay = new Map<string, { again: boolean }>();
/** Why runs could not be converted, by directory: they are not tried again by this process. */
const refused = new Map<string, string>();
/** Runs whose rows could not be compared with those of later runs: not tried again by this process. */
const unresolvable = new Set<string>();

/** Converts the runs of a job in the background; undefined where that is already running. Never rejects. */
export function convertJob(jobId: number, context: ConversionContext): Promise<void> | undefined {
  const key = join(context.projectDir, String(jobId));
  const known = underWay.get(key);
  if (known) {
    known.again = true;
    return undefined;
  }
  const entry = { again: true };
  const rounds = async () => {
    while (entry.again && !context.signal.aborted) {
      entry.again = false;
      await workOn(jobId, context).catch(() => undefined); // a disk that fails is met again by the call that needs it
    }
    underWay.delete(key);
  };
  underWay.set(key, entry);
  return rounds();
}

async function workOn(jobId: number, context: ConversionContext): Promise<void> {
  const { projectDir, keepSource, signal } = context;
  for (const id of await runsIn(projectDir, jobId)) {
    if (signal.aborted) return;
    const manifest = await readManifest(projectDir, id);
    if (manifest && !manifest.table && isConvertible(manifest)) await convertRun(id, context);
  }
  if (!keepSource) for (const id of await runsIn(projectDir, jobId)) await dropSource(id, context);
  await resolveOverlaps(jobId, context);
}

function isConvertible({ format, files }: RunManifest): boolean {
  return /^(jsonl|csv)$/i.test(format) && files.some(({ bytes }) => bytes > 0);
}

/** Whether a run waits for its conversion. */
function isWaiting(manifest: RunManifest, { projectDir, keepSource }: Pick<ConversionContext, 'projectDir' | 'keepSource'>): boolean {
  if (refused.has(runDirectory(projectDir, manifest)) || !isConvertible(manifest)) return false;
  return manifest.table === undefined || (!keepSource && !manifest.sourceDropped);
}

/** Jobs of these runs that wait for their conversion, or for the search of rows that later runs hold too. */
export function waitingJobs(runs: readonly RunManifest[], place: Pick<ConversionContext, 'projectDir' | 'keepSource'>): Set<number> {
  const unresolved = resolvable(runs).flatMap((each) => (unresolvable.has(resolvingKey(each, place)) ? [] : [each.run]));
  return new Set([...runs.filter((run) => isWaiting(run, place)), ...unresolved].map(({ jobId }) => jobId));
}

/** Why this process could not convert a run, in the engine's words; undefined where it has not failed. */
export function conversionFailure(run: RunId, projectDir: string): string | undefined {
  return refused.get(runDirectory(projectDir, run));
}

function newName(ending: string): string {
  return `table-${randomBytes(6).toString('hex')}${ending}`;
}

/** Runs `task` on the directory of a run that no other process converts, with its manifest as it is then. */
async function alone(id: RunId, { projectDir }: ConversionContext, task: (run: RunManifest, directory: string) => Promise<void>) {
  const directory = runDirectory(projectDir, id);
  const lock = await takeLock(directory, 'add').catch(() => undefined);
  if (!lock || !('release' in lock)) return;
  try {
    const run = await readManifest(projectDir, id);
    if (run) await task(run, directory);
  } finally {
    await lock.release();
  }
}

function saveManifest(directory: string, manifest: RunManifest): Promise<void> {
  return writeDurably(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Puts a written file in its place; whatever ends before the manifest names it leaves a file that the next tidying removes. */
async function placed(directory: string, staged: string, name: string): Promise<{ name: string; bytes: number }> {
  const path = join(directory, name);
  await rename(join(directory, staged), path);
  await syncDirectory(directory);
  return { name, bytes: (await stat(path)).size };
}

/** A column of text that holds numbers alone is one of numbers; the table keeps their text, for a run beside it that holds other values. */
function withType(column: StoredColumn, type: 'BIGINT' | 'DOUBLE' | undefined): StoredColumn {
  return type === undefined ? column : { ...column, type, heldAs: 'VARCHAR' };
}

/** Writes the table of a run under a name, in another way where the first one fails. */
async function writeRun(run: RunManifest, target: string, options: SqlOptions): Promise<Pick<RunTable, 'rows' | 'columns' | 'isMended'>> {
  const parts = run.files.filter(({ bytes }) => bytes > 0).map((file): TablePart => ({ run, file, path: file.name }));
  const batches = await batchesOf(parts, (files) => lookInto({ files }, options));
  const write = async (way: TableWay): ReturnType<typeof writeRun> => {
    const { columns, task } = tablePlan(run, parts, batches, way);
    try {
      const { rows, numbers = {} } = await writeTable({ kind: 'convert', ...task, target }, options);
      return { rows, columns: columns.map((column) => withType(column, numbers[column.name])), ...(way.isMended && { isMended: true }) };
    } catch (error) {
      const message = error instanceof SqlError ? error.message : '';
      if (!way.idsAsText && message.includes(NO_NUMBER)) return write({ ...way, idsAsText: true });
      if (!way.isMended && HALF_CHARACTER.test(message)) return write({ ...way, isMended: true });
      throw error;
    }
  };
  return write({ idsAsText: false, isMended: false });
}

async function convertRun(id: RunId, context: ConversionContext): Promise<void> {
  const { holder, signal } = context;
  await alone(id, context, async (run, directory) => {
    if (run.table || refused.has(directory)) return;
    const [name, staged] = [newName('.parquet'), newName('.tmp')];
    try {
      const written = await writeRun(run, staged, { directory, holder, signal, timeoutMs: TIMEOUT_MS });
      const table: RunTable = { ...(await placed(directory, staged, name)), ...written };
      await saveManifest(directory, { ...run, table });
    } catch (error) {
      await rm(join(directory, staged), { force: true });
      // A conversion that the end of the session stopped starts again; one that the engine refused would be refused again.
      const isRefused =
        (error instanceof SqlError && error.reason !== 'busy') || (error instanceof WorkspaceError && error.kind === 'damaged');
      if (!signal.aborted && isRefused) refused.set(directory, error.message);
    }
  });
}

/** Removes the downloaded files of a converted run once no query reads them. */
async function dropSource(id: RunId, { projectDir, signal }: ConversionContext): Promise<void> {
  const directory = runDirectory(projectDir, id);
  const manifest = await readManifest(projectDir, id);
  if (signal.aborted || !manifest?.table || manifest.sourceDropped) return;
  const lock = await waitForLock(directory, 'write', DROP_PATIENCE_MS, signal).catch(() => undefined);
  if (!lock || !('release' in lock)) return;
  try {
    const run = await readManifest(projectDir, id);
    if (!run?.table || run.sourceDropped) return;
    // First the manifest: an extra file is removed later, a missing one would make the run incomplete.
    await saveManifest(directory, { ...run, sourceDropped: true });
    for (const { name } of run.files) await rm(join(directory, name), { force: true });
  } finally {
    await lock.release();
  }
}

async function manifestsOf(projectDir: string, jobId: number): Promise<RunManifest[]> {
  const found = await Promise.all((await runsIn(projectDir, jobId)).map((id) => readManifest(projectDir, id)));
  return found.filter((run) => run !== undefined);
}

function resolvingKey({ run, later }: Pick<Resolvable, 'run' | 'later'>, { projectDir }: Pick<ConversionContext, 'projectDir'>): string {
  return [runDirectory(projectDir, run), ...idsOf(later)].join('\n');
}

/** A converted run, the later ones that may hold rows of it, and the columns that identify its rows. */
interface Resolvable {
  readonly run: RunManifest;
  readonly later: readonly RunManifest[];
  readonly keys: readonly string[];
}

/** Runs of which it is not known which rows of theirs later ones hold too, where the tables of all of these can tell. */
function resolvable(runs: readonly RunManifest[]): Resolvable[] {
  return [...laterRuns(runs.filter(isConvertible))].flatMap(([run, later]) => {
    if (isResolved(run, later) || [run, ...later].some(({ table }) => !table)) return [];
    const common = (run.table?.columns ?? []).filter(({ name }) =>
      later.every(({ table }) => table?.columns.some((column) => column.name === name)),
    );
    const { names: keys, missing } = keysOf(run.scope, common);
    return missing.length > 0 ? [] : [{ run, later, keys }];
  });
}

/** Finds for each run the rows that later runs hold too, where that is not known for exactly these runs. */
async function resolveOverlaps(jobId: number, context: ConversionContext): Promise<void> {
  const { projectDir, signal } = context;
  for (const each of resolvable(await manifestsOf(projectDir, jobId))) {
    if (signal.aborted) return;
    await resolveRun(each, context);
  }
}

async function resolveRun(of: Resolvable, context: ConversionContext): Promise<void> {
  const { projectDir, holder, signal } = context;
  const { later, keys } = of;
  const by = idsOf(later);
  await alone(of.run, context, async (run, directory) => {
    if (!run.table) return;
    const { superseded: _, ...table } = run.table;
    if (by.length === 0) return saveManifest(directory, { ...run, table });
    const staged = newName('.tmp');
    try {
      const pathOf = (other: RunManifest) => `${other.runId}/${other.table?.name ?? ''}`;
      const jobDirectory = join(projectDir, String(run.jobId));
      const heldAs = (key: string) =>
        new Set([run, ...later].map((each) => each.table?.columns.find((c) => folded(c.name) === key)?.heldAs));
      const task = {
        kind: 'resolve' as const,
        file: pathOf(run),
        later: later.map(pathOf),
        keys,
        // A number and a text are compared as what they show.
        textKeys: keys.filter((key) => heldAs(key).size > 1),
        target: `${run.runId}/${staged}`,
      };
      const { rows: count } = await writeTable(task, { directory: jobDirectory, holder, signal, timeoutMs: TIMEOUT_MS });
      const file = count > 0 ? await placed(directory, staged, newName('.rows.parquet')) : undefined;
      await rm(join(directory, staged), { force: true });
      const superseded = { by, rows: count, ...(file && { file }) };
      // A list of before may still be read: the next tidying removes it.
      await saveManifest(directory, { ...run, table: { ...table, superseded } });
    } catch {
      await rm(join(directory, staged), { force: true });
      // Queries find the rows by themselves.
      if (!context.signal.aborted) unresolvable.add(resolvingKey(of, context));
    }
  });
}
