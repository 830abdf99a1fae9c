import type { FunnelGroup } from '../domain/journeys/funnel-groups.ts';
import type { ImpactAnswer, ImpactRow } from '../domain/journeys/impact/impact-answer.ts';
import { edgeName } from '../domain/journeys/paths.ts';
import type { RetentionAnswer } from '../domain/journeys/retention.ts';
import { capital } from '../lib/sentences.ts';
import { addTo } from '../lib/tally.ts';
import { formatValue, momentWords, rangeIn, unitIn } from './charts/values.ts';
import type { BarsSpec, FlowSpec, GridSpec } from './spec.ts';

/** A share in percent. */
const share = (part: number, whole: number) => formatValue(whole > 0 ? (100 * part) / whole : null, 'percent');

/** Covered days as pictures write them: `18 Nov 2026, 20 – 24 Nov 2026, UTC`. */
function daysIn(covered: readonly string[]): string {
  const ranges = covered.map((words) => {
    const [, from = '', to = from] = /^(\d{4}-\d\d-\d\d)(?: … (\d{4}-\d\d-\d\d))?/.exec(words) ?? [];
    return from === '' ? words : rangeIn('UTC', Date.parse(from), Date.parse(to));
  });
  return [...ranges, 'UTC'].join(', ');
}

/** The parts of a funnel that are drawn. */
export interface FunnelDrawn {
  readonly steps: readonly { readonly step: string; readonly sessions: number }[];
  readonly groups?: readonly FunnelGroup[] | undefined;
  readonly unit: string;
  readonly covered: readonly string[];
}

/** How many of each group go on from step to step, those in colour that differ from the others. */
function groupsChart({ steps, unit, covered }: FunnelDrawn, groups: readonly FunnelGroup[], whole: string): BarsSpec {
  const differing = groups.filter(({ kind }) => kind === 'differs');
  const [first] = differing;
  const shareAt = (own: readonly number[], at: number) => (own[at - 1] ? (100 * (own[at] ?? 0)) / (own[at - 1] ?? 1) : null);
  return {
    kind: 'bars',
    title: first ? `${capital(first.group)}: ${first.verdict}` : whole,
    subtitle: `share of the ${unit} at the step before, ${daysIn(covered)}`,
    unit: 'percent',
    labels: groups.map(({ group }) => group),
    series: steps.slice(1).map(({ step }, at) => ({ name: `reach ${step}`, values: groups.map((each) => shareAt(each.steps, at + 1)) })),
    ...(first && { accent: differing.map(({ group }) => group) }),
  };
}

/**
 * The chart of a funnel: who did each step, and paler who did only the step before; of a split how many of each group go on. Undefined
 * where nobody did the first.
 */
export function funnelChart(drawn: FunnelDrawn): BarsSpec | undefined {
  const { steps, groups = [], unit, covered } = drawn;
  const [first, last] = [steps[0], steps.at(-1)];
  if (!first || !last || first.sessions === 0) return undefined;
  const title = `${share(last.sessions, first.sessions)} of ${unit} go from ${first.step} to ${last.step}`;
  if (groups.length > 1) return groupsChart(drawn, groups, title);
  const before = (index: number) => steps[index - 1]?.sessions;
  return {
    kind: 'bars',
    title,
    subtitle: `${unit}, ${daysIn(covered)}`,
    unit: 'none',
    labels: steps.map(({ step }) => step),
    series: [{ name: `${unit} that did the step`, values: steps.map(({ sessions }) => sessions) }],
    lost: {
      name: 'did the step before only',
      values: steps.map(({ sessions }, index) => Math.max(0, (before(index) ?? sessions) - sessions)),
    },
    notes: steps.map(({ sessions }, index) => {
      const earlier = before(index);
      return earlier === undefined ? '' : `· ${share(sessions, earlier)} go on · ${share(sessions, first.sessions)} of all`;
    }),
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
  const all = `${formatValue(sessions, 'none')} sessions`;
  if (!most) return `Paths ${direction} ${page}: ${all}`;
  if (most.label === edgeName(direction))
    return `${share(most.count, sessions)} of ${all} ${direction === 'after' ? 'end' : 'begin'} on ${page}`;
  return `${direction === 'after' ? 'After' : 'Before'} ${page} most often: ${most.label}, ${share(most.count, sessions)} of ${all}`;
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

/** The shares of all, or of each group of a split, and of each cohort by period; undefined where there are none. */
export function cohortChart({ cohorts, curves, by, covered }: CohortsDrawn): GridSpec | undefined {
  if (cohorts.length === 0) return undefined;
  // In the period of their first session all are there.
  const rows = [
    ...curves.map(({ group, percent }) => ({ name: group, values: percent.slice(1) })),
    ...cohorts.map(({ cohort, visitors, percent }) => ({
      name: `${cohort.replace(/\d{4}-\d\d-\d\d/, (day) => momentWords(day, 'day'))} · ${formatValue(visitors, 'none')}`,
      values: percent.slice(1),
    })),
  ];
  const periods = Math.max(1, ...rows.map(({ values }) => values.length));
  return {
    kind: 'grid',
    title: cohortTitle(cohorts, curves, by),
    subtitle: `cohorts of ${daysIn(covered)}; share of the cohort, visitors beside its name; empty: not over or not covered`,
    unit: 'percent',
    columns: Array.from({ length: periods }, (_, index) => `${by} ${index + 1}`),
    rows,
  };
}

/** More bars cannot be read. */
const MOST_BARS = 12;
const LONGEST_LABEL = 60;
/** A title wraps. */
const LONGEST_TITLE = 120;

/** A condition with its page, whose message is cut where it is long. */
function short(condition: string, longest = LONGEST_LABEL): string {
  const place = / on \S+$/.exec(condition)?.[0] ?? '';
  const room = longest - place.length;
  const words = condition.slice(0, condition.length - place.length);
  return words.length > room ? `${words.slice(0, Math.max(room, 10))}…${words.endsWith('"') ? '"' : ''}${place}` : condition;
}

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
  const interval = isKnown ? [`(${ends.map((end) => formatValue(end, 'none')).join(' to ')})`] : [];
  return [...interval, ...(isClaim(row) ? [] : [row.verdict.replace('within noise', 'not significant')])].join(' ');
}

/** Of what the bars are, and the finding of the first one as a title. */
function wordsOf({ days, outcome, currency }: ImpactAnswer, first: ImpactRow | undefined, amount: string) {
  const name = first === undefined ? '' : short(first.condition, LONGEST_TITLE);
  if (outcome === 'bounce') {
    const none = `No condition stands out as ending visits in ${days} days`;
    const title = first?.verdict === 'raises' ? `Most visits end after ${name}: ${amount} in ${days} days` : none;
    return { what: 'more visits that end on that page', title };
  }
  const isRevenue = outcome === 'revenue';
  const many = outcome === 'purchase' ? 'purchases' : outcome;
  const none = `No condition stands out as lowering ${many} in ${days} days`;
  const cost = isRevenue ? amount : `${amount} ${many}`;
  return {
    what: isRevenue ? ['revenue lost', ...(currency === undefined ? [] : [currency])].join(', ') : `lost ${many}`,
    title: first?.verdict === 'lowers' ? `Costliest: ${name}, ${cost} in ${days} days` : none,
  };
}

/** The cost of each condition as a bar, its interval behind it; undefined where nothing could be measured. */
export function chartOfImpact(answer: ImpactAnswer, covered: readonly string[]): BarsSpec | undefined {
  const { conditions, days, outcome } = answer;
  const unit = unitIn(outcome === 'revenue' ? answer.currency : undefined);
  const drawn = conditions
    .map((row) => ({ row, cost: costOf(row, outcome) }))
    .filter(({ cost }) => cost.value !== undefined)
    .slice(0, MOST_BARS);
  const [first] = drawn;
  if (!first) return undefined;
  const { what, title } = wordsOf(answer, first.row, formatValue(first.cost.value, unit));
  return {
    kind: 'bars',
    title,
    subtitle: `${what} in ${days} days, ${daysIn(covered)}: estimate and 95% interval`,
    unit,
    labels: drawn.map(({ row }) => short(row.condition)),
    series: [
      {
        name: 'estimate',
        values: drawn.map(({ cost }) => cost.value ?? null),
        low: drawn.map(({ cost }) => cost.ends[0] ?? null),
        high: drawn.map(({ cost }) => cost.ends[1] ?? null),
      },
    ],
    accent: drawn.flatMap(({ row }) => (isClaim(row) ? [short(row.condition)] : [])),
    notes: drawn.map(({ row, cost }) => noteOf(cost, row)),
  };
}
