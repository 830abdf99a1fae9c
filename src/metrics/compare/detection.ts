import { listed } from '../../findings/wording.ts';
import { dayAfter } from '../../lib/calendar.ts';
import { grouped } from '../../lib/grouped.ts';
import { formatNumber } from '../../lib/number-text.ts';
import { daysToShow, MOST_DAYS_TO_SHOW, smallestAhead } from '../engine/detectable.ts';
import { nameOf } from '../metric-names.ts';
import { dayPoints, kindOf } from '../read/day-points.ts';
import { changesOf, type SiteChange } from '../site-changes.ts';
import { CLEAR_P_VALUE } from './judged-changes.ts';
import type { Reading } from './readings.ts';

/** How long a lasting change of a metric takes to show in four of five cases; null where that is longer than 92 days. */
export interface Detection {
  readonly metric: string;
  readonly percent: number;
  readonly days: number | null;
  /** The smallest change in percent that would show within 92 days, where this one is smaller. */
  readonly smallest?: number;
  /** Days of a level that is known from few of them, which is why only a large change would show. */
  readonly levelDays?: number;
}

/** A level that began so many days before the last one, or later, is known from few days. */
const FEW_DAYS = 42;

/** How long a lasting change of this size in percent would take to show, for each metric of a reading of which three weeks are known. */
export function detectionsOf(reading: Reading, metrics: readonly string[], percent: number): Detection[] {
  return metrics.flatMap((metric) => {
    const [kind, history] = [kindOf(metric), dayPoints(reading.days, metric)];
    const days = daysToShow(kind, history, percent / 100);
    if (days === undefined) return [];
    const smallest = days === null ? smallestAhead(kind, history) : undefined;
    const last = history.at(-1)?.label ?? '';
    const isLevel = ({ change: { shape, from, to } }: SiteChange) => shape === 'step' && to === undefined && from <= last;
    const lately = days === null ? changesOf(reading, metric, dayAfter(last, -FEW_DAYS), CLEAR_P_VALUE) : [];
    const level = lately.findLast(isLevel);
    return [
      {
        metric,
        percent,
        days,
        ...(smallest !== undefined && { smallest: 100 * smallest }),
        ...(level && { levelDays: history.filter(({ label }) => label >= level.change.from).length }),
      },
    ];
  });
}

/** `With 9 days at the present level, a change of 19.5% in conversion rate and 24% in revenue could be seen in that time.` */
function leastSentence(unseen: readonly Detection[]): string {
  // Rounded up, so that it is more than what was asked.
  const texts = unseen.flatMap(({ metric, smallest }) =>
    smallest === undefined ? [] : [`${formatNumber(Math.ceil(10 * smallest) / 10, { digits: 1 })}% in ${nameOf(metric).toLowerCase()}`],
  );
  const { levelDays } = unseen[0] ?? {};
  const of = levelDays === undefined ? 'A' : `With ${levelDays} days at the present level, a`;
  return `${of} change of ${listed(texts)} could be seen in that time.`;
}

/** Sentences: `A lasting change of 5% would be seen after 9 days in visits.`, and one on metrics in which 92 days would not show it. */
export function detectionSentences(detections: readonly Detection[]): string[] {
  const [first] = detections;
  if (!first) return ['How long a change would take to show cannot be said: fewer than 21 days are known.'];
  const size = `A lasting change of ${formatNumber(first.percent)}%`;
  const [seen, unseen] = [true, false].map((isSeen) => detections.filter(({ days }) => (days === null) !== isSeen));
  const after = (seen ?? []).map(({ metric, days }) => `${days} ${days === 1 ? 'day' : 'days'} in ${nameOf(metric).toLowerCase()}`);
  const known = (unseen ?? []).filter(({ smallest }) => smallest !== undefined);
  return [
    ...(after.length > 0 ? [`${size} would be seen after ${listed(after)}.`] : []),
    ...(unseen && unseen.length > 0
      ? [
          `${after.length > 0 ? 'It' : size} could not be seen within ${MOST_DAYS_TO_SHOW} days in ` +
            `${listed(unseen.map(({ metric }) => nameOf(metric).toLowerCase()))}.`,
        ]
      : []),
    ...[...grouped(known, ({ levelDays }) => levelDays).values()].map(leastSentence),
  ];
}
