import type * as z from 'zod';
import { ApiError } from '../../api/errors.ts';
import type { reportEntry, stepResult } from '../../api/operations/records.ts';
import { instantOf } from '../../api/params.ts';
import { type Interval, monthsBefore } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { addTo, sumOfKnown } from '../../lib/tally.ts';
import { matchName } from '../names/match-name.ts';
import { customTimingOf, isCustomTiming } from './custom-timings.ts';
import type { Series } from './engine/run-series.ts';
import { canBe } from './speed-metrics.ts';

/** One run of a scenario, as read. */
export type Report = z.output<typeof reportEntry>;
/** One step of a run, as read. */
export type StepResult = z.output<typeof stepResult>;

/** One step of one run that did not fail. */
export interface StepRun {
  /** Of the report, ms since 1970. */
  readonly date: number;
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
  const ofSteps = () => sumOfKnown(steps ?? [], ({ fail }) => fail);
  return (summary?.fail ?? ofSteps()) > 0;
}

/** The reports without a failure. */
export const soundOf = (reports: readonly Report[]): Report[] => reports.filter((report) => !isFailed(report));

/** Reports whose date lies in the window. */
export function reportsIn(reports: readonly Report[], { startMs, endMs }: Interval): Report[] {
  return reports.filter(({ date }) => date >= startMs && date <= endMs);
}

/** Runs of one window. */
export interface Runs {
  readonly window: Interval;
  readonly all: readonly Report[];
  readonly failed: readonly Report[];
}

/** All runs of a window, and those that failed. */
export function runsOf(reports: readonly Report[], window: Interval): Runs {
  const all = reportsIn(reports, window);
  return { window, all, failed: all.filter(isFailed) };
}

/** Address of the newest report on the web, for a person to look at; undefined where no report has one. */
export function webPageOf(reports: readonly Report[]): string | undefined {
  const shown = reports.filter(({ viewOnTheWeb }) => viewOnTheWeb);
  return shown.toSorted((a, b) => b.date - a.date)[0]?.viewOnTheWeb ?? undefined;
}

/** The steps of these reports in the order of the latest run that has them, identified by id: a renamed step stays the same one. */
export function stepsOf(reports: readonly Report[]): Step[] {
  const results = reports
    .toSorted((a, b) => a.date - b.date)
    .flatMap(({ date, steps }) => (steps ?? []).map((result, index) => ({ date, result, number: index + 1 })));
  const joined: Step[] = [];
  for (const own of grouped(results, ({ result, number }) => String(result.stepId ?? result.name ?? number)).values()) {
    const last = own.at(-1);
    if (!last) continue;
    const { number, result } = last;
    const name = result.name ?? `Step ${number}`;
    const runs = own.map((run): StepRun => ({ date: run.date, result: run.result }));
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
  return joined.toSorted((a, b) => a.number - b.number);
}

/** The id by which the report and the HAR file of a step result are read; undefined where the platform gave none. */
export function resultIdOf({ stepResultId }: StepResult): string | undefined {
  return stepResultId === null || stepResultId === undefined ? undefined : String(stepResultId);
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

/** Values of a metric over the runs of a step; runs without one are left out. */
export function seriesOf({ runs }: Step, metric: string): Series {
  const [dates, values]: [number[], number[]] = [[], []];
  for (const { date, result } of runs) {
    const value = metricOf(result, metric);
    if (value === null) continue;
    dates.push(date);
    values.push(value);
  }
  return { dates, values };
}

/** The number of steps that most of the reports have. */
export function usualSteps(reports: readonly Report[]): number {
  const counts = new Map<number, number>();
  for (const { steps } of reports) addTo(counts, steps?.length ?? 0);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Sums of a metric over all steps, of those reports, oldest first, that have this many steps with a value, to compare like with like. */
export function sumSeries(reports: readonly Report[], metric: string, steps: number): Series {
  const [dates, values]: [number[], number[]] = [[], []];
  for (const { date, steps: results } of reports) {
    if (results?.length !== steps) continue;
    const ofSteps = results.map((result) => metricOf(result, metric));
    if (ofSteps.includes(null)) continue;
    dates.push(date);
    values.push(ofSteps.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  }
  return { dates, values };
}

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
  const [from, to] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
  throw new ApiError('invalid', `${end}: must be after ${start} (${from} … ${to}).`);
}

/** The period and what it is compared with: the 30 days before it, of a calendar month the month before. They must not overlap. */
export function studyWindows(bounds: Bounds, nowMs: number, timeZone: string): { period: Interval; baseline: Interval } {
  const { startDate, endDate, baselineStartDate, baselineEndDate } = bounds;
  const at = (date: string | undefined, otherwise: number) => (date === undefined ? otherwise : instantOf(date));
  const period = ordered({ startMs: instantOf(startDate), endMs: at(endDate, nowMs) }, ['startDate', 'endDate']);
  const baselineEndMs = at(baselineEndDate, period.startMs - 1);
  const ofMonth = baselineEndDate === undefined ? monthsBefore(period, timeZone, 1)?.startMs : undefined;
  const baselineStartMs = at(baselineStartDate, ofMonth ?? baselineEndMs + 1 - BASELINE_MS);
  if (baselineEndMs >= period.startMs)
    throw new ApiError('invalid', `baselineEndDate: the baseline must end before startDate (${new Date(period.startMs).toISOString()}).`);
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
