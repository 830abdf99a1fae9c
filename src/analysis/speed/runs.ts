import type * as z from 'zod';
import type { reportEntry, stepResult } from '../../api/operations/records.ts';

export type Report = z.output<typeof reportEntry>;
export type StepResult = z.output<typeof stepResult>;

/** From `startMs` to `endMs`, both included. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

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

/** Whether a run failed anywhere; where the summary does not say, the steps do. */
export function isFailed({ summary, steps }: Report): boolean {
  const ofSteps = () => (steps ?? []).reduce((sum, { fail }) => sum + (fail ?? 0), 0);
  return (summary?.fail ?? ofSteps()) > 0;
}

/** Reports whose date lies in the window. */
export function reportsIn(reports: readonly Report[], { startMs, endMs }: Window): Report[] {
  return reports.filter(({ date }) => date >= startMs && date <= endMs);
}

interface Draft {
  key: string;
  number: number;
  name: string;
  stepId: number | string | undefined;
  runs: StepRun[];
}

/** Puts a step that was made anew, under another id but the same name, behind the one that it replaced. */
function joinReplaced(drafts: readonly Draft[]): Draft[] {
  const joined: Draft[] = [];
  for (const draft of drafts) {
    const former = joined.find(
      (other) => other.name === draft.name && (other.runs.at(-1)?.date ?? 0) < (draft.runs[0]?.date ?? Number.NEGATIVE_INFINITY),
    );
    if (former) Object.assign(former, { ...draft, runs: [...former.runs, ...draft.runs] });
    else joined.push({ ...draft });
  }
  return joined;
}

/** The steps of these reports in the order of the latest run that has them, told apart by id: a renamed step stays the same one. */
export function stepsOf(reports: readonly Report[]): Step[] {
  const drafts = new Map<string, Draft>();
  for (const { date, steps } of reports.toSorted((a, b) => a.date - b.date)) {
    for (const [index, result] of (steps ?? []).entries()) {
      const key = String(result.stepId ?? result.name ?? index);
      const draft = drafts.get(key) ?? { key, number: index + 1, name: '', stepId: undefined, runs: [] };
      draft.number = index + 1;
      draft.name = result.name ?? `Step ${index + 1}`;
      draft.stepId = result.stepId ?? undefined;
      draft.runs.push({ date, result });
      drafts.set(key, draft);
    }
  }
  return joinReplaced([...drafts.values()])
    .map(({ key: _key, ...step }) => step)
    .toSorted((a, b) => a.number - b.number);
}

/** A metric of a step result; null where it has no value. */
export function metricOf({ timings, weight, loadTime, requestsCount }: StepResult, metric: string): number | null {
  if (metric === 'weight') return weight ?? null;
  if (metric === 'loadTime') return loadTime ?? null;
  if (metric === 'request') return requestsCount ?? null;
  const value: unknown = timings?.[metric];
  return typeof value === 'number' ? value : null;
}

/** Values with their dates, oldest first. */
export interface Series {
  readonly dates: readonly number[];
  readonly values: readonly number[];
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
  for (const { steps } of reports) counts.set(steps?.length ?? 0, (counts.get(steps?.length ?? 0) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Sums of a metric over all steps, of those reports only that have this many steps: others would be compared with something else. */
export function sumSeries(reports: readonly Report[], metric: string, steps: number): Series {
  const points = reports
    .filter((report) => report.steps?.length === steps)
    .toSorted((a, b) => a.date - b.date)
    .flatMap(({ date, summary }) => {
      const value: unknown = summary?.sum?.[metric];
      return typeof value === 'number' ? [{ date, value }] : [];
    });
  return { dates: points.map(({ date }) => date), values: points.map(({ value }) => value) };
}

/** Index of the first date that is not before `ms`. */
function firstFrom(dates: readonly number[], ms: number): number {
  let [low, high] = [0, dates.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((dates[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The part of a series that lies in a window. */
export function within({ dates, values }: Series, { startMs, endMs }: Window): Series {
  const [from, to] = [firstFrom(dates, startMs), firstFrom(dates, endMs + 1)];
  return { dates: dates.slice(from, to), values: values.slice(from, to) };
}
