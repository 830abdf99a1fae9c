import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Ask } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { getExportJob, getExportRun } from '../../api/operations/data-export.ts';
import { isoTime } from '../../lib/clock.ts';
import { mapConcurrent } from '../../lib/concurrency.ts';
import { hint } from '../../lib/hint.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { headersOf } from '../convert/csv-headers.ts';
import { openPlans, requestOf } from '../plans.ts';
import { listedFields } from '../query/columns.ts';
import { diskFailure, makeDirectory, namesIn, syncDirectory, WorkspaceError, writeDurably } from '../store/disk.ts';
import { isLockName, takeLock } from '../store/lock.ts';
import {
  filesOnDisk,
  MANIFEST,
  plansDirectory,
  type RunFile,
  type RunId,
  type RunManifest,
  readManifest,
  runDirectory,
} from '../store/manifest.ts';
import type { Quota } from '../store/quota.ts';
import { type ArrivedFile, downloadPart, type PartContext, type WantedPart } from './download-part.ts';
import { allRunsOf, type SuccessfulRun, successfulRuns, utc } from './run-rows.ts';

/** A run as the platform describes it. */
type RunRecord = PayloadOf<typeof getExportRun>;

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;
/** Failures of the platform in a row; each was repeated already. */
const MAX_FAILURES = 5;

/** How far a run was at an instant. */
interface Pace {
  readonly atMs: number;
  readonly rate: number;
}

/** When a run should end by the pace between two looks; undefined where it did not move. */
function endOf(first: Pace | undefined, last: Pace): number | undefined {
  if (!first || last.rate <= first.rate) return undefined;
  const whole = last.rate > 1 ? 100 : 1;
  return last.atMs + ((whole - last.rate) * (last.atMs - first.atMs)) / (last.rate - first.rate);
}

/** Polls until the run has succeeded, and returns it with its files; throws a `WorkspaceError` where it fails. */
async function followRun({ jobId, runId }: RunId, { ask, clock, signal, report }: DownloadContext): Promise<RunRecord> {
  let [waitMs, failures] = [FIRST_WAIT_MS, 0];
  let first: Pace | undefined;
  let endsMs: number | undefined;
  // Longer each time, but not beyond the instant at which the run should end.
  const pauseMs = () => Math.min(waitMs, Math.max(FIRST_WAIT_MS, (endsMs ?? Number.POSITIVE_INFINITY) - clock.now()));
  for (;;) {
    try {
      const run = await ask(getExportRun, { jobId, runId });
      failures = 0;
      const state = run.state ?? 'without a state';
      const rate = run.completionRate ?? undefined;
      const pace = rate === undefined ? undefined : { atMs: clock.now(), rate };
      endsMs = pace && endOf(first, pace);
      if (pace && pace.rate > 0) first ??= pace;
      report({ phase: 'computing', runState: state, completionRate: rate, endsMs });
      if (/^success/i.test(state)) return run;
      // Other states than the documented ones go on.
      if (/^(fail|error|cancel|delet)/i.test(state)) {
        const next = hint('find_export_gaps', 'find_export_gaps plans an export of the same range.');
        throw new WorkspaceError('failed', `Run ${runId} of job ${jobId} has no files: its state is ${state}. ${next}`);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !['down', 'timeout', 'busy'].includes(error.kind)) throw error;
      failures += 1;
      if (failures >= MAX_FAILURES) throw error;
    }
    await clock.sleep(pauseMs(), signal);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5);
  }
}

/** How far a download is. */
export interface DownloadProgress {
  /** `waiting`: for its turn; `computing`: for the platform; `elsewhere`: for another server that fetches the run. */
  readonly phase: 'waiting' | 'computing' | 'elsewhere' | 'fetching';
  /** State of the run as the platform spells it, and how far it is: 0–1 or 0–100, the reference does not say. */
  readonly runState?: string;
  readonly completionRate?: number | undefined;
  /** When the run should end by its pace, ms since 1970. */
  readonly endsMs?: number | undefined;
  readonly files?: number;
  readonly filesDone?: number;
  readonly bytes?: number;
  /** Known once the store has announced all files. */
  readonly totalBytes?: number;
}

/** The surroundings of a download. */
export interface DownloadContext extends Pick<PartContext, 'store' | 'quota' | 'clock' | 'random' | 'signal'> {
  readonly projectDir: string;
  readonly ask: Ask;
  /** The same for answers that may be some minutes old. */
  readonly askKept: Ask;
  readonly report: (progress: DownloadProgress) => void;
}

type RunFacts = Omit<RunManifest, 'version' | 'runId' | 'downloadedAt' | 'files'>;

/** Files of a run that are fetched at a time. */
const FILES_AT_ONCE = 4;
/** Ids of the platform for the devices of a site. */
const DEVICE_IDS = { all: -1, desktop: 1, mobile: 2, tablet: 3 } as const;
/** How often it is looked whether another server is done. */
const LOCK_WAIT_MS = 1_000;

/** Follows a run until it has files, fetches them, and writes the manifest last; a run that is complete is not asked for again. */
async function downloadRun(id: RunId, context: DownloadContext, listed?: SuccessfulRun): Promise<RunManifest> {
  const { projectDir, clock, quota } = context;
  const directory = runDirectory(projectDir, id);
  const complete = await readManifest(projectDir, id);
  if (complete) return complete;
  const run = await followRun(id, context);
  const lock = await lockedOrDone(id, directory, context);
  if (!('release' in lock)) return lock;
  try {
    const facts = await factsOf(id, run, context, listed);
    const files = withRows(await fetchFiles(id, run, facts.format, directory, context), facts);
    const manifest: RunManifest = { version: 1, ...facts, runId: id.runId, downloadedAt: isoTime(clock.now()), files };
    // The parts first: a manifest must never name a file that a power failure removed.
    await syncDirectory(directory);
    await writeWithin(quota, join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    await removeTempFiles(directory, manifest);
    return manifest;
  } catch (error) {
    throw diskFailure(error, directory);
  } finally {
    await lock.release();
  }
}

/** A file of a few hundred bytes counts too: thousands of runs have one each. */
async function writeWithin(quota: Quota, path: string, text: string): Promise<void> {
  const bytes = Buffer.byteLength(text);
  const room = quota.room();
  try {
    await room.need(bytes);
    await writeDurably(path, text);
    room.written(bytes);
  } finally {
    room.release();
  }
}

/** The lock of a run, or its manifest where another server completed it meanwhile. */
async function lockedOrDone(id: RunId, directory: string, { projectDir, clock, signal, report }: DownloadContext) {
  for (;;) {
    // Checked again, because another call may have removed the run a moment ago.
    await makeDirectory(directory);
    const lock = await takeLock(directory, 'write').catch((error: unknown) => {
      throw diskFailure(error, directory);
    });
    const complete = await readManifest(projectDir, id);
    if (complete && 'release' in lock) await lock.release();
    if (complete) return complete;
    if ('release' in lock) return lock;
    report({ phase: 'elsewhere' });
    await clock.sleep(LOCK_WAIT_MS, signal);
  }
}

/** When a run was exported, and of which range; empty texts where the platform says neither. */
function rangeOf(run: RunRecord, listed: SuccessfulRun | undefined) {
  const exportedAt = listed?.completedAt || utc(run.endDate) || utc(run.startDate);
  // Only the list of successful runs says the range; a run that is missing there found nothing.
  const from = listed?.from || exportedAt;
  return { from, to: listed?.to || from, exportedAt };
}

/** The manifest without its files. */
async function factsOf(
  id: RunId,
  run: RunRecord,
  { ask, askKept, projectDir }: DownloadContext,
  known: SuccessfulRun | undefined,
): Promise<RunFacts> {
  const job = await askKept(getExportJob, { jobId: id.jobId });
  // A list that was read some seconds ago, when the run was not over, would not hold it.
  const fresh: Ask = (operation, input, how) => ask(operation, input, { ...how, fresh: true });
  const listed = known ?? (await successfulRuns(fresh, [id.jobId])).find(({ runId }) => runId === id.runId);
  return {
    jobId: id.jobId,
    jobName: job.name ?? listed?.name ?? '',
    scope: job.scope ?? listed?.scope ?? '',
    format: job.format ?? listed?.format ?? '',
    ...rangeOf(run, listed),
    fields: listedFields(job.fields),
    ...(await visitsOf(job, id.jobId, projectDir)),
  };
}

/** Whose visits a job exports, as far as its record and the plan that made it show it. */
async function visitsOf(
  { filters }: PayloadOf<typeof getExportJob>,
  jobId: number,
  projectDir: string,
): Promise<Pick<RunFacts, 'deviceId' | 'segmentId'>> {
  const plans = await openPlans(plansDirectory(projectDir), Number(basename(projectDir))).all();
  const made = requestOf(jobId, plans);
  // Some installations show no filters.
  const deviceId = filters?.deviceId ?? DEVICE_IDS[made?.deviceLabel ?? 'all'];
  return { ...(deviceId !== DEVICE_IDS.all && { deviceId }), ...(made?.segmentId !== undefined && { segmentId: made.segmentId }) };
}

/** Parts of a run in order; a part without a number gets its position. */
function partsOf({ files }: RunRecord): WantedPart[] {
  const listed = files ?? [];
  const ids = listed.map(({ partId }) => Number(partId ?? Number.NaN));
  const areNumbers = ids.every((id) => Number.isSafeInteger(id) && id >= 0) && new Set(ids).size === ids.length;
  const parts = listed.map(({ url, fileSize, expirationDate }, index) => ({
    number: areNumbers ? (ids[index] ?? index) : index + 1,
    url,
    fileSize: fileSize ?? undefined,
    expiresAtMs: Date.parse(expirationDate ?? ''),
  }));
  return parts.toSorted((a, b) => a.number - b.number);
}

/** All files of a run, several at a time; after a failure the running ones are finished and no other is started. */
async function fetchFiles(id: RunId, run: RunRecord, format: string, directory: string, context: DownloadContext): Promise<ArrivedFile[]> {
  const { ask, clock, report } = context;
  const parts = partsOf(run);
  const arrived = new Map<number, { bytes: number; totalBytes: number | undefined }>();
  let [filesDone, hasFailed] = [0, false];
  const notify = () => {
    const all = [...arrived.values()];
    const isKnown = all.length === parts.length && all.every(({ totalBytes }) => totalBytes !== undefined);
    const sizes = {
      bytes: sumOfKnown(all, ({ bytes }) => bytes),
      ...(isKnown && { totalBytes: sumOfKnown(all, ({ totalBytes }) => totalBytes) }),
    };
    report({ phase: 'fetching', ...(run.state && { runState: run.state }), files: parts.length, filesDone, ...sizes });
  };
  const refresh = async (number: number) => {
    const again = partsOf(await ask(getExportRun, id)).find((part) => part.number === number);
    return again && again.expiresAtMs <= clock.now() ? undefined : again?.url;
  };
  const onBytes = (number: number, bytes: number, totalBytes: number | undefined) => {
    arrived.set(number, { bytes, totalBytes });
    notify();
  };
  notify();
  const results = await mapConcurrent(parts, FILES_AT_ONCE, async (part) => {
    if (hasFailed) return undefined;
    try {
      const file = await downloadPart(part, { ...context, directory, format, refresh, onBytes });
      filesDone += 1;
      notify();
      return file;
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  });
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' && result.value ? result.value : []));
}

/** The files as the manifest has them: a first line of CSV that is no header counts as a row. */
function withRows(files: readonly ArrivedFile[], { fields }: Pick<RunManifest, 'fields'>): RunFile[] {
  const lines = files.flatMap(({ name, firstLine }) => (firstLine ? { file: `File ${name}`, cells: firstLine } : []));
  const headerless = headersOf(lines, fields).filter(({ isRow }) => isRow);
  return files.map(({ firstLine, ...file }) => {
    const isRow = headerless.some(({ cells }) => cells === firstLine);
    return isRow && file.rows !== undefined ? { ...file, rows: file.rows + 1 } : file;
  });
}

/** Files that a complete run does not need: records of parts, and what an ended process left. */
export async function tempFilesIn(directory: string, manifest: RunManifest): Promise<string[]> {
  const needed = new Set([MANIFEST, ...filesOnDisk(manifest).map(({ name }) => name)]);
  return (await namesIn(directory)).filter((name) => !needed.has(name) && !isLockName(name));
}

/** Removes them. */
export async function removeTempFiles(directory: string, manifest: RunManifest): Promise<void> {
  for (const name of await tempFilesIn(directory, manifest)) await rm(join(directory, name), { recursive: true, force: true });
}

/** A run to download, with its row in the list of successful runs, if there is one. */
export interface ChosenRun {
  readonly runId: number;
  readonly listed?: SuccessfulRun;
}

/** The run of a job that completed last; where none has, the newest that has not failed. Throws a `WorkspaceError` where there is none. */
export async function latestRun(jobId: number, ask: Ask): Promise<ChosenRun> {
  const [listed] = await successfulRuns(ask, [jobId]);
  if (listed) return { runId: listed.runId, listed };
  const runs = await allRunsOf(jobId, ask);
  const [newest] = runs
    .flatMap(({ jobRunId, state }) => (typeof jobRunId === 'number' && !/^fail/i.test(state ?? '') ? jobRunId : []))
    .toSorted((a, b) => b - a);
  if (newest !== undefined) return { runId: newest };
  const has = `Job ${jobId} has nothing to download: `;
  if (runs.length > 0)
    throw new WorkspaceError('gone', `${has}none of its runs succeeded${hint('list_export_runs', ' (list_export_runs)')}.`);
  const next = hint('get_export_job', ' (get_export_job says when it will)');
  throw new WorkspaceError('pending', `${has}it has not run yet${next}.`);
}

/** A download that goes on whether or not a call waits for it. */
export interface Download {
  readonly progress: DownloadProgress;
  /** Rejects with a `WorkspaceError` or `ApiError`, or with the reason of its end. */
  readonly result: Promise<RunManifest>;
  /** Calls `listener` after each change until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/** The surroundings of one download. */
export interface DownloadOptions {
  /** The row of the run in the list of successful runs, where the caller has read it. */
  readonly listed?: SuccessfulRun | undefined;
  /** Starts it when its turn comes. */
  readonly inTurn?: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Downloads of this process by directory: two sessions of one principal share them. */
const underWay = new Map<string, Download>();

/** Starts the download of a run, or joins the one that is under way. */
export function startDownload(id: RunId, context: Omit<DownloadContext, 'report'>, options: DownloadOptions = {}): Download {
  const directory = runDirectory(context.projectDir, id);
  const known = underWay.get(directory);
  if (known) return known;
  const { listed, inTurn = (task) => task() } = options;
  const listeners = new Set<() => void>();
  let progress: DownloadProgress = { phase: 'waiting' };
  const report = (now: DownloadProgress) => {
    progress = now;
    for (const listener of listeners) listener();
  };
  const result = inTurn(() => downloadRun(id, { ...context, report }, listed)).finally(() => underWay.delete(directory));
  // No call may be waiting for it; the next call reports what is wrong.
  result.catch(() => undefined);
  const download: Download = {
    get progress() {
      return progress;
    },
    result,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  underWay.set(directory, download);
  return download;
}

/** The download of a run that is under way in this process. */
export function downloadOf(projectDir: string, id: RunId): Download | undefined {
  return underWay.get(runDirectory(projectDir, id));
}
