import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { open, rm, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, FILE_MODE, namesIn, statOf } from './disk.ts';

/** Whether there is a process of this number on this machine; another one may have it by now. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * A lock is an empty file whose name says who holds it: kind, place, process id, start of the process, and a part of its own.
 * A process that wants the directory makes such a file first and looks for others afterwards, so of two that come at once at most
 * one goes on. A file of a dead holder is removed by the next process that sees it; its name is never used again, so no live lock
 * can be hit.
 * `write` excludes all others. `add` only puts new files beside those that readers use: it excludes `write` and `add`. `load` reads what
 * one process alone sends elsewhere: it excludes `write` and `load`.
 */
export type LockKind = 'write' | 'add' | 'load' | 'read';

/** An acquired lock; `release` may be called twice. */
export interface Lock {
  release(): Promise<void>;
}

/** A lock that another process, or another call of this one, holds. */
export interface Holder {
  readonly kind: LockKind;
  readonly pid: number;
  /** The holder and this process share a process table, so its process id can be checked here. */
  readonly isSamePlace: boolean;
}

const EXCLUDES: Readonly<Record<LockKind, readonly LockKind[]>> = {
  write: ['write', 'add', 'load', 'read'],
  add: ['write', 'add'],
  load: ['write', 'load'],
  read: ['write'],
};
const NAME = /^lock\.(write|add|load|read)\.([0-9a-f]{8})\.(\d+)\.(\d*)\.[0-9a-f]{12}$/;
/** A holder in another place, or one whose start is not known, renews its file this often. */
const HEARTBEAT_MS = 10_000;
const SILENT_MS = 60_000;
/** How often a lock that is waited for is tried. */
const RETRY_MS = 25;

/** Where process ids mean the same. Two containers may share host name and kernel, two machines host name and process ids. */
interface LockPlace {
  readonly hostname: string;
  /** Of the kernel, undefined where the system does not say. */
  readonly bootId: string | undefined;
  /** Of this process, undefined where the system has none. */
  readonly pidNamespace: string | undefined;
}

function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const here: LockPlace = {
  hostname: hostname(),
  bootId: readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  pidNamespace: readOr(() => readlinkSync('/proc/self/ns/pid')),
};

/** The place as the name of a lock holds it. */
export function placeId({ hostname: host, bootId = '', pidNamespace = '' }: LockPlace): string {
  return createHash('sha256').update([host, bootId, pidNamespace].join('\n')).digest('hex').slice(0, 8);
}

/**
 * When a process of this place was started, in ticks since the boot; undefined where there is no such process, empty where it is not known.
 */
function startOf(pid: number): string | undefined {
  try {
    // The name in parentheses may hold anything; field 22 is counted from its end.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
  } catch {
    return isRunning(pid) ? '' : undefined;
  }
}

/** Whether a file is a lock, live or not. */
export function isLockName(name: string): boolean {
  return NAME.test(name);
}

/** The live holder of a lock file; a dead one's file is removed. */
async function holderOf(directory: string, name: string, place: LockPlace): Promise<Holder | undefined> {
  const [, kind, heldAt, pidText, startedAt] = NAME.exec(name) ?? [];
  if (kind === undefined) return undefined;
  const pid = Number(pidText);
  const holder = { kind: kind as LockKind, pid, isSamePlace: heldAt === placeId(place) }; // the pattern has just these
  // Without boot id and namespace a host name alone proves nothing: only its heartbeat shows that the holder lives.
  const isKnown = holder.isSamePlace && place.bootId !== undefined && place.pidNamespace !== undefined;
  const start = isKnown ? startOf(pid) : '';
  if (start !== undefined && start !== '' && start === startedAt) return holder;
  const isUncertain = start !== undefined && (start === '' || startedAt === '');
  const path = join(directory, name);
  const file = await statOf(path);
  if (!file) return undefined;
  if (isUncertain && Date.now() - file.mtimeMs < SILENT_MS) return holder;
  await rm(path, { force: true });
  return undefined;
}

/** Live holders in a directory, without this process's own file. */
async function holdersIn(directory: string, except: string, place: LockPlace): Promise<Holder[]> {
  const names = await namesIn(directory);
  const found = await Promise.all(names.filter((name) => name !== except).map((name) => holderOf(directory, name, place)));
  return found.filter((holder) => holder !== undefined);
}

/** Removes the lock files of dead holders from a directory. */
export async function removeDeadLocks(directory: string): Promise<void> {
  await holdersIn(directory, '', here);
}

/** Takes the lock of a directory; gives a holder that excludes it where that cannot be now. */
export async function takeLock(directory: string, kind: LockKind, place: LockPlace = here): Promise<Lock | Holder> {
  const name = `lock.${kind}.${placeId(place)}.${process.pid}.${startOf(process.pid) ?? ''}.${randomBytes(6).toString('hex')}`;
  const path = join(directory, name);
  await (await open(path, 'wx', FILE_MODE)).close();
  const others = await holdersIn(directory, name, place);
  const inTheWay = others.find((other) => EXCLUDES[kind].includes(other.kind));
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

/** The same, tried again for `timeoutMs` of real time: others hold a directory for moments while they tidy it or finish a run. */
export async function waitForLock(directory: string, kind: LockKind, timeoutMs: number, signal?: AbortSignal): Promise<Lock | Holder> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const lock = await takeLock(directory, kind);
    if ('release' in lock || performance.now() >= endMs || signal?.aborted) return lock;
    // Two processes at the same time may both be refused; the random part decides which one is first.
    await delay(RETRY_MS * (1 + Math.random()));
  }
}
