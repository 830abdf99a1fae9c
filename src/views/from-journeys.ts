import { rangesOf, type VisitsDrawn } from '../journeys/covered-days.ts';
import { type FunnelChange, type FunnelDrawn, type FunnelGroup, type FunnelStep, LEAST_SESSIONS, largestLoss } from '../journeys/funnel.ts';
import type { ImpactDrawn, ImpactRow } from '../journeys/impact/impact-answer.ts';
import { edgeName, type PathsDrawn } from '../journeys/paths.ts';
import { percentOf } from '../journeys/proportions.ts';
import type { CohortsDrawn } from '../journeys/retention.ts';
import { counted } from '../lib/number-text.ts';
import { headlineOf, lowered } from '../lib/sentences.ts';
import { addTo } from '../lib/tally.ts';
import { formatValue, intervalIn, momentWords, unitIn } from './charts/values.ts';
import { type BarsSpec, type ChartSpec, type FlowSpec, type GridSpec, joined } from './spec.ts';
import { notDrawn } from './told.ts';

/** Covered days, those of a baseline, and filters as pictures write them: `18 Nov 2026, 20 – 24 Nov 2026, UTC, devices mobile`. */
function daysIn({ covered, filters }: Omit<VisitsDrawn, 'answer'>, baseline?: readonly number[]): string {
  const ranges = (days: readonly number[]) =>
    rangesOf(days)
      .map((range) => intervalIn('UTC', range))
      .join(', ');
  return [`${ranges(covered)}${baseline ? ` against ${ranges(baseline)}` : ''}`, 'UTC', ...filters].join(', ');
}

/** The first sentence, after its subject where it finds nothing and names none. */
const titleOf = (subject: string, answer: string) => {
  const said = headlineOf(answer);
  return said.startsWith('No ') ? `${subject}: ${lowered(said)}` : said;
};
const stepsText = (steps: readonly FunnelStep[]) => steps.map(({ step }) => step).join(' → ');

const dayOf = (name: string) => name.replace(/\d{4}-\d\d-\d\d/, (day) => momentWords(day, 'day'));

/** How many of each group go on from step to step, of those at a step who are enough; in colour the one that the title is about. */
function groupsChart(drawn: FunnelDrawn, groups: readonly FunnelGroup[]): BarsSpec {
  const { steps, unit, answer, compared } = drawn;
  const nameOf = ({ group, steps: [own = 0] }: FunnelGroup) => `${dayOf(group)} · ${formatValue(own, 'none')}`;
  const told = groups.find(({ differs }) => differs === 'fewer') ?? groups.find(({ differs }) => differs);
  return {
    kind: 'bars',
    title: titleOf(stepsText(steps), compared || answer),
    subtitle: `share of the ${unit} at the step before (of ${LEAST_SESSIONS} or more), ${unit} beside the name, ${daysIn(drawn)}`,
    unit: 'percent',
    labels: groups.map(nameOf),
    series: steps.slice(1).map(({ step }, at) => ({
      name: `reach ${step}`,
      values: groups.map(({ steps: own }) =>
        (own[at] ?? 0) < LEAST_SESSIONS ? null : (percentOf(own[at + 1] ?? 0, own[at] ?? 0) ?? null),
      ),
    })),
    ...(told && { accent: [nameOf(told)] }),
  };
}

/** The share that reaches each step, in the baseline and in the range; those in colour that changed. */
function changesChart(drawn: FunnelDrawn, changes: readonly FunnelChange[]): BarsSpec {
  const whole = changes.filter(({ group }) => group === undefined);
  const changed = whole.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower').map(({ step }) => step);
  return {
    kind: 'bars',
    title: titleOf(stepsText(drawn.steps), drawn.answer),
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
 * The chart of a funnel: who did each step, and paler who did only the step before; beside a baseline what changed, of a split how
 * many of each group go on, or both. Undefined where nobody did the first.
 */
export function funnelChart(drawn: FunnelDrawn): ChartSpec | undefined {
  const { steps, groups: all = [], changes, unit, answer, isOfLoss } = drawn;
  const groups = all.filter(({ steps: [own = 0] }) => own >= LEAST_SESSIONS);
  const [first] = steps;
  if (!first || first.sessions === 0) return undefined;
  const split = groups.length > 1 ? groupsChart(drawn, groups) : undefined;
  if (changes || split) return joined([changes && changesChart(drawn, changes), split]);
  const lossAt = isOfLoss ? largestLoss(steps) : undefined;
  return {
    kind: 'bars',
    title: headlineOf(answer),
    subtitle: `${unit}, ${daysIn(drawn)}`,
    unit: 'none',
    labels: steps.map(({ step }) => step),
    ...(lossAt !== undefined && { accent: steps.slice(lossAt + 1, lossAt + 2).map(({ step }) => step) }),
    series: [{ name: `${unit} that did the step`, values: steps.map(({ sessions }) => sessions) }],
    lost: {
      name: 'did the step before only',
      values: steps.map(({ sessions }, index) => Math.max(0, (steps[index - 1]?.sessions ?? sessions) - sessions)),
    },
    notes: steps.map(({ ofPreviousPercent, ofFirstPercent }) =>
      ofPreviousPercent === undefined ? '' : `${ofPreviousPercent}% of the step before · ${ofFirstPercent}% of all`,
    ),
  };
}

/** Pages of a column that keep their name; the others are drawn as one. */
const MOST_NODES = 7;
const REST = 'other pages';

/** The chart of paths: columns of pages, before from right to left; undefined where there are none. */
export function flowChart(drawn: PathsDrawn): FlowSpec | undefined {
  const { paths, direction, depth, sessions, answer } = drawn;
  if (sessions === 0) return undefined;
  const edge = edgeName(direction);
  const walks = paths.map(({ pages, sessions: count }) => ({ count, pages: [...pages, edge].slice(0, depth + 1) }));
  const kept = Array.from({ length: depth + 1 }, (_, at) => {
    const counts = new Map<string, number>();
    for (const { count, pages } of walks) if (pages[at] !== undefined) addTo(counts, pages[at], count);
    const most = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, MOST_NODES);
    return new Set(most.map(([page]) => page));
  });
  const [counts, links] = [new Map<string, number>(), new Map<string, number>()];
  for (const { count, pages } of walks) {
    const ids = pages.map((page, at) => `${at} ${kept[at]?.has(page) ? page : REST}`);
    for (const [at, id] of ids.entries()) {
      addTo(counts, id, count);
      if (at > 0) addTo(links, `${ids[at - 1]}\n${id}`, count);
    }
  }
  const isAfter = direction === 'after';
  const end = isAfter ? 'start' : 'end';
  const isNoPage = ({ label }: FlowSpec['nodes'][number]) => label === edge || label === REST;
  // Its own inverse.
  const sideOf = (at: number) => (isAfter ? at : depth - at);
  const nodes = [...counts]
    .map(([id, count]) => ({ id, label: id.replace(/^\d+ /, ''), side: sideOf(Number.parseInt(id, 10)), count }))
    .toSorted((a, b) => sideOf(a.side) - sideOf(b.side) || Number(isNoPage(a)) - Number(isNoPage(b)) || b.count - a.count);
  const most = nodes.find((node) => sideOf(node.side) === 1 && !isNoPage(node));
  return {
    kind: 'flow',
    title: headlineOf(answer),
    subtitle: `${formatValue(sessions, 'none')} sessions, ${depth} pages ${direction}, ${daysIn(drawn)}`,
    columns: kept.map((_, side) => (sideOf(side) === 0 ? end : `${counted(sideOf(side), 'page')} ${direction}`)),
    nodes,
    links: [...links].map(([ids, count]) => {
      const [near = '', far = ''] = ids.split('\n');
      const [from, to] = isAfter ? [near, far] : [far, near];
      return { from, to, count, ...(far === most?.id && { isAccent: true as const }) };
    }),
    ...(most && { accent: most.id }),
  };
}

/** A group so many times smaller than the largest has shares by chance that would be the darkest of all. */
const MOST_TIMES = 20;

/** The shares by period of each group of a split, else of all and of each cohort; undefined where none is known. */
export function cohortChart({ cohorts, curves, by, answer, ...drawn }: CohortsDrawn): GridSpec | undefined {
  const least = Math.max(...curves.map(({ group, visitors }) => (group === 'all' ? 0 : visitors))) / MOST_TIMES;
  const drawnCurves = curves.filter(({ visitors }) => visitors >= least);
  const ofCohorts =
    curves.length > 1 ? [] : cohorts.map((own) => ({ group: `${dayOf(own.cohort)} · ${formatValue(own.visitors, 'none')}`, ...own }));
  const known = [...drawnCurves, ...ofCohorts].map(({ percent, ...own }) => ({
    ...own,
    // In the period of their first session all are there.
    values: percent.slice(1, 1 + percent.findLastIndex((value) => value !== null)),
  }));
  const periods = Math.max(0, ...known.map(({ values }) => values.length));
  if (periods === 0) return undefined;
  const few = drawnCurves.length < curves.length ? `; groups of under a ${MOST_TIMES}th of the largest left out` : '';
  return {
    kind: 'grid',
    title: titleOf('New visitors who come back', answer),
    subtitle:
      `new visitors of ${daysIn(drawn)}, whose ${by} 1 is over: the share that is back, of each ${by} beside their number; ` +
      `empty: not over or not covered${few}`,
    unit: 'percent',
    columns: Array.from({ length: periods }, (_, index) => `${by} ${index + 1}`),
    rows: known.flatMap(({ group, values }) => (values.length > 0 ? [{ name: group, values }] : [])),
  };
}

/** More bars cannot be read. */
const MOST_BARS = 12;

/**
 * What a condition costs, in whole numbers: revenue, conversions, or (more of them is a loss) visits that end on its page. The verdict is
 * that on conversions, and no claim where the interval of the cost holds zero.
 */
function costOf({ condition, verdict, ...row }: ImpactRow, outcome: string) {
  const figures =
    outcome === 'revenue'
      ? [row.lostRevenue, row.lostRevenueLow, row.lostRevenueHigh]
      : [row.lostConversions, row.lostConversionsLow, row.lostConversionsHigh];
  const sign = outcome === 'bounce' ? -1 : 1;
  const [value = null, ...ends] = figures.flatMap((figure) => (figure === undefined ? [] : [Number((sign * figure).toFixed(0))]));
  const [low = null, high = null] = ends.toSorted((a, b) => a - b);
  const claims = verdict === 'lowers' || verdict === 'raises';
  const isClaim = claims && Number(low) * Number(high) > 0;
  return { condition, value, low, high, claims, isClaim, verdict: claims ? 'within noise' : verdict };
}

/** Of what the bars are. */
function costWords(outcome: string, currency: string | undefined): string {
  if (outcome === 'bounce') return 'more visits that end on that page';
  if (outcome === 'revenue') return `revenue lost${currency === undefined ? '' : `, ${currency}`}`;
  return `lost ${outcome === 'purchase' ? 'purchases' : outcome}`;
}

/** Whether chance alone may double or halve the outcome of a condition, beside which the bars of all others would vanish. */
const isBlind = ({ highPoints = 0, lowPoints = 0, withPercent = 0, withoutPercent = 0 }: ImpactRow) =>
  highPoints - lowPoints > 2 * Math.max(withPercent, withoutPercent);

/** The cost of each condition as a bar, its interval behind it; undefined where nothing could be measured. */
export function chartOfImpact({ impact: { conditions, days, outcome, currency }, ...visits }: ImpactDrawn): BarsSpec | undefined {
  const [first] = conditions.map((row) => costOf(row, outcome));
  // As the first sentence: of purchases where baskets scatter too much to say how much revenue it is.
  const aim = outcome === 'revenue' && first?.claims && !first.isClaim ? 'purchase' : outcome;
  const drawn = conditions
    .filter((row) => !isBlind(row))
    .map((row) => costOf(row, aim))
    .filter(({ value }) => value !== null)
    .toSorted((a, b) => Number(b.isClaim) - Number(a.isClaim) || Number(b.value) - Number(a.value))
    .slice(0, MOST_BARS);
  if (drawn.length === 0) return undefined;
  const blind = notDrawn(conditions.filter(isBlind).map(({ condition }) => condition));
  return {
    kind: 'bars',
    title: headlineOf(visits.answer),
    subtitle: `${costWords(aim, currency)}${aim === outcome ? '' : ' (revenue scatters too much)'} in ${days} days, ${daysIn(visits)}: \
bar: estimate; line: its interval, the wider the more conditions were tried${blind ? `; ${blind} (intervals too wide)` : ''}`,
    unit: unitIn(aim === 'revenue' ? currency : undefined),
    labels: drawn.map(({ condition }) => condition),
    series: [
      {
        name: 'estimate',
        values: drawn.map(({ value }) => value),
        low: drawn.map(({ low }) => low),
        high: drawn.map(({ high }) => high),
      },
    ],
    accent: drawn.flatMap(({ condition, isClaim }) => (isClaim ? [condition] : [])),
    notes: drawn.map(({ low, high, isClaim, verdict }) => {
      const interval = `${formatValue(low, 'none')} to ${formatValue(high, 'none')}`;
      return isClaim ? interval : `${interval} · ${verdict}`;
    }),
  };
}
