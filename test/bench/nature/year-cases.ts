import type { Finding } from '../../../src/findings/finding.ts';
import { anyChanged, areTold, type Case, changesIn, goesOn, isCounting, last, SELF } from './metrics-cases.ts';
import { CALM, dayOf, type Event, event, isLikeNature, type Nature, type World } from './metrics-world.ts';

/** Last days of questions all over a year: after Christmas, Carnival, Easter, in May, summer, autumn, before and after Black Friday. */
const LAST_DAYS = ['2026-01-11', '2026-02-22', '2026-04-12', '2026-05-31', '2026-07-26', '2026-10-11', '2026-11-22', '2026-12-13'];

/** Sums grow with visits. */
export const SUMS: ReadonlySet<string> = new Set(['visits', 'conversionCount', 'revenueSum']);
/** A slow change of a site's sums by half to twice of what its season and growth make. */
function isOwnDrift({ subject, when, change }: Finding, { growthOver }: World): boolean {
  return when.shape === 'drift' && SUMS.has(subject) && isLikeNature(change?.percent ?? 0, Math.expm1(growthOver(28)));
}

const yearly = (lastDay: string): Case[] => {
  const nature: Nature = { ...CALM, lastDay, holidays: true, season: 0.2, payDays: 0.08, growth: 0.1 };
  return [
    {
      name: `year, ${lastDay}: compare`,
      nature,
      tool: 'compare_metrics',
      args: last(7),
      counts: { 'told changed (≤ 5 %)': anyChanged, 'told as counting (≤ 2 %)': isCounting, ...SELF },
    },
    {
      name: `year, ${lastDay}: find`,
      nature,
      tool: 'find_changes',
      args: last(28),
      counts: {
        'any change (≤ 5 %)': (said) => changesIn(said).length > 0,
        'any but its season and growth': (said, world) => changesIn(said).some((change) => !isOwnDrift(change, world)),
        'told as counting (≤ 2 %)': isCounting,
      },
    },
  ];
};

const ended = (name: string, from: number, to: number, factor: number): Case[] => [
  {
    name: `ended, ${name}: compare`,
    nature: { ...CALM, events: [event('visits', from, factor, { to })] },
    tool: 'compare_metrics',
    args: last(14),
    counts: {
      'told as going on (≤ 15 %)': (said) => goesOn(said, 'visits'),
      'told as over': (said) => changesIn(said, 'visits').some(({ when }) => !when.ongoing),
      ...SELF,
    },
  },
  {
    name: `ended, ${name}: find`,
    nature: { ...CALM, events: [event('visits', from, factor, { to })] },
    tool: 'find_changes',
    args: last(28),
    counts: {
      'told as going on (≤ 15 %)': (said) => goesOn(said, 'visits'),
      'told as over': (said) => changesIn(said, 'visits').some(({ when }) => !when.ongoing),
    },
  },
];

/** A checkout that breaks on one device on the day before the week of Black Friday, asked about in that week and after it. */
const brokenBefore = (days: number, visits: number): Case => {
  const lastDay = new Date(Date.parse('2025-11-22') + days * 86_400_000).toISOString().slice(0, 10);
  const events = [event('rate', days, 0.45, { device: 'desktop' })];
  const nature: Nature = { visits, lastDay, holidays: true, season: 0.2, events };
  return {
    name: `desktop rate -55 % since the day before the week of Black Friday, ${days} days ago, ${visits} a day: compare`,
    nature,
    tool: 'compare_metrics',
    args: last(days < 9 ? 7 : 14),
    counts: {
      found: (said) => changesIn(said, 'conversionRate').length > 0,
      'its day (≥ 80 %)': (said, world) => changesIn(said, 'conversionRate').some(({ when }) => when.from === dayOf(world, days)),
      'of no other day': (said, world) => changesIn(said, 'conversionRate').every(({ when }) => when.from === dayOf(world, days)),
      'told as counting (≤ 2 %)': isCounting,
      ...SELF,
    },
  };
};

/** Black Friday in its week, of a young site, where it moves behaviour by a part of what it does to rates; with a change beside it. */
const behaving = (behaviour: number, events: readonly Event[]): Case => ({
  name: `Black Friday moves behaviour by ${behaviour} of rates${events.length > 0 ? ', bounces +15 % since 6 days' : ''}: compare`,
  nature: { ...CALM, lastDay: '2025-12-02', age: 300, holidays: true, behaviour, events },
  tool: 'compare_metrics',
  args: last(7, { metrics: ['bounceRate', 'pageviewAverage', 'sessionTimeAverage'] }),
  counts: { [events.length > 0 ? 'found' : 'told changed (≤ 2 % a verdict)']: anyChanged, 'told as counting (≤ 2 %)': isCounting, ...SELF },
});

const LONG_FALL: readonly Event[] = [event('visits', 28, 0.7)];
const MOBILE_RATE: readonly Event[] = [event('rate', 6, 0.7, { device: 'mobile' })];

/** A whole year of questions, changes that began before the ranges or are over, single days, and revenue asked for alone. */
export const YEAR_CASES: readonly Case[] = [
  ...LAST_DAYS.flatMap(yearly),
  ...[0, 0.3, 0.5].flatMap((behaviour) => [[], [event('bounce', 6, 1.15)]].map((events) => behaving(behaviour, events))),
  ...[25_000, 4_000].flatMap((visits) => [4, 6, 9, 12].map((days) => brokenBefore(days, visits))),
  ...ended('-25 % from 8 days ago until the day before yesterday', 8, 3, 0.75),
  ...ended('+30 % for 4 days, 3 days ago', 7, 4, 1.3),
  ...ended('-30 % for 9 days, 2 days ago', 11, 3, 0.7),
  {
    name: 'pay days ±15 %: find',
    nature: { ...CALM, payDays: 0.15 },
    tool: 'find_changes',
    args: last(28),
    counts: { 'any change (≤ 5 %)': (said) => changesIn(said).length > 0, 'told as counting (≤ 2 %)': isCounting },
  },
  {
    name: 'two days against those of last week, four weeks into a fall of 30 %: compare',
    nature: { ...CALM, events: LONG_FALL },
    tool: 'compare_metrics',
    args: (world) => ({
      startDate: dayOf(world, 2),
      endDate: dayOf(world, 1),
      baselineStartDate: dayOf(world, 9),
      baselineEndDate: dayOf(world, 8),
    }),
    counts: {
      'told changed (≤ 5 %)': anyChanged,
      'dated anew (0)': (said, world) => changesIn(said).some(({ when }) => when.from === dayOf(world, 2)),
      ...SELF,
    },
  },
  {
    name: 'week against the week before, four weeks into a fall of 30 %: compare',
    nature: { ...CALM, events: LONG_FALL },
    tool: 'compare_metrics',
    args: last(7),
    counts: { 'told changed (≤ 5 %)': anyChanged, ...SELF },
  },
  {
    name: 'revenue alone, mobile rate -30 % since 6 days: compare',
    nature: { ...CALM, events: MOBILE_RATE },
    tool: 'compare_metrics',
    args: last(7, { metrics: ['revenueSum'] }),
    counts: {
      found: anyChanged,
      'its factor and device (≥ 90 %)': (said) => changesIn(said, 'conversionRate')[0]?.place.device === 'mobile',
      'right day (≥ 80 %)': (said, world) => changesIn(said)[0]?.when.from === dayOf(world, 6),
      ...SELF,
    },
  },
  {
    name: 'yesterday alone, nothing happened: compare',
    nature: CALM,
    tool: 'compare_metrics',
    args: last(1),
    counts: { 'told changed (≤ 5 %)': anyChanged, ...SELF },
  },
  {
    name: 'yesterday alone, visits -30 %: compare',
    nature: { ...CALM, events: [event('visits', 1, 0.7)] },
    tool: 'compare_metrics',
    args: last(1),
    counts: { found: anyChanged, ...SELF },
  },
  {
    name: 'mobile -15 %, desktop +10 % since 10 days: find',
    nature: { ...CALM, events: [event('visits', 10, 0.85, { device: 'mobile' }), event('visits', 10, 1.1, { device: 'desktop' })] },
    tool: 'find_changes',
    args: last(28),
    counts: { 'both told (≥ 85 %)': (said) => areTold(said, 'mobile', 'desktop') },
  },
  {
    name: 'visits -20 % and, of mobile, rate -25 % since 8 days: compare',
    nature: { ...CALM, events: [event('visits', 8, 0.8), event('rate', 8, 0.75, { device: 'mobile' })] },
    tool: 'compare_metrics',
    args: last(14),
    counts: {
      'both told (≥ 85 %)': (said) =>
        changesIn(said, 'visits').length > 0 && changesIn(said, 'conversionRate').some(({ place }) => place.device === 'mobile'),
      ...SELF,
    },
  },
  {
    name: 'visits -20 % and, of mobile, rate -25 % since 8 days: find',
    nature: { ...CALM, events: [event('visits', 8, 0.8), event('rate', 8, 0.75, { device: 'mobile' })] },
    tool: 'find_changes',
    args: last(28),
    counts: { 'both told (≥ 85 %)': (said) => ['visits', 'conversionRate'].every((metric) => changesIn(said, metric).length > 0) },
  },
  {
    name: 'erosion of 1 % a day for 60 days: find',
    nature: { ...CALM, events: [event('visits', 60, 0.99 ** 60, { isGradual: true })] },
    tool: 'find_changes',
    args: last(28),
    counts: { 'found (≥ 85 %)': (said) => changesIn(said, 'visits').length > 0 },
  },
  {
    name: 'erosion of 1 % a day for 30 days: compare',
    nature: { ...CALM, events: [event('visits', 30, 0.99 ** 30, { isGradual: true })] },
    tool: 'compare_metrics',
    args: last(28),
    counts: { 'found (≥ 85 %)': anyChanged, ...SELF },
  },
];
