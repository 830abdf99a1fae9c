import type { FunnelChange } from '../domain/journeys/funnel.ts';
import { type FunnelGroup, LEAST_SESSIONS } from '../domain/journeys/funnel-groups.ts';
import type { ImpactAnswer, ImpactRow } from '../domain/journeys/impact/impact-answer.ts';
import { edgeName } from '../domain/journeys/paths.ts';
import type { RetentionAnswer } from '../domain/journeys/retention.ts';
import { capital, headlineOf } from '../lib/sentences.ts';
import { addTo } from '../lib/tally.ts';
import { formatValue, momentWords, rangeIn, unitIn } from './charts/values.ts';
import type { BarsSpec, FlowSpec, GridSpec } from './spec.ts';

/** A share in percent. */
const share = (part: number, whole: number) => formatValue(whole > 0 ? (100 * part) / whole : null, 'percent');

/** The days and filters of the visits of a picture, and the words of the answer, whose first sentence is the title. */
interface VisitsDrawn {
  readonly covered: readonly string[];
  readonly filters: readonly string[];
  readonly answer: string;
}

/** Covered days, those of a baseline, and filters as pictures write them: `18 Nov 2026, 20 – 24 Nov 2026, UTC, devices mobile`. */
function daysIn({ covered, filters }: Omit<VisitsDrawn, 'answer'>, baseline?: readonly string[]): string {
  const ranges = (all: readonly string[]) =>
    all
      .map((words) => {
        const [, from = '', to = from] = /^(\d{4}-\d\d-\d\d)(?: … (\d{4}-\d\d-\d\d))?/.exec(words) ?? [];
        return from === '' ? words : rangeIn('UTC', Date.parse(from), Date.parse(to));
      })
      .join(', ');
  return [`${ranges(covered)}${baseline ? ` against ${ranges(baseline)}` : ''}`, 'UTC', ...filters].join(', ');
}

/** The parts of a funnel that are drawn. */
export interface FunnelDrawn extends VisitsDrawn {
  readonly steps: readonly { readonly step: string; readonly sessions: number }[];
  readonly groups?: readonly FunnelGroup[] | undefined;
  readonly changes?: readonly FunnelChange[] | undefined;
  /** The days that the baseline covers. */
  readonly baseline?: readonly string[] | undefined;
  readonly unit: string;
}

/** How many of each group of enough sessions go on from step to step; title and colour are of those that differ from the others. */
function groupsChart(drawn: FunnelDrawn, groups: readonly FunnelGroup[]): BarsSpec {
  const { steps, unit, answer } = drawn;
  const differing = groups.filter(({ kind }) => kind === 'differs');
  const [first] = differing;
  return {
    kind: 'bars',
    title: first ? `${capital(first.group)}: ${first.verdict}` : headlineOf(answer),
    subtitle: `share of the ${unit} at the step before, groups of ${LEAST_SESSIONS} or more, ${daysIn(drawn)}`,
    unit: 'percent',
    labels: groups.map(({ group }) => group),
    series: steps.slice(1).map(({ step }, at) => ({
      name: `reach ${step}`,
      values: groups.map(({ steps: own }) => (own[at] ? (100 * (own[at + 1] ?? 0)) / own[at] : null)),
    })),
    ...(first && { accent: differing.map(({ group }) => group) }),
  };
}

/** The share that reaches each step, in the baseline and in the range; those in colour that changed. */
function changesChart(drawn: FunnelDrawn, changes: readonly FunnelChange[]): BarsSpec {
  const whole = changes.filter(({ group }) => group === undefined);
  const changed = whole.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower').map(({ step }) => step);
  return {
    kind: 'bars',
    title: headlineOf(drawn.answer),
    subtitle: `share of the ${drawn.unit} at the step before, ${daysIn(drawn, drawn.baseline)}`,
    unit: 'percent',
    labels: whole.map(({ step }) => step),
    series: [
      { name: 'baseline', values: whole.map(({ beforePercent }) => beforePercent ?? null) },
      { name: 'this range', values: whole.map(({ afterPercent }) => afterPercent ?? null) },
    ],
    ...(changed.length > 0 && { accent: changed }),
  };
}

/**
 * The chart of a funnel: who did each step, and paler who did only the step before; of a split how many of each group go on, beside a
 * baseline what changed. Undefined where nobody did the first.
 */
export function funnelChart(drawn: FunnelDrawn): BarsSpec | undefined {
  const { steps, groups: all = [], changes, unit, answer } = drawn;
  const groups = all.filter(({ steps: [own = 0] }) => own >= LEAST_SESSIONS);
  const [first] = steps;
  if (!first || first.sessions === 0) return undefined;
  if (groups.length > 1) return groupsChart(drawn, groups);
  if (changes) return changesChart(drawn, changes);
  const before = (index: number) => steps[index - 1]?.sessions;
  return {
    kind: 'bars',
    title: headlineOf(answer),
    subtitle: `${unit}, ${daysIn(drawn)}`,
    unit: 'none',
    labels: steps.map(({ step }) => step),
    series: [{ name: `${unit} that did the step`, values: steps.map(({ sessions }) => sessions) }],
    lost: {
      name: 'did the step before only',
      values: steps.map(({ sessions }, index) => Math.max(0, (before(index) ?? sessions) - sessions)),
    },
    notes: steps.map(({ sessions }, index) => {
      const earlier = before(index);
      return earlier === undefined ? '' : `${share(sessions, earlier)} of the step before · ${share(sessions, first.sessions)} of all`;
    }),
  };
}

/** The parts of paths that are drawn. */
export interface PathsDrawn extends VisitsDrawn {
  readonly paths: readonly { readonly pages: readonly string[]; readonly sessions: number }[];
  readonly direction: 'after' | 'before';
  readonly depth: number;
  readonly sessions: number;
}

/** Pages of a column that keep their name; the others are drawn as one. */
const MOST_NODES = 7;
const REST = 'other pages';

/** The chart of paths: columns of pages, before from right to left; undefined where there are none. */
export function flowChart(drawn: PathsDrawn): FlowSpec | undefined {
  const { paths, direction, depth, sessions, answer } = drawn;
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
    title: headlineOf(answer),
    subtitle: `${formatValue(sessions, 'none')} sessions, ${depth} pages ${direction === 'after' ? 'on' : 'back'}, ${daysIn(drawn)}`,
    nodes: [...nodes.values()],
    links: [...links.values()],
  };
}

/** The parts of retention that are drawn. */
export interface CohortsDrawn extends VisitsDrawn, Pick<RetentionAnswer, 'cohorts' | 'by'> {
  readonly curves: readonly { readonly group: string; readonly visitors: number; readonly percent: readonly (number | null)[] }[];
}

/** A group so many times smaller than the largest has shares by chance that would be the darkest of all. */
const MOST_TIMES = 20;

/** The shares of all, or of each group of a split, and of each cohort by period; undefined where none is known. */
export function cohortChart(drawn: CohortsDrawn): GridSpec | undefined {
  const { cohorts, curves, by, answer } = drawn;
  const nameOf = (group: string, visitors: number) => `${group} · ${formatValue(visitors, 'none')}`;
  const least = Math.max(...curves.map(({ visitors }) => visitors)) / MOST_TIMES;
  const drawnCurves = curves.filter(({ visitors }) => visitors >= least);
  // In the period of their first session all are there.
  const rows = [
    ...drawnCurves.map(({ group, visitors, percent }) => ({ name: nameOf(group, visitors), values: percent.slice(1) })),
    ...cohorts.map(({ cohort, visitors, percent }) => ({
      name: nameOf(
        cohort.replace(/\d{4}-\d\d-\d\d/, (day) => momentWords(day, 'day')),
        visitors,
      ),
      values: percent.slice(1),
    })),
  ];
  const periods = Math.max(0, ...rows.map(({ values }) => 1 + values.findLastIndex((value) => value !== null)));
  if (periods === 0) return undefined;
  const few = drawnCurves.length < curves.length ? `; groups of under a ${MOST_TIMES}th of the largest left out` : '';
  return {
    kind: 'grid',
    title: headlineOf(answer),
    subtitle: `cohorts of ${daysIn(drawn)}; share of the cohort, visitors beside its name; empty: not over or not covered${few}`,
    unit: 'percent',
    columns: Array.from({ length: periods }, (_, index) => `${by} ${index + 1}`),
    rows: rows.flatMap(({ name, values }) => (values.some((value) => value !== null) ? [{ name, values: values.slice(0, periods) }] : [])),
  };
}

/** More bars cannot be read. */
const MOST_BARS = 12;

/** An estimate with the ends of its interval at 95 %; undefined where there is none. */
interface Estimate {
  readonly value: number | undefined;
  readonly ends: readonly [number | undefined, number | undefined];
}

/** Half a purchase is none. */
const whole = (value: number | undefined) => (value === undefined || Math.abs(value) < 1 ? value : Math.round(value));
const minus = (value: number | undefined) => (value === undefined ? undefined : -value);

/** What a condition costs: revenue, conversions, or (more of them is a loss) visits that end on its page. */
function costOf(row: ImpactRow, outcome: string): Estimate {
  if (outcome === 'revenue') return { value: row.lostRevenue, ends: [row.lostRevenueLow, row.lostRevenueHigh] };
  const [value, low, high] = [row.lostConversions, row.lostConversionsLow, row.lostConversionsHigh].map(whole);
  return outcome === 'bounce' ? { value: minus(value), ends: [minus(high), minus(low)] } : { value, ends: [low, high] };
}

const isClaim = ({ verdict }: ImpactRow) => verdict === 'lowers' || verdict === 'raises';

/** The interval of an estimate where there is one, and the verdict where it is no claim. */
function noteOf({ ends }: Estimate, row: ImpactRow): string {
  const isKnown = ends.every((end) => end !== undefined);
  const interval = isKnown ? [ends.map((end) => formatValue(end, 'none')).join(' to ')] : [];
  return [...interval, ...(isClaim(row) ? [] : [row.verdict])].join(' · ');
}

/** Of what the bars are. */
function costWords(outcome: string, currency: string | undefined): string {
  if (outcome === 'bounce') return 'more visits that end on that page';
  if (outcome === 'revenue') return ['revenue lost', ...(currency === undefined ? [] : [currency])].join(', ');
  return `lost ${outcome === 'purchase' ? 'purchases' : outcome}`;
}

/** The cost of each condition as a bar, its interval behind it; undefined where nothing could be measured. */
export function chartOfImpact({ conditions, days, outcome, currency }: ImpactAnswer, visits: VisitsDrawn): BarsSpec | undefined {
  const drawn = conditions
    .map((row) => ({ row, cost: costOf(row, outcome) }))
    .filter(({ cost }) => cost.value !== undefined)
    .slice(0, MOST_BARS);
  if (drawn.length === 0) return undefined;
  const claims = drawn.flatMap(({ row }) => (isClaim(row) ? [row.condition] : []));
  return {
    kind: 'bars',
    title: headlineOf(visits.answer),
    subtitle: `${costWords(outcome, currency)} in ${days} days, ${daysIn(visits)}: estimate and 95% interval; verdicts at 1% over all`,
    unit: unitIn(outcome === 'revenue' ? currency : undefined),
    labels: drawn.map(({ row }) => row.condition),
    series: [
      {
        name: 'estimate',
        values: drawn.map(({ cost }) => cost.value ?? null),
        low: drawn.map(({ cost }) => cost.ends[0] ?? null),
        high: drawn.map(({ cost }) => cost.ends[1] ?? null),
      },
    ],
    accent: claims,
    notes: drawn.map(({ row, cost }) => noteOf(cost, row)),
  };
}
