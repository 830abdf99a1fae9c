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
function automatedSql(coverage: Covered): string | undefined {
  const { sql, filters, column, knowsAutomated } = coverage;
  const [time, automated] = [column('sessions', 'session_time'), column('sessions', 'is_excludable')];
  if (!knowsAutomated || time === undefined || automated === undefined) return undefined;
  const conditions = filterConditions({ ...filters, automated: undefined }, (field) => column('sessions', field) ?? 'NULL', sql);
  const where = [...onCoveredDays(coverage, time), ...conditions].join(' AND ');
  return `SELECT count(*) AS n, sum(${flag(`coalesce(${automated}, false)`)}) AS part FROM sessions WHERE ${where}`;
}

const inGroups = (value: number) => formatNumber(value, { group: true });

/** Why files do not cover a day; where rows are missing too, a column is no reason. */
function reasonOf(files: readonly ScopeFiles[], day: number): string {
  const lacking = files.map(({ name, over }) => ({ name, columns: over(timeOfDays([day])).lack.map(({ column }) => column) }));
  const without = lacking.filter(({ columns }) => columns.includes(undefined)).map(({ name }) => name);
  const reduced = lacking.filter(({ name, columns }) => columns.length > 0 && !without.includes(name));
  return [
    ...(without.length > 0 ? [`no whole day of ${without.join(' and ')} is downloaded`] : []),
    ...reduced.map(({ name, columns }) => `the downloaded ${name} lack the column ${columns.join(', ')}`),
  ].join(', and ');
}

function missingWords({ days, files }: Covered): string {
  const lacks = [...grouped(days.missing, (day) => reasonOf(files, day))].map(([reason, own]) => `${daysWords(own).join(', ')}: ${reason}`);
  return (
    `Not covered, and left out: ${lacks.join('; ')}. ` + hint('find_export_gaps', 'find_export_gaps says why and plans what fills them.')
  );
}

function automatedWords({ filters }: Covered, n: number, part: number): string {
  const share = n > 0 ? ` (${formatNumber(Number(((100 * part) / n).toFixed(1)))}%)` : '';
  const done = filters.automated === 'exclude' ? 'are left out' : 'count, as in the metrics';
  return `Automated sessions ${done}: ${inGroups(part)} of ${inGroups(n)}${share}.`;
}

/** Says which days of the range are left out, and how many sessions are automated. */
export async function noteCoverage(coverage: Covered, context: Pick<Context, 'note'>): Promise<void> {
  const statement = automatedSql(coverage);
  const [found] = statement === undefined ? [] : await coverage.select(statement);
  if (coverage.days.missing.length > 0) context.note(missingWords(coverage));
  const [n, part] = [Number(found?.['n']), Number(found?.['part'])];
  if (n > 0) context.note(automatedWords(coverage, n, part));
}
