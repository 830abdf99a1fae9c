import { relative, sep } from 'node:path';
import { parseJson } from '../../api/json.ts';
import type { ProjectWorkspace } from '../project-workspace.ts';
import type { RunManifest } from '../store/manifest.ts';
import { columnsOf } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { dataViewOf } from './data-view.ts';
import type { Beginning } from './protocol.ts';
import { lookInto, runSql, type SqlOptions } from './sql-process.ts';

const SHOWN_ROWS = 10;
const HEAD_BYTES = 64 * 1024;
const TIMEOUT_MS = 20_000;

/** Columns of a run as query_export names and types them, and its first rows. */
export interface FirstRows {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly unit?: string; readonly from?: string }[];
  readonly rows: readonly unknown[];
}

type RunFiles = Pick<ProjectWorkspace, 'dir' | 'holder' | 'pathOf'>;

/** Reads the first rows of a run: from the first file that has one, or from the table where the files were dropped. */
export async function firstRows(run: RunManifest, { dir, holder, pathOf }: RunFiles): Promise<FirstRows> {
  const format = run.format.toUpperCase();
  if (format !== 'JSONL' && format !== 'CSV') return { columns: [], rows: [] };
  const options: SqlOptions = { directory: dir, holder, timeoutMs: TIMEOUT_MS };
  if (run.table) return tableRows(run, { dir, holder, pathOf }, options);
  const pathIn = (file: { readonly name: string }) => relative(dir, pathOf(run, file)).split(sep).join('/');
  for (const file of run.files) {
    const [look] = await lookInto({ files: [{ path: pathIn(file), gzip: file.gzip, format }], headBytes: HEAD_BYTES }, options);
    if (!look || look.isEmpty) continue;
    const samples = new Map(look.names.map((name, index) => [name, look.samples[index] ?? []]));
    const { text, cut } = look.head ?? { text: '', cut: false };
    const rows = format === 'CSV' ? shownCsvRows(text, cut) : await shownJsonRows(text, cut);
    return { columns: columnsOf([{ names: look.names, samples, fields: run.fields }]), rows };
  }
  return { columns: [], rows: [] };
}

async function tableRows(run: RunManifest, { dir, pathOf }: RunFiles, options: SqlOptions): Promise<FirstRows> {
  const look = (): Promise<Beginning[]> => Promise.resolve([]); // a table needs none
  const { columns, setup, files, name } = await dataViewOf([run], { directory: dir, pathOf, look });
  const request = {
    views: [name],
    setup: [setup],
    files,
    sql: `FROM ${name} LIMIT ${SHOWN_ROWS}`,
    maxRows: SHOWN_ROWS,
    maxChars: 10_000_000,
  };
  const result = await runSql(request, options);
  const stored = new Set(columns.flatMap(({ name: own, from }) => (from === undefined ? [own] : [])));
  const record = (row: (typeof result.rows)[number]) =>
    Object.fromEntries(result.columns.flatMap(({ name: own }, index) => (stored.has(own) ? [[own, row[index]]] : [])));
  return { columns, rows: result.rows.map(record) };
}

async function shownJsonRows(text: string, cut: boolean): Promise<unknown[]> {
  const lines = text.split('\n', SHOWN_ROWS + 1);
  const whole = cut || lines.length > SHOWN_ROWS ? lines.slice(0, -1) : lines;
  // Ids beyond 2^53 stay as they are written.
  return Promise.all(whole.filter((line) => line.trim() !== '').map((line) => parseJson(line).catch(() => line)));
}

function shownCsvRows(text: string, cut: boolean): Record<string, string | undefined>[] {
  const [names = [], ...records] = csvRecords(text, { limit: SHOWN_ROWS + 1, cut });
  return records.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])));
}
