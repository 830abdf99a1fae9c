import { aggregateMetricNames, stepReportTimingNames, stepTimingNames } from '../api/metric-names.ts';
import { valueText } from '../findings/wording.ts';
import type { Device } from '../har/page-limits.ts';
import { hint } from '../lib/hint.ts';
import type { Effect } from './engine/run-series.ts';

/** Speed metrics that an answer holds when none are named. */
export const usualSpeedMetrics = [
  'largestContentfulPaint',
  'firstContentfulPaint',
  'totalBlockingTime',
  'cumulativeLayoutShift',
  'firstByte',
  'speedIndex',
  'loadTime',
  'weight',
] as const;

/** Every metric name of summaries and step timings. */
export const speedMetricNames: readonly string[] = [...new Set<string>([...aggregateMetricNames, ...stepTimingNames])].toSorted();

/** The units of speed analysis, since the reference does not state them. */
export const SPEED_UNITS =
  'Timings are ms and weights bytes (not stated by the reference); cumulativeLayoutShift has no unit. Each report is a single lab run.';

/** Keeps the asked metrics of a record of metrics, as received; `["all"]` keeps everything. */
export function pickMetrics<T extends Record<string, unknown>>(
  record: T | null | undefined,
  names: readonly string[] = usualSpeedMetrics,
): Partial<T> | null | undefined {
  if (!record || names.includes('all')) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name))) as Partial<T>; // its own members
}

/** The names of metrics that stand beside the timings of a scenario report's steps. */
const besideTimings: Readonly<Record<string, string>> = { loadTime: 'loadTime', weight: 'weight', request: 'requestsCount' };

const inScenarioReport = (name: string) => {
  const place = Object.hasOwn(besideTimings, name) ? `${besideTimings[name]} of each step` : `${name} in the timings`;
  return hint('get_scenario_report', `get_scenario_report shows ${place}`, `another record has ${name}`);
};

/** The metrics that a kind of record has, and where one is that it lacks. */
const recordKinds = {
  'A step report': { metrics: stepReportTimingNames, elsewhere: inScenarioReport },
  'A summary': { metrics: aggregateMetricNames, elsewhere: inScenarioReport },
  'A step': {
    metrics: [...stepTimingNames, 'loadTime', 'weight'],
    elsewhere: (name: string) =>
      hint('list_scenario_reports', `the summary has ${name}, as in list_scenario_reports; `) +
      'requestsCount of a step counts its requests',
  },
} as const;

/** The asked metrics that a kind of record does not have. */
export function notIn(record: keyof typeof recordKinds, asked: readonly string[] = []): string[] {
  const has: readonly string[] = recordKinds[record].metrics;
  return asked.filter((name) => name !== 'all' && speedMetricNames.includes(name) && !has.includes(name));
}

/** A sentence for each asked metric that a kind of record lacks, which names the tool that has it. */
export function metricsOfOthers(record: keyof typeof recordKinds, asked: readonly string[] | undefined): string[] {
  return notIn(record, asked).map((name) => `${record} has no ${name}; ${recordKinds[record].elsewhere(name)}.`);
}

interface MetricFact {
  /** As engineers say it. */
  readonly short: string;
  readonly kind: keyof typeof UNITS;
  readonly effect: Effect;
}

// Two medians of the same page differ by 5 % when a lab runs it on another machine of the same kind. The absolute limits keep a few
// invisible ms of a small value from being reported. Blocking time and layout shift repeat worse than paints (a run's blocking time may be
// three times another's), so they take 10 %.
const PAINT: Effect = { relative: 0.05, absolute: 50 };
const facts: Readonly<Record<string, MetricFact>> = {
  largestContentfulPaint: { short: 'LCP', kind: 'ms', effect: PAINT },
  totalBlockingTime: { short: 'TBT', kind: 'ms', effect: { relative: 0.1, absolute: 30 } },
  cumulativeLayoutShift: { short: 'CLS', kind: 'score', effect: { relative: 0.1, absolute: 0.01 } },
  firstContentfulPaint: { short: 'FCP', kind: 'ms', effect: PAINT },
  speedIndex: { short: 'Speed Index', kind: 'ms', effect: PAINT },
  loadTime: { short: 'load time', kind: 'ms', effect: { relative: 0.05, absolute: 100 } },
  firstByte: { short: 'TTFB', kind: 'ms', effect: { relative: 0.05, absolute: 20 } },
  weight: { short: 'weight', kind: 'bytes', effect: { relative: 0.03, absolute: 20_000 } },
  request: { short: 'requests', kind: 'count', effect: { relative: 0.03, absolute: 2 } },
  nbLongTasks: { short: 'long tasks', kind: 'count', effect: { relative: 0.1, absolute: 1 } },
};

/** The facts about a metric; a timing without an entry is judged like a paint. */
export function metricFact(metric: string): MetricFact {
  return facts[metric] ?? { short: metric, kind: 'ms', effect: PAINT };
}

/** Times that may well be 0: no task kept the main thread busy for long. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set(['totalBlockingTime', 'totalLongTasks', 'lastLongTask', 'maxPotentialFirstInputDelay']);

const neverZero = new Set(speedMetricNames.filter((name) => metricFact(name).kind === 'ms' && !MAY_BE_ZERO.has(name)));

/** Whether a value can have been measured: nothing paints, answers or loads after 0 ms, and nothing is below 0. */
export const canBe = (metric: string, value: number): boolean => (neverZero.has(metric) ? value > 0 : value >= 0);

/** The order in which metrics stand for a step: the one that visitors feel most comes first. */
export function rankOf(metric: string): number {
  const index = Object.keys(facts).indexOf(metric);
  return index === -1 ? Number.MAX_SAFE_INTEGER : index;
}

/** Metrics whose worst step is shown even where nothing changed. */
export const coreMetrics = ['largestContentfulPaint', 'totalBlockingTime', 'cumulativeLayoutShift', 'loadTime'] as const;

/** Metrics whose sum over the steps of a run means something; paints of several pages add up to nothing. */
export const additiveMetrics: readonly string[] = ['loadTime', 'weight', 'request', 'totalBlockingTime', 'totalLongTasks', 'nbLongTasks'];

/** The units of the kinds of metrics, as records of findings have them. */
export const UNITS = { ms: 'ms', bytes: 'bytes', count: 'requests', score: '' } as const;

/** A value of a metric as a person says it, rounded as records hold it. */
export const formatValue = (metric: string, exact: number | null): string =>
  valueText(exact === null ? null : roundValue(metric, exact), UNITS[metricFact(metric).kind]);

/** Rounds to what a metric is worth reading at: whole ms, bytes and counts, layout shift to four decimals. */
export function roundValue(metric: string, value: number): number {
  return metricFact(metric).kind === 'score' ? Math.round(value * 1e4) / 1e4 : Math.round(value);
}

/** A share in percent, to one decimal; null where it is not known. */
export const percentOf = <Share extends number | null>(share: Share) => (share === null ? share : Math.round(share * 1000) / 10);

/** A probability as answers show it; smaller ones than 0.0001 as that. */
export const shownChance = (p: number): number => Number(Math.max(0.0001, p).toPrecision(2));

/** Each of the names that a text holds, with the value of the text. */
const byName = <Value>(names: readonly (readonly [value: Value, names: string])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(names.flatMap(([value, text]) => text.split(' ').map((name) => [name, value])));

/** Everyday names of speed metrics, letters and digits alone, in lower case. */
export const speedMetricAliases = byName<(typeof aggregateMetricNames)[number]>([
  ['largestContentfulPaint', 'lcp'],
  ['firstContentfulPaint', 'fcp'],
  ['firstPaint', 'fp'],
  ['totalBlockingTime', 'tbt blockingtime'],
  ['cumulativeLayoutShift', 'cls layoutshift'],
  ['firstByte', 'ttfb timetofirstbyte serverresponsetime'],
  ['speedIndex', 'si'],
  ['firstConsistentlyInteractive', 'tti timetointeractive interactive'],
  ['weight', 'pageweight pagesize size bytes totalbyteweight transfersize'],
  ['loadTime', 'pageloadtime pageload load loadingtime fullyloaded'],
  ['loadEvent', 'onload'],
  ['domContentLoadedEventEnd', 'domcontentloaded dcl'],
  ['request', 'requests requestcount requestscount networkrequests'],
  ['nbLongTasks', 'longtasks'],
  ['maxPotentialFirstInputDelay', 'mpfid maxpotentialfid'],
]);

const INPUT_DELAYS = 'inp interactiontonextpaint fid firstinputdelay';

/** Frequent names that no lab run measures, folded likewise, each with the nearest metric. */
export const missingSpeedMetrics = byName([
  ['INP needs real visitors; the nearest of the lab is totalBlockingTime', 'inp interactiontonextpaint'],
  ['FID needs real visitors; the nearest of the lab is totalBlockingTime', 'fid firstinputdelay'],
  ['there is no performance score; speedIndex and largestContentfulPaint come closest to one', 'score performancescore lighthousescore'],
]);

/** Of these the metric that answers in their place: what keeps the main thread busy in the lab is what delays input in the field. */
export const speedStandIns = byName([['totalBlockingTime' as const, INPUT_DELAYS]]);

const WORDS: readonly (readonly [Device, RegExp])[] = [
  ['mobile', /\b(?:mobile?s?|mobil|phone|smartphone|handy|android|iphone|ios)\b/iu],
  ['desktop', /\b(?:desktop|bureau|computer|laptop|pc)\b/iu],
];

/** Guesses the device of a scenario, which the interface does not state, from its name; unknown where that speaks of none or of both. */
export function deviceOf(name: string | null | undefined): Device {
  const spoken = WORDS.filter(([, words]) => words.test(name ?? '')).map(([device]) => device);
  return (spoken.length === 1 ? spoken[0] : undefined) ?? 'unknown';
}
