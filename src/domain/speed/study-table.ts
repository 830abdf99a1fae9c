import { sparkline } from '../../lib/text-table.ts';
import { dailyBlocks, dailyMedians } from './block-test.ts';
import { type Window, within } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { coreMetrics, rankOf, roundValue } from './speed-metrics.ts';
import { type Device, rate, thresholdOf } from './thresholds.ts';

/** Name of the sum over all steps where a step's name would stand. */
export const ALL_STEPS = 'all steps (sum)';
/** Changed rows that are shown unless a step was asked for; the rest is only counted. */
const MOST_CHANGED = 6;

/** Days that the trend line shows, the latest ones. */
const TREND_DAYS = 28;
/** Smaller probabilities are shown as this. */
const LEAST_P = 0.0001;

/** What a row of the table holds, in order: of the period, and with `Before` of the baseline. */
export const studyColumns = [
  'step',
  'metric',
  'verdict',
  'medianBefore',
  'median',
  'change',
  'changePercent',
  'p75Before',
  'p75',
  'rangeBefore',
  'range',
  'nBefore',
  'n',
  'p',
  'rating',
  'trend',
] as const;

type Cell = string | number | null;

/** How a metric of the period stands against its limits: field limits hold for p75, lab limits for the median. */
function ratingOf({ step, metric, comparison: { after } }: Row, device: Device): string | null {
  const threshold = step && thresholdOf(metric, device);
  if (!threshold || !after) return null;
  return `${rate(threshold.basis === 'field p75' ? after.p75 : after.median, threshold)} (${threshold.basis})`;
}

interface Windows {
  readonly baseline: Window;
  readonly period: Window;
}

/** Daily medians of both windows, those of the latest days. */
function trendOf({ series }: Row, { baseline, period }: Windows): (number | null)[] {
  const before = dailyBlocks(within(series, baseline), baseline.endMs + 1);
  return dailyMedians([...before, ...dailyBlocks(within(series, period), period.startMs)]).slice(-TREND_DAYS);
}

/** One row of the table. */
export function cellsOf(row: Row, device: Device, windows: Windows): Cell[] {
  const { step, metric, verdict, p, comparison } = row;
  const { before, after, change, relative } = comparison;
  const value = (number: number | null | undefined) => (number === null || number === undefined ? null : roundValue(metric, number));
  const range = (side: typeof before) => side && `${value(side.min)}…${value(side.max)}`;
  return [
    step?.name ?? ALL_STEPS,
    metric,
    verdict,
    value(before?.median),
    value(after?.median),
    value(change),
    relative === null ? null : Math.round(relative * 1000) / 10,
    value(before?.p75),
    value(after?.p75),
    range(before),
    range(after),
    before?.n ?? 0,
    after?.n ?? 0,
    p === null ? null : Number(Math.max(p, LEAST_P).toPrecision(2)),
    ratingOf(row, device),
    sparkline(trendOf(row, windows)),
  ];
}

/** The step in which a metric is highest now. */
export function worstOf(rows: readonly Row[], metric: string): Row | undefined {
  const level = ({ comparison }: Row) => comparison.after?.median ?? comparison.before?.median ?? Number.NEGATIVE_INFINITY;
  return rows.filter((row) => row.metric === metric && row.step).toSorted((a, b) => level(b) - level(a))[0];
}

/**
 * The rows that matter: what changed, the headline's step first, and the worst step of each core metric; all where a step was asked for.
 */
export function rowsToShow({ rows, headline }: Study, whole: boolean): Row[] {
  if (whole) return rows.toSorted((a, b) => rankOf(a.metric) - rankOf(b.metric));
  const ofHeadline = ({ step }: Row) => Number(step !== headline?.step);
  const changed = rows
    .filter(({ verdict }) => verdict === 'slower' || verdict === 'faster')
    .toSorted((a, b) => ofHeadline(a) - ofHeadline(b) || rankOf(a.metric) - rankOf(b.metric))
    .slice(0, MOST_CHANGED);
  const worst = coreMetrics.flatMap((metric) => worstOf(rows, metric) ?? []);
  return [...new Set([...changed, ...worst])];
}

/** The row that speaks for a scenario in which nothing changed: the slowest LCP, or the first row there is. */
export function leadingRow({ rows, headline }: Study): Row | undefined {
  return headline ?? worstOf(rows, 'largestContentfulPaint') ?? rows.find(({ step }) => step) ?? rows[0];
}
