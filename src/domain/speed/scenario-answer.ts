import * as z from 'zod';
import type { Clues, Since } from './clues.ts';
import { type Failure, failedBySteps, failureRate, failureVerdict } from './failures.ts';
import type { Runs, Study } from './scenario-study.ts';
import type { ServerShare } from './server-share.ts';
import type { NearEvent } from './speed-events.ts';
import { roundValue } from './speed-metrics.ts';
import { ALL_STEPS, cellsOf, rowsToShow, studyColumns } from './study-table.ts';
import { answerWords, methodNotes, minute } from './study-words.ts';
import { type Device, deviceOf } from './thresholds.ts';

const maybe = z.number().nullable();
const runsShape = z.object({ start: z.string(), end: z.string(), runs: z.number(), failed: z.number(), failurePercent: maybe });

/**
 * The structured answer to "is this scenario slower?"; values in the unit of their metric, shares in percent, null where there is no value.
 */
export const scenarioAnswerShape = z.object({
  answer: z.string(),
  verdict: z.enum(['slower', 'faster', 'within noise', 'not enough data']),
  scenarioId: z.number(),
  name: z.string().optional(),
  uri: z.string(),
  baseline: runsShape,
  period: runsShape,
  comparisons: z.object({ slower: z.number(), faster: z.number(), withinNoise: z.number(), notEnoughData: z.number() }),
  /** The first report from which the change holds, and the levels on both sides of it. */
  since: z
    .object({
      date: z.number(),
      time: z.string(),
      step: z.string(),
      metric: z.string(),
      levelBefore: z.number(),
      level: z.number(),
      until: z.string().optional(),
    })
    .optional(),
  events: z.array(z.object({ key: z.string(), text: z.string(), time: z.string(), minutesBefore: z.number() })).optional(),
  serverShare: z
    .object({
      step: z.string(),
      side: z.enum(['server', 'front end']),
      ttfbOfLcpPercentBefore: maybe,
      ttfbOfLcpPercent: maybe,
      ttfbOfChangePercent: maybe.optional(),
    })
    .optional(),
  failureVerdict: z.enum(['more failures', 'fewer failures', 'within noise', 'not enough data']),
  failedSteps: z.array(z.object({ step: z.string(), runs: z.number(), runsBefore: z.number() })).optional(),
  failedActions: z.array(z.object({ step: z.string(), message: z.string().nullable(), runs: z.number() })).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});

/** What was read beside the reports. */
export interface Readings {
  readonly events: readonly NearEvent[];
  readonly failures: readonly Failure[];
}

interface AnswerOptions {
  /** Of the scenario; the device is guessed from it. */
  readonly name: string | undefined;
  /** All rows, because a step was asked for. */
  readonly whole: boolean;
}

function percent(share: number | null): number | null {
  return share === null ? null : Math.round(share * 1000) / 10;
}

function windowFacts(runs: Runs) {
  const { window, all, failed } = runs;
  const bounds = { start: minute(window.startMs), end: minute(window.endMs) };
  return { ...bounds, runs: all.length, failed: failed.length, failurePercent: percent(failureRate(runs)) };
}

/** Counts of the verdicts over all comparisons, shown or not. */
function counts({ rows }: Study) {
  const of = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  return { slower: of('slower'), faster: of('faster'), withinNoise: of('within noise'), notEnoughData: of('not enough data') };
}

function sinceFacts({ headline }: Study, since: Since) {
  const metric = headline?.metric ?? '';
  const value = (level: number) => roundValue(metric, level);
  return {
    date: since.date,
    time: minute(since.date),
    step: headline?.step?.name ?? ALL_STEPS,
    metric,
    levelBefore: value(since.before),
    level: value(since.after),
    ...(since.untilDate !== undefined && { until: minute(since.untilDate) }),
  };
}

function shareFacts({ step, side, before, after, ofChange }: ServerShare) {
  const shares = { ttfbOfLcpPercentBefore: percent(before), ttfbOfLcpPercent: percent(after) };
  return { step, side, ...shares, ...(ofChange !== null && { ttfbOfChangePercent: percent(ofChange) }) };
}

/** All that the answer says, links aside; the first member is the answer in words. */
export function scenarioAnswer(
  study: Study,
  { since, shift, share }: Clues,
  { events, failures }: Readings,
  { name, whole }: AnswerOptions,
) {
  const device: Device = deviceOf(name);
  const failedSteps = failedBySteps(study);
  const frequency = ({ step }: Failure) => failedSteps.findIndex((each) => each.step === step);
  const ranked = failures.toSorted((a, b) => b.runs - a.runs || frequency(a) - frequency(b));
  return {
    answer: answerWords(study, { since, shift, share, events, failures: ranked }),
    verdict: study.verdict,
    baseline: windowFacts(study.baseline),
    period: windowFacts(study.period),
    comparisons: counts(study),
    ...(since && { since: sinceFacts(study, since) }),
    ...(events.length > 0 && {
      events: events.map(({ key, text, atMs, leadMs }) => ({ key, text, time: minute(atMs), minutesBefore: Math.round(leadMs / 60_000) })),
    }),
    ...(share && { serverShare: shareFacts(share) }),
    failureVerdict: failureVerdict(study),
    ...(failures.length > 0 && { failedSteps: failedSteps.slice(0, 3), failedActions: ranked.slice(0, 3) }),
    columns: [...studyColumns],
    rows: rowsToShow(study, whole).map((row) => cellsOf(row, device, { baseline: study.baseline.window, period: study.period.window })),
    notes: [...methodNotes(study, device), ...changeNotes(study, since)],
  };
}

/** What to think of where the change lies. */
function changeNotes({ headline, baseline }: Study, since: Since | undefined): string[] {
  if (!headline) return [];
  if (!since) return ['No single report stands out as the beginning: the change came little by little, or the runs scatter too much.'];
  const notes =
    since.date <= baseline.window.endMs
      ? ['The change began within the baseline, whose medians therefore hold some of it; since.levelBefore does not.']
      : [];
  return since.untilDate === undefined ? notes : [...notes, `The change was undone at ${minute(since.untilDate)}.`];
}
