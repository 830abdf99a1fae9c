import { formatNumber, formatPercent } from '../../../lib/number-text.ts';
import { nameOf } from '../compare/comparison-words.ts';
import { definitionOf } from '../metric-definitions.ts';
import type { Place } from './change-series.ts';
import type { Part } from './events.ts';
import type { Cost, RankedChange } from './find-changes.ts';

/** What people call objects. */
export interface PlaceNames {
  readonly segment: (id: number) => string;
  readonly goal: (id: number) => string;
  readonly zone: (id: number) => string;
}

/** What words need beside the change itself. */
export interface Wording {
  readonly names: PlaceNames;
  readonly currency: string | undefined;
  /** The last day that was looked at. */
  readonly lastDay: string;
}

const ZONE_NAMES: Readonly<Record<string, string>> = {
  avgTransactionAfterTap: 'Transactions after a tap',
  avgConversionAfterTap: 'Conversion after a tap',
  dragFlickRate: 'Swipe rate',
  dragFlickRecurrence: 'Swipe recurrence',
  revenuePerTap: 'Revenue per tap',
  tapRate: 'Tap rate',
  tapRecurrence: 'Tap recurrence',
  timeBeforeFirstTap: 'Time before the first tap',
  totalRevenueWithTap: 'Revenue with a tap',
};

const metricName = (metric: string) => ZONE_NAMES[metric] ?? nameOf(metric);

function percent(share: number): string {
  const value = 100 * share;
  return formatPercent(value, { sign: true, digits: Math.abs(value) < 10 ? 1 : 0 });
}

/** Where something is: `mobile, segment "Germany"`; empty for all visitors. */
function visitorsOf({ device, segmentId }: Place, { segment }: PlaceNames): string {
  const parts = [...(device === 'all' ? [] : [device]), ...(segmentId === undefined ? [] : [`segment "${segment(segmentId)}"`])];
  return parts.join(', ');
}

function whereOf(place: Place, metric: string, names: PlaceNames): string {
  const goal = place.goalId !== undefined && definitionOf(metric)?.perGoal ? [`goal "${names.goal(place.goalId)}"`] : [];
  if (place.zoneId !== undefined) return [`zone "${names.zone(place.zoneId)}"`, ...goal].join(', ');
  return [...goal, visitorsOf(place, names) || 'all visitors'].join(', ');
}

function daysText({ shape, from, to, days, earliest, latest }: RankedChange, lastDay: string): string {
  const doubt = earliest === latest ? '' : ` (${earliest} to ${latest} are possible)`;
  if (shape === 'drift') return 'slowly, as in the months before';
  if (shape === 'outlier') return `on ${from} alone`;
  if (to !== undefined) return `from ${from}${doubt} to ${to}, then back`;
  if (from === lastDay) return `on ${from}, the last day: a single day or a beginning`;
  return `since ${from}${doubt}, ${days} days so far, goes on`;
}

const amount = (value: number) => formatNumber(value, { digits: 0, group: true, sign: true });

function costText({ metric, goalId, value }: Cost, { names, currency }: Wording): string {
  if (metric === 'revenueSum') return `about ${amount(value)} ${currency ?? ''} of revenue`.replace('  ', ' ');
  const of = metric === 'visits' ? 'visits' : 'conversions';
  return `about ${amount(value)} ${of}${goalId === undefined ? '' : ` of "${names.goal(goalId)}"`}`;
}

const isLikeFirst = (part: Part, first: Part | undefined) => part.metric === first?.metric && part.place.goalId !== first.place.goalId;

/** One line: what changed, by how much, where, on which days, what follows, what it costs. */
export function changeLine(change: RankedChange, wording: Wording): string {
  const { names, lastDay } = wording;
  const [first, ...rest] = change.parts;
  if (!first) return '';
  const size = `${percent(first.relative)} (${percent(first.low)} to ${percent(first.high)})`;
  const per = change.shape === 'drift' ? ' in 28 days' : '';
  const isElsewhere = (part: Part) => part.mix !== undefined;
  const goalOf = (part: Part) =>
    isLikeFirst(part, first) && part.place.goalId !== undefined ? ` of "${names.goal(part.place.goalId)}"` : '';
  const follow = rest
    .filter((part) => !isElsewhere(part))
    .map((part) => `${metricName(part.metric).toLowerCase()}${goalOf(part)} ${percent(part.relative)}`);
  const mixed = rest.filter(isElsewhere).map((part) => {
    const why = part.mix === 'yes' ? 'by the mix of traffic alone' : 'at the same time';
    return `${metricName(part.metric).toLowerCase()} (${whereOf(part.place, part.metric, names)}) ${percent(part.relative)} ${why}`;
  });
  const most = change.most ? [`most on ${visitorsOf(change.most, names)}`] : [];
  const costs = change.cost ? [costText(change.cost, wording)] : [];
  const tail = [...most, ...[follow.join(', ')].filter((text) => text !== ''), ...mixed, ...costs];
  const head = `${metricName(first.metric)} (${whereOf(first.place, first.metric, names)}) ${size}${per} ${daysText(change, lastDay)}`;
  return `${[head, ...tail].join('; ')}.`;
}
