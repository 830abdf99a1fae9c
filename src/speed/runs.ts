import type * as z from 'zod';
import { ApiError, refuse } from '../api/errors.ts';
import type { reportEntry, stepResult } from '../api/operations/records.ts';
import { instantOf } from '../api/params.ts';
import { type Interval, isWithin, monthsBefore } from '../lib/calendar.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { firstOf, present } from '../lib/sentences.ts';
import { addTo, sumOfKnown } from '../lib/tally.ts';
import { fold, matchName } from '../names/match-name.ts';
import type { Series } from './engine/run-series.ts';
import { canBe, speedMetricNames } from './speed-metrics.ts';

/** One run of a scenario, as read. */
export type Report = z.output<typeof reportEntry>;
/** One step of a run, as read. */
export type StepResult = z.output<typeof stepResult>;

/** One step of one run that did not fail. */
export interface StepRun {
  /** Of the report, ms since 1970. */
  readonly date: number;
  readonly report: Report;
  readonly result: StepResult;
}

/** One step of a scenario over time, oldest run first. */
export interface Step {
  /** Place within the scenario, from 1. */
  readonly number: number;
  readonly name: string;
  readonly stepId: number | string | undefined;
  readonly runs: readonly StepRun[];
}

/** The step at which a failed run ended: the last one, where the steps themselves do not say which it is. */
export function failedStepIn({ steps }: Report): StepResult | undefined {
  return steps?.find(({ fail }) => fail && fail > 0) ?? steps?.at(-1);
}

/** Whether a run failed anywhere; where the summary does not say, the steps do. */
export function isFailed({ summary, steps }: Report): boolean {
  return (summary?.fail ?? sumOfKnown(steps ?? [], ({ fail }) => fail)) > 0;
}

/** The runs from each report on that were last asked for. */
const lastRuns = new WeakMap<Report, readonly Report[]>();

/** The same list, whoever asks: what is derived from runs that were asked for before is there. */
function sameRuns(reports: readonly Report[]): readonly Report[] {
  const [first] = reports;
  const known = first && lastRuns.get(first);
  if (known?.length === reports.length && known.every((report, at) => report === reports[at])) return known;
  if (first) lastRuns.set(first, reports);
  return reports;
}

/** Derives something from runs once for each metric, as long as they are there: runs never change. */
function derivedOnce<Of extends object, Result>(derive: (runs: Of, metric: string) => Result) {
  const derived = new WeakMap<Of, Map<string, Result>>();
  return (runs: Of, metric = ''): Result => {
    const known = derived.get(runs) ?? new Map<string, Result>();
    derived.set(runs, known);
    const result = known.get(metric) ?? derive(runs, metric);
    known.set(metric, result);
    return result;
  };
}

/** The reports without a failure; the same list, whoever asks. */
export const soundOf = (reports: readonly Report[]): readonly Report[] => sameRuns(reports.filter((report) => !isFailed(report)));

/** Reports whose date lies in the window, oldest first. */
export const reportsIn = (reports: readonly Report[], window: Interval): Report[] =>
  reports.filter(({ date }) => isWithin(date, window)).toSorted(byLeast(({ date }) => date));

/** Runs of one window. */
export type Runs = ReturnType<typeof runsOf>;

/** All runs of a window, and those that failed. */
export function runsOf(reports: readonly Report[], window: Interval) {
  const all = reportsIn(reports, window);
  return { window, all, failed: all.filter(isFailed) };
}

/** Address of the newest report on the web, for a person to look at; undefined where no report has one. */
export function webPageOf(reports: readonly Report[]): string | undefined {
  return reports.toSorted(byMost(({ date }) => date)).find(({ viewOnTheWeb }) => viewOnTheWeb)?.viewOnTheWeb ?? undefined;
}

/** The steps of these reports in the order of the latest run that has them, identified by id: a renamed step stays the same one. */
export const stepsOf = derivedOnce((reports: readonly Report[]): readonly Step[] => {
  const results = reports
    .toSorted(byLeast(({ date }) => date))
    .flatMap((report) => (report.steps ?? []).map((result, index) => ({ date: report.date, report, result, number: index + 1 })));
  const joined: Step[] = [];
  for (const own of grouped(results, ({ result, number }) => String(result.stepId ?? result.name ?? number)).values()) {
    const last = own.at(-1);
    if (!last) continue;
    const { number, result } = last;
    const name = result.name ?? `Step ${number}`;
    const runs: StepRun[] = own;
    // A step that was created again, with another id and the same name, replaces the former one.
    const at = joined.findIndex((other) => other.name === name && (other.runs.at(-1)?.date ?? 0) < (runs[0]?.date ?? 0));
    const former = joined[at]?.runs ?? [];
    joined.splice(former.length > 0 ? at : joined.length, 1, {
      number,
      name,
      stepId: result.stepId ?? undefined,
      runs: [...former, ...runs],
    });
  }
  return joined.toSorted(byLeast(({ number }) => number));
});

/** The id by which the report and the HAR file of a step result are read; undefined where the platform gave none. */
export function resultIdOf({ stepResultId }: StepResult): string | undefined {
  return stepResultId == null ? undefined : String(stepResultId);
}

/** Names a custom timing that is called like a metric of the platform. */
const PREFIX = 'custom:';

const documented: ReadonlySet<string> = new Set(speedMetricNames);

/** Whether a name can only be that of a custom timing. */
export const isCustomTiming = (metric: string): boolean => !documented.has(metric);

/** The first custom timing of that name in ms: when a mark was set, how long a measure took; null where the step has none. */
function customTimingOf({ customTimings }: Pick<StepResult, 'customTimings'>, metric: string): number | null {
  const timing = customTimings?.find(({ name }) => name === ownName(metric));
  if (!timing) return null;
  const { type, startTime, duration } = timing;
  // A mark is an instant, a measure a stretch of time: the value is what the page's authors wanted to know of it.
  const isMeasure = /measure/i.test(type ?? '') || (!/mark/i.test(type ?? '') && (duration ?? 0) > 0);
  return (isMeasure ? duration : startTime) ?? null;
}

/** A metric or custom timing of a step result as received; null where it has no value. */
function receivedOf(result: StepResult, metric: string): number | null {
  const { timings, weight, loadTime, requestsCount } = result;
  if (isCustomTiming(metric)) return customTimingOf(result, metric);
  if (metric === 'weight') return weight ?? null;
  if (metric === 'loadTime') return loadTime ?? null;
  if (metric === 'request') return requestsCount ?? null;
  const value: unknown = timings?.[metric];
  return typeof value === 'number' ? value : null;
}

/** Whether a step result names a value of a metric, be it one that cannot be. */
export const hasValue = (result: StepResult, metric: string): boolean => receivedOf(result, metric) !== null;

/** The same as measured: null also where the value cannot be, as that of a page that never painted. */
export function metricOf(result: StepResult, metric: string): number | null {
  const value = receivedOf(result, metric);
  return value === null || !canBe(metric, value) ? null : value;
}

/** The values that are known, with their instants. */
function seriesFrom<Each extends { readonly date: number }>(runs: readonly Each[], take: (run: Each) => number | null): Series {
  const [dates, values]: [number[], number[]] = [[], []];
  for (const run of runs) {
    const value = take(run);
    if (value === null) continue;
    dates.push(run.date);
    values.push(value);
  }
  return { dates, values };
}

/** Values of a metric over the runs of a step; runs without one are left out. */
export const seriesOf = derivedOnce(({ runs }: Pick<Step, 'runs'>, metric) => seriesFrom(runs, ({ result }) => metricOf(result, metric)));

/** The number of steps that most of the reports have. */
export function usualSteps(reports: readonly Report[]): number {
  const counts = new Map<number, number>();
  for (const { steps } of reports) addTo(counts, steps?.length ?? 0);
  return [...counts].toSorted(byMost((each) => each[1]))[0]?.[0] ?? 0;
}

/** Sums of a metric over all steps, of those reports, oldest first, that have the usual steps with a value, to compare like with like. */
export const sumSeries = derivedOnce((reports: readonly Report[], metric): Series => {
  const steps = usualSteps(reports);
  const whole = reports.filter((report) => report.steps?.length === steps);
  return seriesFrom(whole, ({ steps: results }) => {
    const ofSteps = (results ?? []).map((result) => metricOf(result, metric));
    return ofSteps.includes(null) ? null : sumOfKnown(ofSteps, (value) => value);
  });
});

const BASELINE_MS = 30 * DAY_MS;

/** The dates of a comparison as ISO date-times. */
export interface Bounds {
  readonly startDate: string;
  readonly endDate?: string | undefined;
  readonly baselineStartDate?: string | undefined;
  readonly baselineEndDate?: string | undefined;
}

function ordered({ startMs, endMs }: Interval, [start, end]: readonly [string, string]): Interval {
  if (startMs < endMs) return { startMs, endMs };
  const [from, to] = [startMs, endMs].map((ms) => isoTime(ms));
  throw new ApiError('invalid', `${end}: must be after ${start} (${from} … ${to}).`);
}

/** The period and what it is compared with: the 30 days before it, of a calendar month the month before. They must not overlap. */
export function studyWindows(bounds: Bounds, nowMs: number, timeZone: string) {
  const { startDate, endDate, baselineStartDate, baselineEndDate } = bounds;
  const at = (date: string | undefined, otherwise: number) => (date === undefined ? otherwise : instantOf(date));
  const period = ordered({ startMs: instantOf(startDate), endMs: at(endDate, nowMs) }, ['startDate', 'endDate']);
  const baselineEndMs = at(baselineEndDate, period.startMs - 1);
  const ofMonth = baselineEndDate === undefined ? monthsBefore(period, timeZone, 1)?.startMs : undefined;
  const baselineStartMs = at(baselineStartDate, ofMonth ?? baselineEndMs + 1 - BASELINE_MS);
  if (baselineEndMs >= period.startMs)
    throw new ApiError('invalid', `baselineEndDate: the baseline must end before startDate (${isoTime(period.startMs)}).`);
  const baseline = ordered({ startMs: baselineStartMs, endMs: baselineEndMs }, ['baselineStartDate', 'baselineEndDate']);
  return { period, baseline };
}

/** Intervals to read, and only one where the baseline reaches up to the period: a call is dearer than its rows. */
export function windowsToRead({ period, baseline }: { period: Interval; baseline: Interval }): Interval[] {
  const gapMs = period.startMs - baseline.endMs;
  return gapMs <= 1 ? [{ startMs: baseline.startMs, endMs: period.endMs }] : [baseline, period];
}

/** Steps as an error lists them: `1 "Home", 2 "Cart"`. */
export function listedSteps(steps: readonly Step[]): string {
  return steps.map(({ number, name }) => `${number} "${name}"`).join(', ');
}

/** The refusal of a scenario of which no step is known. */
export const withoutRuns = () => new ApiError('missing', 'The scenario has no run without a failure in this time.');

/** The step that a place (from 1), a step id or a name stands for; throws an `invalid` error that lists the steps. */
export async function chooseStep(steps: readonly Step[], asked: string | number): Promise<Step> {
  if (steps.length === 0) throw withoutRuns();
  const text = String(asked).trim();
  const byNumber = steps.find(({ number }) => String(number) === text) ?? steps.find(({ stepId }) => String(stepId) === text);
  if (byNumber) return byNumber;
  const match = await matchName(
    text,
    steps.map(({ name }, index) => ({ id: index, path: [name] })),
  );
  const found = 'found' in match ? steps[match.found.id] : undefined;
  if (found) return found;
  const several = 'several' in match ? ` fits several of them; pass the number` : ' is not one of them';
  throw new ApiError('invalid', `step: the scenario has the steps ${listedSteps(steps)}; "${text}"${several}.`);
}

/** Names of the custom timings of these reports as metrics take them, in the order in which they first appear. */
function customTimingNames(reports: readonly Report[]): string[] {
  const timings = reports.flatMap(({ steps }) => steps ?? []).flatMap(({ customTimings }) => customTimings ?? []);
  return present(...new Set(timings.map(({ name }) => name))).map((name) => (documented.has(name) ? PREFIX + name : name));
}

/** The name that the page's authors gave a custom timing. */
const ownName = (metric: string) => (metric.startsWith(PREFIX) ? metric.slice(PREFIX.length) : metric);
const folded = (name: string) => fold(ownName(name)).replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Metrics as they were asked for, spelt as the reports spell them; `unknown` are neither a metric of the platform nor a custom timing of
 * these reports, of which `timings` are all.
 */
export type NamedTimings = ReturnType<typeof nameTimings>;

/** Finds the custom timings that metrics name; `["all"]` takes every one. */
export function nameTimings(asked: readonly string[] | undefined, reports: readonly Report[]) {
  const timings = customTimingNames(reports);
  const unknown: string[] = [];
  if (!asked) return { metrics: undefined, unknown, timings };
  const metrics = asked.flatMap((name) => {
    if (name === 'all') return ['all', ...timings];
    if (!isCustomTiming(name)) return [name];
    // Case, spaces and hyphens say nothing.
    const known = timings.find((timing) => timing === name) ?? timings.find((timing) => folded(timing) === folded(name));
    if (known === undefined) unknown.push(name);
    return known ?? [];
  });
  return { metrics: [...new Set(metrics)], unknown, timings };
}

/** Names that a sentence lists. */
const MOST_NAMED = 8;

/** The custom timings of some scenarios; empty where there are none. */
const timingsIn = (all: readonly Pick<NamedTimings, 'timings'>[]) =>
  firstOf([...new Set(all.flatMap(({ timings }) => timings))], MOST_NAMED);

/**
 * How many scenarios have the custom timings that an argument names, a sentence for each that some lack; throws an `invalid` error for
 * names that none of them has.
 */
export function timingWords(argument: 'metrics' | 'budgets', all: readonly Pick<NamedTimings, 'unknown' | 'timings'>[]): string[] {
  const names = [...new Set(all.flatMap(({ unknown }) => unknown))];
  const lacking = names.map((name) => ({ name, count: all.filter(({ unknown }) => unknown.includes(name)).length }));
  const nowhere = lacking.filter(({ count }) => count === all.length).map(({ name }) => `"${name}"`);
  if (nowhere.length > 0) {
    const there = `They have ${timingsIn(all) || 'none'}`;
    refuse(
      `${argument}: ${nowhere.join(', ')} is no metric (analytics://reference/metrics) and no custom timing of these scenarios. ${there}.`,
    );
  }
  return lacking.map(({ name, count }) => `${name}: ${all.length - count} of ${all.length} scenarios have this custom timing.`);
}

/** Which custom timings an answer could have been about; nothing where there are none. */
export function timingsNote(all: readonly Pick<NamedTimings, 'timings'>[]): string[] {
  const timings = timingsIn(all);
  return timings === '' ? [] : [`For metrics also: ${timings}.`];
}
