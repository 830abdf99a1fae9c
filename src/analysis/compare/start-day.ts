import type { DayPoint } from './days.ts';
import { levelOf, type Scatter, weightOf } from './scatter.ts';

/** The first day of a new level, and the days that cannot be told from it. */
export interface StartDay {
  readonly day: string;
  readonly earliest: string;
  readonly latest: string;
}

/** Days that a level must last for. */
const SHORTEST = 2;
/** Twice the logarithm of a likelihood ratio within which days cannot be told apart: chi-squared with one degree of freedom at 5 %. */
const CLOSE = 3.84;

/**
 * The day on which a change in a given direction began: the split of the days into two levels, weekdays taken out, with the largest
 * likelihood ratio (least squares in the weights of the days: Hinkley 1970; Bai 1997). Undefined where no split goes that way.
 */
export function startDay(days: readonly DayPoint[], { weekdayFactors, variance }: Scatter, direction: 'up' | 'down'): StartDay | undefined {
  const splits = days.slice(SHORTEST, days.length - SHORTEST + 1).map((day, index) => {
    const [before, after] = [days.slice(0, index + SHORTEST), days.slice(index + SHORTEST)];
    const step = levelOf(after, weekdayFactors) - levelOf(before, weekdayFactors);
    const [first, second] = [weightOf(before, weekdayFactors), weightOf(after, weekdayFactors)];
    const gain = step > 0 === (direction === 'up') ? ((first * second) / (first + second)) * step ** 2 : 0;
    return { label: day.label, gain };
  });
  const best = splits.reduce((top, split) => (split.gain > top.gain ? split : top), { label: '', gain: 0 });
  if (best.gain <= 0) return undefined;
  const close = splits.filter(({ gain }) => best.gain - gain <= CLOSE * variance).map(({ label }) => label);
  return { day: best.label, earliest: close[0] ?? best.label, latest: close.at(-1) ?? best.label };
}
