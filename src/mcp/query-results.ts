import type { ProjectWorkspace } from '../workspace/project-workspace.ts';
import type { Cell } from '../workspace/query/protocol.ts';

/** Results that a session keeps of a project; the oldest makes room. */
const MAX_RESULTS = 10;
/** Characters that all sessions of this server keep together. */
const MAX_CHARS = 64_000_000;

/** All rows of an answered query. */
interface QueryRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The latest results of one session and project. */
interface QueryResults {
  /** Gives the id under which the rows are found again. */
  keep(rows: QueryRows): number;
  /** The rows as CSV; undefined where they had to make room. */
  find(id: number): string | undefined;
  /** Ids from the latest on. */
  ids(): number[];
}

/** What is kept of all sessions, the oldest first; each entry forgets itself. */
const kept = new Map<object, { readonly chars: number; readonly forget: () => void }>();

function makeRoom(): void {
  let chars = [...kept.values()].reduce((sum, each) => sum + each.chars, 0);
  for (const oldest of kept.values()) {
    if (chars <= MAX_CHARS) return;
    chars -= oldest.chars;
    oldest.forget();
  }
}

function createResults(): QueryResults {
  const texts = new Map<number, { readonly text: string }>();
  let lastId = 0;
  function forget(id: number): void {
    const result = texts.get(id);
    if (result) kept.delete(result);
    texts.delete(id);
  }
  return {
    keep(rows) {
      lastId += 1;
      const id = lastId;
      const result = { text: csvOf(rows) };
      texts.set(id, result);
      kept.set(result, { chars: result.text.length, forget: () => forget(id) });
      forget(id - MAX_RESULTS);
      makeRoom();
      return id;
    },
    find: (id) => texts.get(id)?.text,
    ids: () => [...texts.keys()].toReversed(),
  };
}

const byWorkspace = new WeakMap<ProjectWorkspace, QueryResults>();

/** The results that belong to a workspace as one session opened it. */
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
function csvOf({ columns, rows }: QueryRows): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
