import { USUAL_SCOPES } from '../../domain/exports/plan/resolve-fields.ts';
import { lower } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { askedDays } from '../../workspace/query/asked-days.ts';
import { folded, promisedColumns } from '../../workspace/query/columns.ts';
import { coverageOf, type Interval, uncovered, within } from '../../workspace/query/intervals.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';

/** Files that a question over all downloaded runs reads. */
export interface FilesNeeded {
  readonly scope: string;
  /** Days that it names, as far as they are over (UTC); none where it takes those that there are. */
  readonly days: readonly Interval[];
  /** Whether it reads a column, by its name in the files. */
  readonly reads: (column: string) => boolean;
}

/** A run, as far as it says what its files hold. */
export type FiledRun = Pick<RunManifest, 'scope' | 'from' | 'to' | 'fields'>;

/** Whether a statement names this; without a statement everything is of interest. */
export function isNamed(sql: string | undefined, name: string): boolean {
  return sql === undefined || new RegExp(`(?<![\\w.])${name.replace(/[^\w]/g, '\\$&')}(?!\\w)`, 'i').test(sql);
}

/** Whether a statement reads this view, however its columns are called; without a statement every view is of interest. */
export function isRead(sql: string | undefined, view: string): boolean {
  return (
    sql === undefined ||
    new RegExp(`\\b(?:from|join)\\s+(?:"?\\w+"?(?:\\s+(?:as\\s+)?\\w+)?\\s*,\\s*)*"?${view}"?(?![\\w.])`, 'i').test(sql)
  );
}

/** The last midnight (UTC): a day that is not over is no gap. */
export function lastMidnight(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS;
}

/** Days up to the last midnight. */
export function overBy(days: readonly Interval[], nowMs: number): Interval[] {
  return within(days, { startMs: Number.NEGATIVE_INFINITY, endMs: lastMidnight(nowMs) });
}

/** Whether words of a statement name a column of the files, itself or in the other unit in which a view shows it too. */
export function namesColumn(words: string, column: string): boolean {
  return [column, column.replace(/_cents$/, ''), `${column.replace(/_msec$/, '')}_seconds`].some((name) => isNamed(words, name));
}

/** The files that a statement over the views of all jobs reads. */
export function filesOfStatement(sql: string, nowMs: number): FilesNeeded[] {
  // Without texts, and without the view before a column; a name with a dot stands in quotes.
  const words = sql.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/(?<!["\w.])\w+\.(?=[A-Za-z_"])/g, '');
  const days = overBy(askedDays(sql, nowMs), nowMs);
  const reads = (column: string) => namesColumn(words, column);
  return USUAL_SCOPES.filter((scope) => isRead(sql, scope)).map((scope) => ({ scope, days, reads }));
}

function holdsAll({ fields }: FiledRun, columns: readonly string[]): boolean {
  if (fields.length === 0) return true; // a job that lists none may have all
  const own = new Set(promisedColumns(fields).map(({ name }) => folded(name)));
  return columns.every((column) => own.has(folded(column)));
}

/** The runs of a scope that have all these columns. */
export function runsHolding<Run extends FiledRun>(runs: readonly Run[], scope: string, columns: readonly string[]): Run[] {
  return runs.filter((run) => lower(run.scope) === lower(scope) && holdsAll(run, columns));
}

/** The pieces of some days that no run of the scope holds with all these columns. */
export function lackingDays(days: readonly Interval[], runs: readonly FiledRun[], scope: string, columns: readonly string[]): Interval[] {
  return [...uncovered(days, coverageOf(runsHolding(runs, scope, columns)).covered)];
}

/** The columns of some files that a question reads. */
export function columnsRead({ scope, reads }: Pick<FilesNeeded, 'scope' | 'reads'>, runs: readonly FiledRun[]): string[] {
  const own = runs
    .filter((run) => lower(run.scope) === lower(scope))
    .flatMap(({ fields }) => promisedColumns(fields).map(({ name }) => folded(name)));
  return [...new Set(own)].filter(reads);
}
