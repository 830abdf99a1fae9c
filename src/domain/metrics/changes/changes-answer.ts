import * as z from 'zod';
import { todayIn } from '../../../lib/dates.ts';
import type { SpeedChange } from '../../speed/speed-changes.ts';
import type { Cost } from '../change-cost.ts';
import { costRecord } from '../compare/measured-change.ts';
import { LEAST_HISTORY_DAYS } from '../engine/levels.ts';
import { definitionOf } from '../metric-definitions.ts';
import { type CountingFault, countingSentence, qualityShape } from '../quality/counting.ts';
import type { Place } from './change-series.ts';
import { briefLine, changeLine, type Entry, entriesOf, type Period, type PlaceNames, speedLine, speedRecord } from './change-words.ts';
import { type LargeDay, largeDaysSentence } from './large-days.ts';
import { counted, seenWords } from './looked-words.ts';
import { isTooSlow, type RankedChange } from './rank-changes.ts';
import { type SlowLevel, slowLevelsSentence } from './slow-levels.ts';

/** Subjects that can be searched for changes. */
export const changeSubjects = ['site', 'zones', 'speed'] as const;

const where = z.object({
  device: z.string().optional(),
  segmentId: z.number().optional(),
  segment: z.string().optional(),
  goalId: z.number().optional(),
  goal: z.string().optional(),
  zoneId: z.number().optional(),
  zone: z.string().optional(),
  /** Of a change of speed. */
  scenarioId: z.number().optional(),
  scenario: z.string().optional(),
  step: z.string().optional(),
});

const part = z.object({
  metric: z.string(),
  goalId: z.number().optional(),
  /** Left out where a speed metric was zero before. */
  changePercent: z.number().optional(),
  lowPercent: z.number().optional(),
  highPercent: z.number().optional(),
  /** Of speed: the step, and the levels on both sides in the unit of the metric. */
  step: z.string().optional(),
  before: z.number().optional(),
  after: z.number().optional(),
  /** It is the figure of all visitors, which moved by the mix of traffic, or may have. */
  byMix: z.enum(['yes', 'maybe']).optional(),
});

/** The answer of `find_changes`. */
export const changesShape = z.object({
  answer: z.string(),
  changes: z.array(
    z.object({
      line: z.string(),
      shape: z.enum(['step', 'episode', 'outlier', 'drift']),
      from: z.string(),
      to: z.string().optional(),
      /** Of speed: the first run of it, and the first one after it. */
      fromTime: z.string().optional(),
      toTime: z.string().optional(),
      days: z.number(),
      earliest: z.string().optional(),
      latest: z.string().optional(),
      goesOn: z.boolean(),
      mayChange: z.boolean(),
      where,
      mostIn: where.optional(),
      parts: z.array(part),
      /** `low` and `high` bound the value at 95 %. */
      effect: z
        .object({ metric: z.string(), value: z.number(), low: z.number().optional(), high: z.number().optional(), unit: z.string() })
        .optional(),
      /** Of speed: a change of conversion that began within a day of it. */
      coincidesWith: z.object({ metric: z.string(), from: z.string() }).optional(),
      pValue: z.number(),
      series: z.number(),
    }),
  ),
  /** Days on which the counting looks broken. */
  quality: qualityShape,
  ranking: z.string(),
  total: z.number(),
  looked: z.object({
    series: z.number(),
    /** How many of these are of speed scenarios, and of how many scenarios. */
    speedSeries: z.number().optional(),
    scenarios: z.number().optional(),
    withTooFewData: z.number(),
    requests: z.number(),
    dataSince: z.string(),
  }),
});

/** The answer of `find_changes`. */
export type Changes = z.output<typeof changesShape>;
type AnswerChange = Changes['changes'][number];

/** The number of places of one kind that were searched. */
interface Searched {
  readonly looked: number;
  readonly tooFew: number;
  readonly requests: number;
  readonly dataSince: string;
}

/** The findings in the metrics of the site and its zones. */
export interface SiteFacts extends Searched {
  /** Devices, segments, goals and zones that could not be read, or not whole. */
  readonly unread: { readonly selections: number; readonly of: number };
  /** The most expensive first. */
  readonly ranked: readonly RankedChange[];
  readonly outcome: Cost['metric'];
  readonly faults: readonly CountingFault[];
  /** The effects of special days in the range; empty where there are none. */
  readonly special: string;
  /** Days of revenue that stand out and are no change for sure. */
  readonly large: readonly LargeDay[];
  /** Levels of all visitors that moved slowly and are no change of a day. */
  readonly slowly: readonly SlowLevel[];
  readonly names: PlaceNames;
  readonly currency: string | undefined;
  /** Zones: the platform may correct days from this one on. */
  readonly provisionalFrom: string;
}

/** The findings in speed scenarios. */
export interface SpeedFacts extends Searched {
  readonly changes: readonly SpeedChange[];
  readonly scenarios: number;
}

/** Everything that an answer is made of; at least one kind was looked at. */
export interface AnswerFacts extends Period {
  readonly site: SiteFacts | undefined;
  readonly speed: SpeedFacts | undefined;
  readonly days: number;
  /** Changes to list. */
  readonly limit: number;
}

const RANKED_BY: Readonly<Record<Cost['metric'], string>> = { revenueSum: 'revenue', conversionCount: 'conversions', visits: 'visits' };
const percentOf = (share: number) => Number((100 * share).toFixed(2));

function placed(place: Place, { names }: SiteFacts): AnswerChange['where'] {
  const { device, segmentId, goalId, zoneId } = place;
  return {
    device,
    ...(segmentId !== undefined && { segmentId, segment: names.segment(segmentId) }),
    ...(goalId !== undefined && { goalId, goal: names.goal(goalId) }),
    ...(zoneId !== undefined && { zoneId, zone: names.zone(zoneId) }),
  };
}

/** Whether a figure of the goal of its place changed: visits and averages are of none. */
function isOfGoal({ parts, place: { goalId } }: RankedChange): boolean {
  return parts.some(({ metric, place, mix }) => !mix && definitionOf(metric)?.perGoal && place.goalId === goalId);
}

function siteRecord(change: RankedChange, site: SiteFacts, facts: AnswerFacts): AnswerChange {
  const { shape, from, to, days, earliest, latest, place, most, parts, cost, pValue, seriesCount } = change;
  const isDrift = shape === 'drift';
  const goalId = isOfGoal(change) ? place.goalId : undefined;
  const last = isDrift ? facts.lastDay : (to ?? facts.lastDay);
  return {
    line: changeLine(change, { ...site, firstDay: facts.firstDay, lastDay: facts.lastDay }),
    shape,
    from: isDrift ? facts.firstDay : from,
    ...(to !== undefined && { to }),
    days: isDrift ? facts.days : days,
    ...(earliest !== latest && { earliest, latest }),
    goesOn: to === undefined,
    mayChange: place.zoneId !== undefined && last >= site.provisionalFrom,
    where: placed({ ...place, goalId }, site),
    ...(most && { mostIn: placed({ ...most, goalId }, site) }),
    parts: parts.map(({ metric, place: { goalId: own }, relative, low, high, mix }) => ({
      metric,
      ...(own !== undefined && definitionOf(metric)?.perGoal && own !== goalId && { goalId: own }),
      changePercent: percentOf(relative),
      lowPercent: percentOf(low),
      highPercent: percentOf(high),
      ...(mix && { byMix: mix }),
    })),
    ...(cost && {
      effect: costRecord(cost, site.currency),
    }),
    pValue: Number(pValue.toPrecision(2)),
    series: seriesCount,
  };
}

function record(entry: Entry, facts: AnswerFacts): AnswerChange[] {
  if ('site' in entry) return facts.site ? [siteRecord(entry.site, facts.site, facts)] : [];
  const { speed, beside } = entry;
  return [{ line: speedLine(speed, beside, facts), ...speedRecord(speed, beside, facts) }];
}

/** In what order the changes stand. */
function rankingOf({ site, speed }: AnswerFacts): string {
  const bySize = 'slower ones first, those that last before those that are over';
  if (!site) return `Speed: ${bySize}.`;
  const hasBoth = site.ranked.some(({ shape }) => shape === 'drift') && site.ranked.some(({ place }) => place.zoneId !== undefined);
  const zones = hasBoth ? ', but zones that changed and stayed so before slow changes' : '';
  const ranking =
    `By estimated effect on ${RANKED_BY[site.outcome]} over the days of the change, then on conversions of other ` +
    `goals; those without such an effect last, the clearest first${zones}.`;
  return speed
    ? `${ranking} Speed: beside a change of conversion that it coincides with, else before those without effect, ${bySize}.`
    : ranking;
}

/** Whether a change began before the days that are looked at and goes on. */
function beganBefore(entry: Entry, { firstDay, timeZone }: AnswerFacts): boolean {
  if ('site' in entry) return entry.site.shape === 'step' && entry.site.to === undefined && entry.site.from < firstDay;
  const [{ shape, fromMs, untilMs }] = entry.speed.moves;
  return shape !== 'drift' && untilMs === undefined && todayIn(timeZone, fromMs) < firstDay;
}

/** `Nothing changed`; of what could be read, and suddenly where something moved slowly. */
function nothingWords(site: Pick<SiteFacts, 'unread' | 'slowly'> | undefined): string {
  const nothing = (site?.unread.selections ?? 0) > 0 ? 'Nothing that was looked at' : 'Nothing';
  return `${nothing} changed${site && site.slowly.length > 0 ? ' suddenly' : ''}`;
}

/** How many changes there are and the first of them, or why there is nothing to say. */
function countSentence(facts: AnswerFacts, entries: readonly Entry[], looked: number): string {
  const { limit, site, speed } = facts;
  const count = entries.length;
  const [first] = entries;
  const range = `the ${counted(facts.days, 'day')} from ${facts.firstDay} to ${facts.lastDay}`;
  if (looked === 0)
    return (
      `The site is too young to judge ${range}: data begins on ${(site ?? speed)?.dataSince ?? facts.firstDay}, and a verdict needs ` +
      `${LEAST_HISTORY_DAYS} days before the range.`
    );
  const seen = seenWords(facts, looked);
  if (!first) return `${nothingWords(site)} beyond chance in ${range}: ${seen}, 0 changes.`;
  const shown = Math.min(limit, count);
  const more = count > shown ? ` The first ${shown === 1 ? 'one is' : `${shown} are`} listed; limit asks for more.` : '';
  const lead = briefLine(first, site?.names, facts);
  const earlier = entries.filter((entry) => beganBefore(entry, facts)).length;
  const begun = earlier === 0 ? '' : ` (${earlier === count ? '' : `${earlier} of them `}begun before and going on)`;
  return `${counted(count, 'change')} in ${range}${begun}${count === 1 ? '' : ', first'}: ${lead}; ${seen}.${more}`;
}

/** Trends beside the list, which make less in its days than would be news. */
function slowSentence(slow: readonly RankedChange[], { site, ...facts }: AnswerFacts): string {
  const named = slow.map((change) => briefLine({ site: change }, site?.names, facts)).join(', ');
  return slow.length === 0 ? '' : `Beside the list, by the trend since ${site?.dataSince ?? ''}: ${named}.`;
}

/** The sentences of an answer: whether the counting is to be believed, how many changes, and what stands beside them. */
function sentencesOf(facts: AnswerFacts, entries: readonly Entry[], slow: readonly RankedChange[], looked: number): string {
  const { faults = [], large = [], slowly = [], special = '' } = facts.site ?? {};
  const count = countSentence(facts, entries, looked);
  const beside = [slowSentence(slow, facts), slowLevelsSentence(slowly), largeDaysSentence(large, facts.site?.names.zone), special];
  const sentences = [countingSentence(faults), count, ...beside];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** The whole answer: its first sentence says how many changes there are, and the first of them. */
export function changesAnswer(facts: AnswerFacts): Changes {
  const { site, speed, limit } = facts;
  const kinds: readonly Searched[] = [site, speed].flatMap((kind) => kind ?? []);
  const sum = (of: (kind: Searched) => number) => kinds.reduce((total, kind) => total + of(kind), 0);
  const looked = sum((kind) => kind.looked);
  const ranked = site?.ranked ?? [];
  const slow = ranked.filter((change) => isTooSlow(change, facts.days));
  const entries = entriesOf(
    ranked.filter((change) => !slow.includes(change)),
    speed?.changes ?? [],
    facts,
  );
  const shown = entries.slice(0, limit);
  const faults = site?.faults ?? [];
  return {
    answer: sentencesOf(facts, entries, slow, looked),
    ...(faults.length > 0 && { quality: [...faults] }),
    changes: shown.flatMap((entry) => record(entry, facts)),
    ranking: rankingOf(facts),
    total: entries.length,
    looked: {
      series: looked,
      ...(speed && { speedSeries: speed.looked, scenarios: speed.scenarios }),
      withTooFewData: sum(({ tooFew }) => tooFew),
      requests: sum(({ requests }) => requests),
      dataSince: (site ?? speed)?.dataSince ?? facts.firstDay,
    },
  };
}
