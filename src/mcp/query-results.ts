import type { ProjectWorkspace } from '../workspace/project-workspace.ts';
import type { Cell } from '../workspace/query/protocol.ts';

/** Results that a session keeps to be read; the oldest makes room. */
const MAX_RESULTS = 10;

/** All rows of an answered query. */
interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The latest results of one session and project. */
interface QueryResults {
  /** Gives the id under which the result is found again. */
  keep(result: QueryResult): number;
  find(id: number): QueryResult | undefined;
  /** Ids from the latest on. */
  ids(): number[];
}

function createResults(): QueryResults {
  const kept = new Map<number, QueryResult>();
  let lastId = 0;
  return {
    keep(result) {
      lastId += 1;
      kept.set(lastId, result);
      kept.delete(lastId - MAX_RESULTS);
      return lastId;
    },
    find: (id) => kept.get(id),
    ids: () => [...kept.keys()].toReversed(),
  };
}

const byWorkspace = new WeakMap<ProjectWorkspace, QueryResults>();

/** The results that belong to a workspace as one session opened it; they go with it. */
export function resultsOf(workspace: ProjectWorkspace): QueryResults {
  const known = byWorkspace.get(workspace) ?? createResults();
  byWorkspace.set(workspace, known);
  return known;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV by RFC 4180; lists as JSON text, no value as an empty cell. */
export function csvOf({ columns, rows }: QueryResult): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
