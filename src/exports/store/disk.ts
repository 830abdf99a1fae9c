import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ZodType } from 'zod';
import { hint } from '../../lib/hint.ts';

/** A reason why a download or the workspace cannot continue; the message is a sentence that says what to do next. */
type WorkspaceErrorKind =
  /** The disk or the quota has no room. */
  | 'full'
  /** The directory cannot be written or read. */
  | 'disk'
  /** Another server or a query uses the run. */
  | 'busy'
  /** The platform has deleted the files, or the run has none. */
  | 'gone'
  /** The job has not run yet. */
  | 'pending'
  /** The run itself failed. */
  | 'failed'
  /** The address of a file must not be asked. */
  | 'address'
  /** The file store refused or broke off repeatedly. */
  | 'store'
  /** The file that arrived is not whole. */
  | 'damaged';

/** A failure of the disk or of a download, with words for the caller; nothing in it is secret. */
export class WorkspaceError extends Error {
  readonly kind: WorkspaceErrorKind;

  constructor(kind: WorkspaceErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'WorkspaceError';
    this.kind = kind;
  }
}

/** The words of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Exports hold personal data: other users of the machine cannot read them. */
export const DIRECTORY_MODE = 0o700;
/** Files are readable by their owner alone. */
export const FILE_MODE = 0o600;

/** The error code of a failed system call; empty for any other failure. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Why a directory or file cannot be used, by the code of the system. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is read-only',
  ENOENT: 'it is not there and cannot be made',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EEXIST: 'a part of the path is a file, not a directory',
  EISDIR: 'a directory stands where a file is expected',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the machine has too many open files',
  EBUSY: 'another program uses it',
  EIO: 'the disk reports an error',
  ENXIO: 'the disk reports an error',
  ENODEV: 'the disk reports an error',
  ESTALE: 'the network disk no longer knows it',
  ETIMEDOUT: 'the disk does not answer',
};

function unusable(path: string, reason: string, cause?: unknown): WorkspaceError {
  const next = 'Check the directory, or set WEB_ANALYTICS_DATA_DIR to one that can be written, and start the server again.';
  return new WorkspaceError('disk', `${path} cannot be used: ${reason}. ${next}`, { cause });
}

/** Turns a failure of the file system into a `WorkspaceError`; other errors stay as they are. */
export function diskFailure(error: unknown, path: string): unknown {
  if (error instanceof WorkspaceError) return error;
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    const next =
      'Make room ' +
      hint('purge_workspace', 'with purge_workspace or on the disk', 'on the disk') +
      ', then call again: what has arrived is kept and resumed.';
    return new WorkspaceError('full', `The disk of ${path} is full. ${next}`, { cause: error });
  }
  const reason = REASONS[code];
  return reason === undefined ? error : unusable(path, reason, error);
}

/** Others may remove an empty directory between the steps, as a purge does. */
const MAKE_ATTEMPTS = 3;

/**
 * Makes a directory and those above it, the highest new one first in the result. Node's own recursive way never returns where a file
 * system has the directory above but takes no new one, as /proc.
 */
async function makeMissing(path: string, attemptsLeft = MAKE_ATTEMPTS): Promise<string[]> {
  try {
    await mkdir(path, { mode: DIRECTORY_MODE });
    return [path];
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return [];
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || attemptsLeft === 0) throw error;
    return [...(await makeMissing(above, attemptsLeft)), ...(await makeMissing(path, attemptsLeft - 1))];
  }
}

/** Makes a directory and those above it; throws a `WorkspaceError` where the system does not allow it. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeMissing(path);
  } catch (error) {
    throw diskFailure(error, path);
  }
}

/** How long a disk may take to write a trial file; one on a network that hangs never ends. */
const TRIAL_MS = 5_000;

async function writeAndRemove(path: string): Promise<void> {
  const made = await makeMissing(path);
  const trial = join(path, `.trial-${randomUUID()}`);
  try {
    await writeFile(trial, 'trial', { flag: 'wx', mode: FILE_MODE });
  } finally {
    await rm(trial, { force: true });
    for (const directory of made.toReversed()) await rmdir(directory).catch(() => undefined); // others write there by now
  }
}

/**
 * Tries whether files can be written below a directory, and leaves nothing there; throws a `WorkspaceError` that says why not, at the
 * latest after five seconds. Tests bring another bound and another way to write.
 */
export async function tryDirectory(path: string, { timeoutMs = TRIAL_MS, write = writeAndRemove } = {}): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const words = `the disk has not answered within ${timeoutMs / 1_000} seconds`;
    timer = setTimeout(() => reject(unusable(path, words)), timeoutMs);
  });
  try {
    await Promise.race([write(path), late]);
  } catch (error) {
    throw diskFailure(error, path);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes renames in a directory last through a power cut, where the system can. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path).catch(() => undefined);
  if (!directory) return; // Windows opens no directory
  try {
    await directory.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'].includes(codeOf(error))) throw error;
  } finally {
    await directory.close();
  }
}

/** Names in a directory; none where there is no such directory. */
export function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}

/** Size and times of a file; undefined where it is not there. */
export function statOf(path: string) {
  return stat(path).catch(() => undefined);
}

/** Writes a text so that its file is the old or the new one at any moment, the new one for good once this has resolved. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const staged = `${path}.tmp`;
  try {
    await writeFile(staged, text, { mode: FILE_MODE, flush: true });
    await rename(staged, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw diskFailure(error, path);
  }
}

/** The content of a file of JSON; undefined where it is not there, or of another shape. */
export async function readJson<T>(path: string, shape: ZodType<T>): Promise<T | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
