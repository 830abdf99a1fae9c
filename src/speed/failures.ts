import type * as z from 'zod';
import type { stepReport } from '../api/operations/records.ts';
import { type Interval, isWithin } from '../lib/calendar.ts';
import { grouped } from '../lib/grouped.ts';
import { nth } from '../lib/nth.ts';
import { byMost } from '../lib/order.ts';
import { chanceOfDifference, judgeFailures, shareChangeIn } from './engine/failure-trend.ts';
import { failedStepIn, hasValue, isFailed, metricOf, type Report, type Runs, type Step, type StepResult, seriesOf } from './runs.ts';

type StepReport = z.output<typeof stepReport>;

/** Failed runs whose actions are read, each by a call of its own; of more, as many are taken evenly over the time. */
const MOST_READ = 5;
const LONGEST_MESSAGE = 160;

/** One action at which runs fail. */
export interface FailedAction {
  readonly step: string;
  /** The message of the failed action; null where the step report names none. */
  readonly message: string | null;
  /** Of the failed runs that were read. */
  readonly runs: number;
}

/** The failed actions of some of the failed runs. */
export interface ReadActions {
  readonly actions: readonly FailedAction[];
  /** Failed runs whose step report was read, and all there are. */
  readonly runs: number;
  readonly of: number;
}

/** How often the runs of a scenario fail, and at which steps. */
export type Failures = ReturnType<typeof failuresIn>;

/** Share of failed runs from which it is worth a sentence; single failures are normal. */
export const WORTH_A_SENTENCE = 0.03;

const UNNAMED = 'unnamed step';

/** The name of the step at which a run failed. */
export const nameOfFailed = (report: Report): string => failedStepIn(report)?.name ?? UNNAMED;

/** Accepted chance that one of the steps of a scenario is said to fail more often although none does, beside that of the scenario. */
const BEGUN_ALPHA = 0.002;

/** Judges how often runs fail, in outages or evenly. */
export function failuresIn({ baseline, period }: Readonly<Record<'baseline' | 'period', Runs>>) {
  const runs = [...baseline.all, ...period.all];
  const dates = runs.map(({ date }) => date);
  const trendOf = (isHit: (report: Report) => boolean) => judgeFailures({ dates, failed: runs.map(isHit) }, period.window);
  const trend = trendOf(isFailed);
  const steps = [...new Set([...baseline.failed, ...period.failed].map(nameOfFailed).toReversed())].map((step) => ({
    step,
    /** Of all runs of the scenario, those that fail at the step. */
    trend: trendOf((report) => isFailed(report) && nameOfFailed(report) === step),
  }));
  const { share, failed, low } = trend.period;
  const isMore = failed > 0 && trend.state === 'fails more often';
  const isLess = trend.state === 'fails less often';
  // Beside a step that fails often, the share of all runs hides that another one began to.
  const isBegun = ({ trend: { state, change } }: (typeof steps)[number]) => {
    const isRise = state === 'fails more often' && change !== undefined && change.since.share >= WORTH_A_SENTENCE;
    return isRise && steps.length * chanceOfDifference(change.before, change.since, 1) <= BEGUN_ALPHA;
  };
  const told = (failed === 0 && isLess ? baseline.failed : period.failed).map(failedStepIn);
  const most = Math.min(MOST_READ, told.length);
  const evenly = Array.from({ length: most }, (_, index) => told[Math.round((index * (told.length - 1)) / Math.max(1, most - 1))]);
  return {
    ...trend,
    /** The most frequent first. */
    steps: steps.toSorted(
      byMost(
        ({ trend: { period: own } }) => own.failed,
        ({ trend: { before } }) => before.failed,
      ),
    ),
    /** The step that began to fail in the period although the share of all runs that fail did not change. */
    begun: trend.state === 'no change' ? steps.find(isBegun) : undefined,
    /** Whether runs fail more than now and then: beyond the scatter of a share that is no matter, or more often than before. */
    isFailing: isMore || (failed > 0 && low >= WORTH_A_SENTENCE),
    /** Whether failing is worth a word, which it is not where runs fail too seldom, and as seldom as before. */
    isTold: share !== null && (share >= WORTH_A_SENTENCE || isMore || isLess),
    /**
     * The failed runs of the period to look at, of the baseline where failing has ended, and how many there are: evenly over the time, the
     * first and the last among them.
     */
    toRead: evenly.filter((result) => result !== undefined),
    of: told.length,
  };
}

/** The message of the action that failed; the reference names no states, so that they are read by their words. */
function failedMessage({ actionsResult }: StepReport): string | null {
  const actions = actionsResult ?? [];
  const bad = actions.find(({ status }) => /fail|error|ko\b|time.?out|abort/i.test(status ?? ''));
  const odd = actions.find(({ status }) => status && !/succe|ok\b|pass|done|skip|ignor|not/i.test(status));
  const message = (bad ?? odd)?.message;
  return message ? message.slice(0, LONGEST_MESSAGE) : null;
}

/** Counts what failed in the runs whose step reports were asked for, as far as they could be read, the most frequent action first. */
export function groupActions(read: readonly { readonly result: StepResult; readonly report: StepReport | undefined }[]): FailedAction[] {
  const actions = read.map(({ result, report }) => ({ step: result.name ?? UNNAMED, message: report ? failedMessage(report) : null }));
  return [...grouped(actions, ({ step, message }) => `${step}\n${message}`).values()]
    .flatMap(([first, ...others]) => (first ? [{ ...first, runs: 1 + others.length }] : []))
    .toSorted(byMost(({ runs }) => runs));
}

/** The message of the failed action at the step at which most runs fail, as a sentence; empty where it says nothing. */
export function actionSentence(
  { steps, isTold }: Pick<Failures, 'steps' | 'isTold'>,
  { actions: [action], runs, of }: ReadActions,
): string {
  if (!isTold || !action?.message || action.step !== steps[0]?.step) return '';
  const all = runs === of ? `${action.runs} of ${of} failed runs` : `${action.runs} of the ${runs} failed runs read`;
  return `The failed action says: ${action.message} (${all}).`;
}

/** Runs of a step that lack a metric which others have, or whose value of it cannot be. */
export type Unmeasured = NonNullable<ReturnType<typeof unmeasuredIn>>;

/** So many runs without a value at the end are no accident of single runs. */
const LOST_RUNS = 3;
/** Share of runs without a value from which it is worth a word. */
const WORTH_A_WORD = 0.05;
/** Accepted chance that a share of runs without a value which did not change is called changed. */
const ALPHA = 0.01;

/** Counts the runs of a window that lack a metric; undefined where only single ones do, and of a step that never has it. */
export function unmeasuredIn(step: Step, metric: string, window: Interval) {
  const { name, runs: all } = step;
  const measured = seriesOf(step, metric).values.length;
  if (measured === all.length || (measured === 0 && !all.some(({ result }) => hasValue(result, metric)))) return undefined;
  const failed = all.map(({ result }) => metricOf(result, metric) === null);
  const dates = all.map(({ date }) => date);
  const own = failed.filter((_, index) => isWithin(nth(dates, index), window));
  const missing = own.filter(Boolean).length;
  const lost = failed.lastIndexOf(false) + 1;
  const isLost = failed.length - lost >= LOST_RUNS;
  if (missing === 0 || !(isLost || missing >= WORTH_A_WORD * own.length)) return undefined;
  const change = shareChangeIn({ dates, failed }, ALPHA);
  const moreMs = change && change.since.share > change.before.share ? change.atMs : undefined;
  const lostMs = lost > 0 ? dates[lost] : undefined;
  return {
    step: name,
    metric,
    /** Runs of the window without a value, of all its runs. */
    missing,
    runs: own.length,
    /** First run from which on they lack it, or lack it more often, ms since 1970; undefined where there is no such run. */
    sinceMs: isLost ? lostMs : moreMs,
    /** Whether none of the latest runs has it. */
    isLost,
  };
}
