import { type FailedStep, failedStepsToRead } from './failures.ts';
import { type RecentShift, recentShiftIn } from './recent-shift.ts';
import type { StepRun } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { type ServerShare, serverShareOf } from './server-share.ts';
import { type Since, sinceOf } from './since.ts';
import { leadingRow, worstOf } from './study-table.ts';
import { typicalRuns } from './typical-runs.ts';

/** What reports alone say beyond the verdicts, and what to read next. */
export interface Clues {
  readonly leading: Row | undefined;
  readonly since: Since | undefined;
  readonly shift: RecentShift | undefined;
  readonly share: ServerShare | undefined;
  /** Runs of the leading step to be looked at side by side. */
  readonly examples: { readonly before: StepRun | undefined; readonly after: StepRun | undefined };
  readonly failedSteps: readonly FailedStep[];
}

/** Looks for the first report of the change, where the time goes, and which runs to look at. */
export function cluesIn(study: Study): Clues {
  const { baseline, period, rows, headline } = study;
  const windows = { baseline: baseline.window, period: period.window };
  const leading = leadingRow(study);
  const row = leading?.step ? leading : worstOf(rows, leading?.metric ?? '');
  const since = headline && sinceOf(headline);
  const isOfLcp = ({ step, metric, verdict }: Row) =>
    step === row?.step && metric === 'largestContentfulPaint' && (verdict === 'slower' || verdict === 'faster');
  const levels = {
    before: row?.comparison.before?.median ?? 0,
    after: row?.comparison.after?.median ?? 0,
    splitMs: period.window.startMs,
    beforeEndMs: baseline.window.endMs,
  };
  return {
    leading,
    since,
    shift: recentShiftIn(study),
    share: row?.step && serverShareOf(row.step, windows, rows.some(isOfLcp)),
    // Levels of the sum say nothing of a step's.
    examples: row?.step
      ? typicalRuns(row.step, row.metric, levels, row === headline ? since : undefined)
      : { before: undefined, after: undefined },
    failedSteps: failedStepsToRead(study),
  };
}
