import type { Facts, FindingPlace } from '../findings/finding.ts';
import { type Grammar, isMoved, worded } from '../findings/sentence.ts';
import { dateText, rangeText } from '../findings/wording.ts';
import { dayAfter, type Interval } from '../lib/calendar.ts';
import { todayIn } from '../lib/dates.ts';
import { lowered } from '../lib/sentences.ts';
import { logOfLarge } from '../statistics/tails.ts';
import { costOnDays, totalsOf } from './change-cost.ts';
import { daysBeside } from './engine/measure.ts';
import { type DailyPoint, sumOf, valueOf } from './engine/series.ts';
import { definitionOf, isCount, unitOf, verbsOf } from './metric-definitions.ts';
import { nameOf } from './metric-names.ts';
import type { CountingFault } from './quality/counting.ts';
import { kindOf } from './read/day-points.ts';
import { calendarCause } from './season.ts';
import { pointsKnown, type SiteChange } from './site-changes.ts';

/** The grammar of metrics, for a reader in the year of a day. */
export const grammarOf = (today: string): Grammar => ({
  nounOf: (metric) => ({ name: lowered(nameOf(metric)), isPlural: verbsOf(metric).is === 'are' }),
  year: today.slice(0, 4),
  known: dayAfter(today, -1),
});

/** A selection of visits by its ids. */
interface PlaceIds {
  readonly device: string;
  readonly segmentIds: readonly number[];
  readonly goalId?: number | undefined;
  readonly zoneId?: number | undefined;
}

/** Gives the place of a metric by the names that people use; a goal only where the metric counts one. */
export function placeBy(called: (kind: 'segment' | 'goal' | 'zone', id: number) => string) {
  return ({ device, segmentIds, goalId, zoneId }: PlaceIds, metric: string): FindingPlace => ({
    ...(device !== 'all' && { device }),
    ...(segmentIds.length > 0 && { segment: segmentIds.map((id) => called('segment', id)).join(' and ') }),
    ...(goalId !== undefined && definitionOf(metric)?.perGoal && { goal: called('goal', goalId) }),
    ...(zoneId !== undefined && { zone: called('zone', zoneId) }),
  });
}

const SHAPES = { step: 'step', episode: 'episode', outlier: 'day', drift: 'drift' } as const;
const percentOf = (share: number) => Number((100 * share).toFixed(2));
const shown = (value: number) => Number(value.toPrecision(6));

/** The level of a metric on some days of a selection, of a count a day; null where none of them has a value. */
export function levelOn(metric: string, points: readonly DailyPoint[], from: string, to: string): number | null {
  const own = points.filter(({ label }) => label >= from && label <= to);
  const value = own.length === 0 ? Number.NaN : valueOf(own) * (kindOf(metric) === 'share' ? 100 : 1);
  return Number.isFinite(value) ? shown(value) : null;
}

/** The unit of a level: of a count or an amount that of a day. */
export function levelUnit(metric: string, currency: string | undefined): string {
  const unit = unitOf(metric, currency) ?? '';
  return isCount(metric) ? `${unit} a day` : unit;
}

/** A change of a metric with the name of its place. */
export interface PlacedChange extends SiteChange {
  readonly place: FindingPlace;
  /** The goal whose conversions may be what the change costs. */
  readonly goal?: string | undefined;
  /** The last day that is asked about: a cost is up to it, whatever is known of the days behind it. */
  readonly last: string;
  readonly causes?: Facts['causes'];
  readonly more?: Facts['more'];
}

/** A very large order that comes less often, on any day of a year, explains nothing. */
const RAREST = Math.log(0.01 / 365);
/** The one thing that alone could make a day of money stand out. */
const LARGE_ORDER: Facts['causes'] = [{ kind: 'special day', name: 'a single very large order', basis: 'inferred' }];

/** Whether what the orders of a day came to each makes most of a rise of money on it, as one very large order does. */
function isLargeOrder(metric: string, day: readonly DailyPoint[], before: readonly DailyPoint[]): boolean {
  const ordersOf = (own: typeof day) => (kindOf(metric) === 'average' ? sumOf(own, 'denominator') : sumOf(own, 'events'));
  const rise = valueOf(day) / valueOf(before);
  const ofEach = (sumOf(day, 'numerator') * ordersOf(before)) / ordersOf(day) / sumOf(before, 'numerator');
  return rise > 1 && ofEach ** 2 > rise && logOfLarge(ordersOf(day), ofEach - 1) > RAREST;
}

/** Which of two levels an expected value is of: that since a change that the days before it taught. */
export const usualLevel = (since: string, year: string) => `the level since ${dateText(since, year)} taken as usual`;

/** A single very large order, where it makes most of a rise of money on some days. */
export function orderCause(
  metric: string,
  points: readonly DailyPoint[],
  from: string,
  to = points.at(-1)?.label ?? from,
): Facts['causes'] {
  if (definitionOf(metric)?.unit !== 'currency') return [];
  const before = points.filter(({ label }) => label < from);
  const days = points.filter(({ label }) => label >= from && label <= to);
  const others = days.filter((day) => !isLargeOrder(metric, [day], before));
  const riseOf = (own: typeof days) => valueOf(own) / valueOf(before) - 1;
  const isMost = others.length === days.length - 1 && !(riseOf(others) > riseOf(days) / 2);
  return isMost ? LARGE_ORDER : [];
}

/** The causes of a change and its cost, for the record; where the calendar or one order may be all of it, there is no cost. */
function reasonFacts(placed: PlacedChange, currency: string | undefined): Pick<Facts, 'causes' | 'cost'> {
  const { metric, reading, change, last, goal, causes = [] } = placed;
  const points = pointsKnown(reading, metric);
  const alone = [...calendarCause(metric, points, change), ...orderCause(metric, points, change.from, change.to)].slice(0, 1);
  if (alone.length > 0) return { causes: alone };
  // The visits that are more or fewer made it, and have the cost.
  if (causes.some(({ kind, basis }) => kind === 'mix' && basis === 'measured')) return { causes: [...causes] };
  const labels = new Set(daysBeside(kindOf(metric), points, change).map(({ label }) => label));
  const own = reading.known.filter(({ interval }) => labels.has(interval.label ?? ''));
  const found = costOnDays(metric, totalsOf(own), change, last, reading);
  if (!found) return { causes: [...causes] };
  const { metric: of, value, low, high } = found;
  const { from, to = last } = change;
  const rounded = (amount: number) => Number(amount.toFixed(2));
  const amounts = { value: rounded(value), low: rounded(low), high: rounded(high) };
  const ofGoal = goal !== undefined && definitionOf(of)?.perGoal && { goal };
  const days = { from, to: to < last ? to : last };
  return { causes: [...causes], cost: { of, ...ofGoal, ...amounts, unit: unitOf(of, currency) ?? '', ...days } };
}

/** The record of a change with a date. */
export function changeFacts(placed: PlacedChange, currency: string | undefined): Facts {
  const { metric, reading, place, change, last, more } = placed;
  const points = pointsKnown(reading, metric);
  const { shape, from, to, earliest, latest, relative, low, high, pValue } = change;
  const end = to ?? (shape === 'drift' ? last : (points.at(-1)?.label ?? last));
  const now = levelOn(metric, daysBeside(kindOf(metric), points, change), from, end);
  // A change that only the last day shows is that day's: whether it is a level is open.
  const isDay = from === end;
  return {
    subject: metric,
    unit: levelUnit(metric, currency),
    place,
    when: {
      shape: isDay ? 'day' : SHAPES[shape],
      from,
      // A drift begins on no day: its size is that of the days that are asked about.
      ...((isDay || to !== undefined || shape === 'drift') && { to: end }),
      ...(earliest !== latest && { earliest, latest }),
      ongoing: to === undefined && !isDay,
    },
    now,
    against: { what: 'before', value: now && relative > -1 ? shown(now / (1 + relative)) : null },
    change: { percent: percentOf(relative), low: percentOf(Math.min(low, high)), high: percentOf(Math.max(low, high)) },
    verdict: relative > 0 ? 'higher' : 'lower',
    chance: Number(pValue.toPrecision(2)),
    ...reasonFacts(placed, currency),
    ...(more && { more }),
  };
}

/** When a selection has visits, where these begin or end among some days: `since 15 June`. */
export function visitedWords({ startMs, endMs }: Interval, within: Interval, timeZone: string, year: string): string | undefined {
  if (![startMs, endMs].some((ms) => ms > within.startMs && ms < within.endMs)) return undefined;
  const [begun, ended] = [startMs, endMs].map((ms) => (ms > 0 && Number.isFinite(ms) ? todayIn(timeZone, ms) : undefined));
  if (begun !== undefined && ended !== undefined) return rangeText(begun, ended, year);
  return begun === undefined ? `up to ${dateText(ended ?? '', year)}` : `since ${dateText(begun, year)}`;
}

/** The record of days of which the counting looks broken. */
export function faultFacts({ from, to, device, metrics, evidence }: CountingFault, whole: FindingPlace = {}): Facts {
  return {
    subject: metrics.includes('visits') ? 'visits' : (metrics[0] ?? 'visits'),
    unit: '',
    place: { ...whole, ...(device !== undefined && { device }) },
    when: { shape: from === to ? 'day' : 'episode', from, to, ongoing: false },
    now: null,
    verdict: 'measurement',
    causes: [{ kind: 'measurement', name: evidence, basis: 'inferred' }],
  };
}

/** Whether one place may hold visits of the other: two devices share none. */
const areOfSameVisits = (a: FindingPlace, b: FindingPlace) => {
  const own = new Map(Object.entries(a));
  return Object.entries(b).every(([kind, name]) => (own.get(kind) ?? name) === name);
};

/**
 * A change within an earlier one at its place that goes on, the other way, held against the days of that one, and a day within an episode,
 * held against those around it: no news by itself.
 */
function withinEarlier(own: Facts, all: readonly Facts[], { year }: Grammar): Facts {
  const { shape, from = '' } = own.when;
  const placeOf = ({ place }: Facts) => JSON.stringify(place);
  const isStep = ({ when }: Facts) => when.ongoing && when.shape === 'step';
  const outer = all.find((other) => {
    const { from: first = from, to = '' } = other.when;
    if (other.subject !== own.subject || ![own, other].every(isMoved)) return false;
    if (shape === 'day') return other.when.shape === 'episode' && first <= from && to >= from && areOfSameVisits(own.place, other.place);
    return isStep(own) && isStep(other) && first < from && placeOf(other) === placeOf(own) && other.verdict !== own.verdict;
  });
  if (!outer || own.against?.what !== 'before') return own;
  const { cost: _cost, ...rest } = own;
  const days = shape === 'day' ? 'on the days around it' : rangeText(outer.when.from ?? '', dayAfter(from, -1), year);
  return { ...rest, against: { ...own.against, name: days } };
}

/** The findings of records, in the words of metrics. */
export const wordedAll = (facts: readonly Facts[], grammar: Grammar) =>
  facts.map((each) => worded(withinEarlier(each, facts, grammar), grammar));
