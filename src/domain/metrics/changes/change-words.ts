import { DAY_MS } from '../../../lib/clock.ts';
import { minuteAt, todayIn } from '../../../lib/dates.ts';
import { formatNumber, formatPercent } from '../../../lib/number-text.ts';
import { compareSpeedChanges, type SpeedChange, type SpeedMove } from '../../speed/speed-changes.ts';
import { deviceOf, formatValue, metricFact, roundValue } from '../../speed/speed-metrics.ts';
import { ALL_STEPS } from '../../speed/study-table.ts';
import type { Cost } from '../change-cost.ts';
import { isBackForOneDay } from '../compare/level-words.ts';
import { FEW_DAYS } from '../compare/measured-words.ts';
import { definitionOf, nameOf } from '../metric-definitions.ts';
import type { Place } from './change-series.ts';
import type { Part } from './events.ts';
import type { RankedChange } from './rank-changes.ts';

/** The names that people give to objects. */
export interface PlaceNames {
  readonly segment: (id: number) => string;
  readonly goal: (id: number) => string;
  readonly zone: (id: number) => string;
}

/** The names and dates that words need beside the change itself. */
export interface Wording {
  readonly names: PlaceNames;
  readonly currency: string | undefined;
  /** The first and the last day that were looked at. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** The first day of what taught the usual. */
  readonly dataSince: string;
}

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

function daysText(
  { shape, from, to, days, earliest, latest, parts: [part] }: RankedChange,
  { firstDay, lastDay, dataSince }: Wording,
): string {
  const doubt = earliest === latest ? '' : ` (${earliest} to ${latest} are possible)`;
  if (shape === 'drift') return `slowly, by the trend since ${dataSince}, the season included`;
  if (shape === 'outlier') return `on ${from} alone`;
  if (to !== undefined) {
    const isOpen = isBackForOneDay(part?.metric ?? '', to, lastDay);
    return `from ${from}${doubt} to ${to}, then back${isOpen ? ` on ${lastDay}, one day of orders: whether it is over is open` : ''}`;
  }
  if (from === lastDay) return `on ${from}, the last day: a single day or a beginning`;
  if (days <= FEW_DAYS) return `since ${from}${doubt}, the last ${days} days: these alone or a beginning`;
  return `since ${from}${doubt}${from < firstDay ? ', before these days' : ''}, ${days} days up to ${lastDay}, goes on`;
}

const amount = (value: number) => formatNumber(value, { digits: 0, group: true, sign: true });

/** `about -63,824 EUR of revenue (-70,100 to -57,600)`, with bounds at 95 % where they are known. */
function costText({ metric, goalId, value, low, high }: Cost, { names, currency }: Pick<Wording, 'names' | 'currency'>): string {
  const [least, most] = [low, high].map((bound) => (bound === undefined ? '' : amount(bound)));
  const range = low === undefined || high === undefined ? '' : ` (${least} to ${most})`;
  if (metric === 'revenueSum') return `about ${amount(value)} ${currency ?? ''} of revenue`.replace('  ', ' ') + range;
  const of = metric === 'visits' ? 'visits' : 'conversions';
  return `about ${amount(value)} ${of}${goalId === undefined ? '' : ` of "${names.goal(goalId)}"`}${range}`;
}

const isLikeFirst = (part: Part, first: Part | undefined) => part.metric === first?.metric && part.place.goalId !== first.place.goalId;

/** Zones of one day that a line names beside the first; the rest is counted. */
const MOST_ZONES = 4;

/** The other zones that show a day. */
function alsoText({ also = [] }: RankedChange, { zone }: PlaceNames): string[] {
  if (also.length === 0) return [];
  const named = also
    .slice(0, MOST_ZONES)
    .map(({ place: { zoneId }, relative }) => `"${zoneId === undefined ? '' : zone(zoneId)}" ${percent(relative)}`);
  const more = also.length > MOST_ZONES ? ` and ${also.length - MOST_ZONES} more` : '';
  return [`also ${named.join(', ')}${more}`];
}

/** One line: what changed, by how much, where, on which days, what follows, what it costs. */
export function changeLine(change: RankedChange, wording: Wording): string {
  const { names } = wording;
  const [first, ...rest] = change.parts;
  if (!first) return '';
  const size = `${percent(first.relative)} (${percent(first.low)} to ${percent(first.high)})`;
  const per = change.shape === 'drift' ? ' per 28 days,' : '';
  const isElsewhere = (part: Part) => part.mix !== undefined;
  const goalOf = (part: Part) =>
    isLikeFirst(part, first) && part.place.goalId !== undefined ? ` of "${names.goal(part.place.goalId)}"` : '';
  const follow = rest
    .filter((part) => !isElsewhere(part))
    .map((part) => `${nameOf(part.metric).toLowerCase()}${goalOf(part)} ${percent(part.relative)}`);
  const mixed = rest.filter(isElsewhere).map((part) => {
    const why = part.mix === 'yes' ? 'by the mix of traffic alone' : 'at the same time';
    return `${nameOf(part.metric).toLowerCase()} (${whereOf(part.place, part.metric, names)}) ${percent(part.relative)} ${why}`;
  });
  const most = change.most ? [`most on ${visitorsOf(change.most, names)}`] : [];
  const made = change.maker ? [`made by ${visitorsOf(change.maker, names)}`] : [];
  const within = change.shape !== 'drift' && change.from < wording.firstDay ? 'in these days ' : '';
  const costs = change.cost ? [`${within}${costText(change.cost, wording)}`] : [];
  const tail = [...alsoText(change, names), ...made, ...most, ...[follow.join(', ')].filter((text) => text !== ''), ...mixed, ...costs];
  const head = `${nameOf(first.metric)} (${whereOf(first.place, first.metric, names)}) ${size}${per} ${daysText(change, wording)}`;
  return `${[head, ...tail].join('; ')}.`;
}

/** When a change was, in few words: `since 2026-11-13`. */
function briefDays({ shape, from, to }: RankedChange, lastDay: string): string {
  if (shape === 'drift') return 'per 28 days';
  if (shape === 'outlier' || (to === undefined && from === lastDay)) return `on ${from}`;
  return to === undefined ? `since ${from}` : `from ${from} to ${to}`;
}

/** A line of the list: a change of the site or its zones, or one of a speed scenario with what it coincides with. */
export type Entry = { readonly site: RankedChange } | { readonly speed: SpeedChange; readonly beside?: RankedChange | undefined };

/** The days of a speed change, for its words. */
export interface Period {
  readonly timeZone: string;
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The day that an instant belongs to. */
const dayOf = (ms: number, { timeZone }: Period) => todayIn(timeZone, ms);
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);

const CONVERSION: ReadonlySet<string> = new Set(['conversionRate', 'conversionCount']);
const conversionPart = ({ parts }: RankedChange) => parts.find(({ metric, mix }) => CONVERSION.has(metric) && mix === undefined);

/** Whether a change of conversion and one of speed, of no other device, began within a day of each other, as far as is known. */
function coincide(site: RankedChange, { scenario, moves: [{ shape, began }] }: SpeedChange, period: Period): boolean {
  const conversion = conversionPart(site);
  if (site.shape === 'drift' || shape === 'drift' || !conversion) return false;
  const [ofVisitors, ofRuns] = [conversion.place.device, deviceOf(scenario)];
  if (ofVisitors !== 'all' && ofRuns !== 'unknown' && ofVisitors !== ofRuns) return false;
  const [first, last] = [dayOf(began.startMs, period), dayOf(began.endMs, period)];
  return daysBetween(site.latest, first) <= 1 && daysBetween(last, site.earliest) <= 1;
}

/** Puts changes of speed beside the change of conversion that began with them, the others before what has no effect to be ranked by. */
export function entriesOf(site: readonly RankedChange[], speed: readonly SpeedChange[], period: Period): Entry[] {
  const ordered = speed.toSorted(compareSpeedChanges);
  const besides = new Map(ordered.map((change) => [change, site.find((each) => coincide(each, change, period))]));
  const withCompanions = (change: RankedChange): Entry[] => [
    { site: change },
    ...ordered.filter((each) => besides.get(each) === change).map((each): Entry => ({ speed: each, beside: change })),
  ];
  const costly = site.findLastIndex(({ cost }) => cost !== undefined) + 1;
  return [
    ...site.slice(0, costly).flatMap(withCompanions),
    ...ordered.filter((each) => !besides.get(each)).map((each): Entry => ({ speed: each })),
    ...site.slice(costly).flatMap(withCompanions),
  ];
}

/** Smaller probabilities are shown as this. */
const LEAST_P = 0.0001;
/** Moves that a line names after its first one; the rest is counted. */
const MOST_NAMED = 5;

const sizeOf = ({ relative }: SpeedMove) =>
  Number.isFinite(relative) ? formatPercent(100 * relative, { sign: true, digits: Math.abs(relative) < 0.1 ? 1 : 0 }) : 'from zero';
const shortOf = ({ metric }: SpeedMove) => metricFact(metric).short;
const placeOf = ({ step }: SpeedMove) => (step === undefined ? 'all steps together' : `step "${step}"`);

function momentsText({ shape, fromMs, untilMs, began }: SpeedMove, period: Period): string {
  if (shape === 'drift') return 'in 30 days, slowly';
  const at = (ms: number) => minuteAt(ms, period.timeZone);
  const doubt = began.endMs - began.startMs > DAY_MS ? ` (95%: between ${at(began.startMs)} and ${at(began.endMs)})` : '';
  if (untilMs !== undefined) return `from ${at(fromMs)}${doubt} to ${at(untilMs)}, then back`;
  const days = daysBetween(dayOf(fromMs, period), period.lastDay) + 1;
  const earlier = dayOf(fromMs, period) < period.firstDay ? ', before these days' : '';
  return `since ${at(fromMs)}${doubt}${earlier}, ${days} day${days === 1 ? '' : 's'} up to ${period.lastDay}, goes on`;
}

/** The other moves: at the same step first, each step once. */
function othersText([first, ...rest]: SpeedChange['moves']): string[] {
  const named = rest.slice(0, MOST_NAMED);
  const steps = [...new Set(named.map(({ step }) => step))].toSorted((a, b) => Number(b === first.step) - Number(a === first.step));
  const texts = steps.flatMap((step) => {
    const own = named.filter((move) => move.step === step);
    const [next] = own;
    const where = next && step !== first.step ? `${placeOf(next)}: ` : '';
    return [`${where}${own.map((move) => `${shortOf(move)} ${sizeOf(move)}`).join(', ')}`];
  });
  return rest.length > named.length ? [...texts, `${rest.length - named.length} more`] : texts;
}

/** One line: what changed, by how much, in which scenario and step, since when, what else moved, what it coincides with. */
export function speedLine({ scenario, moves }: SpeedChange, beside: RankedChange | undefined, period: Period): string {
  const [first] = moves;
  const { metric, before, after } = first;
  const levels = `${formatValue(metric, before.typical)} → ${formatValue(metric, after.typical)}`;
  const head = `${shortOf(first)} (scenario "${scenario}", ${placeOf(first)}) ${sizeOf(first)} (${levels}) ${momentsText(first, period)}`;
  const part = beside && conversionPart(beside);
  const coincidence = part
    ? [`began within a day of the change of ${nameOf(part.metric).toLowerCase()} above: a coincidence in time, not shown to be its cause`]
    : [];
  return `${[head, ...othersText(moves), ...coincidence].join('; ')}.`;
}

/** The change of a line in few words: `Conversion rate (desktop) -70% since 2026-11-13`. */
export function briefLine(entry: Entry, names: PlaceNames | undefined, period: Period): string {
  if ('speed' in entry) {
    const { scenario, moves } = entry.speed;
    const when = moves[0].shape === 'drift' ? 'in 30 days' : `since ${dayOf(moves[0].fromMs, period)}`;
    return `${shortOf(moves[0])} of scenario "${scenario}" ${sizeOf(moves[0])} ${when}`;
  }
  const [first] = entry.site.parts;
  if (!first || !names) return '';
  const { metric, place, relative } = first;
  return `${nameOf(metric)} (${whereOf(place, metric, names)}) ${percent(relative)} ${briefDays(entry.site, period.lastDay)}`;
}

/** The same for programs: values in the unit of their metric, instants to the minute. */
export function speedRecord({ scenarioId, scenario, moves, pValue }: SpeedChange, beside: RankedChange | undefined, period: Period) {
  const [{ shape, fromMs, untilMs, began, step }] = moves;
  const from = dayOf(fromMs, period);
  const to = untilMs === undefined ? undefined : dayOf(untilMs - 1, period);
  const [earliest, latest] = [dayOf(began.startMs, period), dayOf(began.endMs, period)];
  const part = beside && conversionPart(beside);
  return {
    shape,
    from,
    ...(shape !== 'drift' && { fromTime: minuteAt(fromMs, period.timeZone) }),
    ...(to !== undefined && { to }),
    ...(untilMs !== undefined && { toTime: minuteAt(untilMs, period.timeZone) }),
    days: daysBetween(from, to ?? period.lastDay) + 1,
    ...(earliest !== latest && { earliest, latest }),
    goesOn: untilMs === undefined,
    mayChange: false,
    where: { scenarioId, scenario, step: step ?? ALL_STEPS },
    parts: moves.map((move) => ({
      metric: move.metric,
      step: move.step ?? ALL_STEPS,
      ...(Number.isFinite(move.relative) && { changePercent: Number((100 * move.relative).toFixed(2)) }),
      before: roundValue(move.metric, move.before.typical),
      after: roundValue(move.metric, move.after.typical),
    })),
    ...(beside && part && { coincidesWith: { metric: part.metric, from: beside.from } }),
    pValue: Number(Math.max(LEAST_P, pValue).toPrecision(2)),
    series: moves.length,
  };
}
