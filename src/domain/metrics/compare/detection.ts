import { dayAfter } from '../../../lib/calendar.ts';
import { formatNumber } from '../../../lib/number-text.ts';
import { daysToShow, MOST_DAYS_TO_SHOW, smallestAhead } from '../engine/detectable.ts';
import { changesSince } from '../engine/measure.ts';
import { nameOf } from '../metric-definitions.ts';
import { CLEAR_P_VALUE, daysOf } from './judged-changes.ts';
import { kindOf, type Reading } from './readings.ts';

/** How long a lasting change of a metric takes to show in four of five cases; null where that is longer than 92 days. */
export interface Detection {
  readonly metric: string;
  readonly percent: number;
  readonly days: number | null;
  /** The smallest change in percent that would show within 92 days, where this one is smaller. */
  readonly smallest?: number;
  /** The first day of a level that is known from few days, which is why only a large change would show. */
  readonly levelSince?: string;
}

/** A level that began so many days before the last one, or later, is known from few days. */
const FEW_DAYS = 42;

/** How long a lasting change of this size in percent would take to show, for each metric of a reading of which three weeks are known. */
export function detectionsOf(reading: Reading, metrics: readonly string[], percent: number): Detection[] {
  return metrics.flatMap((metric) => {
    const [kind, history] = [kindOf(metric), daysOf(reading, metric)];
    const days = daysToShow(kind, history, percent / 100);
    if (days === undefined) return [];
    const smallest = days === null ? smallestAhead(kind, history) : undefined;
    const last = history.at(-1)?.label;
    const lately = days === null && last !== undefined ? changesSince(kind, history, dayAfter(last, -FEW_DAYS), CLEAR_P_VALUE) : [];
    const level = lately.findLast(({ shape, to }) => shape === 'step' && to === undefined);
    return [
      { metric, percent, days, ...(smallest !== undefined && { smallest: 100 * smallest }), ...(level && { levelSince: level.from }) },
    ];
  });
}

/** One sentence: `A lasting change of 5% would show in 4 of 5 cases: visits after 9 days, revenue not within 92 days (7.3% would).` */
export function detectionSentence(detections: readonly Detection[]): string {
  const [first] = detections;
  if (!first) return 'How long a change would take to show cannot be said: fewer than 21 days are known.';
  const texts = detections.map(({ metric, days, smallest, levelSince }) => {
    const why = levelSince === undefined ? '' : `: its level since ${levelSince} is known from few days`;
    // Rounded up, so that it is more than what was asked.
    const best = smallest === undefined ? '' : ` (${formatNumber(Math.ceil(10 * smallest) / 10, { digits: 1 })}% would${why})`;
    const after = days === null ? `not within ${MOST_DAYS_TO_SHOW} days${best}` : `after ${days} ${days === 1 ? 'day' : 'days'}`;
    return `${nameOf(metric).toLowerCase()} ${after}`;
  });
  return `A lasting change of ${formatNumber(first.percent)}% would show in 4 of 5 cases: ${texts.join(', ')}.`;
}
