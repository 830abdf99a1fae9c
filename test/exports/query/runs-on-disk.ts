import { join } from 'node:path';
import { convertRun } from '../../../src/exports/convert/write-table.ts';
import { dataViewOf } from '../../../src/exports/query/data-view.ts';
import { cellOf, openDatabase } from '../../../src/exports/query/database.ts';
import { isConvertible, type RunManifest, runKey } from '../../../src/exports/store/manifest.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { manifestIn, type RunText } from '../convert/converted-runs.ts';

/** A run as a test describes it. */
export type RunSketch = Omit<RunText, 'runId'> & Partial<Pick<RunText, 'runId'>>;

/** Lines of JSON, or texts that are lines already. */
export function lines(...rows: readonly (object | string)[]): string {
  return rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
}

const MACHINE = { memoryBytes: 2 ** 28, slackBytes: 0, threads: 1 };

/** Writes runs as the workspace would have them; a day each, one after the other, unless they say otherwise. */
function manifestsIn(directory: string, sketches: readonly RunSketch[]): RunManifest[] {
  return sketches.map((sketch, index) => {
    const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 10, day + index, hour)).toISOString();
    const run = { runId: 501 + index, from: at(9), to: at(10), exportedAt: at(10, 2), ...sketch };
    return manifestIn(join(directory, runKey({ jobId: 31, ...run })), run);
  });
}

/** Writes runs and makes tables of them; throws what is wrong with the first that cannot be one. */
export async function tablesIn(directory: string, sketches: readonly RunSketch[]): Promise<RunManifest[]> {
  const converted: RunManifest[] = [];
  for (const run of manifestsIn(directory, sketches)) {
    const own = join(directory, runKey(run));
    const outcome = isConvertible(run) ? await convertRun({ run, directory: own, target: join(own, 'table.parquet') }, MACHINE) : undefined;
    if (outcome && 'damage' in outcome) throw new Error(outcome.damage);
    converted.push(outcome ? { ...run, table: { ...outcome.table, name: 'table.parquet', bytes: 0 } } : run);
  }
  return converted;
}

/** Runs of a directory as the view `data`, in the database of this process. */
export function viewIn(directory: string, runs: readonly RunManifest[]) {
  // This process has its own directory.
  const placed = (text: string) => text.replaceAll(/(?<=')\d+\/\d+\//g, `${directory}/$&`);
  const view = dataViewOf(runs);
  return { ...view, setup: placed(view.setup()), files: view.files.map((file) => join(directory, file)) };
}

/** Columns and rows of one statement over runs in a directory, and the rows as records. */
export async function askedOf(directory: string, runs: readonly RunManifest[], sql: string) {
  const { setup, files } = viewIn(directory, runs);
  const database = await openDatabase({ ...MACHINE, setup: [setup], files });
  try {
    const read = await database.runAndReadAll(sql);
    const columns = read.deduplicatedColumnNames();
    const rows = read.getRows().map((row) => row.map(cellOf));
    return { columns, rows, records: rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]]))) };
  } finally {
    database.closeSync();
  }
}

/** Runs of one job in a directory, which are tables as soon as something is asked. */
export function runsOnDisk(...sketches: readonly RunSketch[]) {
  const directory = temporaryFolder();
  let made: Promise<RunManifest[]> | undefined;
  const tables = () => (made ??= tablesIn(directory, sketches));
  const query = async (sql: string) => askedOf(directory, await tables(), sql);
  return {
    tables,
    query,
    view: async () => viewIn(directory, await tables()),
    /** Rows of the result as records. */
    records: async (sql: string) => (await query(sql)).records,
  };
}
