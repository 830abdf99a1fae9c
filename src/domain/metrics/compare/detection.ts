import { formatNumber } from '../../../lib/number-text.ts';
import { daysToShow, MOST_DAYS_TO_SHOW } from '../engine/detectable.ts';
import { nameOf } from '../metric-definitions.ts';
import { daysOf } from './judged-changes.ts';
import { kindOf, type Reading } from './readings.ts';

/** How long a lasting change of a metric takes to show in four of five cases; null where that is longer than 92 days. */
export interface Detection {
  readonly metric: string;
  readonly percent: number;
  readonly days: number | null;
}

/** How long a lasting change of this size in percent would take to show, for each metric of a reading of which three weeks are known. */
export function detectionsOf(reading: Reading, metrics: readonly string[], percent: number): Detection[] {
  return metrics.flatMap((metric) => {
    const days = daysToShow(kindOf(metric), daysOf(reading, metric), percent / 100);
    return days === undefined ? [] : [{ metric, percent, days }];
  });
}

/** One sentence: `A lasting change of 5% would show in 4 of 5 cases: visits after 9 days, revenue not within 92 days.` */
export function detectionSentence(detections: readonly Detection[]): string {
  const [first] = detections;
  if (!first) return 'How long a change would take to show cannot be said: fewer than 21 days are known.';
  const texts = detections.map(({ metric, days }) => {
    const after = days === null ? `not within ${MOST_DAYS_TO_SHOW} days` : `after ${days} ${days === 1 ? 'day' : 'days'}`;
    return `${nameOf(metric).toLowerCase()} ${after}`;
  });
  return `A lasting change of ${formatNumber(first.percent)}% would show in 4 of 5 cases: ${texts.join(', ')}.`;
}
