import { ApiError } from '../../api/errors.ts';
import { describeRange } from '../../lib/dates.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { askedDays, uncovered } from '../../workspace/query/asked-days.ts';
import { coverageOf, type Interval } from '../../workspace/query/batches.ts';
import { typeOf } from '../../workspace/query/columns.ts';
import { type Dialect, type Example, examplesOf } from '../../workspace/query/examples.ts';
import type { Cell } from '../../workspace/query/protocol.ts';
import { queryResults } from '../../workspace/query/query-results.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import type { Context } from '../context.ts';
import { aboutColumn, currencyOf, unitsOf } from './amounts.ts';
import { type Asked, type Data, type DataPart, type DataUses, MAX_CHARS, type Sources, withData } from './export-data.ts';

/** Most rows that a query gives. */
const MAX_ROWS = 50_000;
/** Rows of a picture; more points than pixels say nothing. */
const MAX_DRAWN = 2_000;
/** Rows of an answer, where the caller names no limit. */
const USUAL_ROWS = 100;
const SHORT_ROWS = 20;
/** Columns that one note names. */
const MAX_NAMED = 12;
const MAX_GAPS = 5; // further ones are only counted

type QueryContext = DataUses & Pick<Context, 'lists'>;

/** Rows of a query. */
export interface QueryAnswer extends Sources {
  readonly dialect?: Dialect;
  readonly rowCount: number;
  readonly columns: string[];
  readonly rows: Cell[][];
  /** Units of the columns that are columns of the data. */
  readonly units?: Record<string, string>;
  /** Of its amounts, where the platform gives it. */
  readonly currency?: string;
  /** More rows than the text shows, the days of the data, and the types of the columns, for a chart. */
  readonly drawnRows: Cell[][];
  readonly drawnDays: Interval | undefined;
  readonly types: readonly string[];
  /** Id of the whole result, where not all of it may be shown. */
  readonly resultId?: string;
}

/** The data that can be queried: a row for each of its columns. */
export interface Description extends Sources {
  readonly dialect?: Dialect;
  readonly scope?: string;
  readonly format?: string;
  readonly runs: number;
  readonly rowCount?: number;
  readonly covered: string[];
  readonly gaps: string[];
  readonly columns: string[];
  readonly rows: Cell[][];
  readonly examples: Example[];
  readonly currency?: string;
}

function wordsOf({ startMs, endMs }: Interval, { timeZone, nowMs }: QueryContext): string {
  return describeRange({ startMs, endMs, startIso: '', endIso: '', timeZone, nowMs }).text;
}

/** Whether a statement names this; without a statement everything is of interest. */
function isNamed(sql: string | undefined, name: string): boolean {
  return sql === undefined || new RegExp(`(?<![\\w.])${name.replace(/[^\w]/g, '\\$&')}(?!\\w)`, 'i').test(sql);
}

/** Whether a statement reads this view, however its columns are called; without a statement every view is of interest. */
function isRead(sql: string | undefined, view: string): boolean {
  return (
    sql === undefined ||
    new RegExp(`\\b(?:from|join)\\s+(?:"?\\w+"?(?:\\s+(?:as\\s+)?\\w+)?\\s*,\\s*)*"?${view}"?(?![\\w.])`, 'i').test(sql)
  );
}

/** Whether a statement gives rows only where each of its views has one. */
function isInnerJoin(sql: string | undefined): boolean {
  return sql !== undefined && /\bjoin\b/i.test(sql) && !/\b(?:left|right|full|anti|union)\b/i.test(sql);
}

/** Whether a statement takes every column. */
function takesAll(sql: string): boolean {
  return /\bselect\s+(distinct\s+)?(\w+\.)?\*/i.test(sql);
}

/** From the first to the last of the days that are asked for, as far as there are files. */
function spanOf(asked: readonly Interval[], firstMs: number, lastMs: number): Interval {
  const startMs = Math.min(...asked.map((days) => days.startMs));
  const endMs = Math.max(...asked.map((days) => days.endMs));
  return { startMs: Math.max(firstMs, startMs), endMs: Math.min(lastMs, endMs) };
}

/** From the first to the last instant that all of these cover. */
function sharedSpan(covered: readonly (readonly Interval[])[]): Interval {
  return {
    startMs: Math.max(...covered.map(([first]) => first?.startMs ?? 0)),
    endMs: Math.min(...covered.map((intervals) => intervals.at(-1)?.endMs ?? 0)),
  };
}

/** The gaps that change how an answer is read: between the files, or in the days that the statement asks for. */
function gapsFor(asked: readonly Interval[], { covered, gaps }: ReturnType<typeof coverageOf>): readonly Interval[] {
  return asked.length > 0 ? uncovered(asked, covered) : gaps;
}

/** Whether a statement compares this column with something. */
function isCompared(sql: string, name: string): boolean {
  return new RegExp(`(?<!\\w)${name.replace(/[^\w]/g, '\\$&')}"?\\s*(?:::\\s*\\w+\\s*)?(?:[<>=]|\\bbetween\\b)`, 'i').test(sql);
}

/** The runs whose rows a condition on days can select: those that have its columns, which are NULL in the others. */
function selectableRuns({ runs, view }: DataPart, sql: string): readonly RunManifest[] {
  const compared = [...view.runsWith].filter(([name]) => /date|time|day/i.test(name) && isCompared(sql, name));
  return compared.reduce<readonly RunManifest[]>((left, [, own]) => left.filter((run) => own.includes(run)), runs);
}

/**
 * Says what the data cover: where days are missing, a sum is not one over the whole range. With a statement only of the views and days that
 * it uses.
 */
function noteCoverage({ parts: all }: Data, context: QueryContext, sql?: string) {
  const used = all.filter(({ view }) => all.length === 1 || isRead(sql, view.name));
  const asked = sql === undefined ? [] : askedDays(sql, context.nowMs);
  const parts = (used.length > 0 ? used : all).map((part) => ({
    ...part,
    selectable: sql === undefined || asked.length === 0 ? part.runs : selectableRuns(part, sql),
  }));
  const whole = coverageOf(parts.flatMap(({ selectable }) => selectable)).covered;
  const [first, last] = [whole[0], whole.at(-1)];
  const [startMs, endMs] = [first?.startMs ?? 0, last?.endMs ?? 0];
  const shared = isInnerJoin(sql) ? sharedSpan(parts.map(({ selectable }) => coverageOf(selectable).covered)) : { startMs, endMs };
  const span = asked.length > 0 ? spanOf(asked, shared.startMs, shared.endMs) : shared;
  const days = span.startMs < span.endMs ? span : undefined;
  // Of several views each is held against the days of all: what one lacks at its ends is missing from a join too.
  const wanted = asked.length === 0 && parts.length > 1 ? [{ startMs, endMs: endMs + 1 }] : asked;
  if (days) context.covers(days.startMs, days.endMs - 1);
  const each = parts.map((part) => {
    const coverage = coverageOf(part.selectable);
    const { covered } = coverage;
    const prefix = parts.length > 1 ? `${part.view.name}: ` : '';
    const words = gapsFor(wanted, coverage).map((gap) => wordsOf(gap, context));
    const more = words.length > MAX_GAPS ? ` and ${words.length - MAX_GAPS} more` : '';
    const isPart = asked.length > 0 ? ' The result is of the other days.' : '';
    if (words.length > 0)
      context.note(
        ofAnswer(
          `${prefix}Not in the data: ${words.slice(0, MAX_GAPS).join(', ')}${more}.${isPart}` +
            hint('find_export_gaps', ' find_export_gaps gives the causes.'),
        ),
      );
    notePartialColumns(part, context, sql);
    const withPrefix = (texts: readonly string[]) => texts.map((text) => `${prefix}${text}`);
    return { covered: withPrefix(covered.map((interval) => wordsOf(interval, context))), gaps: withPrefix(words) };
  });
  return { days, covered: each.flatMap(({ covered }) => covered), gaps: each.flatMap(({ gaps }) => gaps) };
}

/** Says which days only some columns cover, where several jobs export different ones. */
function notePartialColumns({ runs, view }: DataPart, context: QueryContext, sql: string | undefined): void {
  const daysOf = (own: readonly RunManifest[]) =>
    coverageOf(own)
      .covered.map((interval) => wordsOf(interval, context))
      .join(', ');
  const all = daysOf(runs);
  const partial = [...view.runsWith].flatMap(([folded, own]) => {
    const days = daysOf(own);
    const name = view.columns.find((column) => column.name.toLowerCase() === folded)?.name ?? folded;
    return days === all || !(isNamed(sql, name) || (sql !== undefined && takesAll(sql))) ? [] : [{ name, days }];
  });
  for (const [days, columns] of grouped(partial, ({ days: own }) => own)) {
    const names = columns.map(({ name }) => name);
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    context.note(
      `In ${view.name} only ${days} ${columns.length === 1 ? 'has' : 'have'} ${names.slice(0, MAX_NAMED).join(', ')}${more}; ` +
        'elsewhere NULL.',
    );
  }
}

/** A list or struct as JSON text, so that both channels show it exactly. */
function shownCell(cell: Cell): Cell {
  return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell;
}

/** Which engine answers, where it is not the usual one. */
function dialectOf({ dialect }: Data): { dialect?: Dialect } {
  return dialect === 'DuckDB' ? {} : { dialect };
}

/** Answers one SELECT over downloaded runs. */
export function queryExport(
  { sql, limit, ...asked }: Asked & { sql: string; limit?: number | undefined },
  context: QueryContext,
): Promise<QueryAnswer> {
  return withData(asked, context, async (data) => {
    const { workspace, parts, about } = data;
    const { days } = noteCoverage(data, context, sql);
    const { columns, rows, more } = await data.select(sql, { maxRows: MAX_ROWS, author: 'caller' });
    if (more && rows.length === 0)
      throw new ApiError('invalid', `sql: its first row alone has more than ${MAX_CHARS} characters. Select shorter values.`);
    if (more) context.note(`Only the first ${rows.length} rows were read; group or filter to get all in one answer.`);
    if (/\b(rollup|cube|grouping\s+sets)\b/i.test(sql) && !/\bgrouping(_id)?\s*\(/i.test(sql))
      context.note('In a ROLLUP, CUBE or GROUPING SETS a NULL may be a total or a missing value: grouping(column) is 1 for a total.');
    const names = columns.map(({ name }) => name);
    const units = unitsOf(
      names,
      parts.flatMap(({ view }) => view.columns),
    );
    const shown = context.whole ? rows : rows.slice(0, limit ?? USUAL_ROWS);
    const resultId = rows.length > SHORT_ROWS ? await queryResults(workspace, context.nowMs).keep({ columns: names, rows }) : undefined;
    const rest = resultId === undefined ? 'a higher limit shows more' : 'the resource in uri holds them all';
    if (shown.length < rows.length) context.note(`The result has ${rows.length} rows; ${rest}.`);
    return {
      ...about,
      ...dialectOf(data),
      rowCount: rows.length,
      columns: names,
      rows: shown.map((row) => row.map(shownCell)),
      drawnRows: rows.slice(0, MAX_DRAWN).map((row) => row.map(shownCell)),
      drawnDays: days,
      ...(Object.keys(units).length > 0 && { units }),
      ...(await currencyOf(Object.values(units), context)),
      types: columns.map(({ type }) => type),
      ...(resultId !== undefined && { resultId }),
    };
  });
}

/** Rows of all views, counted where the manifests do not give them; undefined where that takes too long. */
async function rowCountOf(data: Data, { signal, note }: QueryContext): Promise<number | undefined> {
  let known = 0;
  const unknown = data.parts.filter(({ view }) => {
    known += view.rowCount ?? 0;
    return view.rowCount === undefined;
  });
  if (unknown.length === 0) return known;
  try {
    const counts = unknown.map(({ view }) => `(SELECT count(*) FROM ${view.name})`);
    const { rows } = await data.select(`SELECT ${counts.join(' + ')}`, { maxRows: 1, author: 'server' });
    return known + Number(rows[0]?.[0]);
  } catch (error) {
    if (signal.aborted || (error instanceof ApiError && error.kind === 'settings')) throw error;
    note(`The rows could not be counted: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Describes downloaded data: columns, rows, days, and statements that run on them. */
export function describeExport(asked: Asked, context: QueryContext): Promise<Description> {
  return withData(asked, context, async (data) => {
    const { runs, parts, about } = data;
    const rowCount = await rowCountOf(data, context);
    const last = runs.at(-1);
    const { jobId } = asked;
    if (runs.some(({ format, table }) => format.toUpperCase() === 'CSV' && !table)) context.note('In CSV an empty cell is NULL.');
    const views =
      parts.length === 1 ? `The view is called ${parts[0]?.view.name}` : `The views are ${parts.map(({ view }) => view.name).join(', ')}`;
    if (data.dialect === 'ClickHouse')
      context.note('The warehouse answers: statements are in the dialect of ClickHouse; an absent list is an empty one.');
    context.note(`${views}; names with a dot stand in double quotes; times are UTC; ids are text.`);
    if (jobId === undefined && parts.length > 1) context.note('Views join sessions by project_id, user_id and session_id.');
    const rows = parts.flatMap(({ view }) =>
      view.columns.map((column) => [
        ...(jobId === undefined ? [view.name] : []),
        column.name,
        typeOf(column),
        column.unit ?? null,
        aboutColumn(column),
      ]),
    );
    const examples = parts.flatMap(({ view, runs: own }) =>
      examplesOf(view.columns, { scope: own[0]?.scope ?? '', timeZone: context.timeZone, view: view.name, dialect: data.dialect }),
    );
    return {
      ...about,
      ...dialectOf(data),
      ...(jobId !== undefined && { scope: last?.scope ?? '', format: last?.format ?? '' }),
      runs: runs.length,
      ...(rowCount !== undefined && { rowCount }),
      ...noteCoverage(data, context),
      ...(await currencyOf(
        parts.flatMap(({ view }) => view.columns.flatMap(({ unit }) => unit ?? [])),
        context,
      )),
      columns: [...(jobId === undefined ? ['view'] : []), 'column', 'type', 'unit', 'about'],
      rows,
      examples,
    };
  });
}
