import { daysFrom } from '../../../lib/calendar.ts';
import type { Change } from './changes.ts';

/** Days and size of a change; without a last day it goes on. */
interface Sized {
  readonly from: string;
  readonly to?: string | undefined;
  readonly relative: number;
}

/** The days of a change, up to the last known one where it goes on. */
function spanOf({ from, to }: Sized, last: string) {
  const end = to ?? last;
  return { from, to: end, days: daysFrom(from, end) + 1 };
}

/** Whether a change lies on the days of a larger one and takes back only a part of it. */
function isPartOf(change: Sized, outer: Sized, last: string): boolean {
  const [inner, whole] = [spanOf(change, last), spanOf(outer, last)];
  const isBack = change.relative * outer.relative < 0 && Math.abs(Math.log1p(change.relative)) < Math.abs(Math.log1p(outer.relative));
  return isBack && inner.from > whole.from && inner.to <= whole.to;
}

/**
 * Gives a change the size that it has over all its days, where it was smaller on some of them. Else it would be told deeper than it was, at
 * a cost that its days never had.
 */
export function overAllDays<Own extends Sized & { readonly low: number; readonly high: number }>(
  change: Own,
  others: readonly Sized[],
  last: string,
): Own {
  const inner = others.filter((other) => isPartOf(other, change, last));
  const { days } = spanOf(change, last);
  const times = inner.reduce((sum, part) => sum + (part.relative * spanOf(part, last).days) / days, 1);
  const over = (relative: number) => (1 + relative) * times - 1;
  return inner.length === 0 ? change : { ...change, relative: over(change.relative), low: over(change.low), high: over(change.high) };
}

/** Whether a change takes back only a part of a step in the baseline: against the days before that step it still lies on the other side. */
function isWithinStep({ effect }: Change, changes: readonly Change[], { early, start }: { early: number; start: number }): boolean {
  const inBaseline = changes.filter(({ shape, from }) => shape === 'step' && from >= early && from < start);
  return inBaseline.some((step) => step.effect * effect < 0 && Math.abs(step.effect) > Math.abs(effect));
}

/** A change of one of many days that is as likely by chance is no second one beside a clearer one. */
const CLEAR_BESIDE = Math.log(0.001);
const clarityOf = ({ effect, error }: Change) => Math.abs(effect / error);

/** Whether a change only goes on from a clearer step in the baseline, and is not beyond doubt itself: no story of its own. */
function isBesideStep(main: Change, changes: readonly Change[], { early, start }: { early: number; start: number }): boolean {
  const goesOn = (step: Change) => step.shape === 'step' && step.from >= early && step.from < start && step.to >= main.from;
  const isSame = (step: Change) => step.effect * main.effect > 0 && clarityOf(step) > clarityOf(main);
  return main.logP > CLEAR_BESIDE && changes.some((step) => goesOn(step) && isSame(step));
}

/** The change in the period that stands out most from its error; what began before it makes no verdict by itself. */
export function mainChange(changes: readonly Change[], bounds: { early: number; start: number }): Change | undefined {
  const own = changes.filter(({ shape, from }) => shape !== 'outlier' && from >= bounds.start);
  const [main] = own.toSorted((a, b) => clarityOf(b) - clarityOf(a));
  return main && !isWithinStep(main, changes, bounds) && !isBesideStep(main, changes, bounds) ? main : undefined;
}
