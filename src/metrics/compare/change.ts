import type { DatedChange } from '../engine/changes.ts';
import type { DayJudgement } from '../engine/judge-day.ts';

/** One metric of one selection on both sides. */
export interface Change {
  readonly metric: string;
  /** As the platform gives it for exactly the baseline and the period. */
  readonly before: number | null;
  readonly after: number | null;
  /** The compared figures: the same, or of counts over ranges of different length the figure for a day. */
  readonly compared: { readonly before: number | null; readonly after: number | null };
  readonly isPerDay: boolean;
  readonly judgement: DayJudgement;
  /** When and by how much it changed; undefined where no day can be named. */
  readonly since: DatedChange | undefined;
  /** First and last whole day of the period, else of those that it holds in part; empty where it holds none. */
  readonly days: { readonly first: string; readonly last: string };
  /** The visits that it is about, where those are not all: `mobile`, `Germany`. */
  readonly of: string;
  /**
   * Of a change within noise: the smallest one in its direction that the period would have shown in four of five cases, −0.05 for 5 % less;
   * −1 where no fall would.
   */
  readonly detectable: number | null;
}

/** After minus before, for a day where the ranges of a count differ in length; null where one has no value. */
export function differenceOf({ compared: { before, after } }: Pick<Change, 'compared'>): number | null {
  return before === null || after === null ? null : after - before;
}

/** The latest change that began before the period and goes on; undefined where there is none. */
export function earlierOf({ judgement, since, days }: Pick<Change, 'judgement' | 'since' | 'days'>): DatedChange | undefined {
  // A single day may itself be what makes a step of the days before it.
  const lastOf = ({ from, latest }: DatedChange) => (judgement.expected ? latest : from);
  return judgement.changes.findLast(
    (change) => change.shape === 'step' && change.to === undefined && lastOf(change) < days.first && change.from !== since?.from,
  );
}

/** How far the ranges themselves differ from each other; undefined where the baseline has no value. */
export function figuresOf({ compared: { before, after } }: Pick<Change, 'compared'>): number | undefined {
  return before === null || after === null || before === 0 ? undefined : (after - before) / before;
}
