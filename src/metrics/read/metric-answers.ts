import type { CalendarSlot, Interval } from '../../lib/calendar.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import type { MetricValue } from '../metric-table.ts';
import { combined, ingredientsOf, lackOf, type MetricValues } from './combine.ts';
import type { GridPlan, MetricGrid, PlannedCall, Selection } from './metric-grid.ts';

/** The answer to one slot of a call. */
export type SlotAnswer = { readonly values: MetricValues } | { readonly failure: string };

/** One row of an answered grid. */
export interface MetricRow {
  readonly selection: Selection;
  /** Index of the range that was asked for. */
  readonly range: number;
  /** The range, or with `daily` a day of it with its label. */
  readonly interval: Interval & Partial<CalendarSlot>;
  /**
   * Of the metrics asked for, and over 92 days of the counts that they were made of. Null: the platform gave no value, the call failed, or
   * the metric cannot be given for such ranges (`refused`).
   */
  readonly values: MetricValues;
  /** Its conversions are of another goal than that of e-commerce, so that its revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean;
  /** The known effects on its day by the calendar and last year, where that was asked. */
  readonly known?: KnownDays;
}

/** Calls that failed for the same reason. */
export interface Missing {
  readonly reason: string;
  readonly parts: readonly { readonly selection: Selection; readonly interval: Interval }[];
}

/** An answered grid. */
export interface MetricAnswers {
  readonly rows: readonly MetricRow[];
  readonly missing: readonly Missing[];
  /** Metrics that are null in rows over more than 92 days, each with the counts that are missing to make it. */
  readonly refused: Readonly<Record<string, string>>;
  /** ISO 4217, where all values agree. */
  readonly currency?: string;
  /** Requests that were sent. */
  readonly calls: number;
  /** Bounds that the platform states where they differ from those asked for by more than a second. */
  readonly otherBounds?: string;
}

const TOLERANCE_MS = 1_000;

/** Reads instants, of which an answer has few, each for every metric: NaN for what is none. */
function instantReader(): (text: string | null | undefined) => number {
  const known = new Map<string, number>();
  return (text) => {
    const ms = known.get(text ?? '') ?? Date.parse(text ?? '');
    known.set(text ?? '', ms);
    return ms;
  };
}

/** Values of a call by slot; undefined where the platform's buckets are others than the slots. */
export function bySlot(values: readonly MetricValue[], { slots }: PlannedCall): MetricValues[] | undefined {
  const bySlots = slots.map((): Record<string, number | null> => ({}));
  const places = new Map(slots.map(({ startMs }, index) => [startMs, index]));
  const msOf = instantReader();
  for (const { name, value, startDate, endDate } of values) {
    const endMs = msOf(endDate);
    const index = slots.length === 1 ? 0 : (places.get(msOf(startDate)) ?? -1);
    const [slot, held] = [slots[index], bySlots[index]];
    if (!slot || !held || (slots.length > 1 && endMs > slot.endMs + TOLERANCE_MS)) return undefined;
    held[name] = value ?? null;
  }
  return bySlots;
}

/** The bounds that the platform states for a call, where they are not those that were asked for. */
export function otherBoundsOf(values: readonly MetricValue[], { interval }: PlannedCall): string | undefined {
  const msOf = instantReader();
  const starts = values.map(({ startDate }) => msOf(startDate)).filter(Number.isFinite);
  const ends = values.map(({ endDate }) => msOf(endDate)).filter(Number.isFinite);
  if (starts.length === 0 || ends.length === 0) return undefined;
  const [startMs, endMs] = [Math.min(...starts), Math.max(...ends)];
  const differs = Math.abs(startMs - interval.startMs) > TOLERANCE_MS || Math.abs(endMs - interval.endMs) > TOLERANCE_MS;
  return differs ? `${new Date(startMs).toISOString()} … ${new Date(endMs).toISOString()}` : undefined;
}

/**
 * Joins what the calls gave into rows; a row that lacks a part of its range has null, never the sum of the rest. Revenue does not follow
 * from conversions of `otherGoals`.
 */
export function assemble(
  { metrics }: MetricGrid,
  { calls, rows }: GridPlan,
  answers: readonly (readonly SlotAnswer[])[],
  otherGoals: ReadonlySet<number> = new Set(),
): Pick<MetricAnswers, 'rows' | 'missing' | 'refused'> {
  const slotOf = ({ call, slot }: { call: number; slot: number }): MetricValues => {
    const answer = answers[call]?.[slot];
    return answer && 'values' in answer ? answer.values : {};
  };
  const filled = rows.map(({ chunks, ...row }): MetricRow => {
    const parts = chunks.map((sources): MetricValues => Object.assign({}, ...sources.map(slotOf)));
    const names = parts.length > 1 ? new Set([...metrics, ...ingredientsOf(metrics)]) : metrics;
    const { goalId } = row.selection;
    const ofGoal = goalId !== undefined && otherGoals.has(goalId) && { isOfOtherGoal: true };
    return { ...row, ...ofGoal, values: Object.fromEntries([...names].map((metric) => [metric, combined(parts, metric)])) };
  });
  const isJoined = rows.some(({ chunks }) => chunks.length > 1);
  const refusals = isJoined ? metrics.flatMap((metric) => [[metric, lackOf(metric)]]).filter(([, lacks]) => lacks) : [];
  return { rows: filled, missing: missingOf(calls, answers), refused: Object.fromEntries(refusals) };
}

function missingOf(calls: readonly PlannedCall[], answers: readonly (readonly SlotAnswer[])[]): Missing[] {
  const byReason = new Map<string, { reason: string; parts: { selection: Selection; interval: Interval }[] }>();
  for (const [index, { selection, interval, slots }] of calls.entries()) {
    const failures = (answers[index] ?? []).map((answer) => ('failure' in answer ? answer.failure : undefined));
    const isWhole = failures.every((failure) => failure !== undefined && failure === failures[0]);
    for (const [slot, failure] of failures.entries()) {
      if (failure === undefined || (isWhole && slot > 0)) continue;
      // The same reason may name the moment of each call.
      const key = failure.replaceAll(/(T\d\d:\d\d):\d\d(?:\.\d+)?/g, '$1');
      const group = byReason.get(key) ?? { reason: failure, parts: [] };
      group.parts.push({ selection, interval: isWhole ? interval : (slots[slot] ?? interval) });
      byReason.set(key, group);
    }
  }
  return [...byReason.values()];
}
