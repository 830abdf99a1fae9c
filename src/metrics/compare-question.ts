import { refuse } from '../api/errors.ts';
import { instantOf } from '../api/params.ts';
import { hint } from '../lib/hint.ts';
import type { Context, Lists } from '../names/context.ts';
import { type SegmentChoice, segmentSetsOf } from '../names/match-name.ts';
import type { BaselineKind, WindowBounds } from './compare/comparison-windows.ts';
import { metricsToRead } from './read/day-points.ts';
import { type Device, type MetricGrid } from './read/metric-grid.ts';
import { chosenMetrics, DEFAULT_METRICS, segmentsAsked } from './read/metric-query.ts';
import { COMMERCE_GOAL } from './read/query-table.ts';

/** The parts of a call that a comparison uses. */
export type CompareContext = Pick<
  Context,
  'ask' | 'lists' | 'note' | 'progress' | 'signal' | 'timeZone' | 'nowMs' | 'calendar' | 'covers' | 'isOneOfSeveral'
>;

/** Arguments of a comparison; names are ids and dates ISO date-times by now. */
export interface CompareInput {
  readonly metrics?: readonly string[] | undefined;
  readonly startDate: string;
  readonly endDate: string;
  readonly baselineStartDate?: string | undefined;
  readonly baselineEndDate?: string | undefined;
  readonly baseline?: BaselineKind | undefined;
  readonly by: 'period' | 'device' | 'segment';
  readonly devices?: readonly Device[] | undefined;
  readonly segmentIds?: readonly number[] | undefined;
  readonly compareSegments?: readonly SegmentChoice[] | undefined;
  readonly goalId?: number | undefined;
  readonly zoneIds?: readonly number[] | undefined;
  /** Percent of a change whose time to show is asked for. */
  readonly detect?: number | undefined;
  readonly explain: boolean;
}

/** The same with its dates as instants and every list filled. */
export interface Question
  extends Pick<CompareInput, 'by' | 'goalId' | 'detect' | 'explain'>,
    Pick<WindowBounds, 'period' | 'baselineStartMs' | 'baselineEndMs' | 'kind'> {
  readonly metrics: readonly string[];
  readonly devices: readonly Device[];
  readonly segmentIds: readonly number[];
  readonly compareSegments: readonly SegmentChoice[];
  readonly zoneIds: readonly number[];
  /** No goal was named: it is the first of a project without one of e-commerce. */
  readonly isOfFirstGoal?: true;
}

const DEFAULT_ZONE_METRICS = ['tapRate'];

const once = <T>(values: readonly T[] = []) => [...new Set(values)];

/** The metrics of a comparison, all of the site or all of zones. */
function metricsOf({ metrics, goalId, by }: CompareInput, zones: boolean): readonly string[] {
  if (zones && by !== 'period')
    refuse(`zoneIds: zones are compared by period${hint('query_metrics', '; query_metrics puts devices and segments side by side')}.`);
  return chosenMetrics(metrics ?? (zones ? DEFAULT_ZONE_METRICS : DEFAULT_METRICS), { zones, goals: zones && goalId !== undefined });
}

const instantIfAny = (date: string | undefined) => (date === undefined ? undefined : instantOf(date));

/** Fills what a caller left out; throws for metrics that do not go together. */
export function questionOf(input: CompareInput): Question {
  const { by, goalId, detect } = input;
  const zoneIds = once(input.zoneIds);
  if (detect !== undefined && by !== 'period') refuse('detect: how long a change takes to show is said by period only.');
  const metrics = metricsOf(input, zoneIds.length > 0);
  const devices = once(input.devices);
  const { segmentIds, compareSegments } = segmentsAsked(input, by === 'segment');
  // One segment is compared with itself in another period: a filter like any other.
  const isFilter = by === 'period' && compareSegments.length === 1;
  const [filtered = []] = isFilter ? segmentSetsOf(segmentIds, compareSegments) : [segmentIds];
  const sets = { segmentIds: filtered, compareSegments: isFilter ? [] : compareSegments };
  const bounds = {
    period: { startMs: instantOf(input.startDate), endMs: instantOf(input.endDate) },
    baselineStartMs: instantIfAny(input.baselineStartDate),
    baselineEndMs: instantIfAny(input.baselineEndDate),
    kind: input.baseline,
  };
  return { by, goalId, detect, ...bounds, metrics, devices, zoneIds, explain: input.explain && zoneIds.length === 0, ...sets };
}

/** The filters that all figures of a comparison share, by what they are of. */
export function filtersOf({ devices, segmentIds, goalId, zoneIds }: Question, { nameOf }: Pick<Lists, 'nameOf'>): Record<string, string> {
  const [device] = devices.length === 1 ? devices : [];
  const [zoneId] = zoneIds.length === 1 ? zoneIds : [];
  return {
    ...(zoneId !== undefined && { zone: nameOf('zone', zoneId) }),
    ...(device !== undefined && { device }),
    ...(segmentIds.length > 0 && { segment: segmentIds.map((id) => nameOf('segment', id)).join(' and ') }),
    goal: goalId === undefined ? COMMERCE_GOAL : nameOf('goal', goalId),
  };
}

/** The grid of what all readings have in common. */
export function gridOf({ metrics, goalId, segmentIds, compareSegments, zoneIds }: Question): Omit<MetricGrid, 'ranges'> {
  const sets = segmentSetsOf(segmentIds, compareSegments);
  return {
    metrics: metricsToRead(metrics),
    goalIds: [goalId],
    segmentSets: sets.length > 0 ? sets : [segmentIds],
    ...(zoneIds.length > 0 && { zoneIds }),
  };
}
