import { gammaln } from 'simple-statistics';
import type * as z from 'zod';
import type { stepReport } from '../../api/operations/records.ts';
import type { Report, StepResult } from './runs.ts';
import type { Study } from './scenario-study.ts';

type StepReport = z.output<typeof stepReport>;

/** Failed runs whose actions are looked at. */
const LOOKED_AT = 5;
/** Runs fail in series (an outage), so that more is asked of a difference than 0.05. */
const ALPHA = 0.01;
const LEAST_DIFFERENCE = 0.02;
const LONGEST_MESSAGE = 160;

/** A failed run to look at: its failed step. */
export interface FailedStep {
  readonly date: number;
  readonly result: StepResult;
}

/** One way in which runs fail. */
export interface Failure {
  readonly step: string;
  /** What the failed action says of itself; null where the step report names none. */
  readonly message: string | null;
  /** Of the failed runs that were looked at. */
  readonly runs: number;
}

function failedStepOf({ date, steps }: Report): FailedStep | undefined {
  // A run ends at its failed step, where the steps themselves do not say which it is.
  const result = steps?.find(({ fail }) => (fail ?? 0) > 0) ?? steps?.at(-1);
  return result && { date, result };
}

/** The latest failed runs, of the period first; none where nothing fails any more and never did often. */
export function failedStepsToRead({ period, baseline }: Pick<Study, 'period' | 'baseline'>): FailedStep[] {
  if (period.failed.length === 0 && failureVerdict({ period, baseline }) !== 'fewer failures') return [];
  const newest = [period, baseline].flatMap(({ failed }) => failed.toSorted((a, b) => b.date - a.date));
  return newest.flatMap((report) => failedStepOf(report) ?? []).slice(0, LOOKED_AT);
}

/** The message of the action that failed; the reference names no states, so that they are read by their words. */
function failedMessage({ actionsResult }: StepReport): string | null {
  const actions = actionsResult ?? [];
  const bad = actions.find(({ status }) => /fail|error|ko\b|time.?out|abort/i.test(status ?? ''));
  const odd = actions.find(({ status }) => status && !/succe|ok\b|pass|done|skip|ignor|not/i.test(status));
  const message = (bad ?? odd)?.message;
  return message ? message.slice(0, LONGEST_MESSAGE) : null;
}

/** Counts what failed, the most frequent way first. */
export function groupFailures(read: readonly { failed: FailedStep; report: StepReport | undefined }[]): Failure[] {
  const groups = new Map<string, Failure>();
  for (const { failed, report } of read) {
    const step = failed.result.name ?? 'unnamed step';
    const message = report ? failedMessage(report) : null;
    const key = `${step}\n${message}`;
    groups.set(key, { step, message, runs: (groups.get(key)?.runs ?? 0) + 1 });
  }
  return [...groups.values()].toSorted((a, b) => b.runs - a.runs);
}

/** Steps at which runs failed, with their number in both windows, the most frequent first. */
export function failedBySteps({ baseline, period }: Pick<Study, 'period' | 'baseline'>) {
  const counts = new Map<string, { step: string; runs: number; runsBefore: number }>();
  for (const [side, name] of [
    [baseline, 'runsBefore'],
    [period, 'runs'],
  ] as const) {
    for (const report of side.failed) {
      const step = failedStepOf(report)?.result.name ?? 'unnamed step';
      const count = counts.get(step) ?? { step, runs: 0, runsBefore: 0 };
      count[name] += 1;
      counts.set(step, count);
    }
  }
  return [...counts.values()].toSorted((a, b) => b.runs + b.runsBefore - (a.runs + a.runsBefore));
}

/** Share of failed runs; null where nothing ran. */
export function failureRate({ all, failed }: { all: readonly unknown[]; failed: readonly unknown[] }): number | null {
  return all.length === 0 ? null : failed.length / all.length;
}

function logChoices(n: number, k: number): number {
  return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1);
}

/** Two-sided p of Fisher's exact test: how likely the failures fall on two windows as unevenly as they did. */
export function fisherTest(first: { hits: number; n: number }, second: { hits: number; n: number }): number {
  const hits = first.hits + second.hits;
  const whole = logChoices(first.n + second.n, hits);
  const chance = (k: number) => Math.exp(logChoices(first.n, k) + logChoices(second.n, hits - k) - whole);
  const own = chance(first.hits) * (1 + 1e-7);
  let p = 0;
  for (let k = Math.max(0, hits - second.n); k <= Math.min(hits, first.n); k += 1) if (chance(k) <= own) p += chance(k);
  return Math.min(1, p);
}

export type FailureVerdict = 'more failures' | 'fewer failures' | 'within noise' | 'not enough data';

/** Whether runs fail more or less often than before. */
export function failureVerdict({ baseline, period }: Pick<Study, 'period' | 'baseline'>): FailureVerdict {
  const [before, after] = [failureRate(baseline), failureRate(period)];
  if (before === null || after === null) return 'not enough data';
  const counted = ({ all, failed }: typeof period) => ({ hits: failed.length, n: all.length });
  const differs = fisherTest(counted(baseline), counted(period)) < ALPHA && Math.abs(after - before) >= LEAST_DIFFERENCE;
  if (!differs) return 'within noise';
  return after > before ? 'more failures' : 'fewer failures';
}
