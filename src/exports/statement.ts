import { DAY_MS } from '../lib/clock.ts';
import { type Interval, intersect, isSpan } from '../lib/intervals.ts';
import { isVariableField, USUAL_SCOPES } from './plan/resolve-fields.ts';
import type { Cell } from './query/sql-process.ts';
import type { RunManifest } from './store/manifest.ts';

/** Files that a question reads: of a scope, or of a job that it names, whatever its scope and columns are. */
export interface FilesNeeded {
  readonly scope: string;
  readonly jobId?: number | undefined;
  /** Days that it names, as far as they are over (UTC); none where it takes those that there are. */
  readonly days: readonly Interval[];
  /** Whether it reads a column, by its name in the files; left out: it is about all that there is, whatever the columns. */
  readonly reads?: (column: string) => boolean;
}

/** A date in quotes behind a comparison, with what SQL may write around it; after BETWEEN two of them. */
const LITERAL = String.raw`(?:cast\s*\(\s*)?(?:date|timestamp)?\s*'(\d{4}-\d{2}-\d{2})([ T][\d:.]+Z?)?'`;
/** A condition that leaves days out instead of naming those that it selects. */
const EXCLUDED = new RegExp(String.raw`(?:<>|!=|\bnot\s+between\b)\s*${LITERAL}`, 'i');
const COMPARED = new RegExp(String.raw`(>=|<=|>|<|=|\bbetween\b)\s*${LITERAL}(?:[^'<>=]{0,30}?\band\b\s*${LITERAL})?`, 'gi');

/** The interval of a date, with or without a time: a whole day, or no time from an instant on. */
function literalOf(day: string, time: string | undefined): Interval {
  const startMs = Date.parse(`${day}T${time?.trim().replace(/^T|Z$/g, '') ?? '00:00:00'}Z`);
  return { startMs, endMs: startMs + (time === undefined ? DAY_MS : 0) };
}

/** From where to where one comparison reaches; without an end, or a beginning, that is infinite. */
function reachOf([, operator = '', day = '', time, lastDay, lastTime]: RegExpMatchArray): Interval {
  const { startMs, endMs } = literalOf(day, time);
  if (operator.startsWith('>')) return { startMs: operator === '>' ? endMs : startMs, endMs: Number.POSITIVE_INFINITY };
  if (operator.startsWith('<')) return { startMs: Number.NEGATIVE_INFINITY, endMs: operator === '<' ? startMs : endMs };
  return { startMs, endMs: /between/i.test(operator) && lastDay !== undefined ? literalOf(lastDay, lastTime).endMs : endMs };
}

/**
 * The days (UTC) that the dates of a statement select, as far as they are written as dates: from each lower bound to the next upper one, or
 * to `nowMs` where none follows. Empty where the statement names no date, or only an end, or leaves days out.
 */
export function askedDays(sql: string, nowMs: number): readonly Interval[] {
  if (EXCLUDED.test(sql)) return [];
  const reaches = [...sql.matchAll(COMPARED)].map(reachOf);
  const froms = reaches.map(({ startMs }) => startMs).filter(Number.isFinite);
  const ends = reaches.map(({ endMs }) => endMs).filter(Number.isFinite);
  // `d < A OR d >= B`: everything before A is meant too.
  if (ends.some((ms) => ms <= Math.min(...froms))) return [];
  const found = froms.map((startMs) => ({ startMs, endMs: Math.min(nowMs, ...ends.filter((ms) => ms > startMs)) }));
  return found.filter(isSpan);
}

/** The last midnight (UTC): a day that is not over is no gap. */
export function lastMidnight(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS;
}

/** Days up to the last midnight. */
export function overBy(days: readonly Interval[], nowMs: number): Interval[] {
  return intersect(days, [{ startMs: Number.NEGATIVE_INFINITY, endMs: lastMidnight(nowMs) }]);
}

const escaped = (name: string) => name.replace(/[^\w]/g, '\\$&');

/** Whether a statement names this. */
export function isNamed(sql: string, name: string): boolean {
  return new RegExp(`(?<![\\w.])${escaped(name)}(?!\\w)`, 'i').test(sql);
}

/** Whether a statement reads this view, however its columns are called. */
export function isRead(sql: string, view: string): boolean {
  return new RegExp(`\\b(?:from|join)\\s+(?:"?\\w+"?(?:\\s+(?:as\\s+)?\\w+)?\\s*,\\s*)*"?${view}"?(?![\\w.])`, 'i').test(sql);
}

/** Whether a statement compares this column with something. */
export function isCompared(sql: string, name: string): boolean {
  return new RegExp(`(?<!\\w)${escaped(name)}"?\\s*(?:::\\s*\\w+\\s*)?(?:[<>=]|\\bbetween\\b)`, 'i').test(sql);
}

/** Whether a statement gives rows only where each of its views has one. */
export function isInnerJoin(sql: string): boolean {
  return /\bjoin\b/i.test(sql) && !/\b(?:left|right|full|anti|union)\b/i.test(sql);
}

/** Whether a statement takes every column. */
export function takesAll(sql: string): boolean {
  return /\bselect\s+(distinct\s+)?(\w+\.)?\*/i.test(sql);
}

/** Whether words of a statement name a column of the files, itself or in the other unit in which a view shows it too. */
export function namesColumn(words: string, column: string): boolean {
  return [column, column.replace(/_cents$/, ''), `${column.replace(/_msec$/, '')}_seconds`].some((name) => isNamed(words, name));
}

/** The files that a statement over the views of all jobs reads. */
export function filesOfStatement(sql: string, nowMs: number) {
  // Without texts, and without the view before a column; a name with a dot stands in quotes.
  const words = sql.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/(?<!["\w.])\w+\.(?=[A-Za-z_"])/g, '');
  const days = overBy(askedDays(sql, nowMs), nowMs);
  const reads = (column: string) => namesColumn(words, column);
  return USUAL_SCOPES.filter((scope) => isRead(sql, scope)).map((scope) => ({ scope, days, reads }));
}

/** Texts that stand for no value of a variable, as deployments write them. */
export const NO_VALUE = /^$|(^|[-_ ])(empty|null|undefined|none|not[-_ ]set)$/i;

/** The same where other columns may hold words like `none` too. */
const CERTAIN = /[-_ ](empty|not[-_ ]set)$/i;

/** Says of a text among these rows that it stands for no value, where the statement reads a variable; undefined where there is none. */
export function noValueWords(sql: string, runs: readonly RunManifest[], rows: readonly (readonly Cell[])[]): string | undefined {
  const variables = runs
    .flatMap(({ fields }) => fields)
    .flatMap(({ fieldName, aliasName }) => (isVariableField(fieldName) ? (aliasName ?? []) : []));
  const [name] = new Set(variables.filter((variable) => isNamed(sql, variable)));
  const text = rows.flat().find((cell) => typeof cell === 'string' && CERTAIN.test(cell));
  return name === undefined || typeof text !== 'string' ? undefined : `"${text}" stands for no value of ${name}.`;
}
