import { setTimeout } from 'node:timers/promises';
import { ApiError, onApiError } from '../../api/errors.ts';
import { RETRY_MS } from '../../domain/exports/coverage.ts';
import { endOrTime } from '../../lib/concurrency.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';
import { isConvertible, isSameRun, type RunManifest } from '../../workspace/store/manifest.ts';
import type { LoadRecord } from '../../workspace/warehouse/ledger.ts';
import { type LoadPlaces, rowsWords, waitingWords } from '../../workspace/warehouse/loaded-table.ts';
import type { ProjectWarehouse } from '../../workspace/warehouse/project-warehouse.ts';
import type { ExportContext } from './export-lists.ts';

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
  const isLoaded = records.some((record) => record.state === 'loaded' && isSameRun(record.run, run));
  return isLoaded ? undefined : waitingWords(run, place, records);
}

/**
 * The loads of a project, after a short wait for those of these runs that are on their way, and the runs that are still being loaded; names
 * those that could not be, and throws where a job has no other.
 */
export async function loadedRecords(
  { onDisk, ...place }: LoadPlaces & { readonly onDisk: readonly RunManifest[] },
  { note, signal }: ExportContext,
): Promise<{ readonly records: LoadRecord[]; readonly coming: RunManifest[] }> {
  const waiting = (records: readonly LoadRecord[]) =>
    onDisk.filter((run) => !records.some((record) => record.state === 'loaded' && isSameRun(record.run, run)));
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
