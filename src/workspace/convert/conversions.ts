import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folded } from '../query/columns.ts';
import { idsOf, isResolved, keysOf, laterRuns } from '../query/data-view.ts';
import type { Converted, ResolveTask } from '../query/protocol.ts';
import { convertRuns, resolveRuns, SqlError } from '../query/sql-process.ts';
import { syncDirectory, WorkspaceError, writeDurably } from '../store/disk.ts';
import { MANIFEST, runDirectory } from '../store/layout.ts';
import { type Lock, takeLock, waitForLock } from '../store/lock.ts';
import { isConvertible, type RunId, type RunManifest, readManifest, runsIn } from '../store/manifest.ts';

/** The surroundings of the conversion of a project's runs. */
export interface ConversionContext {
  readonly projectDir: string;
  /** For whom it runs: holders take turns. */
  readonly holder: string;
  /** Whether the downloaded files stay after the check. */
  readonly keepSource: boolean;
  readonly signal: AbortSignal;
}

/** The conversion of a run is given up after this time. */
const TIMEOUT_MS = 30 * 60_000;
/** Runs that one process converts: it starts once for all, and holds their locks meanwhile. */
const RUNS_AT_ONCE = 16;
/** Longer than any query reads a run. */
const DROP_PATIENCE_MS = 45_000;

/** Jobs that this process converts; each has a next round where new runs arrived meanwhile. */
const underWay = new Map<string, { readonly again: boolean; readonly done: Promise<void> }>();
/** Why runs could not be converted, by directory: they are not tried again by this process. */
const refused = new Map<string, SqlError | WorkspaceError>();
/** Runs whose rows could not be compared with those of later runs: not tried again by this process. */
const unresolvable = new Set<string>();

/** Converts the runs of a job in the background, in another round where that is already running. Never rejects. */
export function convertJob(jobId: number, context: ConversionContext): Promise<void> {
  const key = join(context.projectDir, String(jobId));
  const known = underWay.get(key);
  if (known) {
    underWay.set(key, { ...known, again: true });
    return known.done;
  }
  const rounds = async () => {
    while (underWay.get(key)?.again && !context.signal.aborted) {
      underWay.set(key, { again: false, done });
      await workOn(jobId, context).catch(() => undefined); // a disk that fails is met again by the call that needs it
    }
    underWay.delete(key);
  };
  const done = Promise.resolve().then(rounds);
  underWay.set(key, { again: true, done });
  return done;
}

async function workOn(jobId: number, context: ConversionContext): Promise<void> {
  const { projectDir, keepSource, signal } = context;
  const waiting = (await manifestsOf(projectDir, jobId)).filter((run) => isUnconverted(run, projectDir));
  for (let at = 0; at < waiting.length && !signal.aborted; at += RUNS_AT_ONCE)
    await convertTogether(waiting.slice(at, at + RUNS_AT_ONCE), context);
  if (!keepSource) for (const id of await runsIn(projectDir, jobId)) await dropSource(id, context);
  await resolveOverlaps(jobId, context);
}

/** Whether a run has no table yet and this process has not failed to make one. */
function isUnconverted(run: RunManifest, projectDir: string): boolean {
  return isConvertible(run) && !run.table && !refused.has(runDirectory(projectDir, run));
}

/** Whether something of a run is still to be done. */
function isWaiting(run: RunManifest, { projectDir, keepSource }: Pick<ConversionContext, 'projectDir' | 'keepSource'>): boolean {
  return isUnconverted(run, projectDir) || (!keepSource && run.table !== undefined && !run.sourceDropped);
}

/** Jobs of these runs that wait for their conversion, or for the search of rows that later runs hold too. */
export function waitingJobs(runs: readonly RunManifest[], place: Pick<ConversionContext, 'projectDir' | 'keepSource'>): Set<number> {
  const unresolved = resolvable(runs).flatMap((each) => (unresolvable.has(resolvingKey(each, place)) ? [] : [each.run]));
  return new Set([...runs.filter((run) => isWaiting(run, place)), ...unresolved].map(({ jobId }) => jobId));
}

/** Which file of a run is at fault and how, where this process could not convert it; undefined where it has not failed. */
export function conversionFailure(run: RunId, projectDir: string): SqlError | WorkspaceError | undefined {
  return refused.get(runDirectory(projectDir, run));
}

function newName(ending: string): string {
  return `table-${randomBytes(6).toString('hex')}${ending}`;
}

/** A run that no other process converts, with its manifest as it is then. */
interface Held {
  readonly run: RunManifest;
  readonly directory: string;
  readonly lock: Lock;
}

/** Takes a run for this process; undefined where another one has it, or it is gone. */
async function held(id: RunId, { projectDir }: ConversionContext): Promise<Held | undefined> {
  const directory = runDirectory(projectDir, id);
  const lock = await takeLock(directory, 'add').catch(() => undefined);
  if (!lock || !('release' in lock)) return undefined;
  const run = await readManifest(projectDir, id);
  if (run) return { run, directory, lock };
  await lock.release();
  return undefined;
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

/** Puts the table of a run in its place, or remembers that there is none. */
async function finish({ run, directory }: Held, staged: string, outcome: Converted | SqlError): Promise<void> {
  if ('table' in outcome) {
    const file = await placed(directory, staged, newName('.parquet'));
    await saveManifest(directory, { ...run, table: { ...file, ...outcome.table } });
  } else {
    refused.set(directory, 'damage' in outcome ? new WorkspaceError('damaged', outcome.damage) : outcome);
    await rm(join(directory, staged), { force: true });
  }
}

/** Converts runs in one process; one that ends the process is given up, and the others go on in the next. */
async function convertTogether(ids: readonly RunId[], context: ConversionContext): Promise<void> {
  const { projectDir: directory, holder, signal } = context;
  const taken = (await Promise.all(ids.map((id) => held(id, context)))).filter((each) => each !== undefined);
  let left = taken.filter(({ run }) => isUnconverted(run, directory)).map((own) => ({ own, staged: newName('.tmp') }));
  try {
    while (left.length > 0 && !signal.aborted) {
      const finished: Promise<void>[] = [];
      const onDone = (outcome: Converted | SqlError) => {
        const [first, ...others] = left;
        if (first) finished.push(finish(first.own, first.staged, outcome));
        left = others;
      };
      const runs = left.map(({ own: { run }, staged }) => {
        const at = `${run.jobId}/${run.runId}`;
        return { run, directory: at, target: `${at}/${staged}` };
      });
      try {
        await convertRuns(runs, { directory, holder, signal, timeoutMs: TIMEOUT_MS, onDone });
      } catch (error) {
        // A conversion that the end of the session stopped starts again.
        if (signal.aborted || !(error instanceof SqlError) || error.reason === 'busy') return;
        onDone(error);
      } finally {
        await Promise.all(finished);
      }
    }
  } finally {
    for (const { own, staged } of left) await rm(join(own.directory, staged), { force: true });
    await Promise.all(taken.map(({ lock }) => lock.release()));
  }
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
  return [...laterRuns(runs.filter(({ table }) => table))].flatMap(([run, later]) => {
    if (isResolved(run, later)) return [];
    const common = (run.table?.columns ?? []).filter(({ name }) =>
      later.every(({ table }) => table?.columns.some((column) => column.name === name)),
    );
    const { names: keys, missing } = keysOf(run.scope, common);
    return missing.length > 0 ? [] : [{ run, later, keys }];
  });
}

/** Finds for each run the rows that later runs hold too, where that is not known for exactly these runs. */
async function resolveOverlaps(jobId: number, context: ConversionContext): Promise<void> {
  const open = resolvable(await manifestsOf(context.projectDir, jobId)).filter((each) => !unresolvable.has(resolvingKey(each, context)));
  for (let at = 0; at < open.length && !context.signal.aborted; at += RUNS_AT_ONCE)
    await resolveTogether(open.slice(at, at + RUNS_AT_ONCE), context);
}

/** The task that finds the rows of a run which later ones hold too; paths are relative to the directory of the project. */
function resolvingOf({ run, later, keys }: Resolvable, staged: string): ResolveTask['runs'][number] {
  const directoryOf = (other: RunManifest) => `${other.jobId}/${other.runId}`;
  const pathOf = (other: RunManifest) => `${directoryOf(other)}/${other.table?.name ?? ''}`;
  const heldAs = (key: string) => new Set([run, ...later].map((each) => each.table?.columns.find((c) => folded(c.name) === key)?.heldAs));
  // A number and a text are compared as what they show.
  const textKeys = keys.filter((key) => heldAs(key).size > 1);
  return { file: pathOf(run), later: later.map(pathOf), keys, textKeys, target: `${directoryOf(run)}/${staged}` };
}

async function resolveTogether(open: readonly Resolvable[], context: ConversionContext): Promise<void> {
  const { projectDir: directory, holder, signal } = context;
  const found = await Promise.all(open.map(async (each) => ({ each, own: await held(each.run, context), staged: newName('.tmp') })));
  const taken = found.flatMap(({ each, own, staged }) => (own?.run.table ? [{ each, own, staged, table: own.run.table }] : []));
  const without = taken.filter(({ each }) => each.later.length === 0);
  const left = taken.filter(({ each }) => each.later.length > 0);
  const finished: Promise<void>[] = [];
  const onResolved = (rows: number) => {
    const first = left.shift();
    if (!first) return;
    const { each, own, staged, table } = first;
    const save = async () => {
      const file = rows > 0 ? await placed(own.directory, staged, newName('.rows.parquet')) : undefined;
      await rm(join(own.directory, staged), { force: true });
      // A list of before may still be read: the next tidying removes it.
      const superseded = { by: idsOf(each.later), rows, ...(file && { file }) };
      await saveManifest(own.directory, { ...own.run, table: { ...table, superseded } });
    };
    finished.push(save());
  };
  try {
    for (const {
      own,
      table: { superseded: _, ...table },
    } of without)
      await saveManifest(own.directory, { ...own.run, table });
    const runs = left.map(({ each, staged }) => resolvingOf(each, staged));
    if (runs.length > 0) await resolveRuns(runs, { directory, holder, signal, timeoutMs: TIMEOUT_MS, onDone: onResolved });
  } catch {
    // Queries find the rows by themselves.
    if (!signal.aborted && left[0]) unresolvable.add(resolvingKey(left[0].each, context));
  } finally {
    await Promise.allSettled(finished);
    for (const { own, staged } of left) await rm(join(own.directory, staged), { force: true });
    for (const { own } of found) await own?.lock.release();
  }
}
