import { hint } from '../../lib/hint.ts';
import { WorkspaceError } from './disk.ts';
import { type Holder, type Lock, type LockKind, waitForLock } from './lock.ts';
import type { RunId } from './manifest.ts';

/** How long a reader waits while a run is cleaned up, completed or removed; each is short. */
const READ_WAIT_MS = 5_000;
/** How long a removal waits for a reader. */
const WRITE_WAIT_MS = 1_000;

/** Locks a run for reading or removing; throws a `WorkspaceError` where it is not there or in use for longer than a short wait. */
export async function lockRun(kind: 'read' | 'write', directory: string, { jobId, runId }: RunId): Promise<Lock> {
  const run = `Run ${runId} of job ${jobId}`;
  const waitMs = kind === 'read' ? READ_WAIT_MS : WRITE_WAIT_MS;
  const lock = await waitForLock(directory, kind, waitMs).catch(() => {
    throw missingRun({ jobId, runId });
  });
  if ('release' in lock) return lock;
  throw new WorkspaceError('busy', `${run} is ${USES[lock.kind]} ${placeOf(lock)}; call again when that is done.`);
}

/** The error for a run that is not in the workspace. */
export function missingRun({ jobId, runId }: RunId): WorkspaceError {
  return new WorkspaceError(
    'gone',
    `Run ${runId} of job ${jobId} is not in the workspace.${hint('download_export_run', ' download_export_run fetches it.')}`,
  );
}

const USES: Readonly<Record<LockKind, string>> = {
  read: 'read by a query of',
  add: 'being converted by',
  load: 'being loaded by',
  write: 'being written by',
};

function placeOf({ pid, isSamePlace }: Holder): string {
  if (!isSamePlace) return 'a server on another machine or in another container';
  return pid === process.pid ? 'this server' : `process ${pid}`;
}
