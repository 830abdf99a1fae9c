import { dayAfter } from '../../../lib/calendar.ts';
import { nth } from '../../../lib/nth.ts';
import {
  atUsualBasket,
  BASKET_DAYS,
  type Cost,
  type CostRange,
  costOfDays,
  costOfFactors,
  FACTORS,
  isDiluted,
  type Sales,
  scatterOfOrders,
} from '../change-cost.ts';
import { LEAST_DRIFT } from '../engine/scan.ts';
import { definitionOf } from '../metric-definitions.ts';
import { type ChangeSeries, isProduct, type Place, type Scene, seriesId } from './change-series.ts';
import type { ChangeEvent, Part } from './events.ts';

/** A change and what it costs; undefined for one that no total depends on. */
export interface RankedChange extends ChangeEvent {
  readonly cost: Cost | undefined;
}

/** Drift is given per four weeks. */
export const DRIFT_DAYS = 28;

/** The total that changes are ranked by: revenue where there is some of the main goal, else conversions, else visits. */
export function outcomeOf({ series, base, isOfOtherGoal }: Pick<Scene, 'series' | 'base' | 'isOfOtherGoal'>): Cost['metric'] {
  if (!isOfOtherGoal && series.has(seriesId('revenueSum', base))) return 'revenueSum';
  return series.has(seriesId('conversionCount', base)) ? 'conversionCount' : 'visits';
}

/** The factors of a total that changed themselves; empty where it does not depend on that. */
function factorsOf(parts: readonly Part[], metric: Cost['metric'], goalId: number | undefined): readonly Part[] {
  const isOfGoal = ({ metric: own, place }: Part) => !definitionOf(own)?.perGoal || place.goalId === goalId;
  const [first] = parts;
  if (first && isProduct(first.metric)) return isOfGoal(first) ? [first] : [];
  return parts.filter((part) => !part.mix && FACTORS[metric].includes(part.metric) && isOfGoal(part));
}

/** A total that falls below this share of what it was says little of what that was. */
const LEAST_LEFT = 0.1;

function costOf(scene: Scene, event: ChangeEvent, metric: Cost['metric'], goalId: number | undefined): Cost | undefined {
  const { series, from, to } = scene;
  const place: Place = { ...event.place, goalId };
  const own = series.get(seriesId(metric, place));
  const factors = factorsOf(event.parts, metric, goalId);
  if (!own || place.zoneId !== undefined || factors.length === 0 || isOfOthers(scene, event, place, factors)) return undefined;
  const isDrift = event.shape === 'drift';
  const first = isDrift ? from : event.from;
  const days = daysOf(own, first, isDrift ? to : (event.to ?? to));
  const of = { metric, goalId: metric === 'conversionCount' ? goalId : undefined };
  // Half of a slope lies above its middle.
  const share = isDrift ? days.length / DRIFT_DAYS / 2 : 1;
  const sized = factors.map(({ relative, low, high }) => ({ relative: share * relative, low: share * low, high: share * high }));
  const left = sized.reduce((product, { relative }) => product * (1 + relative), 1);
  if (left < LEAST_LEFT || totalOf(days) === 0) return { ...of, value: totalOf(days) - expectedOf(scene, own, days) };
  if (isDrift) return { ...of, ...costOfFactors(totalOf(days), sized) };
  return { ...of, ...costOfEvent(scene, event, { own, place, factors }, days) };
}

/** The series of a total, where it is of, and the factors of it that changed. */
interface Total {
  readonly own: ChangeSeries;
  readonly place: Place;
  readonly factors: readonly Part[];
}

/** The amount that a step or an episode makes on some of its days. */
function costOfEvent(scene: Scene, { from, to }: ChangeEvent, { own, place, factors }: Total, days: ChangeSeries['days']): CostRange {
  const isOfOrders = own.metric === 'revenueSum' && factors.every(({ metric }) => FACTORS.conversionCount.includes(metric));
  const amountOf = (some: ChangeSeries['days']) => (isOfOrders ? usualRevenue(scene, own, place, from, some) : totalOf(some));
  const visits = scene.series.get(seriesId('visits', place));
  const partOf = (some: ChangeSeries['days']) => {
    const [first, last] = [some[0]?.label ?? from, some.at(-1)?.label ?? from];
    return { total: amountOf(some), visits: visits ? totalOf(daysOf(visits, first, last)) : 0, days: some.length };
  };
  const isOfRate = factors.every(({ metric }) => metric === 'conversionRate');
  const all = daysOf(own, from, to ?? scene.to);
  const orders = scene.series.get(seriesId('conversionCount', place));
  const scatter = scatterOfOrders(
    own.metric as Cost['metric'], // the totals that costs are of
    factors.map(({ metric }) => metric),
    orders ? totalOf(daysOf(orders, from, to ?? scene.to)) : 0,
  );
  return costOfDays({ some: partOf(days), all: partOf(all) }, factors, { isOfRate, scatter });
}

/** The usual total of some days. */
function expectedOf({ studies }: Scene, { id }: ChangeSeries, days: ChangeSeries['days']): number {
  const series = studies.get(id)?.series;
  const labels = new Set(days.map(({ label }) => label));
  return series?.labels.reduce((sum, label, at) => sum + (labels.has(label) ? nth(series.expected, at) : 0), 0) ?? 0;
}

/** Whether nothing changed but a rate, because others came or stayed away. */
export function isOfOthers({ series, to: last }: Scene, { from, to = last }: ChangeEvent, place: Place, factors: readonly Part[]): boolean {
  const [visits, orders] = ['visits', 'conversionCount'].map((metric) => series.get(seriesId(metric, place)));
  if (!visits || !orders || factors.some(({ metric }) => metric !== 'conversionRate')) return false;
  const trafficOf = (first: string, end: string) => {
    const days = daysOf(visits, first, end);
    return { visits: totalOf(days), orders: totalOf(daysOf(orders, first, end)), days: days.length };
  };
  return factors.some(({ relative }) =>
    isDiluted(relative, trafficOf(from, to), trafficOf(dayAfter(from, -BASKET_DAYS), dayAfter(from, -1))),
  );
}

const totalOf = (days: ChangeSeries['days']) => days.reduce((sum, { numerator }) => sum + numerator, 0);

/** Revenue of the orders of some days of a change that began on one, at what an order is usually worth. */
function usualRevenue({ series }: Scene, own: ChangeSeries, place: Place, begun: string, days: ChangeSeries['days']): number {
  const orders = series.get(seriesId('conversionCount', place));
  if (!orders) return totalOf(days);
  const salesOf = (from: string, to: string): Sales => ({
    revenue: totalOf(daysOf(own, from, to)),
    orders: totalOf(daysOf(orders, from, to)),
  });
  const [first, last] = [days[0]?.label ?? begun, days.at(-1)?.label ?? begun];
  return atUsualBasket(salesOf(first, last), salesOf(dayAfter(begun, -BASKET_DAYS), dayAfter(begun, -1)));
}

const daysOf = ({ days }: ChangeSeries, from: string, to: string) => days.filter(({ label }) => label >= from && label <= to);

/** The goals whose conversions were read. */
function goalsOf({ series, base }: Scene): (number | undefined)[] {
  const all = [...series.values()].filter(({ metric }) => metric === 'conversionCount').map(({ place }) => place.goalId);
  return [...new Set([base.goalId, ...all])];
}

/** Puts changes in order: by what they cost of the main total, then of conversions of other goals, then the clearest first. */
export function rankChanges(scene: Scene, events: readonly ChangeEvent[]): RankedChange[] {
  const main = outcomeOf(scene);
  const sizeOf = (cost: Cost | undefined) => Math.abs(cost?.value ?? 0);
  const goals = goalsOf(scene);
  const ranked = events.map((event): RankedChange => {
    const ofGoals = goals.flatMap((goalId) => costOf(scene, event, 'conversionCount', goalId) ?? []);
    const [largest] = ofGoals.toSorted((a, b) => sizeOf(b) - sizeOf(a));
    const cost = main === 'conversionCount' ? largest : (costOf(scene, event, main, scene.base.goalId) ?? largest);
    return { ...event, cost };
  });
  const classOf = ({ cost }: RankedChange) => (cost ? Number(cost.metric !== main) : 2);
  const inOrder = ranked.toSorted((a, b) => classOf(a) - classOf(b) || sizeOf(b.cost) - sizeOf(a.cost) || a.pValue - b.pValue);
  return zonesBeforeDrifts(inOrder);
}

/** Whether a drift makes so little in the days that are looked at that it is no news of these. */
export function isTooSlow({ shape, parts: [first] }: ChangeEvent, days: number): boolean {
  return shape === 'drift' && (Math.abs(first?.relative ?? 0) * days) / DRIFT_DAYS < LEAST_DRIFT;
}

/** Whether a change is one of a zone that goes on. */
const goesOnAtZone = ({ shape, to, place }: RankedChange) => shape === 'step' && to === undefined && place.zoneId !== undefined;

/** A zone that broke and stays so is news before what moves slowly, though the interface tells no effect of zones on revenue. */
function zonesBeforeDrifts(changes: readonly RankedChange[]): RankedChange[] {
  const at = changes.findIndex(({ shape }) => shape === 'drift');
  if (at < 0) return [...changes];
  const rest = changes.slice(at);
  return [...changes.slice(0, at), ...rest.filter(goesOnAtZone), ...rest.filter((change) => !goesOnAtZone(change))];
}
