import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import type { ProjectWorkspace } from '../project-workspace.ts';
import { FILE_MODE, makeDirectory } from '../store/disk.ts';
import { resultsDirectory } from '../store/layout.ts';
import type { Cell } from './protocol.ts';

/** Results that are kept of a project; the oldest makes room. */
const MAX_RESULTS = 10;
/** How long a result can be read again. */
const LIFE_MS = DAY_MS;
const ENDING = '.csv';
const STAGED = '.part';
/** No process writes one file for so long: the one that began it was killed. */
const ABANDONED_MS = HOUR_MS;
const RESULT_ID = /^[\da-f]{12}$/;

/** All rows of an answered query. */
interface QueryRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * The latest results of one principal and project, at an instant (ms since 1970). They lie beside the downloads, so that whichever process
 * shares the directory finds them.
 */
export function queryResults(workspace: Pick<ProjectWorkspace, 'dir' | 'quotaBytes' | 'usedBytes'>, nowMs: number) {
  const directory = resultsDirectory(workspace.dir);
  const fileOf = (id: string) => join(directory, `${id}${ENDING}`);

  async function keptAt(path: string): Promise<number> {
    return stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.NEGATIVE_INFINITY,
    );
  }

  const isFresh = (keptAtMs: number) => Math.abs(nowMs - keptAtMs) < LIFE_MS;

  async function all() {
    const names = await readdir(directory).catch(() => []);
    const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
    const kept = await Promise.all(ids.map(async (id) => ({ id, keptAtMs: await keptAt(fileOf(id)) })));
    return kept.toSorted((a, b) => b.keptAtMs - a.keptAtMs);
  }

  async function sweep(): Promise<void> {
    const leaving = (await all()).filter(({ keptAtMs }, place) => place >= MAX_RESULTS || !isFresh(keptAtMs));
    const staged = (await readdir(directory)).filter((name) => name.endsWith(STAGED)).map((name) => join(directory, name));
    // By the machine's clock, as files have it while they are written.
    const isAbandoned = async (path: string) => Date.now() - ABANDONED_MS > (await keptAt(path));
    const abandoned = await Promise.all(staged.map(async (path) => ((await isAbandoned(path)) ? [path] : [])));
    await Promise.all([...leaving.map(({ id }) => fileOf(id)), ...abandoned.flat()].map((path) => rm(path, { force: true })));
  }

  async function write(id: string, text: string): Promise<void> {
    await makeDirectory(directory);
    const staged = join(directory, `${randomUUID()}${STAGED}`);
    try {
      await writeFile(staged, text, { mode: FILE_MODE });
      const now = new Date(nowMs);
      await utimes(staged, now, now);
      await rename(staged, fileOf(id));
    } finally {
      await rm(staged, { force: true });
    }
  }

  return {
    /** Gives the id under which the rows are found again; undefined where there is no room, or the directory cannot be written. */
    async keep(rows: QueryRows): Promise<string | undefined> {
      const text = csvOf(rows);
      // By its content: the same id never stands for another result, whichever process gave it.
      const id = createHash('sha256').update(text).digest('hex').slice(0, 12);
      try {
        if ((await workspace.usedBytes()) + Buffer.byteLength(text) > workspace.quotaBytes) return undefined;
        await write(id, text);
        await sweep();
        return id;
      } catch {
        return undefined; // the answer itself needs no disk
      }
    },
    /** The rows as CSV; undefined where they had to make room. */
    async find(id: string): Promise<string | undefined> {
      if (!RESULT_ID.test(id) || !isFresh(await keptAt(fileOf(id)))) return undefined;
      return readFile(fileOf(id), 'utf8').catch(() => undefined);
    },
    /** Ids from the latest on. */
    ids: async () => (await all()).filter(({ keptAtMs }) => isFresh(keptAtMs)).map(({ id }) => id),
  };
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV by RFC 4180; lists as JSON text, no value as an empty cell. */
function csvOf({ columns, rows }: QueryRows): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
