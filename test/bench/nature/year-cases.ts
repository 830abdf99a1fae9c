import type { Finding } from '../../../src/findings/finding.ts';
import { dayAfter } from '../../../src/lib/calendar.ts';
import {
  ANY_CHANGE,
  AS_COUNTING,
  anyChanged,
  areTold,
  type Case,
  changesIn,
  compared,
  ended,
  eroded,
  GOES_ON,
  last,
  OPPOSITE,
  scanned,
  TOLD_CHANGED,
} from './metrics-cases.ts';
import { dayOf, type Event, event, isLikeNature, type World } from './metrics-world.ts';

/** Last days of questions all over a year: after Christmas, Carnival, Easter, in May, summer, autumn, before and after Black Friday. */
const LAST_DAYS = ['2026-01-11', '2026-02-22', '2026-04-12', '2026-05-31', '2026-07-26', '2026-10-11', '2026-11-22', '2026-12-13'];

/** Sums grow with visits. */
export const SUMS: ReadonlySet<string> = new Set(['visits', 'conversionCount', 'revenueSum']);
/** A slow change of a site's sums by half to twice of what its season and growth make. */
function isOwnDrift({ subject, when, change }: Finding, { growthOver }: World): boolean {
  return when.shape === 'drift' && SUMS.has(subject) && isLikeNature(change?.percent ?? 0, Math.expm1(growthOver(28)));
}

const yearly = (lastDay: string): Case[] => {
  const nature = { lastDay, holidays: true, season: 0.2, payDays: 0.08, growth: 0.1 };
  return [
    compared(`year, ${lastDay}`, nature, { ...TOLD_CHANGED, ...AS_COUNTING }),
    scanned(`year, ${lastDay}`, nature, {
      ...ANY_CHANGE,
      'any but its season and growth': (said, world) => changesIn(said).some((change) => !isOwnDrift(change, world)),
      ...AS_COUNTING,
    }),
  ];
};

const IS_OVER: Case['counts'] = { ...GOES_ON, 'told as over': (said) => changesIn(said, 'visits').some(({ when }) => !when.ongoing) };
const over = (name: string, from: number, to: number, factor: number) =>
  ended(`ended, ${name}`, from, to, factor, { compare: IS_OVER, find: IS_OVER });

/** A checkout that breaks on one device on the day before the week of Black Friday, asked about in that week and after it. */
const brokenBefore = (days: number, visits: number): Case => {
  const lastDay = dayAfter('2025-11-22', days);
  const events = [event('rate', days, 0.45, { device: 'desktop' })];
  return compared(
    `desktop rate -55 % since the day before the week of Black Friday, ${days} days ago, ${visits} a day`,
    { visits, lastDay, holidays: true, season: 0.2, events },
    {
      found: (said) => changesIn(said, 'conversionRate').length > 0,
      'its day (≥ 80 %)': (said, world) => changesIn(said, 'conversionRate').some(({ when }) => when.from === dayOf(world, days)),
      'of no other day': (said, world) => changesIn(said, 'conversionRate').every(({ when }) => when.from === dayOf(world, days)),
      ...AS_COUNTING,
    },
    last(days < 9 ? 7 : 14),
  );
};

/** Black Friday in its week, of a young site, where it moves behaviour by a part of what it does to rates; with a change beside it. */
const behaving = (behaviour: number, events: readonly Event[]): Case =>
  compared(
    `Black Friday moves behaviour by ${behaviour} of rates${events.length > 0 ? ', bounces +15 % since 6 days' : ''}`,
    { lastDay: '2025-12-02', age: 300, holidays: true, behaviour, events },
    { [events.length > 0 ? 'found' : 'told changed (≤ 2 % a verdict)']: anyChanged, ...AS_COUNTING },
    last(7, { metrics: ['bounceRate', 'pageviewAverage', 'sessionTimeAverage'] }),
  );

const LONG_FALL: readonly Event[] = [event('visits', 28, 0.7)];
const TWO: readonly Event[] = [event('visits', 8, 0.8), event('rate', 8, 0.75, { device: 'mobile' })];
const MOBILE_RATE: readonly Event[] = [event('rate', 6, 0.7, { device: 'mobile' })];

/** A whole year of questions, changes that began before the ranges or are over, single days, and revenue asked for alone. */
export const YEAR_CASES: readonly Case[] = [
  ...LAST_DAYS.flatMap(yearly),
  ...[0, 0.3, 0.5].flatMap((behaviour) => [[], [event('bounce', 6, 1.15)]].map((events) => behaving(behaviour, events))),
  ...[25_000, 4_000].flatMap((visits) => [4, 6, 9, 12].map((days) => brokenBefore(days, visits))),
  ...over('-25 % from 8 days ago until the day before yesterday', 8, 3, 0.75),
  ...over('+30 % for 4 days, 3 days ago', 7, 4, 1.3),
  ...over('-30 % for 9 days, 2 days ago', 11, 3, 0.7),
  scanned('pay days ±15 %', { payDays: 0.15 }, { ...ANY_CHANGE, ...AS_COUNTING }),
  compared(
    'two days against those of last week, four weeks into a fall of 30 %',
    { events: LONG_FALL },
    { ...TOLD_CHANGED, 'dated anew (0)': (said, world) => changesIn(said).some(({ when }) => when.from === dayOf(world, 2)) },
    (world) => ({
      startDate: dayOf(world, 2),
      endDate: dayOf(world, 1),
      baselineStartDate: dayOf(world, 9),
      baselineEndDate: dayOf(world, 8),
    }),
  ),
  compared('week against the week before, four weeks into a fall of 30 %', { events: LONG_FALL }, TOLD_CHANGED),
  compared(
    'revenue alone, mobile rate -30 % since 6 days',
    { events: MOBILE_RATE },
    {
      found: anyChanged,
      'its factor and device (≥ 90 %)': (said) => changesIn(said, 'conversionRate')[0]?.place.device === 'mobile',
      'right day (≥ 80 %)': (said, world) => changesIn(said)[0]?.when.from === dayOf(world, 6),
    },
    last(7, { metrics: ['revenueSum'] }),
  ),
  compared('yesterday alone, nothing happened', {}, TOLD_CHANGED, last(1)),
  compared('yesterday alone, visits -30 %', { events: [event('visits', 1, 0.7)] }, { found: anyChanged }, last(1)),
  scanned(
    'mobile -15 %, desktop +10 % since 10 days',
    { events: OPPOSITE },
    { 'both told (≥ 85 %)': (said) => areTold(said, 'mobile', 'desktop') },
  ),
  compared(
    'visits -20 % and, of mobile, rate -25 % since 8 days',
    { events: TWO },
    {
      'both told (≥ 85 %)': (said) =>
        changesIn(said, 'visits').length > 0 && changesIn(said, 'conversionRate').some(({ place }) => place.device === 'mobile'),
    },
    last(14),
  ),
  scanned(
    'visits -20 % and, of mobile, rate -25 % since 8 days',
    { events: TWO },
    { 'both told (≥ 85 %)': (said) => ['visits', 'conversionRate'].every((metric) => changesIn(said, metric).length > 0) },
  ),
  scanned('erosion of 1 % a day for 60 days', { events: eroded(60) }, { 'found (≥ 85 %)': (said) => changesIn(said, 'visits').length > 0 }),
  compared('erosion of 1 % a day for 30 days', { events: eroded(30) }, { 'found (≥ 85 %)': anyChanged }, last(28)),
];
