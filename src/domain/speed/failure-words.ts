import { minuteAt } from '../../lib/dates.ts';
import { formatPercent } from '../../lib/number-text.ts';
import type { FailureTrend, Share } from './engine/failed-share.ts';
import { type FailedAction, type FailingStep, failingSteps, failuresIn } from './failures.ts';
import type { Study } from './scenario-study.ts';

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

/** `21 of 178, 95%: 8%–17%` */
export function intervalWords({ failed, runs, low, high }: Share): string {
  return `${failed} of ${runs}, 95%: ${shareWords(low)}–${shareWords(high)}`;
}

/** How often runs fail now and before, and since when it differs. */
function trendWords({ period, before, state, change }: FailureTrend, timeZone: string): string {
  const now = `${shareWords(period.share ?? 0)} of runs fail (${intervalWords(period)}`;
  if (before.share === null) return `${now})`;
  const earlier = `${shareWords(before.share)} of ${before.runs} before: ${state}`;
  const since = change
    ? `, ${shareWords(change.before.share ?? 0)} → ${shareWords(change.since.share ?? 0)} since ${minuteAt(change.atMs, timeZone)}`
    : '';
  return `${now}; ${earlier}${since})`;
}

function mostlyWords([first, ...rest]: readonly FailingStep[]): string {
  if (!first || first.share.failed === 0) return '';
  const { step, share, trend } = first;
  if (rest.every((each) => each.share.failed === 0)) return `, all at step "${step}"`;
  return `, most often at step "${step}" (${intervalWords(share)}; ${trend.state})`;
}

/** That runs of a scenario fail, where it is worth a word. */
export interface FailureWords {
  /** Of the runs of the period. */
  readonly share: number;
  /** How often, whether that changed, and at which step; without a full stop. */
  readonly words: string;
  /** The step at which most of them failed. */
  readonly step: string | undefined;
}

/** Says how often runs fail; undefined where they do so too seldom, and as seldom as before. */
export function failureWords(study: Study): FailureWords | undefined {
  const trend = failuresIn(study);
  const { share, failed } = trend.period;
  if (share === null) return undefined;
  const isMore = failed > 0 && trend.state === 'fails more often';
  if (share < WORTH_A_SENTENCE && !isMore && trend.state !== 'fails less often') return undefined;
  const steps = failingSteps(study);
  return { share, words: `${trendWords(trend, study.timeZone)}${mostlyWords(steps)}`, step: steps[0]?.step };
}

/** The same as a sentence, with what the failed action says of itself. */
export function failureSentence(failing: FailureWords | undefined, actions: readonly FailedAction[], read: ReadCount): string {
  if (!failing) return '';
  const [action] = actions;
  if (!action?.message || action.step !== failing.step) return `${failing.words}.`;
  const all = read.runs === read.of ? `of ${read.of} failed runs` : `of ${read.runs} failed runs read, ${read.of} in all`;
  return `${failing.words}: ${action.message} (${action.runs} ${all}).`;
}
