import { slotsOf } from '../../lib/calendar.ts';
import { minuteAt, todayIn } from '../../lib/dates.ts';
import { counted } from '../../lib/number-text.ts';
import { type Share, shareOf } from './engine/failed-share.ts';
import { type FailureTrend, judgeFailures } from './engine/failure-trend.ts';
import type { FailedAction } from './failures.ts';
import { failedStepIn, isFailed, type Window } from './runs.ts';
import { firstRows, type ScenarioRuns, type ViewAnswer } from './site-runs.ts';
import { percentOf } from './speed-metrics.ts';

/** A step at which runs of a scenario failed in the period. */
export interface FailureRow {
  readonly scenario: ScenarioRuns;
  readonly step: string;
  /** Of the runs of the period. */
  readonly share: Share;
  /** Where the share changed once in the period or the weeks before it, beyond chance. */
  readonly change: FailureTrend['change'];
  /** Shares by week, oldest first; null in a week without a run. */
  readonly weeks: readonly (number | null)[];
  /** Ids of the results of the failed step in the period, latest first. */
  readonly stepResultIds: readonly string[];
}

/** The days that are asked about, and those with the weeks before them, in which a change of the share is looked for. */
export interface FailureDays {
  readonly period: Window;
  readonly range: Window;
}

/** The steps at which runs failed in the period, the largest share first. */
export function failureRows(scenarios: readonly ScenarioRuns[], { period, range }: FailureDays, timeZone: string): FailureRow[] {
  const weeks = slotsOf('week', range, timeZone);
  return scenarios
    .flatMap((scenario) => {
      const { all } = scenario;
      const isAsked = all.map(({ date }) => date >= period.startMs && date <= period.endMs);
      const asked = isAsked.filter(Boolean).length;
      const failedAt = all.map((report) => (isFailed(report) ? (failedStepIn(report)?.name ?? 'unnamed step') : undefined));
      const steps = new Set(failedAt.flatMap((name, index) => (isAsked[index] ? (name ?? []) : [])));
      return [...steps].map((step): FailureRow => {
        const failed = failedAt.map((name) => name === step);
        const here = failed.map((isFailure, index) => isFailure && isAsked[index] === true);
        const ids = all.flatMap((report, index) => (here[index] ? [failedStepIn(report)?.stepResultId] : []));
        return {
          scenario,
          step,
          share: shareOf(here.filter(Boolean).length, asked),
          change: judgeFailures(
            { dates: all.map(({ date }) => date), failed },
            { startMs: (range.startMs + range.endMs) / 2, endMs: range.endMs },
          ).change,
          weeks: weeks.map(({ startMs, endMs }) => {
            const runs = all.flatMap(({ date }, index) => (date >= startMs && date <= endMs ? [failed[index]] : []));
            return runs.length === 0 ? null : percentOf(runs.filter(Boolean).length / runs.length);
          }),
          stepResultIds: ids.flatMap((id) => (id === undefined || id === null ? [] : [String(id)])).toReversed(),
        };
      });
    })
    .toSorted((a, b) => (b.share.share ?? 0) - (a.share.share ?? 0));
}

const points = (share: number | null) => (share === null ? '–' : `${percentOf(share)}%`);

function answerOf(
  [worst, ...others]: readonly FailureRow[],
  scenarios: readonly ScenarioRuns[],
  action: string | undefined,
  { period, timeZone }: FailureOptions,
): string {
  const isAsked = ({ date }: { readonly date: number }) => date >= period.startMs && date <= period.endMs;
  const runs = scenarios.reduce((sum, { all }) => sum + all.filter(isAsked).length, 0);
  if (!worst) return runs === 0 ? 'No run lies in the range.' : `None of ${counted(runs, 'run')} failed.`;
  const { scenario, step, share, change } = worst;
  const since = change ? `, ${points(change.before.share)} → ${points(change.since.share)} since ${minuteAt(change.atMs, timeZone)}` : '';
  const what = action === undefined ? '' : `: ${action}`;
  const more = others.length > 0 ? ` Runs also fail at ${counted(others.length, 'other step')}.` : '';
  const days = `${todayIn(timeZone, period.startMs)} to ${todayIn(timeZone, period.endMs)}`;
  const ofRuns = `${points(share.share)} of ${counted(share.runs, 'run')}`;
  return `${scenario.name}: ${ofRuns} from ${days} fail at step "${step}"${since}${what}.${more}`;
}

interface FailureOptions extends FailureDays {
  readonly timeZone: string;
  readonly limit: number;
  /** The words of failed actions, by scenario and step, as far as they were read. */
  readonly actionOf: (row: FailureRow) => FailedAction | undefined;
}

/** One row for each scenario and step at which runs failed: share, interval, since when, weeks and what the failed action says. */
export function failureAnswer(scenarios: readonly ScenarioRuns[], rows: readonly FailureRow[], options: FailureOptions): ViewAnswer {
  const { range, timeZone, limit, actionOf } = options;
  const { shown, notes } = firstRows(rows, limit);
  const weeks = slotsOf('week', range, timeZone).map(({ label, isPart }) => (isPart ? `${label} (part)` : label));
  const message = rows[0] && actionOf(rows[0])?.message;
  return {
    answer: answerOf(rows, scenarios, message ?? undefined, options),
    columns: ['scenarioId', 'scenario', 'step', 'failed', 'runs', 'percent', 'low', 'high', 'since', 'byWeek', 'action', 'stepResultId'],
    rows: shown.map((row) => {
      const { scenario, step, share, change, weeks: byWeek, stepResultIds } = row;
      return [
        scenario.scenarioId,
        scenario.name,
        step,
        share.failed,
        share.runs,
        share.share === null ? null : percentOf(share.share),
        percentOf(share.low),
        percentOf(share.high),
        change ? minuteAt(change.atMs, timeZone) : null,
        byWeek.map((week) => week ?? '–').join(' '),
        actionOf(row)?.message ?? null,
        stepResultIds[0] ?? null,
      ];
    }),
    notes: [
      ...notes,
      `Percent of the runs of the days asked, with the 95% interval; since and byWeek look at the weeks before too: ${weeks.join(', ')}.`,
      'A run failed where the platform counts a failure in any step, content checks included; stepResultId: the latest failed run.',
    ],
  };
}
