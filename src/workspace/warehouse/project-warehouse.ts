import { ApiError } from '../../api/errors.ts';
import { createFairSemaphore } from '../../lib/concurrency.ts';
import { timeColumn } from '../query/columns.ts';
import { coverageOf } from '../query/intervals.ts';
import type { SqlResult } from '../query/sql-process.ts';
import { safeName } from '../store/layout.ts';
import { takeLock } from '../store/lock.ts';
import { isSameRun, type RunId, type RunManifest } from '../store/manifest.ts';
import { generationText } from './generation.ts';
import { type Ledger, type LoadRecord, ledgerOf } from './ledger.ts';
import { deleteRows, type LoadContext, loadRun } from './load-run.ts';
import { runStatement, type WarehouseStatement } from './run-statement.ts';
import type { Warehouse } from './warehouse.ts';
import { coveredSql } from './warehouse-view.ts';

/** A load of this process that is under way. */
export interface Load extends RunId {
  readonly rows: number;
  readonly totalRows: number;
}

/** The exports of one project in the warehouse, as one caller works with them. */
export interface ProjectWarehouse {
  /** Scheme, host and port. */
  readonly address: string;
  readonly database: string;
  /** Name of the project there. */
  readonly project: string;
  /** Finished and running loads; throws where the platform does not let the caller read exports of the project. */
  records(signal?: AbortSignal): Promise<LoadRecord[]>;
  /** Starts the load of converted runs that are not there yet; `reading` keeps their files in place meanwhile. */
  load(runs: readonly RunManifest[], where: LoadPlace): void;
  /** Loads of this process that are under way. */
  underWay(): Load[];
  /** Calls `listener` when rows have arrived, until the returned function is called. */
  onProgress(listener: () => void): () => void;
  /** Why the last load of a run failed, where it did. */
  failure(run: RunId): string | undefined;
  /** Resolves when no load of this process is under way; `own`: none that was started here. */
  settled(own?: 'own'): Promise<void>;
  query(statement: WarehouseStatement): Promise<SqlResult>;
  /** Deletes runs there; rows that a run which stays holds too remain as the last export had them. */
  remove(records: readonly LoadRecord[], nowMs: number): Promise<void>;
}

/** Where the files of runs are, and for whom they are loaded. */
export interface LoadPlace {
  readonly holder: string;
  readonly signal: AbortSignal;
  directoryOf(run: RunId): string;
  reading<T>(runs: readonly RunId[], task: (manifests: RunManifest[]) => Promise<T>): Promise<T>;
}

/** Loads of a process at a time, half of them for one principal. */
const LOADS_AT_ONCE = 2;
const RETRY_MS = 5_000;
const inTurn = createFairSemaphore(LOADS_AT_ONCE);

interface State {
  /** Loads under way or waiting for their turn, by run. */
  readonly running: Map<string, { load: Load; result: Promise<void> }>;
  /** Runs that are known to be loaded, so that they are not looked up again. */
  readonly done: Set<string>;
  readonly failures: Map<string, string>;
  readonly listeners: Set<() => void>;
}

/** The state of each project in this process; sessions of all its callers share it. */
const states = new WeakMap<Warehouse, Map<string, State>>();

function stateOf(warehouse: Warehouse, project: string): State {
  const own = states.get(warehouse) ?? new Map<string, State>();
  states.set(warehouse, own);
  const state = own.get(project) ?? { running: new Map(), done: new Set(), failures: new Map(), listeners: new Set() };
  own.set(project, state);
  return state;
}

/** `<authentication server>/<project>`: ids of two servers may be equal. */
export function projectName(authUrl: string, projectId: number): string {
  return `${safeName(authUrl)}/${projectId}`;
}

function keyOf({ jobId, runId }: RunId): string {
  return `${jobId}/${runId}`;
}

/** Whether a run has what can be loaded: its table, or the certainty that it is empty. */
function isReady({ table, files }: RunManifest): boolean {
  return table !== undefined || files.every(({ bytes }) => bytes === 0);
}

/** Rows of a run that goes which another one that stays holds too, as a condition. */
function keptSql(record: LoadRecord, staying: readonly LoadRecord[]): string[] {
  if (!timeColumn(record.columns)) return [];
  const { run } = record;
  const own = staying.filter((other) => other.run.jobId === run.jobId && other.run.scope === run.scope).map((other) => other.run);
  const shared = coverageOf(own).covered.filter(({ startMs, endMs }) => startMs < Date.parse(run.to) && endMs > Date.parse(run.from));
  return shared.map(({ startMs, endMs }) => coveredSql(run.jobId, startMs, endMs));
}

/** Whether two runs of a job hold some of the same days. */
function overlap(a: RunManifest, b: RunManifest): boolean {
  return a.jobId === b.jobId && a.scope === b.scope && Date.parse(a.from) < Date.parse(b.to) && Date.parse(b.from) < Date.parse(a.to);
}

/**
 * Of runs that are to be removed, those that would take rows with them which an earlier export that stays contains too. Without a column of
 * time it is not known which of their rows these are. With each the run that stays.
 */
export function inseparable(going: readonly LoadRecord[], all: readonly LoadRecord[]): Map<LoadRecord, LoadRecord> {
  const found = new Map<LoadRecord, LoadRecord>();
  for (;;) {
    const staying = all.filter(({ run }) => !going.some((each) => isSameRun(each.run, run) && !found.has(each)));
    const next = going
      .filter((record) => !found.has(record) && record.columns.length > 0 && !timeColumn(record.columns))
      .flatMap((record) => {
        const other = staying.find(
          ({ run }) => overlap(run, record.run) && Date.parse(run.exportedAt) <= Date.parse(record.run.exportedAt),
        );
        return other && !isSameRun(other.run, record.run) ? [{ record, other }] : [];
      });
    if (next.length === 0) return found;
    for (const { record, other } of next) found.set(record, other);
  }
}

/** Loads a run in its turn, under its lock, from the files that it has by then. */
async function loadOne(run: RunManifest, place: LoadPlace, parts: Omit<LoadContext, 'holder' | 'signal' | 'directory'>): Promise<void> {
  const { holder, signal } = place;
  const directory = place.directoryOf(run);
  await inTurn(holder, () =>
    place.reading([run], async ([now = run]) => {
      const lock = await takeLock(directory, 'load');
      if (!('release' in lock)) throw new ApiError('busy', 'another server of this directory is loading it', { retryAfterMs: RETRY_MS });
      try {
        await loadRun(now, { ...parts, holder, signal, directory });
      } finally {
        await lock.release();
      }
    }),
  );
}

/** Notes how a load ended; the promise is kept in any case. */
async function noting(load: Promise<void>, key: string, { done, failures }: State, signal: AbortSignal): Promise<void> {
  try {
    await load;
    done.add(key);
    failures.delete(key);
  } catch (error) {
    // A load that the end of a session stopped goes on with the next session.
    if (signal.aborted) return;
    // Another server does it; the next call looks again.
    if (error instanceof ApiError && error.kind === 'busy') failures.delete(key);
    else failures.set(key, error instanceof Error ? error.message : String(error));
  }
}

/** Removes loaded runs; rows that a run that stays holds too are kept. */
async function removeLoaded(
  records: readonly LoadRecord[],
  nowMs: number,
  { access, loader, ledger, project }: Pick<LoadContext, 'access' | 'loader' | 'ledger' | 'project'>,
): Promise<void> {
  const going = new Set(records.map(({ run }) => keyOf(run)));
  const staying = (await ledger.records()).filter(({ run }) => !going.has(keyOf(run)));
  for (const record of records) {
    // First the record: rows that a kill leaves belong to no run, and the next call deletes them.
    await ledger.write({ ...record, state: 'loading', generation: generationText({ phase: 'removing' }) }, record);
    if (record.columns.length > 0) {
      const kept = keptSql(record, staying);
      await deleteRows({ access, loader, project }, [record.run], kept.length > 0 ? kept.join(' OR ') : undefined);
    }
    await ledger.write({ ...record, state: 'removed', rows: 0, generation: String(nowMs) }, record);
  }
}

/** Opens the part of the warehouse that belongs to a project; `permit` throws where the caller may not read its exports. */
export function openProjectWarehouse(
  warehouse: Warehouse,
  { authUrl, projectId, permit }: { readonly authUrl: string; readonly projectId: number; readonly permit: () => Promise<unknown> },
): ProjectWarehouse {
  const { access, loader, reader, pieceRows } = warehouse;
  const project = projectName(authUrl, projectId);
  const ledger: Ledger = ledgerOf(access, loader, project);
  const state = stateOf(warehouse, project);
  const started = new Set<Promise<void>>();
  const { listeners } = state;
  const parts = { access, loader, ledger, project, pieceRows };

  return {
    address: access.address,
    database: access.database,
    project,
    async records(signal) {
      await permit();
      return ledger.records(signal);
    },
    load(runs, place) {
      for (const run of runs) {
        const key = keyOf(run);
        if (!isReady(run) || state.running.has(key) || state.done.has(key) || place.signal.aborted) continue;
        const load = { jobId: run.jobId, runId: run.runId, rows: 0, totalRows: run.table?.rows ?? 0 };
        const report = (rows: number) => {
          load.rows = rows;
          for (const listener of listeners) listener();
        };
        const result = noting(loadOne(run, place, { ...parts, report }), key, state, place.signal).finally(() => {
          state.running.delete(key);
          started.delete(result);
        });
        started.add(result);
        state.running.set(key, { load, result });
      }
    },
    underWay: () => [...state.running.values()].map(({ load }) => ({ ...load })),
    onProgress(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    failure: (run) => state.failures.get(keyOf(run)),
    async settled(own) {
      await Promise.all(own ? started : [...state.running.values()].map(({ result }) => result));
    },
    query: (statement) => runStatement(statement, { access, reader, project }),
    async remove(records, nowMs) {
      try {
        await removeLoaded(records, nowMs, parts);
      } finally {
        for (const { run } of records) state.done.delete(keyOf(run));
      }
    },
  };
}
