import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../lib/is-running.ts';
import { FILE_MODE } from './disk.ts';

/**
 * A lock is an empty file whose name says who holds it: kind, host, process id, start of the process, and a part of its own.
 * Whoever wants the directory makes such a file first and looks for others afterwards, so of two that come at once at most one
 * goes on. A file of a dead holder is removed by whoever sees it; its name is never used again, so no live lock can be hit.
 */
export type LockKind = 'write' | 'read';

/** A lock that is held; `release` may be called twice. */
export interface Lock {
  release(): Promise<void>;
}

/** A lock that another process, or another call of this one, holds. */
export interface Holder {
  readonly kind: LockKind;
  readonly pid: number;
  readonly isThisHost: boolean;
}

const NAME = /^lock\.(write|read)\.([0-9a-f]{8})\.(\d+)\.(\d*)\.[0-9a-f]{12}$/;
/** A holder on another host, or one whose start is not known, must be heard of this often. */
const HEARTBEAT_MS = 10_000;
const SILENT_MS = 60_000;

const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** When a process of this host was started, in ticks; empty where the system does not say, undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    // The name in parentheses may hold anything; field 22 is counted from its end.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
  } catch {
    return isRunning(pid) ? '' : undefined;
  }
}

/** Whether a file is a lock, of whomever. */
export function isLockName(name: string): boolean {
  return NAME.test(name);
}

/** The live holder of a lock file; a dead one's file is removed. */
async function holderOf(directory: string, name: string): Promise<Holder | undefined> {
  const [, kind, onHost, pidText, startedAt] = NAME.exec(name) ?? [];
  if (kind !== 'write' && kind !== 'read') return undefined;
  const pid = Number(pidText);
  const holder: Holder = { kind, pid, isThisHost: onHost === host };
  const start = holder.isThisHost ? startOf(pid) : '';
  if (start !== undefined && start !== '' && start === startedAt) return holder;
  const isUncertain = start !== undefined && (start === '' || startedAt === '');
  const path = join(directory, name);
  const silentMs = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => undefined,
  );
  if (silentMs === undefined) return undefined;
  if (isUncertain && silentMs < SILENT_MS) return holder;
  await rm(path, { force: true });
  return undefined;
}

/** Live holders in a directory beside one's own file. */
async function holdersIn(directory: string, except: string): Promise<Holder[]> {
  const names = await readdir(directory).catch(() => []);
  const found = await Promise.all(names.filter((name) => name !== except).map((name) => holderOf(directory, name)));
  return found.filter((holder) => holder !== undefined);
}

/** Takes a directory to write in it, or to read it while nobody writes; gives the holder where that cannot be now. */
export async function takeLock(directory: string, kind: LockKind): Promise<Lock | Holder> {
  const name = `lock.${kind}.${host}.${process.pid}.${startOf(process.pid) ?? ''}.${randomBytes(6).toString('hex')}`;
  const path = join(directory, name);
  await (await open(path, 'wx', FILE_MODE)).close();
  const others = await holdersIn(directory, name);
  const inTheWay = others.find((other) => kind === 'write' || other.kind === 'write');
  if (inTheWay) {
    await rm(path, { force: true });
    return inTheWay;
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS).unref();
  return {
    async release() {
      clearInterval(heartbeat);
      await rm(path, { force: true });
    },
  };
}
