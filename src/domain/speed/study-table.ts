import { DAY_MS } from '../../lib/clock.ts';
import { minuteAt } from '../../lib/dates.ts';
import { nth } from '../../lib/nth.ts';
import { sparkline } from '../../lib/text-table.ts';
import { median } from '../../statistics/order.ts';
import { isCustomTiming } from './custom-timings.ts';
import { beginOf, type Level, type Move } from './engine/run-series.ts';
import type { Window } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { coreMetrics, type Device, percentOf, rankOf, rate, roundValue, thresholdOf } from './speed-metrics.ts';

/** Name of the sum over all steps where a step's name would stand. */
export const ALL_STEPS = 'all steps (sum)';
/** Changed rows that are shown unless a step was asked for; the rest is only counted. */
const MOST_CHANGED = 5;
/** The same for an answer that is about other scenarios too. */
const FEW_CHANGED = 3;

/** Days that the trend line shows, the latest ones. */
const TREND_DAYS = 28;
/** Smaller probabilities are shown as this. */
const LEAST_P = 0.0001;

type StudyCell = string | number | null;

/** The level of the latest runs: all of them where the level never changed. */
export function levelNow({ verdict }: Row): Level | undefined {
  return 'level' in verdict ? verdict.level : undefined;
}

/** How a metric stands now against its limits: field limits hold for p75, lab limits for the median. */
function ratingOf(row: Row, device: Device): string | null {
  const threshold = row.step && thresholdOf(row.metric, device);
  const level = levelNow(row);
  if (!threshold || !level) return null;
  return `${rate(threshold.basis === 'field p75' ? level.p75 : level.median, threshold)} (${threshold.basis})`;
}

/** Medians of the latest stretches of 24 h, the last one up to the end of the period; null where nothing ran. */
function trendOf({ series: { dates, values } }: Row, { endMs }: Window): (number | null)[] {
  const days = Array.from({ length: TREND_DAYS }, (): number[] => []);
  for (const [index, date] of dates.entries()) days[TREND_DAYS - 1 - Math.floor((endMs - date) / DAY_MS)]?.push(nth(values, index));
  const first = days.findIndex((day) => day.length > 0);
  return first < 0 ? [] : days.slice(first).map((day) => (day.length > 0 ? median(day) : null));
}

/** Where a cell is of, beside its row. */
interface CellScope {
  readonly study: Study;
  readonly device: Device;
}

/** What a move adds from its first level to its last one; 0.2 for +20 %. */
const wholeOf = ({ shape, before, after, relative }: Move) => (shape === 'drift' ? after.typical / before.typical - 1 : relative);

type StudyColumn = readonly [name: string, cell: (row: Row, scope: CellScope) => StudyCell];

/** The level of the latest runs, or after a move that of the runs since. */
const levelAfter = (row: Row) => row.move?.after ?? levelNow(row);
const valueCell = ({ metric }: Row, value: number | undefined) => (value === undefined ? null : roundValue(metric, value));
const instantCell = (ms: number | undefined, { study }: CellScope) => (ms === undefined ? null : minuteAt(ms, study.timeZone));
const middleCell = (row: Row, level: Level | undefined) => (level ? `${valueCell(row, level.p25)}…${valueCell(row, level.p75)}` : null);

/** The columns of the table, in order: the levels on both sides of `since` (of a drift: of the first and last fifth of the runs). */
const columns: readonly StudyColumn[] = [
  ['step', ({ step }) => step?.name ?? ALL_STEPS],
  ['metric', ({ metric }) => metric],
  ['verdict', ({ state }) => state],
  ['since', ({ move }, scope) => instantCell(beginOf(move), scope)],
  ['until', ({ move }, scope) => instantCell(move?.untilMs, scope)],
  ['before', (row) => valueCell(row, row.move?.before.typical)],
  ['after', (row) => valueCell(row, levelAfter(row)?.typical)],
  ['changePercent', ({ move }) => (move && Number.isFinite(move.relative) ? percentOf(wholeOf(move)) : null)],
  ['middleHalfBefore', (row) => middleCell(row, row.move?.before)],
  ['middleHalf', (row) => middleCell(row, levelAfter(row))],
  ['nBefore', ({ move }) => move?.before.runs ?? null],
  ['n', (row) => levelAfter(row)?.runs ?? row.series.values.length],
  ['p', ({ verdict }) => ('p' in verdict ? Number(Math.max(verdict.p, LEAST_P).toPrecision(2)) : null)],
  ['rating', (row, { device }) => ratingOf(row, device)],
  ['trend', (row, { study }) => sparkline(trendOf(row, study.period.window))],
];

/** The names of the columns, in order. */
export const studyColumns: readonly string[] = columns.map(([name]) => name);

/** One row of the table. */
export function cellsOf(row: Row, device: Device, study: Study): StudyCell[] {
  return columns.map(([, cell]) => cell(row, { study, device }));
}

/** The step in which a metric is highest now. */
export function worstOf(rows: readonly Row[], metric: string): Row | undefined {
  const level = (row: Row) => levelNow(row)?.typical ?? Number.NEGATIVE_INFINITY;
  return rows.filter((row) => row.metric === metric && row.step).toSorted((a, b) => level(b) - level(a))[0];
}

/** Which rows an answer shows: all, those that matter, or of these only what changed, where the answer is about other scenarios too. */
export type RowChoice = 'all' | 'usual' | 'few';

/** The rows that matter: what changed, the headline's step first, and the worst step of each core metric. */
export function rowsToShow({ rows, headline }: Study, choice: RowChoice): Row[] {
  if (choice === 'all') return rows.toSorted((a, b) => rankOf(a.metric) - rankOf(b.metric));
  const ofHeadline = ({ step }: Row) => Number(step !== headline?.step);
  const changed = rows
    .filter((row) => row.move ?? row === headline)
    .toSorted((a, b) => ofHeadline(a) - ofHeadline(b) || rankOf(a.metric) - rankOf(b.metric))
    .slice(0, choice === 'few' ? FEW_CHANGED : MOST_CHANGED);
  if (choice === 'few') return changed;
  // Custom timings are among the rows only where they were asked for.
  const timings = [...new Set(rows.map(({ metric }) => metric))].filter(isCustomTiming);
  const worst = [...coreMetrics, ...timings].flatMap((metric) => worstOf(rows, metric) ?? []);
  return [...new Set([...changed, ...worst])];
}

/** The row that speaks for a scenario in which nothing changed: the slowest LCP, or the first row there is. */
export function leadingRow({ rows, headline }: Study): Row | undefined {
  return headline ?? worstOf(rows, 'largestContentfulPaint') ?? rows.find(({ step }) => step) ?? rows[0];
}
