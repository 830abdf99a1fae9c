import { DAY_MS } from '../../lib/clock.ts';
import { type TableColumn, tableOf } from '../../lib/columns.ts';
import { minuteAt } from '../../lib/dates.ts';
import { nth } from '../../lib/nth.ts';
import { sparkline } from '../../lib/text-table.ts';
import { median } from '../../statistics/order.ts';
import { isCustomTiming } from './custom-timings.ts';
import { beginOf, type Level, type Move } from './engine/run-series.ts';
import type { Window } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { coreMetrics, type Device, percentOf, rankOf, rate, roundValue, shownChance, thresholdOf } from './speed-metrics.ts';

/** Name of the sum over all steps where a step's name would stand. */
export const ALL_STEPS = 'all steps (sum)';
/** Changed rows that are shown unless a step was asked for; the rest is only counted. */
const MOST_CHANGED = 5;
/** The same for an answer that is about other scenarios too. */
const FEW_CHANGED = 3;

/** Days that the trend line shows, the latest ones. */
const TREND_DAYS = 28;
/** How a metric stands now against its limits: field limits hold for p75, lab limits for the median. */
function ratingOf(row: Row, device: Device): string | null {
  const threshold = row.step && thresholdOf(row.metric, device);
  const { level } = row.verdict;
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

/** What a move adds from its first level to its last one; 0.2 for +20 %. */
const wholeOf = ({ shape, before, after, relative }: Move) => (shape === 'drift' ? after.typical / before.typical - 1 : relative);

/** The level of the latest runs, or after a move that of the runs since. */
const levelAfter = ({ move, verdict }: Row) => move?.after ?? verdict.level;
const valueCell = ({ metric }: Row, value: number | undefined) => (value === undefined ? null : roundValue(metric, value));
const middleCell = (row: Row, level: Level | undefined) => (level ? `${valueCell(row, level.p25)}…${valueCell(row, level.p75)}` : null);

/** The table of a study: the levels on both sides of `since` (of a drift: of the first and last fifth of the runs). */
export function studyTable(study: Study, device: Device, choice: RowChoice) {
  const instantCell = (ms: number | undefined) => (ms === undefined ? null : minuteAt(ms, study.timeZone));
  const columns: readonly TableColumn<Row, string | number | null>[] = [
    ['step', ({ step }) => step?.name ?? ALL_STEPS],
    ['metric', ({ metric }) => metric],
    ['verdict', ({ state }) => state],
    ['since', ({ move }) => instantCell(beginOf(move))],
    ['until', ({ move }) => instantCell(move?.untilMs)],
    ['before', (row) => valueCell(row, row.move?.before.typical)],
    ['after', (row) => valueCell(row, levelAfter(row)?.typical)],
    ['changePercent', ({ move }) => (move && Number.isFinite(move.relative) ? percentOf(wholeOf(move)) : null)],
    ['middleHalfBefore', (row) => middleCell(row, row.move?.before)],
    ['middleHalf', (row) => middleCell(row, levelAfter(row))],
    ['nBefore', ({ move }) => move?.before.runs ?? null],
    ['n', (row) => levelAfter(row)?.runs ?? row.series.values.length],
    ['p', ({ verdict: { p } }) => (p === undefined ? null : shownChance(p))],
    ['rating', (row) => ratingOf(row, device)],
    ['trend', (row) => sparkline(trendOf(row, study.period.window))],
  ];
  return tableOf(columns, rowsToShow(study, choice));
}

/** The step in which a metric is highest now. */
export function worstOf(rows: readonly Row[], metric: string): Row | undefined {
  const level = ({ verdict }: Row) => verdict.level?.typical ?? Number.NEGATIVE_INFINITY;
  return rows.filter((row) => row.metric === metric && row.step).toSorted((a, b) => level(b) - level(a))[0];
}

/** Which rows an answer shows: all, those that matter, or of these only what changed, where the answer is about other scenarios too. */
export type RowChoice = 'all' | 'usual' | 'few';

/** The rows that matter: what changed, the headline's step first, and the worst step of each core metric. */
function rowsToShow({ rows, headline }: Study, choice: RowChoice): Row[] {
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
