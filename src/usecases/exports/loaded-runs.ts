import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../api/errors.ts';
import { formatNumber } from '../../lib/number-text.ts';
import type { RunId, RunManifest } from '../../workspace/store/manifest.ts';
import type { ProjectWorkspace } from '../../workspace/store/project-workspace.ts';
import type { LoadRecord } from '../../workspace/warehouse/ledger.ts';
import type { Load, ProjectWarehouse } from '../../workspace/warehouse/project-warehouse.ts';
import type { Context } from '../context.ts';

/** How long a query waits for loads that are under way. */
const WAIT_MS = 5_000;
const RETRY_MS = 5_000;

interface Place {
  readonly workspace: ProjectWorkspace;
  readonly warehouse: ProjectWarehouse;
}

function isSame(a: RunId, b: RunId): boolean {
  return a.jobId === b.jobId && a.runId === b.runId;
}

/** Waits until conversions and loads of this process have ended, so long at most. */
async function ended({ workspace }: Pick<Place, 'workspace'>, waitMs: number, signal: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const time = setTimeout(Math.max(0, waitMs), undefined, { signal: AbortSignal.any([signal, enough.signal]) });
  try {
    await Promise.race([time, workspace.converted()]);
  } finally {
    enough.abort();
    time.catch(() => undefined);
  }
  signal.throwIfAborted();
}

function rowsWords({ rows, totalRows }: Pick<Load, 'rows' | 'totalRows'>): string {
  return `${formatNumber(rows, { group: true })} of ${formatNumber(totalRows, { group: true })} rows`;
}

/** Loads that are under way, in words: how many, and how many of their rows have arrived. */
export function loadsWords(loads: readonly Load[]): string {
  const sum = (of: (load: Load) => number) => loads.reduce((total, load) => total + of(load), 0);
  const all = { rows: sum(({ rows }) => rows), totalRows: sum(({ totalRows }) => totalRows) };
  return `${loads.length === 1 ? '1 run is' : `${loads.length} runs are`} being loaded into the warehouse: ${rowsWords(all)}`;
}

/** What keeps a downloaded run from being in the warehouse, in words. */
function waitingWords({ jobId, runId, format }: RunManifest, { workspace, warehouse }: Place, records: readonly LoadRecord[]): string {
  const run = `Run ${runId} of job ${jobId}`;
  const failure = warehouse.failure({ jobId, runId });
  if (failure !== undefined) return `${run} could not be loaded into the warehouse: ${failure}`;
  const refusal = workspace.conversionFailure({ jobId, runId });
  if (refusal !== undefined) return `${run} could not be converted, so that it cannot be loaded into the warehouse: ${refusal}`;
  if (!/^(jsonl|csv)$/i.test(format)) return `${run} exports ${format}, which cannot be loaded into the warehouse.`;
  const load = warehouse.underWay().find((each) => isSame(each, { jobId, runId }));
  if (load) return `${run} is being loaded into the warehouse: ${rowsWords(load)}.`;
  const there = records.find((record) => record.state === 'loading' && isSame(record.run, { jobId, runId }));
  if (there)
    return `${run} is being loaded into the warehouse by another server: ${formatNumber(there.rows, { group: true })} rows so far.`;
  return `${run} is downloaded, and not in the warehouse yet.`;
}

/** What is loaded, or in words why that is not known: what is on the disk can be used all the same. */
export async function recordsOrReason(warehouse: ProjectWarehouse, signal?: AbortSignal): Promise<LoadRecord[] | string> {
  try {
    return await warehouse.records(signal);
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/**
 * How the load of a run stands after a download, waiting for it at most so long; undefined where it is loaded. Progress goes on from the
 * 100 of the download to 200.
 */
export async function loadState(
  run: RunManifest,
  place: Place,
  waitMs: number,
  { signal, progress }: Pick<Context, 'signal' | 'progress'>,
): Promise<string | undefined> {
  await place.workspace.runs(run.jobId);
  let reported = 0;
  const stop = place.warehouse.onProgress(() => {
    const load = place.warehouse.underWay().find((each) => isSame(each, run));
    const share = load && load.totalRows > 0 ? load.rows / load.totalRows : 0;
    if (!load || share <= reported) return;
    reported = share;
    progress(100 * (1 + share), 200, `${rowsWords(load)} loaded into the warehouse`);
  });
  await ended(place, waitMs, signal).finally(stop);
  const records = await recordsOrReason(place.warehouse, signal);
  if (typeof records === 'string') return records;
  const isLoaded = records.some((record) => record.state === 'loaded' && isSame(record.run, run));
  return isLoaded ? undefined : waitingWords(run, place, records);
}

/**
 * What is loaded of a project, after a short wait for what is on its way; says which of the runs on the disk are not there yet, and throws
 * where that is all that there is of a job.
 */
export async function loadedRecords(
  { onDisk, ...place }: Place & { readonly onDisk: readonly RunManifest[] },
  { note, signal }: Pick<Context, 'note' | 'signal'>,
): Promise<LoadRecord[]> {
  const waiting = (records: readonly LoadRecord[]) =>
    onDisk.filter((run) => !records.some((record) => record.state === 'loaded' && isSame(record.run, run)));
  let records = await place.warehouse.records(signal);
  if (waiting(records).length > 0) {
    await ended(place, WAIT_MS, signal);
    records = await place.warehouse.records(signal);
  }
  const late = waiting(records);
  const only = late.find(({ jobId }) => !records.some((record) => record.state === 'loaded' && record.run.jobId === jobId));
  if (only) {
    const isMoving = (place.warehouse.failure(only) ?? place.workspace.conversionFailure(only)) === undefined;
    throw new ApiError(isMoving ? 'busy' : 'down', waitingWords(only, place, records), isMoving ? { retryAfterMs: RETRY_MS } : {});
  }
  for (const run of late) note(waitingWords(run, place, records));
  return records;
}
