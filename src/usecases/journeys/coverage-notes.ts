import { timeOfDays } from '../../domain/exports/coverage.ts';
import { type CoveredDays, daysWords, type ScopeFiles } from '../../domain/journeys/covered-days.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { hint } from '../../lib/hint.ts';
import { formatNumber } from '../../lib/number-text.ts';
import type { Cell } from '../../workspace/query/protocol.ts';
import type { Context } from '../context.ts';
import { dayOfMs, flag, isBetween, msOf, type SqlWords } from './sql-words.ts';
import { type Filters, filterConditions } from './visit-filters.ts';

/** The parts of an answer over visits that say what it covers. */
export interface Covered {
  readonly sql: SqlWords;
  readonly filters: Filters;
  readonly days: CoveredDays;
  readonly files: readonly ScopeFiles[];
  /** Whether the downloaded sessions, read or not, say of all covered days which are automated. */
  readonly knowsAutomated: boolean;
  /** The column of a field of downloaded sessions or views, read or not. */
  readonly column: (scope: string, field: string) => string | undefined;
  readonly select: (statement: string) => Promise<readonly Readonly<Record<string, Cell>>[]>;
}

const TIMES: Readonly<Record<string, string>> = { sessions: 'session_time', views: 'view_time' };

type Days = Pick<Covered, 'days'>;

function inRange({ days }: Days, time: string): string {
  return isBetween(time, days.first * DAY_MS, (days.last + 1) * DAY_MS);
}

/** Conditions on the time of a row to be of the covered days. */
export function onCoveredDays({ days }: Days, time: string): string[] {
  const absent = days.missing.length === 0 ? [] : [`${dayOfMs(msOf(time))} NOT IN (${days.missing.join(', ')})`];
  return [inRange({ days }, time), ...absent];
}

/** Counts the automated sessions among those of the covered days, under the other filters. */
function automatedSql(coverage: Covered): string[] {
  const { sql, filters, column, knowsAutomated } = coverage;
  if (!knowsAutomated) return [];
  const [time, automated] = [column('sessions', 'session_time'), column('sessions', 'is_excludable')];
  if (time === undefined || automated === undefined) return [];
  const conditions = filterConditions({ ...filters, automated: undefined }, (field) => column('sessions', field) ?? 'NULL', sql);
  const where = [...onCoveredDays(coverage, time), ...conditions].join(' AND ');
  return [`SELECT 'automated' AS kind, count(*) AS n, sum(${flag(`coalesce(${automated}, false)`)}) AS part FROM sessions WHERE ${where}`];
}

/** Counts the rows of the days that are left out because a file lacks them. */
function leftOutSql(coverage: Covered): string[] {
  const { sql, days, files, column } = coverage;
  if (days.missing.length === 0) return [];
  return files.flatMap(({ name }) => {
    const time = column(name, TIMES[name] ?? '');
    if (time === undefined) return [];
    const where = `${inRange(coverage, time)} AND ${dayOfMs(msOf(time))} IN (${days.missing.join(', ')})`;
    return `SELECT ${sql.text(name)} AS kind, count(*) AS n, 0 AS part FROM ${name} WHERE ${where}`;
  });
}

interface Count {
  readonly kind: string;
  readonly n: number;
  readonly part: number;
}

const inGroups = (value: number) => formatNumber(value, { group: true });

/** Why files do not cover a day; where rows are missing too, a column is no reason. */
function reasonOf({ files, days }: Covered, day: number): string {
  if (days.reading.includes(day)) return 'still being read';
  const lacking = files.map(({ name, over }) => ({ name, columns: over(timeOfDays([day])).lack.map(({ column }) => column) }));
  const without = lacking.filter(({ columns }) => columns.includes(undefined)).map(({ name }) => name);
  const reduced = lacking.filter(({ name, columns }) => columns.length > 0 && !without.includes(name));
  return [
    ...(without.length > 0 ? [`no whole day of ${without.join(' and ')} is downloaded`] : []),
    ...reduced.map(({ name, columns }) => `the downloaded ${name} lack the column ${columns.join(', ')}`),
  ].join(', and ');
}

function missingWords(coverage: Covered, counts: readonly Count[]): string {
  const { days, files } = coverage;
  const lacks = [...grouped(days.missing, (day) => reasonOf(coverage, day))].map(
    ([reason, own]) => `${daysWords(own).join(', ')}: ${reason}`,
  );
  // In the order of the files, because an engine gives the parts of a statement in any.
  const rows = files.flatMap(({ name }) => {
    const found = counts.find(({ kind, n }) => kind === name && n > 0);
    return found ? `${inGroups(found.n)} rows of ${name}` : [];
  });
  const ofDays = days.missing.length === 1 ? 'that day' : 'those days';
  const there = rows.length === 0 ? '' : `; ${rows.join(' and ')} of ${ofDays} are here and left out too`;
  const next = hint('find_export_gaps', ' find_export_gaps says why and plans what fills them.');
  return `Not covered, and left out: ${lacks.join('; ')}${there}.${days.reading.length === days.missing.length ? '' : next}`;
}

function automatedWords({ filters }: Covered, { n, part }: Count): string {
  const share = n > 0 ? ` (${formatNumber(Number(((100 * part) / n).toFixed(1)))}%)` : '';
  const done = filters.automated === 'exclude' ? 'are left out' : 'count, as in the metrics';
  return `Automated sessions ${done}: ${inGroups(part)} of ${inGroups(n)}${share}.`;
}

/** Says which days of the range are left out, with the rows of them that are here, and how many sessions are automated. */
export async function noteCoverage(coverage: Covered, context: Pick<Context, 'note'>): Promise<void> {
  const parts = [...automatedSql(coverage), ...leftOutSql(coverage)];
  const rows = parts.length === 0 ? [] : await coverage.select(parts.join('\nUNION ALL '));
  const counts = rows.map(({ kind, n, part }): Count => ({ kind: typeof kind === 'string' ? kind : '', n: Number(n), part: Number(part) }));
  if (coverage.days.missing.length > 0) context.note(missingWords(coverage, counts));
  const automated = counts.find(({ kind }) => kind === 'automated');
  if (automated && automated.n > 0) context.note(automatedWords(coverage, automated));
}
