import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { ascending, median, quantile, varianceInflation } from '../../statistics/order.ts';
import { Z_95 } from '../../statistics/tails.ts';
import { localTimes } from './engine/local-time.ts';
import { type Series, seriesOf, type Window } from './runs.ts';
import { firstRows, type ScenarioRuns, type ViewAnswer } from './site-runs.ts';
import { allSteps, type Course, courseOfStep, courseWords, levelsOf } from './speed-course.ts';
import { metricFact, roundValue } from './speed-metrics.ts';
import { BLOCK_DAYS, type Breakdown, fromFirstRun, type Grouping, groupingOf, isCycle, rowsOfStep } from './time-groups.ts';

/** The median of values in the order of time with the 95 % interval of its order statistics. */
function middleOf(values: readonly number[]): { middle: number; low: number; high: number } {
  const sorted = ascending(values);
  const half = (Z_95 / 2) * Math.sqrt(varianceInflation(values) / values.length);
  const at = (share: number) => quantile(sorted, Math.min(1, Math.max(0, share)));
  return { middle: at(0.5), low: at(0.5 - half), high: at(0.5 + half) };
}

/** One step in one group. */
interface CycleRow {
  readonly scenario: ScenarioRuns;
  readonly step: string;
  readonly group: string;
  /** Of each metric, in their order. */
  readonly values: readonly (readonly number[])[];
}

function rowsOf(scenario: ScenarioRuns, metrics: readonly string[], grouping: Grouping): CycleRow[] {
  return scenario.steps.flatMap((step) => {
    const byMetric = metrics.map((metric) => rowsOfStep(seriesOf(step, metric), grouping));
    return grouping.names
      .map((group, place) => ({ scenario, step: step.name, group, values: byMetric.map((rows) => rows[place] ?? []) }))
      .filter(({ values }) => values.some(({ length }) => length > 0));
  });
}

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

const percent = (relative: number) => `${Math.abs(Math.round(100 * relative))}%`;

/** Names a step of a scenario. */
const keyOf = (scenarioId: number, step: string) => `${scenarioId}/${step}`;

/** Words on a metric, and the steps that they are about, the first one first. */
interface MetricVerdict {
  readonly words: string;
  readonly steps: readonly string[];
}

/** `LCP is 9% to 14% higher in "afternoon (12–18)" than in "night (0–6)", in all 21 steps.` */
function cycleVerdict(
  scenarios: readonly ScenarioRuns[],
  metric: string,
  { breakdown, timeZone }: CycleOptions & { readonly breakdown: keyof typeof BLOCK_DAYS },
  grouping: Grouping,
): MetricVerdict {
  const { short } = metricFact(metric);
  const blockDays = BLOCK_DAYS[breakdown];
  const steps = scenarios.flatMap((scenario) =>
    scenario.steps.map((step) => {
      const series = seriesOf(step, metric);
      const key = keyOf(scenario.scenarioId, step.name);
      return { key, rows: rowsOfStep(series, grouping), blocks: blocksOf(series, grouping, blockDays, timeZone) };
    }),
  );
  const { high, low } = extremes(
    steps.map((step) => step.blocks),
    grouping.names.length,
  );
  const judged = steps
    .map(({ key, rows, blocks }) => ({ key, rows, differences: differencesOf(blocks, high, low) }))
    .filter(({ differences }) => differences.length >= LEAST_BLOCKS);
  const blocks = blockDays === 1 ? 'days' : 'weeks';
  const none = (words: string): MetricVerdict => ({ words, steps: [] });
  if (judged.length === 0) return none(`Too few runs to judge ${short} by ${breakdown}: it takes at least ${LEAST_BLOCKS} ${blocks}.`);
  // Of the rows that are shown, by which a reader checks it.
  const clear = judged
    .filter(({ differences }) => isClear(differences))
    .map(({ key, rows }) => ({ key, size: median(rows[high] ?? []) / median(rows[low] ?? []) - 1 }))
    .toSorted((a, b) => b.size - a.size);
  const [largest, least] = [clear[0]?.size, clear.at(-1)?.size];
  if (least === undefined || largest === undefined)
    return none(`${short} does not differ significantly by ${breakdown} in ${anyStep(judged.length)}.`);
  const size = percent(least) === percent(largest) ? percent(least) : `${percent(least)} to ${percent(largest)}`;
  const where = clear.length === judged.length ? allSteps(judged.length) : `${clear.length} of ${judged.length} steps`;
  const [above = '', below = ''] = [grouping.names[high], grouping.names[low]];
  const words = `${short} is ${size} higher in "${above}" than in "${below}"${judged.length === 1 ? '' : `, in ${where}`}.`;
  return { words, steps: clear.map(({ key }) => key) };
}

/** The words for a range without a cycle: its highest and lowest group, each step held against its level of that time. */
function rangeWords(scenarios: readonly ScenarioRuns[], metric: string, breakdown: Breakdown, grouping: Grouping, course: Course): string {
  const { short } = metricFact(metric);
  const parts = scenarios.flatMap(({ scenarioId, steps }) =>
    steps.flatMap((step) => {
      const series = seriesOf(step, metric);
      const levels = levelsOf(series, courseOfStep(course, scenarioId, step.name));
      const ratios = series.values.map((value, index) => value / (levels[index]?.usual ?? Number.NaN));
      const rows = rowsOfStep({ ...series, values: ratios }, grouping).map((own) => own.filter(Number.isFinite));
      return rows.flatMap((own, place) => (own.length > 0 ? [{ group: grouping.names[place] ?? '', relative: median(own) - 1 }] : []));
    }),
  );
  const sorted = [...grouped(parts, ({ group }) => group)]
    .map(([group, own]) => ({ group, relative: median(own.map(({ relative }) => relative)) }))
    .toSorted((a, b) => b.relative - a.relative);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return `No run without failure has a value of ${short} in the range.`;
  const sign = (value: number) => `${value >= 0 ? '+' : '−'}${percent(value)}`;
  const [beside, usual] = course.places.length > 0 ? ['Beside that, ', 'the level of its time'] : ['', 'the usual level'];
  const highest = `highest ${first.group} (${sign(first.relative)} against ${usual})`;
  return `${beside}${short} by ${breakdown}: ${highest}, lowest ${last.group} (${sign(last.relative)}).`;
}

/** Scenarios named of each metric where there are several. */
const MOST_NAMED = 3;

/** Whether the level moved over the range, and otherwise when it was highest and lowest. */
function rangeVerdict(
  scenarios: readonly ScenarioRuns[],
  metric: string,
  { breakdown, courses }: CycleOptions,
  grouping: Grouping,
): MetricVerdict {
  const course = courses.get(metric);
  if (!course) return { words: '', steps: [] };
  const most = courses.size > 1 ? MOST_NAMED : Number.POSITIVE_INFINITY;
  return {
    words: `${courseWords(course, metric, most)}${rangeWords(scenarios, metric, breakdown, grouping, course)}`,
    steps: course.places.map(({ scenarioId, step }) => keyOf(scenarioId, step)),
  };
}

interface CycleOptions {
  readonly breakdown: Breakdown;
  /** Each is judged; the first with the interval of its medians. */
  readonly metrics: readonly [string, ...string[]];
  readonly range: Window;
  readonly timeZone: string;
  readonly limit: number;
  /** Of days, weeks and months, by metric; one that there was no time for is left out. */
  readonly courses: ReadonlyMap<string, Course>;
}

/** Rows of the steps that the verdicts are about in front, as a table that is cut holds the first ones alone. */
function inFront(rows: readonly CycleRow[], steps: readonly string[]): CycleRow[] {
  const places = new Map([...new Set(steps)].map((key, place) => [key, place]));
  const placeOf = ({ scenario, step }: CycleRow) => places.get(keyOf(scenario.scenarioId, step)) ?? places.size;
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function notesFor({ metrics: [first, ...others], breakdown, timeZone, courses }: CycleOptions): string[] {
  const left = isCycle(breakdown) ? [] : others.filter((metric) => !courses.has(metric));
  return [
    ...(left.length > 0 ? [`There was no time to judge ${left.join(', ')}: metrics with these alone does.`] : []),
    ...(others.length > 0 ? [`low, high and runs are of ${first}.`] : []),
    `Medians of the runs without failure with their 95% interval; days and hours in ${timeZone}.`,
  ];
}

/** Levels of metrics by day, week, month, part of the day, weekday or weekend, with a verdict on the cycle or the course of each. */
export function cycleAnswer(scenarios: readonly ScenarioRuns[], options: CycleOptions): ViewAnswer {
  const { breakdown, metrics, range, timeZone, limit } = options;
  const grouping = groupingOf(breakdown, fromFirstRun(scenarios, range), timeZone);
  const verdicts = metrics.map((metric) =>
    isCycle(breakdown)
      ? cycleVerdict(scenarios, metric, { ...options, breakdown }, grouping)
      : rangeVerdict(scenarios, metric, options, grouping),
  );
  const steps = verdicts.flatMap((verdict) => verdict.steps);
  const rows = inFront(
    scenarios.flatMap((scenario) => rowsOf(scenario, metrics, grouping)),
    steps,
  );
  const { shown, notes } = firstRows(rows, limit);
  const told = new Set(steps);
  const isOfSome = told.size > 0 && rows.some(({ scenario, step }) => !told.has(keyOf(scenario.scenarioId, step)));
  const [first, ...others] = metrics;
  const value = (metric: string, number: number) => (Number.isNaN(number) ? null : roundValue(metric, number));
  return {
    answer: verdicts
      .map(({ words }) => words)
      .filter((words) => words !== '')
      .join(' '),
    columns: ['scenario', 'step', breakdown, first, 'low', 'high', ...others, 'runs'],
    rows: shown.map(({ scenario, step, group, values: [own = [], ...more] }) => {
      const { middle, low, high } = middleOf(own);
      const medians = more.map((each, index) => value(others[index] ?? first, median(each)));
      return [scenario.name, step, group, value(first, middle), value(first, low), value(first, high), ...medians, own.length];
    }),
    notes: [
      ...notes.map((note) => (isOfSome ? `${note} Steps that ${isCycle(breakdown) ? 'differ' : 'moved'} come first.` : note)),
      ...notesFor(options),
    ],
  };
}
