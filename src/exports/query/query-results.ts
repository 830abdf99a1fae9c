import { createHash } from 'node:crypto';
import { readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../lib/clock.ts';
import type { ProjectWorkspace } from '../project-workspace.ts';
import { makeDirectory, namesIn, statOf, writeDurably } from '../store/disk.ts';
import { type RunManifest, resultsDirectory } from '../store/manifest.ts';
import { type Column, storedNames } from './columns.ts';
import { dataViewOf } from './data-view.ts';
import { type Cell, runSql } from './sql-process.ts';
import { identifier } from './view-sql.ts';

/** Results that are kept of a project; the oldest makes room. */
const MAX_RESULTS = 10;
/** How long a result can be read again. */
const LIFE_MS = DAY_MS;
const ENDING = '.csv';

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

  const isFresh = (keptAtMs: number) => Math.abs(nowMs - keptAtMs) < LIFE_MS;

  /** Files from the latest on; one that a killed process left half written is none of `ENDING`. */
  async function all() {
    const names = await namesIn(directory);
    const kept = await Promise.all(
      names.map(async (name) => ({ name, keptAtMs: (await statOf(join(directory, name)))?.mtimeMs ?? Number.NEGATIVE_INFINITY })),
    );
    return kept.toSorted((a, b) => b.keptAtMs - a.keptAtMs);
  }

  const ids = async () =>
    (await all()).flatMap(({ name, keptAtMs }) => (name.endsWith(ENDING) && isFresh(keptAtMs) ? name.slice(0, -ENDING.length) : []));

  async function sweep(): Promise<void> {
    const leaving = (await all()).filter(({ keptAtMs }, place) => place >= MAX_RESULTS || !isFresh(keptAtMs));
    await Promise.all(leaving.map(({ name }) => rm(join(directory, name), { force: true })));
  }

  return {
    /** Gives the id under which the rows are found again; undefined where there is no room, or the directory cannot be written. */
    async keep(rows: QueryRows): Promise<string | undefined> {
      const text = csvOf(rows);
      // By its content: the same id never stands for another result, whichever process gave it.
      const id = createHash('sha256').update(text).digest('hex').slice(0, 12);
      try {
        if ((await workspace.usedBytes()) + Buffer.byteLength(text) > workspace.quotaBytes) return undefined;
        await makeDirectory(directory);
        await writeDurably(fileOf(id), text);
        await utimes(fileOf(id), new Date(nowMs), new Date(nowMs));
        await sweep();
        return id;
      } catch {
        return undefined; // the answer itself needs no disk
      }
    },
    /** The rows as CSV; undefined where they had to make room. */
    async find(id: string): Promise<string | undefined> {
      return (await ids()).includes(id) ? readFile(fileOf(id), 'utf8').catch(() => undefined) : undefined;
    },
    /** Ids from the latest on. */
    ids,
  };
}

/** Rows as CSV by RFC 4180; lists as JSON text, no value as an empty cell. */
function csvOf({ columns, rows }: QueryRows): string {
  const cellOf = (cell: Cell) => {
    const text = typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : String(cell ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

const SHOWN_ROWS = 10;
const TIMEOUT_MS = 20_000;

/** Columns of a run as query_export names and types them, and rows of it by their names; none of either before it is a table. */
export async function firstRows(
  run: RunManifest,
  { dir: directory, holder }: Pick<ProjectWorkspace, 'dir' | 'holder'>,
): Promise<{ columns: readonly Column[]; rows: readonly unknown[] }> {
  if (!run.table) return { columns: [], rows: [] };
  const { columns, setup, files, name } = dataViewOf([run]);
  const names = storedNames(columns);
  const sql = `SELECT ${names.map(identifier).join(', ')} FROM ${name} LIMIT ${SHOWN_ROWS}`;
  const request = { views: [name], setup: [setup()], files, sql, maxRows: SHOWN_ROWS, maxChars: 10_000_000 };
  const { rows } = await runSql(request, { directory, holder, timeoutMs: TIMEOUT_MS });
  return { columns, rows: rows.map((row) => Object.fromEntries(names.map((own, at) => [own, row[at]]))) };
}
