import { ApiError } from '../../api/errors.ts';
import { describeRange } from '../../lib/dates.ts';
import { coverageOf, type Stretch } from '../../workspace/query/batches.ts';
import type { Unit } from '../../workspace/query/column-types.ts';
import { type Column, typeOf } from '../../workspace/query/columns.ts';
import { type DataView, dataViewOf } from '../../workspace/query/data-view.ts';
import { type Example, examplesOf } from '../../workspace/query/examples.ts';
import type { Cell } from '../../workspace/query/protocol.ts';
import { resultsOf } from '../../workspace/query/query-results.ts';
import { runSql, type SqlResult } from '../../workspace/query/sql-process.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import type { ProjectWorkspace } from '../../workspace/store/project-workspace.ts';
import type { Context } from '../context.ts';
import { sqlFailure } from './sql-errors.ts';

/** A call has 40 seconds, of which the look into the files takes some. */
const TIMEOUT_MS = 32_000;
/** Most rows that a query gives. */
const MAX_ROWS = 50_000;
/** Most characters of these rows as JSON. */
const MAX_CHARS = 8_000_000;
/** Rows of an answer, where the caller names no limit. */
const USUAL_ROWS = 100;
/** An answer with fewer rows is never cut. */
const SHORT_ROWS = 20;
/** Units that a number is not understood without. */
const AMOUNTS: ReadonlySet<Unit> = new Set<Unit>(['cents', 'money', 'ms', 's', '%']);
/** Gaps beyond this are counted only. */
const MAX_GAPS = 5;

type Uses = Pick<Context, 'workspace' | 'note' | 'covers' | 'timeZone' | 'nowMs' | 'signal' | 'whole'>;

/** What both answers say of the data. */
interface Source {
  readonly jobId: number;
  readonly job: string;
}

/** Rows of a query. */
export interface QueryAnswer extends Source {
  readonly rowCount: number;
  readonly columns: string[];
  readonly rows: Cell[][];
  /** Units of the columns that are columns of the data. */
  readonly units?: Record<string, string>;
  /** Types of the columns, for a chart. */
  readonly types: readonly string[];
  /** Id of the whole result, where not all of it may be shown. */
  readonly resultId?: string;
}

/** What there is to be queried: a row for each column of the data. */
export interface Description extends Source {
  readonly scope: string;
  readonly format: string;
  readonly runs: number;
  readonly rowCount?: number;
  readonly covered: string[];
  readonly gaps: string[];
  readonly columns: string[];
  readonly rows: Cell[][];
  readonly examples: Example[];
}

function wordsOf({ startMs, endMs }: Stretch, { timeZone, nowMs }: Uses): string {
  return describeRange({ startMs, endMs, startIso: '', endIso: '', timeZone, nowMs }).text;
}

/** The complete runs of a job; throws where nothing is there. */
async function runsOf(workspace: ProjectWorkspace, jobId: number): Promise<RunManifest[]> {
  const runs = await workspace.runs(jobId);
  if (runs.length > 0) return runs;
  throw new ApiError(
    'missing',
    `Nothing of job ${jobId} is in the workspace yet. download_export_run fetches its latest run, sync_exports all that the platform still has.`,
  );
}

/** Says what the data cover; a sum over days that are not there is none over the whole range. */
function noteCoverage(runs: readonly RunManifest[], context: Uses): { covered: string[]; gaps: string[] } {
  const { covered, gaps } = coverageOf(runs);
  const [first, last] = [covered[0], covered.at(-1)];
  if (first && last) context.covers(first.startMs, last.endMs - 1);
  const words = gaps.map((gap) => wordsOf(gap, context));
  const more = words.length > MAX_GAPS ? ` and ${words.length - MAX_GAPS} more` : '';
  if (words.length > 0) context.note(`Not in the data: ${words.slice(0, MAX_GAPS).join(', ')}${more}. find_export_gaps tells why.`);
  return { covered: covered.map((interval) => wordsOf(interval, context)), gaps: words };
}

/** Runs one statement over the view while none of its files can be removed. */
async function select(view: DataView, sql: string, maxRows: number, workspace: ProjectWorkspace, signal: AbortSignal): Promise<SqlResult> {
  try {
    const request = { viewSql: view.viewSql, files: view.files, sql, maxRows, maxChars: MAX_CHARS };
    return await runSql(request, { directory: workspace.dir, timeoutMs: TIMEOUT_MS, signal });
  } catch (error) {
    throw await sqlFailure(error, view.columns);
  }
}

/** A list or struct as JSON text, so that both channels show it exactly. */
function shownCell(cell: Cell): Cell {
  return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell;
}

function unitsOf(names: readonly string[], columns: readonly Column[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap(({ name, unit }) => (unit && AMOUNTS.has(unit) && names.includes(name) ? [[name, unit]] : [])));
}

async function withView<T>(
  jobId: number,
  context: Uses,
  use: (data: { workspace: ProjectWorkspace; runs: RunManifest[]; view: DataView }) => Promise<T>,
): Promise<T> {
  const workspace = await context.workspace();
  const runs = await runsOf(workspace, jobId);
  return workspace.reading(runs, async () => {
    const view = await dataViewOf(runs, { directory: workspace.dir, pathOf: (run, file) => workspace.pathOf(run, file) });
    for (const sentence of view.notes) context.note(sentence);
    return use({ workspace, runs, view });
  });
}

/** Answers one SELECT over the downloaded runs of a job. */
export function queryExport(
  { jobId, sql, limit }: { jobId: number; sql: string; limit?: number | undefined },
  context: Uses,
): Promise<QueryAnswer> {
  return withView(jobId, context, async ({ workspace, runs, view }) => {
    noteCoverage(runs, context);
    const { columns, rows, more } = await select(view, sql, MAX_ROWS, workspace, context.signal);
    if (more && rows.length === 0)
      throw new ApiError('invalid', `sql: its first row alone has more than ${MAX_CHARS} characters. Select shorter values.`);
    if (more) context.note(`Only the first ${rows.length} rows were read; group or filter to get all in one answer.`);
    const names = columns.map(({ name }) => name);
    const units = unitsOf(names, view.columns);
    const shown = context.whole ? rows : rows.slice(0, limit ?? USUAL_ROWS);
    const resultId = rows.length > SHORT_ROWS ? await resultsOf(workspace, context.nowMs).keep({ columns: names, rows }) : undefined;
    const rest = resultId === undefined ? 'a higher limit shows more' : 'the resource in uri holds them all';
    if (shown.length < rows.length) context.note(`The result has ${rows.length} rows; ${rest}.`);
    return {
      jobId,
      job: runs.at(-1)?.jobName ?? '',
      rowCount: rows.length,
      columns: names,
      rows: shown.map((row) => row.map(shownCell)),
      ...(Object.keys(units).length > 0 && { units }),
      types: columns.map(({ type }) => type),
      ...(resultId !== undefined && { resultId }),
    };
  });
}

/** Rows of the view, counted where the manifests do not tell; undefined where that takes too long. */
async function rowCountOf(view: DataView, workspace: ProjectWorkspace, { signal, note }: Uses): Promise<number | undefined> {
  if (view.rowCount !== undefined) return view.rowCount;
  try {
    const { rows } = await select(view, 'SELECT count(*) FROM data', 1, workspace, signal);
    return Number(rows[0]?.[0]);
  } catch (error) {
    if (signal.aborted || (error instanceof ApiError && error.kind === 'settings')) throw error;
    note(`The rows could not be counted: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Describes the data of a job: columns, rows, days, and statements that run on them. */
export function describeExport(jobId: number, context: Uses): Promise<Description> {
  return withView(jobId, context, async ({ workspace, runs, view }) => {
    const rowCount = await rowCountOf(view, workspace, context);
    const last = runs.at(-1);
    const about = ({ field, from }: Column) => (from ? `from ${from}` : field ? `field ${field}` : null);
    if (last?.format.toUpperCase() === 'CSV') context.note('In CSV an empty cell is NULL.');
    context.note('The view is called data; names with a dot stand in double quotes; times are UTC; ids are text.');
    return {
      jobId,
      job: last?.jobName ?? '',
      scope: last?.scope ?? '',
      format: last?.format ?? '',
      runs: runs.length,
      ...(rowCount !== undefined && { rowCount }),
      ...noteCoverage(runs, context),
      columns: ['column', 'type', 'unit', 'about'],
      rows: view.columns.map((column) => [column.name, typeOf(column), column.unit ?? null, about(column)]),
      examples: examplesOf(view.columns, { scope: last?.scope ?? '', timeZone: context.timeZone }),
    };
  });
}
