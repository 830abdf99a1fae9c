import { AS_COUNTING, anyChanged, type Case, changesIn, compared, isCounting, last, TOLD_CHANGED } from './metrics-cases.ts';
import { type Event, event, type Nature } from './metrics-world.ts';

/** The Friday itself, after Christmas, the Tuesday after Easter, and a week of no special day. */
const LAST_DAYS = ['2025-11-28', '2025-12-29', '2026-04-07', '2026-09-30'];
const METRICS: Partial<Record<Event['on'], string>> = { visits: 'visits', rate: 'conversionRate' };

/** A size counts as right within a quarter of what was planted. */
const SIZE = 0.25;

const found = (week: string, nature: Partial<Nature>, planted: Event): Case => {
  const subject = METRICS[planted.on];
  const percent = 100 * (planted.factor - 1);
  return compared(
    `${planted.device ?? 'all'} ${planted.on} ${Math.round(percent)} % since ${planted.from} days, ${week}`,
    { ...nature, events: [planted] },
    {
      found: (said) => changesIn(said, subject).some(({ verdict }) => verdict === (percent < 0 ? 'lower' : 'higher')),
      'by a quarter of its size or more too large': (said) =>
        changesIn(said, subject).some(({ change }) => (change?.percent ?? 0) / percent > 1 + SIZE),
      'by a quarter too small': (said) => changesIn(said, subject).some(({ change }) => (change?.percent ?? 0) / percent < 1 - SIZE),
      ...AS_COUNTING,
    },
  );
};

const broken = (week: string, nature: Partial<Nature>, kind: 'doubled' | 'consent' | 'device' | 'late', from: number): Case =>
  compared(
    `counting: ${kind}, ${week}`,
    { ...nature, faults: [{ kind, from, to: 1 }] },
    { 'told as counting (≥ 90 %)': isCounting, 'told changed': anyChanged },
  );

/** The same sites, changes and faults in weeks of special days, which move some sites and others not, and in an ordinary one. */
export const WEEK_CASES: readonly Case[] = LAST_DAYS.flatMap((lastDay) =>
  (lastDay === '2026-09-30' ? [true] : [true, false]).flatMap((holidays) => {
    const week = `week to ${lastDay}${holidays ? '' : ' that moves nothing'}`;
    const nature = { lastDay, holidays, season: 0.2 };
    return [
      compared(`calm, ${week}`, nature, { ...TOLD_CHANGED, ...AS_COUNTING }, last(7)),
      found(week, nature, event('rate', 5, 0.75)),
      found(week, nature, event('rate', 6, 0.7, { device: 'mobile' })),
      found(week, nature, event('visits', 5, 0.8)),
      found(week, nature, event('visits', 5, 0.85)),
      broken(week, nature, 'doubled', 5),
      broken(week, nature, 'consent', 6),
      broken(week, nature, 'device', 3),
      broken(week, nature, 'late', 2),
    ];
  }),
);
