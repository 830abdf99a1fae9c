import { sampleVariance } from 'simple-statistics';
import { type Interval, isWithin, slotsOf } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { nth } from '../lib/nth.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { present } from '../lib/sentences.ts';
import { meanOf, median, medianWithin } from '../statistics/order.ts';
import { normalOf, scoreOfTail } from '../statistics/tails.ts';
import { localTimes } from './engine/local-time.ts';
import { seriesOf } from './runs.ts';
import {
  allSteps,
  type Course,
  courseWords,
  leadingOf,
  metricColumns,
  movedSteps,
  PLACE_COLUMNS,
  type ScenarioRuns,
  type StepPlace,
  type ViewAnswer,
  type ViewColumn,
  valueCell,
  viewOf,
} from './scenario-views.ts';
import { metricFact } from './speed-metrics.ts';

/** By what levels may be broken down. */
export const BREAKDOWNS = ['day', 'week', 'month', 'hour', 'weekday', 'weekend'] as const;
/** A cycle by which speed can be grouped. */
export type Breakdown = (typeof BREAKDOWNS)[number];

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** Groups of a breakdown in order, and the group of each instant (-1: none). */
type Grouping = ReturnType<typeof groupingOf>;

/** Groups that follow each other, the last one followed by the first. */
interface Stretch {
  readonly from: number;
  readonly length: number;
}

/** A cycle of time: its groups, and how they are compared. */
interface Cycle {
  readonly names: readonly string[];
  readonly groupOf: (hour: number, weekday: number) => number;
  /** Some groups that follow each other, as a sentence says when: `from 02:00 to 03:00`. */
  readonly wordsOf: (stretch: Stretch) => string;
  /** Blocks of time in which groups are compared: hours within their day, days within their week. */
  readonly blockDays: number;
}

const dayAt = (day: number) => WEEKDAYS[day % 7] ?? '';

const CYCLES: Readonly<Record<'hour' | 'weekday' | 'weekend', Cycle>> = {
  hour: {
    names: HOURS,
    groupOf: (hour) => hour,
    wordsOf: ({ from, length }) => `from ${HOURS[from] ?? ''} to ${HOURS[(from + length) % 24] ?? ''}`,
    blockDays: 1,
  },
  weekday: {
    names: WEEKDAYS,
    groupOf: (_, weekday) => weekday,
    wordsOf: ({ from, length }) => (length === 1 ? `on ${dayAt(from)}s` : `from ${dayAt(from)} to ${dayAt(from + length - 1)}`),
    blockDays: 7,
  },
  weekend: {
    names: ['Monday to Friday', 'weekend'],
    groupOf: (_, weekday) => Number(weekday >= 5),
    wordsOf: ({ from }) => (from === 1 ? 'at weekends' : 'from Monday to Friday'),
    blockDays: 7,
  },
};

/** The groups of a breakdown over a range. */
function groupingOf(breakdown: Breakdown, range: Interval, timeZone: string) {
  if (!isCycle(breakdown)) {
    const slots = slotsOf(breakdown, range, timeZone);
    return {
      names: slots.map(({ label, isPart }) => (isPart ? `${label} (part)` : label)),
      groupsOf: (dates: readonly number[]) => dates.map((date) => slots.findIndex((slot) => isWithin(date, slot))),
      /** Of what comes again, such as the hour; undefined for time as it passes. */
      cycle: undefined,
    };
  }
  const cycle = CYCLES[breakdown];
  return {
    names: cycle.names,
    groupsOf: (dates: readonly number[]) => {
      const { hour, weekday } = localTimes(dates, timeZone);
      return dates.map((_, index) => cycle.groupOf(nth(hour, index), nth(weekday, index)));
    },
    cycle,
  };
}

/** Whether a breakdown is by what comes again, such as the hour, and not by time as it passes. */
export function isCycle(breakdown: Breakdown): breakdown is keyof typeof CYCLES {
  return breakdown in CYCLES;
}

/** The range from its first run on, so that a week in which the runs begin is a part. */
function fromFirstRun(scenarios: readonly ScenarioRuns[], { startMs, endMs }: Interval): Interval {
  const firstMs = Math.min(...scenarios.flatMap(({ all }) => all[0]?.date ?? []));
  return { startMs: Number.isFinite(firstMs) && firstMs - startMs > DAY_MS ? firstMs : startMs, endMs };
}

/** A metric of a step: its series, and the part of it that each group holds. */
type GroupedStep = ReturnType<typeof groupedSteps>[number];

/** One step in one group. */
interface CycleRow extends StepPlace {
  readonly key: string;
  readonly group: string;
  /** Of each metric, in their order. */
  readonly values: readonly (readonly number[])[];
}

/** The steps of all scenarios by group, each series derived once. */
const groupedSteps = (scenarios: readonly ScenarioRuns[], metric: string, { names, groupsOf }: Grouping) =>
  scenarios.flatMap((scenario) =>
    scenario.steps.map((step) => {
      const series = seriesOf(step, metric);
      const groups = groupsOf(series.dates);
      const rows = names.map((_, place) => series.values.filter((__, run) => groups[run] === place));
      return { scenario, step: step.name, key: keyOf(scenario.scenarioId, step.name), series, groups, rows };
    }),
  );

const LEAST_BLOCKS = 3;

/** Medians of the logarithms of the runs of each group in each block of time, such as the hours of each day; undefined without a run. */
function blocksOf({ series: { dates, values }, groups, rows }: GroupedStep, blockDays: number, timeZone: string): (number | undefined)[][] {
  const { day } = localTimes(dates, timeZone);
  const runs = values.flatMap((value, index) =>
    value > 0 ? [{ log: Math.log(value), group: groups[index], block: Math.floor((nth(day, index) + 3) / blockDays) }] : [],
  );
  return [...grouped(runs, ({ block }) => block).values()].map((block) => {
    const own = grouped(block, ({ group }) => group);
    return rows.map((_, group) => {
      const logs = own.get(group)?.map(({ log }) => log);
      return logs && median(logs);
    });
  });
}

/** Every stretch of at most half of so many groups; of two halves one is enough. */
const stretchesOf = (count: number): Stretch[] =>
  Array.from({ length: Math.floor(count / 2) }, (_, index) => index + 1).flatMap((length) =>
    Array.from({ length: count }, (_, from) => ({ from, length })).slice(2 * length === count ? length : 0),
  );

/** Whether a group lies in a stretch of so many groups. */
const isOfStretch = ({ from, length }: Stretch, group: number, count: number) => (group - from + count) % count < length;

/** The accepted chance that a step without a cycle has one, shared by its groups, and the least relative size of one that is named. */
const CLEAR = { chance: 0.005, relative: 0.03 } as const;

/** Sums of the logarithms of a block, and how many there are, before each group, the groups twice: a stretch may pass the last one. */
function sumsOf(block: readonly (number | undefined)[]) {
  const [logs, counts] = [[0], [0]];
  for (const [place, log] of [...block, ...block].entries()) {
    logs.push(nth(logs, place) + (log ?? 0));
    counts.push(nth(counts, place) + (log === undefined ? 0 : 1));
  }
  return { logs, counts };
}

/** How a stretch differs from the other groups of the same blocks: standard normal, below 0 where it is lower; 0 where that is nothing. */
function scoreOf(blocks: readonly ReturnType<typeof sumsOf>[], { from, length }: Stretch, count: number): number {
  const differences = blocks.flatMap(({ logs, counts }) => {
    const own = nth(logs, from + length) - nth(logs, from);
    const ownCount = nth(counts, from + length) - nth(counts, from);
    const restCount = nth(counts, count) - ownCount;
    return ownCount > 0 && restCount > 0 ? [own / ownCount - (nth(logs, count) - own) / restCount] : [];
  });
  const freedom = differences.length - 1;
  if (freedom < LEAST_BLOCKS - 1) return 0;
  const mean = meanOf(differences);
  if (Math.abs(mean) < Math.log1p(CLEAR.relative)) return 0;
  const variance = Math.max(sampleVariance(differences), Number.MIN_VALUE);
  return normalOf(mean / Math.sqrt(variance / differences.length), freedom);
}

const percent = (relative: number) => `${Math.abs(Math.round(100 * relative))}%`;

/** Names a step of a scenario. */
const keyOf = (scenarioId: number, step: string) => `${scenarioId}/${step}`;

/** Words on a metric, and the steps that they are about, the first one first, and the groups of the first stretch of a cycle. */
type MetricVerdict = readonly [words: string, steps: readonly string[], groups?: readonly string[]];

/** A step with what its runs say of a cycle. */
type CycleStep = GroupedStep & { readonly blocks: ReturnType<typeof blocksOf> };

/** A stretch in which some steps differ beyond chance. */
type FoundCycle = NonNullable<ReturnType<typeof clearestCycle>>;

/** The stretch in which steps differ most clearly, all of them together. */
function clearestCycle(steps: readonly CycleStep[], count: number) {
  const least = scoreOfTail(Math.log(CLEAR.chance / count));
  const summed = steps.map((step) => ({ step, blocks: step.blocks.map(sumsOf) }));
  const sides = stretchesOf(count).flatMap((stretch) => {
    const scored = summed
      .map(({ step, blocks }) => ({ step, score: scoreOf(blocks, stretch, count) }))
      .filter(({ score }) => Math.abs(score) >= least);
    return [1, -1].map((sign) => ({ stretch, own: scored.filter(({ score }) => score * sign > 0) }));
  });
  const sumOf = ({ own }: (typeof sides)[number]) => own.reduce((sum, { score }) => sum + Math.abs(score), 0);
  const [best] = sides.toSorted(byMost(sumOf));
  return best && best.own.length > 0 ? { stretch: best.stretch, steps: best.own.map(({ step }) => step) } : undefined;
}

/** The difference between a stretch and the other groups by the rows that are shown, by which a reader checks it; 0.1 for +10 %. */
function sizeIn(rows: CycleStep['rows'], stretch: Stretch): number {
  const sideOf = (isOwn: boolean) => median(rows.filter((_, group) => isOfStretch(stretch, group, rows.length) === isOwn).flat());
  return sideOf(true) / sideOf(false) - 1;
}

/** The same step without what a stretch adds to it. */
function freedOf(step: CycleStep, stretch: Stretch): CycleStep {
  const added = Math.log1p(sizeIn(step.rows, stretch));
  const blocks = step.blocks.map((block) =>
    block.map((log, group) => (log !== undefined && isOfStretch(stretch, group, block.length) ? log - added : log)),
  );
  return { ...step, blocks };
}

/** The stretch that stands for the steps, and one of some of them that differs by more, such as a single slow hour. */
function cyclesOf(steps: readonly CycleStep[], count: number): FoundCycle[] {
  const first = clearestCycle(steps, count);
  if (!first) return [];
  const freed = steps.map((step) => (first.steps.includes(step) ? freedOf(step, first.stretch) : step));
  const second = clearestCycle(freed, count);
  const largest = ({ stretch, steps: own }: FoundCycle) => Math.max(...own.map(({ rows }) => Math.abs(sizeIn(rows, stretch))));
  return second && largest(second) > largest(first) ? [first, second] : [first];
}

/** `LCP is 9% to 14% higher from 12:00 to 18:00 than at other times, in all 21 steps.` */
function cycleVerdict(
  steps: readonly GroupedStep[],
  metric: string,
  { breakdown, timeZone }: CycleOptions,
  { names, blockDays, wordsOf }: Cycle,
): MetricVerdict {
  const count = names.length;
  const { short } = metricFact(metric);
  const judged = steps
    .map((step): CycleStep => ({ ...step, blocks: blocksOf(step, blockDays, timeZone) }))
    .filter(({ blocks }) => blocks.filter((block) => block.filter((log) => log !== undefined).length > 1).length >= LEAST_BLOCKS);
  if (judged.length === 0)
    return [`Too few runs to judge ${short} by ${breakdown}: it takes at least ${LEAST_BLOCKS} ${blockDays === 1 ? 'days' : 'weeks'}.`, []];
  const cycles = cyclesOf(judged, count).map(({ stretch, steps: own }) => ({
    stretch,
    sized: own.map(({ key, rows }) => ({ key, size: sizeIn(rows, stretch) })).toSorted(byMost((each) => Math.abs(each.size))),
  }));
  const anyStep = judged.length === 1 ? 'the step' : `any of ${judged.length} steps`;
  if (cycles.length === 0) return [`${short} does not differ significantly by ${breakdown} in ${anyStep}.`, []];
  const sentences = cycles.map(({ stretch, sized }) => {
    const [largest, least] = [sized[0]?.size ?? 0, sized.at(-1)?.size ?? 0];
    const size = percent(least) === percent(largest) ? percent(least) : `${percent(least)} to ${percent(largest)}`;
    const where = sized.length === judged.length ? allSteps(judged.length) : `${sized.length} of ${judged.length} steps`;
    const side = largest < 0 ? 'lower' : 'higher';
    return `${short} is ${size} ${side} ${wordsOf(stretch)} than at other times${judged.length === 1 ? '' : `, in ${where}`}.`;
  });
  const groups = cycles.slice(0, 1).flatMap(({ stretch: { from, length } }) => [...names, ...names].slice(from, from + length));
  return [sentences.join(' '), cycles.flatMap(({ sized }) => sized.map(({ key }) => key)), groups];
}

/** Scenarios named of each metric where there are several. */
const MOST_NAMED = 3;

/** Whether the level moved over the range. */
function rangeVerdict(metric: string, { courses }: CycleOptions): MetricVerdict {
  const course = courses.get(metric);
  if (!course) return ['', []];
  const most = courses.size > 1 ? MOST_NAMED : Number.POSITIVE_INFINITY;
  return [courseWords(course, metric, most), movedSteps(course).map(({ scenarioId, step }) => keyOf(scenarioId, step))];
}

interface CycleOptions {
  readonly breakdown: Breakdown;
  /** Each is judged; the first with the interval of its medians. */
  readonly metrics: readonly [string, ...string[]];
  readonly range: Interval;
  readonly timeZone: string;
  readonly limit: number;
  /** Of days, weeks and months, by metric; one that there was no time for is left out. */
  readonly courses: ReadonlyMap<string, Course>;
}

/** Rows of the steps that the verdicts are about in front, as a table that is cut holds the first ones alone. */
function inFront(rows: readonly CycleRow[], steps: readonly string[]): CycleRow[] {
  const places = new Map([...new Set(steps)].map((key, place) => [key, place]));
  const placeOf = ({ key }: CycleRow) => places.get(key) ?? places.size;
  return rows.toSorted(byLeast(placeOf));
}

function notesFor({ metrics: [first, ...others], breakdown, timeZone, courses }: CycleOptions): string[] {
  const left = isCycle(breakdown) ? [] : others.filter((metric) => !courses.has(metric));
  return present(
    left.length > 0 && `There was no time to judge ${left.join(', ')}: metrics with these alone does.`,
    others.length > 0 && `low, high and runs are of ${first}.`,
    `Medians of the runs without failure with their 95% interval; days and hours in ${timeZone}.`,
  );
}

/** Levels of metrics by day, week, month, part of the day, weekday or weekend, with a verdict on the cycle or the course of each. */
export function cycleAnswer(scenarios: readonly ScenarioRuns[], options: CycleOptions): ViewAnswer {
  const { breakdown, metrics, range, timeZone, limit, courses } = options;
  const grouping = groupingOf(breakdown, fromFirstRun(scenarios, range), timeZone);
  const { cycle, names } = grouping;
  const byMetric = metrics.map((metric) => ({ metric, own: groupedSteps(scenarios, metric, grouping) }));
  const verdicts = byMetric.map(({ metric, own }) => (cycle ? cycleVerdict(own, metric, options, cycle) : rangeVerdict(metric, options)));
  const steps = verdicts.flatMap(([, some]) => some);
  const all = (byMetric[0]?.own ?? []).flatMap((place, at) =>
    names.map((group, own): CycleRow => ({ ...place, group, values: byMetric.map((each) => each.own[at]?.rows[own] ?? []) })),
  );
  const rows = inFront(
    all.filter(({ values }) => values.some(({ length }) => length > 0)),
    steps,
  );
  const told = new Set(steps);
  const isOfSome = told.size > 0 && rows.some(({ key }) => !told.has(key));
  const [first] = metrics;
  const ofMetrics = metricColumns(metrics);
  const within = (side: 'low' | 'high'): ViewColumn<CycleRow> => [
    side,
    ({ values: [own = []] }) => valueCell(first, medianWithin(own)[side]),
  ];
  const view = viewOf(rows, limit, {
    answer: present(...verdicts.map(([words]) => words)).join(' '),
    of: cycle && first,
    told: verdicts[0]?.[2],
    columns: [
      ...PLACE_COLUMNS.slice(1),
      [breakdown, ({ group }) => group],
      ...ofMetrics.slice(0, 1),
      within('low'),
      within('high'),
      ...ofMetrics.slice(1),
      ['runs', ({ values: [own = []] }) => own.length],
    ],
    notes: notesFor(options),
    ...(isOfSome && { inFront: ` Steps that ${cycle ? 'differ' : 'moved'} come first.` }),
  });
  return { ...view, drawn: leadingOf(courses.get(first) ?? []) };
}
