import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A reason why a download or the workspace cannot continue; the message is a sentence that says what to do next. */
export type WorkspaceErrorKind =
  /** The disk or the quota has no room. */
  | 'full'
  /** The directory cannot be written or read. */
  | 'disk'
  /** Another server or a query uses the run. */
  | 'busy'
  /** The platform has deleted the files, or the run has none. */
  | 'gone'
  /** The run itself failed. */
  | 'failed'
  /** The address of a file must not be asked. */
  | 'address'
  /** The file store refused or broke off repeatedly. */
  | 'store'
  /** What arrived is not the whole file. */
  | 'damaged';

export class WorkspaceError extends Error {
  readonly kind: WorkspaceErrorKind;

  constructor(kind: WorkspaceErrorKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'WorkspaceError';
    this.kind = kind;
  }
}

/** Exports hold personal data: other users of the machine cannot read them. */
export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** The error code of a failed system call; empty for any other failure. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Turns a failure of the file system into a `WorkspaceError`; other errors stay as they are. */
export function diskFailure(error: unknown, path: string): unknown {
  if (error instanceof WorkspaceError) return error;
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    const next = 'Make room with purge_workspace or on the disk, then call again: what has arrived is kept and resumed.';
    return new WorkspaceError('full', `The disk of ${path} is full. ${next}`, { cause: error });
  }
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EIO', 'EMFILE', 'ENAMETOOLONG'].includes(code)) {
    const next = 'Check the directory, or set WEB_ANALYTICS_DATA_DIR to another one.';
    return new WorkspaceError('disk', `${path} cannot be used (${code}). ${next}`, { cause: error });
  }
  return error;
}

/** Makes a directory and those above it. */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: DIRECTORY_MODE });
  } catch (error) {
    throw diskFailure(error, path);
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

/** Writes a text so that its file is the old or the new one at any moment, the new one for good once this has resolved. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const staged = `${path}.tmp`;
  try {
    const file = await open(staged, 'w', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(staged, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw diskFailure(error, path);
  }
}
