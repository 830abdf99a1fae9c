import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import type * as z from 'zod';
import type { Log } from '../lib/log.ts';

/** A file that cannot be used; the message names it and says what to do, and quotes nothing of its content. */
export class PrivateFileError extends Error {
  override name = 'PrivateFileError';
}

/** A JSON document in a file of its owner alone. */
export interface PrivateFile<T> {
  readonly path: string;
  /** The content as it is now: read again only when the file has changed. Rejects with a `PrivateFileError`. */
  read(): Promise<T>;
  /** Replaces the whole file or leaves it as it was; a missing one begins as `empty`. Two commands never change it at once. */
  change(edit: (content: T) => T): Promise<void>;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Writes beside the file and moves the new one over it, so that a reader sees the old or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const staged = `${path}.${randomUUID()}`;
  let file: FileHandle | undefined;
  try {
    file = await open(staged, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(staged, path);
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(staged, { force: true });
    throw new PrivateFileError(`The file ${path} cannot be written (${codeOf(error)}). Check its folder and who may write there.`);
  }
}

/** Runs alone among all processes that change this file. */
async function alone<T>(path: string, run: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  try {
    await (await open(lock, 'wx', 0o600)).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new PrivateFileError(`Another command changes ${path}. Try again; if none runs, remove ${lock}.`);
    throw new PrivateFileError(`The file ${path} cannot be changed (${codeOf(error)}). Check its folder and who may write there.`);
  }
  try {
    return await run();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Opens a file of this schema; `kind` names its content in messages, and `empty` is the content of a new file. */
export function createPrivateFile<T>({
  path,
  kind,
  schema,
  empty,
  log,
}: {
  path: string;
  kind: string;
  schema: z.ZodType<T>;
  empty: T;
  log: Log;
}): PrivateFile<T> {
  let known: { version: string; content: T } | undefined;
  let warnedOf: string | undefined;

  async function versionOf(): Promise<string> {
    const { mode, mtimeNs, ino, size } = await stat(path, { bigint: true });
    const version = [mtimeNs, ino, size, mode].join(' ');
    const permissions = Number(mode) & 0o777;
    // Windows has no such bits.
    if (process.platform !== 'win32' && permissions & 0o077 && warnedOf !== version) {
      warnedOf = version;
      log('warn', `The file ${path} is open to others than its owner (mode ${permissions.toString(8)}). Close it: chmod 600 ${path}`);
    }
    return version;
  }

  async function parsed(): Promise<T> {
    const checked = schema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    if (checked.success) return checked.data;
    throw new PrivateFileError(`The file ${path} holds no ${kind} of this version. Restore it, or move it away and begin a new one.`);
  }

  async function read(): Promise<T> {
    try {
      const version = await versionOf();
      if (known?.version !== version) known = { version, content: await parsed() };
      return known.content;
    } catch (error) {
      known = undefined;
      if (error instanceof PrivateFileError) throw error;
      // The text of the parser would quote the content.
      if (error instanceof SyntaxError) throw new PrivateFileError(`The file ${path} is not valid JSON. Restore it, or move it away.`);
      if (codeOf(error) === 'ENOENT') throw new PrivateFileError(`There is no file ${path} yet. Add the first of its ${kind}.`);
      throw new PrivateFileError(`The file ${path} cannot be read (${codeOf(error)}). Check who may read it.`);
    }
  }

  return {
    path,
    read,
    change: (edit) =>
      alone(path, async () => {
        const isNew = await stat(path).then(
          () => false,
          (error: unknown) => codeOf(error) === 'ENOENT',
        );
        const content = edit(isNew ? empty : await read());
        // A link stays a link.
        await replaceFile(isNew ? path : await realpath(path), `${JSON.stringify(content, null, 2)}\n`);
      }),
  };
}
