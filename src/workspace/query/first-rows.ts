import type { ProjectWorkspace } from '../project-workspace.ts';
import type { RunManifest } from '../store/manifest.ts';
import type { Column } from './columns.ts';
import { dataViewOf } from './data-view.ts';
import { runSql } from './sql-process.ts';

const SHOWN_ROWS = 10;
const TIMEOUT_MS = 20_000;

/** Columns of a run as query_export names and types them, and rows of it by their names; none of either before it is a table. */
export async function firstRows(
  run: RunManifest,
  { dir: directory, holder, pathOf }: Pick<ProjectWorkspace, 'dir' | 'holder' | 'pathOf'>,
): Promise<{ columns: readonly Column[]; rows: readonly unknown[] }> {
  if (!run.table) return { columns: [], rows: [] };
  const { columns, setup, files, name } = dataViewOf([run], { directory, pathOf });
  const sql = `FROM ${name} LIMIT ${SHOWN_ROWS}`;
  const request = { views: [name], setup: [setup], files, sql, maxRows: SHOWN_ROWS, maxChars: 10_000_000 };
  const result = await runSql(request, { directory, holder, timeoutMs: TIMEOUT_MS });
  const stored = new Set(columns.flatMap(({ name: own, from }) => (from === undefined ? own : [])));
  const record = (row: (typeof result.rows)[number]) =>
    Object.fromEntries(result.columns.flatMap(({ name: own }, index) => (stored.has(own) ? [[own, row[index]]] : [])));
  return { columns, rows: result.rows.map(record) };
}
