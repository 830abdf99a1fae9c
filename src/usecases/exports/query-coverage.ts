import { describeRange } from '../../lib/dates.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { askedDays } from '../../workspace/query/asked-days.ts';
import { timeColumn } from '../../workspace/query/columns.ts';
import { coverageOf, type Interval, uncovered } from '../../workspace/query/intervals.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import type { Context } from '../context.ts';
import type { Data, DataPart } from './export-data.ts';
import { isNamed, isRead } from './files-needed.ts';

/** Columns that one note names. */
const MAX_NAMED = 12;
const MAX_GAPS = 5; // further ones are only counted

type CoverageContext = Pick<Context, 'note' | 'covers' | 'timeZone' | 'nowMs'>;

function wordsOf({ startMs, endMs }: Interval, { timeZone, nowMs }: CoverageContext): string {
  return describeRange({ startMs, endMs, startIso: '', endIso: '', timeZone, nowMs }).text;
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

/** The columns by which a statement asks for days, in lower case. */
function dayColumns({ runsWith }: DataPart['view'], sql: string): string[] {
  return [...runsWith.keys()].filter((name) => /date|time|day/i.test(name) && isCompared(sql, name));
}

/** The runs whose rows a condition on days can select: those that have its columns, which are NULL in the others. */
function selectableRuns({ runs, view }: DataPart, sql: string): readonly RunManifest[] {
  const compared = dayColumns(view, sql).map((name) => view.runsWith.get(name) ?? runs);
  return compared.reduce<readonly RunManifest[]>((left, own) => left.filter((run) => own.includes(run)), runs);
}

/**
 * Says what the data cover: where days are missing, a sum is not one over the whole range. With a statement only of the views and days that
 * it uses.
 */
export function noteCoverage({ parts: all }: Pick<Data, 'parts'>, context: CoverageContext, sql?: string, way?: string) {
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
  // Days that were asked for decide how the rows are read, so that an answer begins with them.
  const lacking: string[] = [];
  const tell = (sentence: string) => (asked.length > 0 ? void lacking.push(sentence) : context.note(ofAnswer(sentence)));
  const each = parts.map((part) => {
    if (sql !== undefined) noteUnselectable(part, wanted, context, sql);
    const coverage = coverageOf(part.selectable);
    const { covered } = coverage;
    const prefix = parts.length > 1 ? `${part.view.name}: ` : '';
    const absent = uncovered(gapsFor(wanted, coverage), coverageOf(part.runs).covered);
    const words = absent.map((gap) => wordsOf(gap, context));
    const more = words.length > MAX_GAPS ? ` and ${words.length - MAX_GAPS} more` : '';
    const isPart = asked.length > 0 ? ` ${partWords(asked, covered)}` : '';
    if (words.length > 0)
      tell(
        `${prefix}Not in the data: ${words.slice(0, MAX_GAPS).join(', ')}${more}.${isPart}` +
          (way === undefined ? hint('find_export_gaps', ' find_export_gaps gives the causes.') : ''),
      );
    notePartialColumns(part, context, sql);
    const withPrefix = (texts: readonly string[]) => texts.map((text) => `${prefix}${text}`);
    return { covered: withPrefix(covered.map((interval) => wordsOf(interval, context))), gaps: withPrefix(words) };
  });
  if (way !== undefined) context.note(ofAnswer(way));
  return {
    days,
    lacking,
    covered: each.flatMap(({ covered }) => covered),
    gaps: each.flatMap(({ gaps }) => gaps),
  };
}

/** Which of the days that a statement asks for the result is of. */
function partWords(asked: readonly Interval[], covered: readonly Interval[]): string {
  const length = (intervals: readonly Interval[]) => intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const isNone = length(uncovered(asked, covered)) === length(asked);
  return isNone ? 'These are all the days asked for.' : 'The result is of the other days.';
}

/** Names days whose rows are here, but without the column by which the statement asks for days: its condition leaves them out. */
function noteUnselectable(
  { runs, selectable, view }: DataPart & { readonly selectable: readonly RunManifest[] },
  asked: readonly Interval[],
  context: CoverageContext,
  sql: string,
): void {
  if (selectable.length === runs.length) return;
  const left = uncovered(asked, coverageOf(selectable).covered);
  const really = uncovered(left, coverageOf(runs).covered);
  const here = really.reduce<readonly Interval[]>((rest, gap) => uncovered(rest, [gap]), left);
  if (here.length === 0) return;
  const lacking = dayColumns(view, sql).filter((name) => view.runsWith.get(name)?.length !== runs.length);
  const days = here.map((interval) => wordsOf(interval, context)).join(', ');
  const other = timeColumn(view.columns)?.name;
  const instead = other === undefined || lacking.includes(other.toLowerCase()) ? '' : ` ${other} is in all of them.`;
  context.note(ofAnswer(`The rows of ${days} are here without ${lacking.join(', ')}, so the condition leaves them out.${instead}`));
}

/** Says which days only some columns cover, where several jobs export different ones. */
function notePartialColumns({ runs, view }: DataPart, context: CoverageContext, sql: string | undefined): void {
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
