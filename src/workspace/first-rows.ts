import { parseJson } from '../api/json.ts';
import type { RunManifest } from './manifest.ts';
import { columnsOf } from './query/columns.ts';
import { csvRecords } from './query/csv-records.ts';
import { headOf, sniff } from './query/sniff.ts';

const ROWS = 10;
const HEAD_BYTES = 64 * 1024;

/** Columns of a run as query_export names and types them, and its first rows as the file holds them. */
export interface FirstRows {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly unit?: string; readonly from?: string }[];
  readonly rows: readonly unknown[];
}

/** Reads the beginning of the first file that holds a row; `pathOf` gives the path of a file. */
export async function firstRows(run: RunManifest, pathOf: (file: RunManifest['files'][number]) => string): Promise<FirstRows> {
  const format = run.format.toUpperCase();
  if (format !== 'JSONL' && format !== 'CSV') return { columns: [], rows: [] };
  for (const file of run.files) {
    const path = pathOf(file);
    const { names, samples, isEmpty } = await sniff(path, { gzip: file.gzip, format });
    if (isEmpty) continue;
    const { text, cut } = await headOf(path, file.gzip, HEAD_BYTES);
    const rows = format === 'CSV' ? csvRows(text, cut) : await jsonRows(text, cut);
    return { columns: columnsOf([{ names, samples, fields: run.fields }]), rows };
  }
  return { columns: [], rows: [] };
}

async function jsonRows(text: string, cut: boolean): Promise<unknown[]> {
  const lines = text.split('\n', ROWS + 1);
  const whole = cut || lines.length > ROWS ? lines.slice(0, -1) : lines;
  // Ids beyond 2^53 stay as they are written.
  return Promise.all(whole.filter((line) => line.trim() !== '').map((line) => parseJson(line).catch(() => line)));
}

function csvRows(text: string, cut: boolean): Record<string, string | undefined>[] {
  const [names = [], ...records] = csvRecords(text, { limit: ROWS + 1, cut });
  return records.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])));
}
