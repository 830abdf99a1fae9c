import type * as z from 'zod';
import type { stepReport } from '../../api/operations/records.ts';
import { formatPercent } from '../../lib/number-text.ts';
import { type FailureTrend, judgeFailures, type Share, shareOf } from './engine/failure-trend.ts';
import { failedStepIn, isFailed, type Report, type StepResult } from './runs.ts';
import type { Study } from './scenario-study.ts';

type StepReport = z.output<typeof stepReport>;
type Sides = Pick<Study, 'period' | 'baseline'>;

/** Failed runs whose actions are read, each by a call of its own; of more, as many are taken evenly over the time. */
const MOST_READ = 5;
const LONGEST_MESSAGE = 160;

/** A failed run: its failed step. */
export interface FailedStep {
  readonly date: number;
  readonly result: StepResult;
}

/** A failed run whose step report was asked for; undefined where it could not be read. */
export interface ReadFailure {
  readonly failed: FailedStep;
  readonly report: StepReport | undefined;
}

/** One action at which runs fail. */
export interface FailedAction {
  readonly step: string;
  /** The message of the failed action; null where the step report names none. */
  readonly message: string | null;
  /** Of the failed runs that were read. */
  readonly runs: number;
}

/** A step at which runs of the period failed, over all of its failed runs. */
export interface FailingStep {
  readonly step: string;
  /** Of all runs of the period. */
  readonly share: Share;
  readonly runsBefore: number;
  /** Whether the step fails more or less often than in the baseline. */
  readonly trend: FailureTrend;
}

/** The failed step of a failed run. */
export function failedStepOf(report: Report): FailedStep | undefined {
  const result = failedStepIn(report);
  return result && { date: report.date, result };
}

/** The name of the step at which a run failed. */
export function nameOfFailed(report: Report): string {
  return failedStepOf(report)?.result.name ?? 'unnamed step';
}

function trendOf({ baseline, period }: Sides, isHit: (report: Report) => boolean): FailureTrend {
  const runs = [...baseline.all, ...period.all].toSorted((a, b) => a.date - b.date);
  return judgeFailures({ dates: runs.map(({ date }) => date), failed: runs.map(isHit) }, period.window);
}

/** Whether runs fail more or less often than before, in outages or evenly. */
export function failuresIn(sides: Sides): FailureTrend {
  return trendOf(sides, isFailed);
}

/** Failed runs of the period; of the baseline where failing has ended; none where it never did often. */
function failedRunsOf(sides: Sides): readonly Report[] {
  const { period, baseline } = sides;
  if (period.failed.length > 0) return period.failed;
  return failuresIn(sides).state === 'fails less often' ? baseline.failed : [];
}

/** As many items as `most`, the first and the last among them, evenly over the list. */
function evenly<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))]).flatMap(
    (item) => item ?? [],
  );
}

/** The failed runs to look at, oldest first, and how many there are. */
export function failedStepsToRead(sides: Sides): { steps: FailedStep[]; of: number } {
  const failed = failedRunsOf(sides)
    .toSorted((a, b) => a.date - b.date)
    .flatMap((report) => failedStepOf(report) ?? []);
  return { steps: evenly(failed, MOST_READ), of: failed.length };
}

/** The message of the action that failed; the reference names no states, so that they are read by their words. */
function failedMessage({ actionsResult }: StepReport): string | null {
  const actions = actionsResult ?? [];
  const bad = actions.find(({ status }) => /fail|error|ko\b|time.?out|abort/i.test(status ?? ''));
  const odd = actions.find(({ status }) => status && !/succe|ok\b|pass|done|skip|ignor|not/i.test(status));
  const message = (bad ?? odd)?.message;
  return message ? message.slice(0, LONGEST_MESSAGE) : null;
}

/** Counts what failed in the runs that were read, the most frequent action first. */
export function groupActions(read: readonly ReadFailure[]): FailedAction[] {
  const groups = new Map<string, FailedAction>();
  for (const { failed, report } of read) {
    const step = failed.result.name ?? 'unnamed step';
    const message = report ? failedMessage(report) : null;
    const key = `${step}\n${message}`;
    groups.set(key, { step, message, runs: (groups.get(key)?.runs ?? 0) + 1 });
  }
  return [...groups.values()].toSorted((a, b) => b.runs - a.runs);
}

/** Steps at which runs failed, the most frequent first, over all failed runs of both windows. */
export function failingSteps(sides: Sides): FailingStep[] {
  const { baseline, period } = sides;
  const names = new Set([...period.failed, ...baseline.failed].map(nameOfFailed));
  const at = (failed: readonly Report[], step: string) => failed.filter((report) => nameOfFailed(report) === step).length;
  return [...names]
    .map((step): FailingStep => {
      const trend = trendOf(sides, (report) => isFailed(report) && nameOfFailed(report) === step);
      return { step, share: shareOf(at(period.failed, step), period.all.length), runsBefore: at(baseline.failed, step), trend };
    })
    .toSorted((a, b) => b.share.failed - a.share.failed || b.runsBefore - a.runsBefore);
}

/** Share of failed runs from which it is worth a sentence; single failures are normal. */
export const WORTH_A_SENTENCE = 0.03;

/** Failed runs whose step report was read, and all there are. */
export interface ReadCount {
  readonly runs: number;
  readonly of: number;
}

/** `12%`; below one percent with a decimal. */
export function shareWords(share: number): string {
  return formatPercent(share * 100, { digits: share > 0 && share < 0.01 ? 1 : 0 });
}

/** Failing that is worth a word. */
export interface Failing {
  /** Of the runs of the period. */
  readonly share: number;
  /** The step at which most of them failed. */
  readonly step: string | undefined;
}

/** Whether runs fail more than now and then: beyond the scatter of a share that is no matter, or more often than before. */
export function isFailing(sides: Sides): boolean {
  const { period, state } = failuresIn(sides);
  return period.failed > 0 && (state === 'fails more often' || (period.runs > 0 && period.low >= WORTH_A_SENTENCE));
}

/** How often runs fail; undefined where they do so too seldom, and as seldom as before. */
export function failingOf(study: Sides): Failing | undefined {
  const { period, state } = failuresIn(study);
  const { share, failed } = period;
  if (share === null) return undefined;
  const isMore = failed > 0 && state === 'fails more often';
  if (share < WORTH_A_SENTENCE && !isMore && state !== 'fails less often') return undefined;
  return { share, step: failingSteps(study)[0]?.step };
}

/** The message of the failed action, as a sentence; empty where it says nothing. */
export function actionSentence(failing: Failing | undefined, [action]: readonly FailedAction[], read: ReadCount): string {
  if (!action?.message || action.step !== failing?.step) return '';
  const all = read.runs === read.of ? `${action.runs} of ${read.of} failed runs` : `${action.runs} of the ${read.runs} failed runs read`;
  return `The failed action says: ${action.message} (${all}).`;
}
