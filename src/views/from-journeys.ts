import { edgeName } from '../domain/journeys/paths.ts';
import type { RetentionAnswer } from '../domain/journeys/retention.ts';
import { addTo } from '../lib/tally.ts';
import { formatValue, rangeIn } from './charts/values.ts';
import type { CohortsSpec, FlowSpec, FunnelSpec } from './spec.ts';

/** A share in percent. */
const share = (part: number, whole: number) => formatValue(whole > 0 ? (100 * part) / whole : null, 'percent');

/** Covered days as pictures write them: `18 Nov 2026, 20 – 24 Nov 2026, UTC`. */
export function daysIn(covered: readonly string[]): string {
  const ranges = covered.map((words) => {
    const [, from = '', to = from] = /^(\d{4}-\d\d-\d\d)(?: … (\d{4}-\d\d-\d\d))?/.exec(words) ?? [];
    return from === '' ? words : rangeIn('UTC', Date.parse(from), Date.parse(to));
  });
  return [...ranges, 'UTC'].join(', ');
}

/** The parts of a funnel that are drawn. */
export interface FunnelDrawn {
  readonly steps: readonly { readonly step: string; readonly sessions: number }[];
  readonly unit: string;
  readonly covered: readonly string[];
}

/** The chart of a funnel; undefined where nobody did its first step. */
export function funnelChart({ steps, unit, covered }: FunnelDrawn): FunnelSpec | undefined {
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last || first.sessions === 0) return undefined;
  return {
    kind: 'funnel',
    title: `${share(last.sessions, first.sessions)} of ${unit} go from ${first.step} to ${last.step}`,
    subtitle: `${unit}, ${daysIn(covered)}`,
    unit,
    steps: steps.map(({ step, sessions }) => ({ name: step, count: sessions })),
  };
}

/** The parts of paths that are drawn. */
export interface PathsDrawn {
  readonly paths: readonly { readonly pages: readonly string[]; readonly sessions: number }[];
  readonly from: string;
  readonly direction: 'after' | 'before';
  readonly depth: number;
  readonly sessions: number;
  readonly covered: readonly string[];
}

/** Pages of a column that keep their name; the others are drawn as one. */
const MOST_NODES = 7;
const REST = 'other pages';

/** Where most sessions went, or came from. */
function flowTitle(
  nodes: FlowSpec['nodes'],
  { from, direction, sessions }: Omit<PathsDrawn, 'paths' | 'depth' | 'covered'>,
  side: number,
): string {
  const page = from === 'entry' ? 'the entry page' : from;
  const [most] = nodes.filter((node) => node.side === side && node.label !== REST).toSorted((a, b) => b.count - a.count);
  if (!most) return `Paths ${direction} ${page}: ${formatValue(sessions, 'none')} sessions`;
  const count = `${formatValue(most.count, 'none')} of ${formatValue(sessions, 'none')} sessions (${share(most.count, sessions)})`;
  return `${direction === 'after' ? 'After' : 'Before'} ${page} most often: ${most.label}, ${count}`;
}

/** The chart of paths: columns of pages, before from right to left; undefined where there are none. */
export function flowChart({ paths, from, direction, depth, sessions, covered }: PathsDrawn): FlowSpec | undefined {
  if (sessions === 0) return undefined;
  const pageAt = (pages: readonly string[], at: number) => pages[at] ?? (pages.length === at ? edgeName(direction) : undefined);
  const sides = Array.from({ length: depth + 1 }, (_, at) => {
    const counts = new Map<string, number>();
    for (const { pages, sessions: count } of paths) {
      const page = pageAt(pages, at);
      if (page !== undefined) addTo(counts, page, count);
    }
    const kept = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, MOST_NODES);
    return new Set(kept.map(([page]) => page));
  });
  const sideOf = (at: number) => (direction === 'after' ? at : depth - at);
  const nodes = new Map<string, FlowSpec['nodes'][number]>();
  const links = new Map<string, FlowSpec['links'][number]>();
  for (const { pages, sessions: count } of paths) {
    let previous: string | undefined;
    for (let at = 0; at <= depth; at += 1) {
      const page = pageAt(pages, at);
      if (page === undefined) break;
      const label = sides[at]?.has(page) ? page : REST;
      const id = `${at} ${label}`;
      nodes.set(id, { id, label, side: sideOf(at), count: (nodes.get(id)?.count ?? 0) + count });
      if (previous !== undefined) {
        const [source, target] = direction === 'after' ? [previous, id] : [id, previous];
        const key = `${source} > ${target}`;
        links.set(key, { from: source, to: target, count: (links.get(key)?.count ?? 0) + count });
      }
      previous = id;
    }
  }
  return {
    kind: 'flow',
    title: flowTitle([...nodes.values()], { from, direction, sessions }, sideOf(1)),
    subtitle: `${formatValue(sessions, 'none')} sessions, ${depth} pages ${direction === 'after' ? 'on' : 'back'}, ${daysIn(covered)}`,
    nodes: [...nodes.values()],
    links: [...links.values()],
  };
}

/** The parts of retention that are drawn. */
export interface CohortsDrawn extends Pick<RetentionAnswer, 'cohorts' | 'by'> {
  readonly curves: readonly { readonly group: string; readonly percent: readonly (number | null)[] }[];
  readonly covered: readonly string[];
}

/** When most came back after the first period: of those cohorts for which it is over. */
function cohortTitle(cohorts: CohortsDrawn['cohorts'], curves: CohortsDrawn['curves'], by: string): string {
  const visitors = formatValue(
    cohorts.reduce((sum, cohort) => sum + cohort.visitors, 0),
    'none',
  );
  const later = (curves[0]?.percent ?? []).flatMap((percent, at) => (at === 0 || percent === null ? [] : [{ percent, at }]));
  const [most] = later.toSorted((a, b) => b.percent - a.percent);
  if (!most || curves.length > 1) return `${visitors} new visitors, and how many came back by ${by}`;
  const when = by === 'day' ? 'on' : 'in';
  return `${formatValue(most.percent, 'percent')} of new visitors came back ${when} ${by} ${most.at}, more than ${when} any other ${by}`;
}

/** The triangle and the curves of cohorts; undefined where there are none. */
export function cohortChart({ cohorts, curves, by, covered }: CohortsDrawn): CohortsSpec | undefined {
  if (cohorts.length === 0) return undefined;
  return {
    kind: 'cohorts',
    title: cohortTitle(cohorts, curves, by),
    subtitle: `cohorts of ${daysIn(covered)}; share of the cohort, visitors beside its name; empty: not over or not covered`,
    by,
    cohorts: cohorts.map(({ cohort, visitors, percent }) => ({ name: cohort, visitors, percents: percent })),
    curves: curves.map(({ group, percent }) => ({ name: group, percents: percent })),
  };
}
