import { slotsOf } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { ascending, median, quantile, varianceInflation } from '../statistics/order.ts';
import { Z_95 } from '../statistics/tails.ts';
import { localTimes } from './engine/local-time.ts';
import { type Series, seriesOf, type Window } from './runs.ts';
import { firstRows, type ScenarioRuns, type ViewAnswer } from './site-runs.ts';
import { metricFact, roundValue } from './speed-metrics.ts';

/** By what levels may be broken down. */
export const BREAKDOWNS = ['day', 'week', 'month', 'hour', 'weekday', 'weekend'] as const;
/** A cycle by which speed can be grouped. */
export type Breakdown = (typeof BREAKDOWNS)[number];

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = ['night (0–6)', 'morning (6–12)', 'afternoon (12–18)', 'evening (18–24)'];
const WEEKEND = ['Monday to Friday', 'weekend'];

/** Groups of a breakdown in order, and the group of each instant (-1: none). */
interface Grouping {
  readonly names: readonly string[];
  readonly groupsOf: (dates: readonly number[]) => readonly number[];
}

function groupingOf(breakdown: Breakdown, range: Window, timeZone: string): Grouping {
  if (breakdown === 'day' || breakdown === 'week' || breakdown === 'month') {
    const slots = slotsOf(breakdown, range, timeZone);
    return {
      names: slots.map(({ label, isPart }) => (isPart ? `${label} (part)` : label)),
      groupsOf: (dates) => dates.map((date) => slots.findIndex(({ startMs, endMs }) => date >= startMs && date <= endMs)),
    };
  }
  const cycles = { hour: HOURS, weekday: WEEKDAYS, weekend: WEEKEND } as const;
  return {
    names: cycles[breakdown],
    groupsOf(dates) {
      const { hour, weekday } = localTimes(dates, timeZone);
      return dates.map((_, index) => {
        if (breakdown === 'hour') return Math.floor(nth(hour, index) / 6);
        return breakdown === 'weekday' ? nth(weekday, index) : Number(nth(weekday, index) >= 5);
      });
    },
  };
}

/** The median of values in the order of time with the 95 % interval of its order statistics. */
function middleOf(values: readonly number[]): { middle: number; low: number; high: number } {
  const sorted = ascending(values);
  const half = (Z_95 / 2) * Math.sqrt(varianceInflation(values) / values.length);
  const at = (share: number) => quantile(sorted, Math.min(1, Math.max(0, share)));
  return { middle: at(0.5), low: at(0.5 - half), high: at(0.5 + half) };
}

interface CycleRow {
  readonly scenario: ScenarioRuns;
  readonly step: string;
  readonly group: string;
  readonly values: readonly number[];
}

/** The values of a series by group. */
function rowsOfStep({ dates, values }: Series, { names, groupsOf }: Grouping): number[][] {
  const groups = groupsOf(dates);
  return names.map((_, place) => values.filter((__, index) => groups[index] === place));
}

function rowsOf(scenario: ScenarioRuns, metric: string, grouping: Grouping): CycleRow[] {
  return scenario.steps.flatMap((step) =>
    rowsOfStep(seriesOf(step, metric), grouping).map((values, place) => ({
      scenario,
      step: step.name,
      group: grouping.names[place] ?? '',
      values,
    })),
  );
}

/** Blocks of time in which groups are compared: hours within their day, days within their week. */
const BLOCK_DAYS = { hour: 1, weekday: 7, weekend: 7 } as const;
const LEAST_BLOCKS = 3;

/** Logarithms of the runs of one block of time by group. */
type Block = ReadonlyMap<number, readonly number[]>;

function blocksOf({ dates, values }: Series, { groupsOf }: Grouping, blockDays: number, timeZone: string): Block[] {
  const groups = groupsOf(dates);
  const { day } = localTimes(dates, timeZone);
  const runs = values.flatMap((value, index) =>
    value > 0 ? [{ log: Math.log(value), group: groups[index] ?? -1, block: Math.floor((nth(day, index) + 3) / blockDays) }] : [],
  );
  return [...grouped(runs, ({ block }) => block).values()].map(
    (block) => new Map([...grouped(block, ({ group }) => group)].map(([group, own]) => [group, own.map(({ log }) => log)])),
  );
}

/** Differences of the medians of two groups, one for each block that has both. */
function differencesOf(blocks: readonly Block[], high: number, low: number): number[] {
  return blocks.flatMap((block) => {
    const [above, below] = [block.get(high), block.get(low)];
    return above && below ? [median(above) - median(below)] : [];
  });
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The groups in which the metric is highest and lowest over all steps. */
function extremes(steps: readonly (readonly Block[])[], count: number): { high: number; low: number } {
  const levels = Array.from({ length: count }, (_, group) => {
    const deviations = steps.flatMap((blocks) =>
      blocks.flatMap((block) => {
        const own = block.get(group);
        return own ? [median(own) - meanOf([...block.values()].map((each) => median(each)))] : [];
      }),
    );
    return { group, level: deviations.length > 0 ? meanOf(deviations) : 0 };
  }).toSorted((a, b) => b.level - a.level);
  return { high: levels[0]?.group ?? 0, low: levels.at(-1)?.group ?? 0 };
}

/** The least standard errors and the least relative size of a cycle that is named. */
const CLEAR = { score: 3.5, relative: 0.03 } as const;

/** Whether a step is higher in one group than in another beyond chance, by what these differ by in each block. */
function isClear(differences: readonly number[]): boolean {
  const mean = meanOf(differences);
  const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (differences.length - 1);
  // Few blocks know their scatter badly: the variance of Student's distribution.
  const student = differences.length > 4 ? (differences.length - 1) / (differences.length - 3) : 3;
  const error = Math.sqrt((student * variance) / differences.length);
  return mean >= Math.max(CLEAR.score * error, Math.log1p(CLEAR.relative));
}

const anyStep = (count: number) => (count === 1 ? 'the step' : `any of ${count} steps`);
const allSteps = (count: number) => ['no step', 'the step', 'both steps'][count] ?? `all ${count} steps`;

const percent = (relative: number) => `${Math.abs(Math.round(100 * relative))}%`;

/** `LCP is 9% to 14% higher in "afternoon (12–18)" than in "night (0–6)", in all 21 steps.` */
function verdictOf(
  scenarios: readonly ScenarioRuns[],
  { metric, breakdown, timeZone }: CycleOptions & { readonly breakdown: keyof typeof BLOCK_DAYS },
  grouping: Grouping,
): string {
  const { short } = metricFact(metric);
  const blockDays = BLOCK_DAYS[breakdown];
  const steps = scenarios.flatMap((scenario) =>
    scenario.steps.map((step) => {
      const series = seriesOf(step, metric);
      return { rows: rowsOfStep(series, grouping), blocks: blocksOf(series, grouping, blockDays, timeZone) };
    }),
  );
  const { high, low } = extremes(
    steps.map((step) => step.blocks),
    grouping.names.length,
  );
  const judged = steps
    .map(({ rows, blocks }) => ({ rows, differences: differencesOf(blocks, high, low) }))
    .filter(({ differences }) => differences.length >= LEAST_BLOCKS);
  const blocks = blockDays === 1 ? 'days' : 'weeks';
  if (judged.length === 0) return `Too few runs to judge ${short} by ${breakdown}: it takes at least ${LEAST_BLOCKS} ${blocks}.`;
  // Of the rows that are shown, by which a reader checks it.
  const sizes = judged
    .filter(({ differences }) => isClear(differences))
    .map(({ rows }) => median(rows[high] ?? []) / median(rows[low] ?? []) - 1)
    .toSorted((a, b) => a - b);
  const [least, largest] = [sizes[0], sizes.at(-1)];
  if (least === undefined || largest === undefined)
    return `${short} does not differ by ${breakdown} beyond noise in ${anyStep(judged.length)}.`;
  const size = percent(least) === percent(largest) ? percent(least) : `${percent(least)} to ${percent(largest)}`;
  const where = sizes.length === judged.length ? allSteps(judged.length) : `${sizes.length} of ${judged.length} steps`;
  const [above = '', below = ''] = [grouping.names[high], grouping.names[low]];
  return `${short} is ${size} higher in "${above}" than in "${below}"${judged.length === 1 ? '' : `, in ${where}`}.`;
}

/** The words for a range without a cycle: its highest and lowest group, by the step's own level. */
function rangeWords(rows: readonly CycleRow[], metric: string, breakdown: Breakdown): string {
  const { short } = metricFact(metric);
  const byStep = grouped(rows, ({ scenario, step }) => `${scenario.scenarioId}/${step}`);
  const usual = new Map([...byStep].map(([key, own]) => [key, median(own.flatMap(({ values }) => values))]));
  const relative = [...grouped(rows, ({ group }) => group)].flatMap(([group, own]) => {
    const parts = own.flatMap(({ scenario, step, values }) =>
      values.length > 0 ? [median(values) / (usual.get(`${scenario.scenarioId}/${step}`) ?? Number.NaN) - 1] : [],
    );
    return parts.length > 0 ? [{ group, relative: median(parts) }] : [];
  });
  const sorted = relative.toSorted((a, b) => b.relative - a.relative);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return 'No run without failure lies in the range.';
  const sign = (value: number) => `${value >= 0 ? '+' : '−'}${percent(value)}`;
  const highest = `highest ${first.group} (${sign(first.relative)} against the usual level)`;
  return `${short} by ${breakdown}: ${highest}, lowest ${last.group} (${sign(last.relative)}).`;
}

/** The course of the level of a metric: lines on the scenarios in which it moved or scatters, and the number of steps judged. */
export interface Course {
  readonly moved: readonly string[];
  readonly steps: number;
}

interface CycleOptions {
  readonly breakdown: Breakdown;
  readonly metric: string;
  readonly range: Window;
  readonly timeZone: string;
  readonly limit: number;
  /** Of days, weeks and months. */
  readonly course?: Course;
}

/** Whether a breakdown is by what comes again, such as the hour, and not by time as it passes. */
export function isCycle(breakdown: Breakdown): breakdown is keyof typeof BLOCK_DAYS {
  return breakdown in BLOCK_DAYS;
}

/** Whether the level changed over the range: `CLS keeps its level in all 2 steps.` */
function courseWords({ moved, steps }: Course, metric: string): string {
  const [first, ...others] = moved;
  if (first !== undefined) return `${first}.${others.length > 0 ? ` ${others.map((line) => `${line}.`).join(' ')}` : ''} `;
  if (steps === 0) return '';
  return `${metricFact(metric).short} keeps its level in ${allSteps(steps)}. `;
}

/** The range from its first run on, so that a week in which the runs begin is a part. */
function fromFirstRun(scenarios: readonly ScenarioRuns[], { startMs, endMs }: Window): Window {
  const firstMs = Math.min(...scenarios.flatMap(({ all }) => all[0]?.date ?? []));
  return { startMs: Number.isFinite(firstMs) && firstMs - startMs > DAY_MS ? firstMs : startMs, endMs };
}

/** Levels of a metric by day, week, month, part of the day, weekday or weekend, with a verdict on the cycle. */
export function cycleAnswer(scenarios: readonly ScenarioRuns[], options: CycleOptions): ViewAnswer {
  const { breakdown, metric, range, timeZone, limit, course } = options;
  const grouping = groupingOf(breakdown, fromFirstRun(scenarios, range), timeZone);
  const rows = scenarios.flatMap((scenario) => rowsOf(scenario, metric, grouping)).filter(({ values }) => values.length > 0);
  const { shown, notes } = firstRows(rows, limit);
  const value = (number: number) => roundValue(metric, number);
  return {
    answer: isCycle(breakdown)
      ? verdictOf(scenarios, { ...options, breakdown }, grouping)
      : `${course ? courseWords(course, metric) : ''}${rangeWords(rows, metric, breakdown)}`,
    columns: ['scenario', 'step', breakdown, metric, 'low', 'high', 'runs'],
    rows: shown.map(({ scenario, step, group, values }) => {
      const { middle, low, high } = middleOf(values);
      return [scenario.name, step, group, value(middle), value(low), value(high), values.length];
    }),
    notes: [...notes, `Medians of the runs without failure with their 95% interval; days and hours in ${timeZone}.`],
  };
}
