import { ApiError } from '../api/errors.ts';
import { rangeTexts } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { daysIn, hullOf, type Interval, intersect, subtract, union } from '../lib/intervals.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted, inGroups, NO_VALUE } from '../lib/number-text.ts';
import { firstOf } from '../lib/sentences.ts';
import { plainText } from '../lib/strangers-text.ts';
import { sumOfKnown } from '../lib/tally.ts';
import { aboutColumn, currencyOf, unitsOf } from './amounts.ts';
import { coverageOf, coveredLead, EVER, type Lack, timeOfLack } from './coverage.ts';
import { type Asked, type Data, type DataPart, MAX_CHARS, refuseAtOnce } from './export-data.ts';
import type { ExportContext } from './export-lists.ts';
import { storedNames, timeColumn, typeOf } from './query/columns.ts';
import { examplesOf } from './query/examples.ts';
import { queryResults } from './query/query-results.ts';
import type { Cell } from './query/sql-process.ts';
import { askedDays, filesOfStatement, isCompared, isInnerJoin, isNamed, isRead, noValueWords, overBy, takesAll } from './statement.ts';
import { messageOf } from './store/disk.ts';
import { type Supply, withFilesFor } from './supply.ts';

/** Columns that one note names. */
const MAX_NAMED = 12;
const MAX_GAPS = 5; // further ones are only counted

/**
 * Says what the data cover: where days are missing, a sum is not one over the whole range. With a statement only of the views and days that
 * it uses.
 */
function noteCoverage({ parts }: Pick<Data, 'parts'>, context: ExportContext, sql = '', way?: string) {
  const textsOf = (time: readonly Interval[]) => rangeTexts(time, context.timeZone);
  const read = parts.filter(({ view }) => isRead(sql, view.name));
  const asked = askedDays(sql, context.nowMs);
  const areAsked = asked.length > 0;
  const views = (read.length > 0 ? read : parts).map((part) => {
    // In runs without a column it is NULL, which no condition on days selects.
    const compared = storedNames(part.view.columns).filter((name) => areAsked && /date|time|day/i.test(name) && isCompared(sql, name));
    const over = (time: readonly Interval[]) => coverageOf(time, compared, part.view.held);
    return { part, over, have: over(EVER).have, soon: subtract(part.soon(), part.view.held()) };
  });
  const all = views.flatMap(({ have }) => have);
  const shared = isInnerJoin(sql) ? views.reduce((left, { have }) => intersect(left, have), all) : all;
  const bounds = areAsked ? asked : EVER;
  const held = intersect(bounds, shared);
  const days = hullOf(held);
  if (days) context.covers(days.startMs, days.endMs - 1);
  // Of several views each is held against the days of all: what one lacks at its ends is missing from a join too.
  const whole = hullOf(all);
  const wanted = areAsked || !whole ? asked : [whole];
  const next = way === undefined ? hint('find_export_gaps', ' find_export_gaps gives the causes.') : '';
  const coming = intersect(
    bounds,
    views.flatMap(({ soon }) => soon),
  );
  if (coming.length > 0) context.note(`Still being read, and not counted yet: ${textsOf(coming).join(', ')}.`);
  const found = views.map(({ part, over, have, soon }) => {
    const { lack } = over(wanted);
    const without = lack.filter(({ column }) => column !== undefined);
    if (without.length > 0) context.note(ofAnswer(leftOutWords(without, part, context.timeZone)));
    const prefix = views.length > 1 ? `${part.view.name}: ` : '';
    const gaps = lack.flatMap(({ days: lacking, column }) => (column === undefined ? textsOf(subtract(lacking, soon)) : []));
    if (gaps.length > 0) context.note(ofAnswer(`${prefix}Not in the data: ${firstOf(gaps, MAX_GAPS)}.${next}`));
    const partial = partialColumns(part, sql);
    for (const { columns, days: own } of partial) {
      const has = `${columns.length === 1 ? 'has' : 'have'} ${firstOf(columns, MAX_NAMED)}`;
      context.note(`In ${part.view.name} only ${textsOf(own).join(', ')} ${has}; elsewhere NULL.`);
    }
    const withPrefix = (texts: readonly string[]) => texts.map((text) => `${prefix}${text}`);
    return { covered: withPrefix(textsOf(have)), gaps: withPrefix(gaps), partial };
  });
  if (way !== undefined) context.note(ofAnswer(way));
  const over = areAsked ? overBy(asked, context.nowMs) : union([...all, ...coming]);
  const lacking = areAsked ? views.flatMap(({ part }) => subtract(over, part.view.held())) : coming;
  const [missing, reading] = [daysIn(lacking, 'touched'), daysIn(intersect(lacking, coming), 'touched')];
  const own = [...daysIn(over, 'touched')].filter((day) => !missing.has(day));
  const lead = coveredLead({ covered: own, missing: [...missing], reading: [...reading], areAsked });
  return {
    held,
    lead,
    covered: found.flatMap(({ covered }) => covered),
    gaps: [...found.flatMap(({ gaps }) => gaps), ...textsOf(coming).map((range) => `${range}: still being read`)],
    partial: found.flatMap((each) => each.partial),
  };
}

/** Names days whose rows are here, but without the columns by which the statement asks for days: its condition leaves them out. */
function leftOutWords(lack: readonly Lack[], { view }: DataPart, timeZone: string): string {
  const without = new Set(lack.flatMap(({ column }) => column ?? []));
  const other = timeColumn(view.columns)?.name;
  const instead = other === undefined || without.has(other) ? '' : ` ${other} is in all of them.`;
  const rows = `The rows of ${rangeTexts(timeOfLack(lack), timeZone).join(', ')} are here without ${[...without].join(', ')}`;
  return `${rows}, so the condition leaves them out.${instead}`;
}

/** Columns of a statement that only some days have, where several jobs export different ones, with these days. */
function partialColumns(part: DataPart, sql: string) {
  const { held } = part.view;
  const keyOf = (column?: string) => JSON.stringify(held(column));
  const named = storedNames(part.view.columns).filter((name) => sql === '' || isNamed(sql, name) || takesAll(sql));
  return [...grouped(named, keyOf)].flatMap(([days, columns]) => (days === keyOf() ? [] : [{ columns, days: held(columns[0]) }]));
}

/** Most rows that a query gives. */
const MAX_ROWS = 50_000;
/** Rows of a picture; more points than pixels say nothing. */
const MAX_DRAWN = 2_000;
/** Rows of an answer, where the caller names no limit. */
const USUAL_ROWS = 100;
const SHORT_ROWS = 20;

/** A list or struct as JSON text, so that both channels show it exactly. */
function shownCell(cell: Cell): Cell {
  return typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell;
}

/** Which engine answers, where it is not the usual one. */
const dialectOf = ({ dialect }: Data) => (dialect === 'DuckDB' ? undefined : dialect);

/** Columns of the first row that the first sentence of a result tells. */
const LEAD_COLUMNS = 4;
/** A longer text stands in the table alone. */
const LEAD_CHARS = 60;

const rowsText = (count: number) => `${inGroups(count)} ${count === 1 ? 'row' : 'rows'}`;

/** One sentence: how many rows a result has, or that it has more than were read, and the first of them; texts in quotation marks. */
function leadOf(names: readonly string[], [first, ...others]: readonly (readonly Cell[])[], more: boolean): string {
  if (!first) return 'No rows.';
  const all = `${more ? 'More than ' : ''}${rowsText(1 + others.length)}`;
  if (first.every((cell) => cell === null)) return others.length === 0 ? `No value for ${firstOf(names, LEAD_COLUMNS)}.` : `${all}.`;
  const told = first.slice(0, LEAD_COLUMNS).flatMap((cell, at) => {
    const text = cell === null ? NO_VALUE : plainText(typeof cell === 'string' ? cell : JSON.stringify(cell));
    if (text.length > LEAD_CHARS) return [];
    return [`${names[at]} ${typeof cell === 'string' && Number.isNaN(Number(cell)) ? `"${text}"` : text}`];
  });
  if (told.length === 0) return `${all}.`;
  return `${others.length === 0 && !more ? '' : `${all}, the first: `}${told.join(', ')}.`;
}

/** Says where rows are that the answer does not show; `more`: the result has more rows than were read. */
function noteRest([read, shown]: readonly [number, number], isKept: boolean, more: boolean, { note }: ExportContext): void {
  const rest = isKept ? `the resource in uri holds ${more ? 'these' : 'them all'}` : 'a higher limit shows more';
  if (more) note(ofAnswer(`Rows after the first ${read} were not read; ${rest}. Group or filter to get all of them.`));
  else if (shown < read) note(`The result has ${read} rows; ${rest}.`);
}

/** Answers one SELECT over downloaded runs. */
export function queryExport({ sql, limit, ...asked }: Asked & { sql: string; limit?: number | undefined }, context: ExportContext) {
  const answer = async (data: Data, supply: Supply) => {
    const { workspace, parts, about } = data;
    const way = supply.lacks(data.runs) ? await supply.wayOn() : undefined;
    const { columns, rows, more } = await data.select(sql, { maxRows: MAX_ROWS, author: 'caller' });
    if (more && rows.length === 0)
      throw new ApiError('invalid', `sql: its first row alone has more than ${MAX_CHARS} characters. Select shorter values.`);
    const { held, lead, partial } = noteCoverage(data, context, sql, way);
    const noValue = noValueWords(sql, data.runs, rows);
    if (noValue !== undefined) context.note(noValue);
    if (/\b(rollup|cube|grouping\s+sets)\b/i.test(sql) && !/\bgrouping(_id)?\s*\(/i.test(sql))
      context.note('In a ROLLUP, CUBE or GROUPING SETS a NULL may be a total or a missing value: grouping(column) is 1 for a total.');
    const names = columns.map(({ name }) => name);
    const units = unitsOf(
      names,
      parts.flatMap(({ view }) => view.columns),
      sql,
    );
    const shown = context.whole ? rows : rows.slice(0, limit ?? USUAL_ROWS);
    const resultId = rows.length > SHORT_ROWS ? await queryResults(workspace, context.nowMs).keep({ columns: names, rows }) : undefined;
    noteRest([rows.length, shown.length], resultId !== undefined, more, context);
    return {
      answer: lead + leadOf(names, rows, more),
      ...about,
      dialect: dialectOf(data),
      rowCount: more ? undefined : rows.length,
      rowsRead: rows.length,
      columns: names,
      rows: shown.map((row) => row.map(shownCell)),
      // A chart takes more rows than the text shows.
      drawnRows: rows.slice(0, MAX_DRAWN).map((row) => row.map(shownCell)),
      drawnDays: held,
      partial,
      ...(Object.keys(units).length > 0 && { units }),
      currency: await currencyOf(Object.values(units), context),
      types: columns.map(({ type }) => type),
      resultId,
    };
  };
  const days = askedDays(sql, context.nowMs);
  const reads = asked.jobId === undefined ? (view: string) => isRead(sql, view) : undefined;
  const of = { ...asked, days: days.length > 0 ? days : EVER, reads };
  return withFilesFor(of, filesOfStatement(sql, context.nowMs), context, answer, (toCome) => refuseAtOnce(sql, asked, toCome, context));
}

/** Rows of all views, counted where the manifests do not give them; undefined where that takes too long. */
async function rowCountOf(data: Data, { signal, note }: ExportContext): Promise<number | undefined> {
  const known = sumOfKnown(data.parts, ({ view }) => view.rowCount);
  const unknown = data.parts.filter(({ view }) => view.rowCount === undefined);
  if (unknown.length === 0) return known;
  try {
    const counts = unknown.map(({ view }) => `(SELECT count(*) FROM ${view.name})`);
    const { rows } = await data.select(`SELECT ${counts.join(' + ')}`, { maxRows: 1, author: 'server' });
    return known + Number(rows[0]?.[0]);
  } catch (error) {
    if (signal.aborted || (error instanceof ApiError && error.kind === 'settings')) throw error;
    note(`The rows could not be counted: ${messageOf(error)}`);
    return undefined;
  }
}

/** Describes downloaded data: columns, rows, days, and statements that run on them. */
export function describeExport(asked: Asked, context: ExportContext) {
  const description = async (data: Data) => {
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
    const { lead, covered, gaps } = noteCoverage(data, context);
    const holds = parts.map(({ view }) => `${view.name} (${counted(view.columns.length, 'column')})`).join(' and ');
    return {
      answer: `${lead}${rowCount === undefined ? 'Rows' : rowsText(rowCount)} of ${holds}.`,
      ...about,
      dialect: dialectOf(data),
      ...(jobId !== undefined && { scope: last?.scope ?? '', format: last?.format ?? '' }),
      runs: runs.length,
      rowCount,
      covered,
      gaps,
      currency: await currencyOf(
        parts.flatMap(({ view }) => view.columns.map(({ unit }) => unit)),
        context,
      ),
      columns: [...(jobId === undefined ? ['view'] : []), 'column', 'type', 'unit', 'about'],
      rows,
      examples,
    };
  };
  return withFilesFor(asked, [], context, description);
}
