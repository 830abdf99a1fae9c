import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { folded } from '../query/columns.ts';
import { commonKeys, idsOf, isResolved, laterRuns } from '../query/data-view.ts';
import { openWriter, SqlError, type SqlSession } from '../query/sql-process.ts';
import { identifier, literal, literals } from '../query/view-sql.ts';
import { syncDirectory, WorkspaceError, writeDurably } from '../store/disk.ts';
import { takeLock, waitForLock } from '../store/lock.ts';
import { isConvertible, MANIFEST, type RunId, type RunManifest, readManifest, runDirectory, runKey, runsIn } from '../store/manifest.ts';
import { complete, storedRuns } from '../store/stored-runs.ts';

/** The surroundings of the conversion of a project's runs. */
interface ConversionContext {
  readonly projectDir: string;
  /** For whom it runs: holders take turns. */
  readonly holder: string;
  /** Whether the downloaded files stay after the check. */
  readonly keepSource: boolean;
  readonly signal: AbortSignal;
  /** Called after each round with the runs of its job as they are by then. */
  readonly onConverted?: (runs: readonly RunManifest[]) => void;
}

/** The conversion of a run is given up after this time. */
const TIMEOUT_MS = 30 * 60_000;
/** Longer than any query reads a run. */
const DROP_PATIENCE_MS = 45_000;

/** Jobs that this process converts; each has a next round where new runs arrived meanwhile. */
const underWay = new Map<string, { again: boolean; done: Promise<void> }>();
/** Why runs could not be converted, by directory: they are not tried again by this process. */
const refused = new Map<string, SqlError | WorkspaceError>();
/** Runs whose rows could not be compared with those of later runs: not tried again by this process. */
const unresolvable = new Set<string>();

/** Conversions of a project that are under way in this process, of these jobs or of all; none rejects. */
export function conversionsIn(projectDir: string, jobIds?: ReadonlySet<number>): Promise<void>[] {
  const isMeant = (key: string) => dirname(key) === projectDir && (jobIds?.has(Number(basename(key))) ?? true);
  return [...underWay].flatMap(([key, { done }]) => (isMeant(key) ? done : []));
}

/** Converts the runs of a job in the background, in another round where that is already running. */
function convertJob(jobId: number, context: ConversionContext): void {
  const key = join(context.projectDir, String(jobId));
  const known = underWay.get(key);
  const work = known ?? { again: true, done: Promise.resolve() };
  work.again = true;
  if (known) return;
  const rounds = async () => {
    while (work.again && !context.signal.aborted) {
      work.again = false;
      await workOn(jobId, context).catch(() => undefined); // a disk that fails is met again by the call that needs it
    }
    underWay.delete(key);
  };
  underWay.set(key, work);
  work.done = rounds();
}

async function workOn(jobId: number, context: ConversionContext): Promise<void> {
  const { projectDir, keepSource, signal, onConverted } = context;
  const runs = async () => complete(await storedRuns(projectDir, jobId));
  for (const run of await runs()) if (!signal.aborted && isUnconverted(run, projectDir)) await convertOne(run, context);
  if (!keepSource) for (const id of await runsIn(projectDir, jobId)) await dropSource(id, context);
  for (const each of resolvable(await runs(), projectDir)) if (!signal.aborted) await resolveOne(each, context);
  onConverted?.(await runs());
}

/** Whether a run has no table yet and this process has not failed to make one. */
function isUnconverted(run: RunManifest, projectDir: string): boolean {
  return isConvertible(run) && !run.table && !refused.has(runDirectory(projectDir, run));
}

/** Hands over runs, and works in the background on those that wait for their conversion, or for the search of rows that later ones hold. */
export function convertWaiting(runs: readonly RunManifest[], context: ConversionContext): void {
  const { projectDir, keepSource, signal, onConverted } = context;
  if (signal.aborted) return;
  onConverted?.(runs);
  const isWaiting = (run: RunManifest) => isUnconverted(run, projectDir) || (!keepSource && run.table && !run.sourceDropped);
  const unresolved = resolvable(runs, projectDir).map(({ run }) => run);
  for (const jobId of new Set([...runs.filter(isWaiting), ...unresolved].map((run) => run.jobId))) convertJob(jobId, context);
}

/** Which file of a run is at fault and how, where this process could not convert it; undefined where it has not failed. */
export function conversionFailure(run: RunId, projectDir: string): SqlError | WorkspaceError | undefined {
  return refused.get(runDirectory(projectDir, run));
}

/** A run that is worked on, with its manifest as it is then, and how a file is made beside it. */
interface Held {
  readonly run: RunManifest;
  readonly directory: string;
  readonly writer: SqlSession;
  /** Where it is written, below the project. */
  readonly target: string;
  /** Puts it in its place; whatever ends before the manifest names it leaves a file that the next tidying removes. */
  readonly placed: (ending: string) => Promise<{ name: string; bytes: number }>;
}

/** Works on a run that no other process has and that is still there. */
async function hold(id: RunId, { projectDir, holder, signal }: ConversionContext, work: (own: Held) => Promise<void>): Promise<void> {
  const directory = runDirectory(projectDir, id);
  const lock = await takeLock(directory, 'add').catch(() => undefined);
  if (!lock || !('release' in lock)) return;
  const nameOf = (ending: string) => `table-${randomBytes(6).toString('hex')}${ending}`;
  const staged = nameOf('.tmp');
  const writer = openWriter({ directory: projectDir, holder, signal, timeoutMs: TIMEOUT_MS });
  const placed = async (ending: string) => {
    const name = nameOf(ending);
    await rename(join(directory, staged), join(directory, name));
    await syncDirectory(directory);
    return { name, bytes: (await stat(join(directory, name))).size };
  };
  try {
    const run = await readManifest(projectDir, id);
    if (run) await work({ run, directory, writer, target: `${runKey(id)}/${staged}`, placed });
  } finally {
    await writer.close();
    await rm(join(directory, staged), { force: true });
    await lock.release();
  }
}

function saveManifest(directory: string, manifest: RunManifest): Promise<void> {
  return writeDurably(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Converts a run; one that ends its process is given up. */
function convertOne(id: RunId, context: ConversionContext): Promise<void> {
  return hold(id, context, async ({ run, directory, writer, target, placed }) => {
    if (!isUnconverted(run, context.projectDir)) return;
    try {
      const outcome = await writer.convert({ run, directory: runKey(run), target });
      if ('damage' in outcome) refused.set(directory, new WorkspaceError('damaged', outcome.damage));
      else await saveManifest(directory, { ...run, table: { ...(await placed('.parquet')), ...outcome.table } });
    } catch (error) {
      // A conversion that the end of the session stopped starts again.
      if (!context.signal.aborted && error instanceof SqlError && error.reason !== 'busy') refused.set(directory, error);
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

function resolvingKey({ run, later }: Pick<Resolvable, 'run' | 'later'>, projectDir: string): string {
  return [runDirectory(projectDir, run), ...idsOf(later)].join('\n');
}

/** A converted run, the later ones that may hold rows of it, and the columns that identify its rows. */
interface Resolvable {
  readonly run: RunManifest;
  readonly later: readonly RunManifest[];
  readonly keys: readonly string[];
}

/** Runs of which it is not known which rows of theirs later ones hold too, where the tables of all of these can tell. */
function resolvable(runs: readonly RunManifest[], projectDir: string): Resolvable[] {
  return [...laterRuns(runs.filter(({ table }) => table))].flatMap(([run, later]) => {
    if (isResolved(run, later) || unresolvable.has(resolvingKey({ run, later }, projectDir))) return [];
    const { names: keys, missing } = commonKeys([run, ...later]);
    return missing.length > 0 ? [] : [{ run, later, keys }];
  });
}

/** A SELECT of the numbers of the rows that later runs hold too, and its files. A row without its whole key is never replaced. */
function supersededSql({ run, later, keys }: Resolvable): { select: string; files: string[] } {
  const pathOf = (other: RunManifest) => `${runKey(other)}/${other.table?.name ?? ''}`;
  const heldAs = (key: string) => new Set([run, ...later].map((each) => each.table?.columns.find((c) => folded(c.name) === key)?.heldAs));
  const same = keys.map((key) => {
    // A number and a text are compared as what they show.
    const type = heldAs(key).size > 1 ? '::VARCHAR' : '';
    return `a.${identifier(key)}${type} = b.${identifier(key)}${type}`;
  });
  const others = `SELECT ${keys.map(identifier).join(', ')} FROM read_parquet(${literals(later.map(pathOf))}, union_by_name = true)`;
  const select = `SELECT a.file_row_number AS n FROM read_parquet(${literal(pathOf(run))}, file_row_number = true) a
    SEMI JOIN (${others}) b ON ${same.join(' AND ')}`;
  return { select, files: [run, ...later].map(pathOf) };
}

/** Finds the rows of a run that later runs hold too. */
function resolveOne(each: Resolvable, context: ConversionContext): Promise<void> {
  const { later } = each;
  return hold(each.run, context, async ({ run, directory, writer, target, placed }) => {
    if (!run.table) return;
    const { superseded: _, ...table } = run.table;
    try {
      const rows = later.length > 0 ? await writer.write({ ...supersededSql(each), target }) : 0;
      const file = rows > 0 ? await placed('.rows.parquet') : undefined;
      // A list of before may still be read: the next tidying removes it.
      const superseded = { by: idsOf(later), rows, ...(file && { file }) };
      await saveManifest(directory, { ...run, table: later.length > 0 ? { ...table, superseded } : table });
    } catch {
      // Queries find the rows by themselves.
      if (!context.signal.aborted) unresolvable.add(resolvingKey({ run, later }, context.projectDir));
    }
  });
}
