import * as z from 'zod';
import { formatNumber } from '../../../lib/number-text.ts';
import { unitOf } from '../metric-definitions.ts';
import type { Place } from './change-series.ts';
import { changeLine, type Wording } from './change-words.ts';
import type { Cost, RankedChange } from './find-changes.ts';

const where = z.object({
  device: z.string(),
  segmentId: z.number().optional(),
  segment: z.string().optional(),
  goalId: z.number().optional(),
  goal: z.string().optional(),
  zoneId: z.number().optional(),
  zone: z.string().optional(),
});

const part = z.object({
  metric: z.string(),
  goalId: z.number().optional(),
  changePercent: z.number(),
  lowPercent: z.number(),
  highPercent: z.number(),
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
      days: z.number(),
      earliest: z.string().optional(),
      latest: z.string().optional(),
      goesOn: z.boolean(),
      mayChange: z.boolean(),
      where,
      mostIn: where.optional(),
      parts: z.array(part),
      effect: z.object({ metric: z.string(), value: z.number(), unit: z.string() }).optional(),
      pValue: z.number(),
      series: z.number(),
    }),
  ),
  ranking: z.string(),
  total: z.number(),
  looked: z.object({ series: z.number(), withTooFewData: z.number(), requests: z.number(), dataSince: z.string() }),
});

export type Changes = z.output<typeof changesShape>;

/** What the answer says beside the changes. */
export interface AnswerFacts extends Wording {
  readonly firstDay: string;
  readonly days: number;
  readonly looked: number;
  readonly tooFew: number;
  readonly requests: number;
  readonly dataSince: string;
  readonly outcome: Cost['metric'];
  /** Zones: the platform may correct days from this one on. */
  readonly provisionalFrom: string;
  readonly limit: number;
}

const RANKED_BY: Readonly<Record<Cost['metric'], string>> = { revenueSum: 'revenue', conversionCount: 'conversions', visits: 'visits' };
const percentOf = (share: number) => Number((100 * share).toFixed(2));

function placed(place: Place, { names }: Wording): Changes['changes'][number]['where'] {
  const { device, segmentId, goalId, zoneId } = place;
  return {
    device,
    ...(segmentId !== undefined && { segmentId, segment: names.segment(segmentId) }),
    ...(goalId !== undefined && { goalId, goal: names.goal(goalId) }),
    ...(zoneId !== undefined && { zoneId, zone: names.zone(zoneId) }),
  };
}

function record(change: RankedChange, facts: AnswerFacts): Changes['changes'][number] {
  const { shape, from, to, days, earliest, latest, place, most, parts, cost, pValue, seriesCount } = change;
  const isDrift = shape === 'drift';
  const last = isDrift ? facts.lastDay : (to ?? facts.lastDay);
  return {
    line: changeLine(change, facts),
    shape,
    from: isDrift ? facts.firstDay : from,
    ...(to !== undefined && { to }),
    days: isDrift ? facts.days : days,
    ...(earliest !== latest && { earliest, latest }),
    goesOn: to === undefined,
    mayChange: place.zoneId !== undefined && last >= facts.provisionalFrom,
    where: placed(place, facts),
    ...(most && { mostIn: placed(most, facts) }),
    parts: parts.map(({ metric, place: { goalId }, relative, low, high, mix }) => ({
      metric,
      ...(goalId !== undefined && goalId !== place.goalId && { goalId }),
      changePercent: percentOf(relative),
      lowPercent: percentOf(low),
      highPercent: percentOf(high),
      ...(mix && { byMix: mix }),
    })),
    ...(cost && {
      effect: { metric: cost.metric, value: Number(cost.value.toFixed(2)), unit: unitOf(cost.metric, facts.currency) ?? '' },
    }),
    pValue: Number(pValue.toPrecision(2)),
    series: seriesCount,
  };
}

const counted = (count: number, one: string) => `${formatNumber(count, { group: true })} ${one}${count === 1 ? '' : 's'}`;

/** The whole answer: its first sentence says how many changes there are. */
export function changesAnswer(ranked: readonly RankedChange[], facts: AnswerFacts): Changes {
  const range = `the ${counted(facts.days, 'day')} from ${facts.firstDay} to ${facts.lastDay}`;
  const seen = `${formatNumber(facts.looked, { group: true })} series looked at`;
  const shown = ranked.slice(0, facts.limit);
  const more =
    ranked.length > shown.length ? ` The first ${shown.length === 1 ? 'one is' : `${shown.length} are`} listed; limit asks for more.` : '';
  const answer =
    facts.looked === 0
      ? `No series of ${range} has enough days with data to distinguish a change from chance.`
      : ranked.length === 0
        ? `Nothing changed beyond chance in ${range}: ${seen}, 0 changes.`
        : `${counted(ranked.length, 'change')} in ${range}: ${seen}.${more}`;
  const ranking =
    `By estimated effect on ${RANKED_BY[facts.outcome]} over the days of the change, then on conversions of other ` +
    `goals; those without such an effect last, the clearest first.`;
  return {
    answer,
    changes: shown.map((change) => record(change, facts)),
    ranking,
    total: ranked.length,
    looked: { series: facts.looked, withTooFewData: facts.tooFew, requests: facts.requests, dataSince: facts.dataSince },
  };
}
