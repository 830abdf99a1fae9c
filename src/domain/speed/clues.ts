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

interface Levels {
  /** Medians to be typical of; undefined of too few runs. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** First instant of the time after. */
  readonly splitMs: number;
  /** Last instant of the time before. */
  readonly beforeEndMs: number;
}

/** A typical run on each side, to be looked at side by side: next to the change where there is one, else the latest. */
function typicalRuns({ runs }: Step, metric: string, levels: Levels, since: Move | undefined) {
  const { splitMs, beforeEndMs } = since ? { splitMs: since.fromMs, beforeEndMs: since.previousMs } : levels;
  const measured = runs.filter(({ result }) => metricOf(result, metric) !== null);
  const earlier = measured.filter(({ date }) => date <= beforeEndMs).slice(-NEIGHBOURS);
  const later = measured.filter(({ date }) => date >= splitMs && date < (since?.untilMs ?? Number.POSITIVE_INFINITY));
  return {
    before: closest(earlier, metric, since?.before.typical ?? levels.before),
    after: closest(since ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, since?.after.typical ?? levels.after),
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

/** The levels of a row on both sides of its move; where it has none, the level of today on both. */
function levelsOf(row: Row, { baseline, period }: Study): Levels {
  const level = levelNow(row)?.typical;
  return {
    before: row.move?.before.typical ?? level,
    after: row.move?.after.typical ?? level,
    splitMs: period.window.startMs,
    beforeEndMs: baseline.window.endMs,
  };
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
    examples: typicalRuns(row.step, row.metric, levelsOf(row, study), row === headline ? since : undefined),
  };
}
