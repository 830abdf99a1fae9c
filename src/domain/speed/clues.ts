import type { Move } from './engine/run-series.ts';
import { metricOf, type Step, type StepRun } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { type ServerShare, serverShareOf } from './server-share.ts';
import { leadingRow, levelNow, worstOf } from './study-table.ts';

/** Runs that are close enough in time to differ by the change alone. */
const NEIGHBOURS = 24;

/** The run whose value lies closest to a level; the latest where no level is known. */
function closest(runs: readonly StepRun[], metric: string, level: number | undefined): StepRun | undefined {
  if (level === undefined) return runs.at(-1);
  const distance = ({ result }: StepRun) => Math.abs((metricOf(result, metric) ?? Number.POSITIVE_INFINITY) - level);
  return runs.reduce<StepRun | undefined>((best, run) => (best && distance(best) <= distance(run) ? best : run), undefined);
}

/** A typical run of a step on each side, to be looked at side by side: next to the move where it has an instant, else the latest. */
function typicalRuns(row: Row, { runs }: Step, { baseline, period }: Study) {
  const { metric, move } = row;
  const dated = move?.shape === 'drift' ? undefined : move;
  const level = levelNow(row)?.typical;
  const measured = runs.filter(({ result }) => metricOf(result, metric) !== null);
  const earlier = measured.filter(({ date }) => date <= (dated?.previousMs ?? baseline.window.endMs)).slice(-NEIGHBOURS);
  const isLater = (date: number) => date >= (dated?.fromMs ?? period.window.startMs) && date < (dated?.untilMs ?? Number.POSITIVE_INFINITY);
  const later = measured.filter(({ date }) => isLater(date));
  return {
    before: closest(earlier, metric, move?.before.typical ?? level),
    after: closest(dated ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, move?.after.typical ?? level),
  };
}

/** Facts from the reports beyond the verdicts, and the next things to read. */
export interface Clues {
  readonly leading: Row | undefined;
  /** The move of the headline, where it has a first run. */
  readonly since: Move | undefined;
  readonly share: ServerShare | undefined;
  /** Runs of the leading step to be looked at side by side. */
  readonly examples: { readonly before: StepRun | undefined; readonly after: StepRun | undefined };
}

/** The runs before and since a change; without a change the baseline and the period. */
function sidesOf({ baseline, period }: Study, since: Move | undefined) {
  if (!since) return { baseline: baseline.window, period: period.window };
  const endMs = since.untilMs === undefined ? period.window.endMs : since.untilMs - 1;
  return { baseline: { startMs: baseline.window.startMs, endMs: since.previousMs }, period: { startMs: since.fromMs, endMs } };
}

/** Looks for the first report of the change, where the time goes, and which runs to look at. */
export function cluesIn(study: Study): Clues {
  const { rows, headline } = study;
  const leading = leadingRow(study);
  const row = leading?.step ? leading : worstOf(rows, leading?.metric ?? '');
  const since = headline?.move?.shape === 'drift' ? undefined : headline?.move;
  if (!row?.step) return { leading, since, share: undefined, examples: { before: undefined, after: undefined } };
  const isOfLcp = ({ step, metric, move }: Row) => step === row.step && metric === 'largestContentfulPaint' && move !== undefined;
  return {
    leading,
    since,
    share: serverShareOf(row.step, sidesOf(study, since), rows.some(isOfLcp)),
    // Levels of the sum say nothing about those of a step.
    examples: typicalRuns(row, row.step, study),
  };
}
