import { nth } from '../../../lib/nth.ts';
import { type Cost, costOfChange, costOfFactors, FACTORS, isOfOthers, type TotalOn } from '../change-cost.ts';
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
function outcomeOf({ series, base, isOfOtherGoal }: Pick<Scene, 'series' | 'base' | 'isOfOtherGoal'>): Cost['metric'] {
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
  const place: Place = { ...event.place, goalId };
  const own = scene.series.get(seriesId(metric, place));
  const factors = factorsOf(event.parts, metric, goalId);
  if (!own || place.zoneId !== undefined || factors.length === 0 || isDiluted(scene, event, place, factors)) return undefined;
  const isDrift = event.shape === 'drift';
  const { to = scene.to } = event;
  const days = isDrift ? { from: scene.from, to: scene.to } : { from: event.from, to: to < scene.to ? to : scene.to };
  const counted = daysOf(own, days.from, days.to);
  const of = { metric, goalId: metric === 'conversionCount' ? goalId : undefined };
  // Half of a slope lies above its middle.
  const share = isDrift ? counted.length / DRIFT_DAYS / 2 : 1;
  const sized = factors.map((part) => ({ ...part, relative: share * part.relative, low: share * part.low, high: share * part.high }));
  const left = sized.reduce((product, { relative }) => product * (1 + relative), 1);
  const total = totalOf(counted);
  if (left < LEAST_LEFT || total === 0) return { ...of, value: total - expectedOf(scene, own, counted) };
  return { ...of, ...(isDrift ? costOfFactors(total, sized) : costOfChange(metric, factors, days, totalAt(scene, place))) };
}

/** The usual total of some days. */
function expectedOf({ studies }: Scene, { id }: ChangeSeries, days: ChangeSeries['days']): number {
  const series = studies.get(id)?.series;
  const labels = new Set(days.map(({ label }) => label));
  return series?.labels.reduce((sum, label, at) => sum + (labels.has(label) ? nth(series.expected, at) : 0), 0) ?? 0;
}

/** The totals of a place. */
function totalAt({ series }: Scene, place: Place): TotalOn {
  return (metric, from, to) => {
    const own = series.get(seriesId(metric, place));
    const days = own && daysOf(own, from, to);
    return days && { total: totalOf(days), days: days.length };
  };
}

/** Whether nothing changed but a rate, because others came or stayed away. */
function isDiluted(scene: Scene, { from, to = scene.to }: ChangeEvent, place: Place, factors: readonly Part[]): boolean {
  return isOfOthers(factors, { from, to }, totalAt(scene, place));
}

const totalOf = (days: ChangeSeries['days']) => days.reduce((sum, { numerator }) => sum + numerator, 0);

const daysOf = ({ days }: ChangeSeries, from: string, to: string) => days.filter(({ label }) => label >= from && label <= to);

/** The goals whose conversions were read. */
function goalsOf({ series, base }: Scene): (number | undefined)[] {
  const all = [...series.values()].filter(({ metric }) => metric === 'conversionCount').map(({ place }) => place.goalId);
  return [...new Set([base.goalId, ...all])];
}

/** Puts what goes on before what ended: by what it costs of the main total, then of conversions of other goals, then the clearest first. */
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
  const isOver = ({ to = scene.to }: RankedChange) => Number(to < scene.to);
  const inOrder = ranked.toSorted(
    (a, b) => isOver(a) - isOver(b) || classOf(a) - classOf(b) || sizeOf(b.cost) - sizeOf(a.cost) || a.pValue - b.pValue,
  );
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
