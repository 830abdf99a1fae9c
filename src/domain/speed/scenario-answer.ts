import * as z from 'zod';
import { type Finding, findingShape } from '../../findings/finding.ts';
import { paragraphOf } from '../../findings/paragraph.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { minuteAt } from '../../lib/dates.ts';
import type { Clues, ServerShare } from './clues.ts';
import { FAILURE_STATES, type Share, shareOf } from './engine/failure-trend.ts';
import { SPEED_STATES } from './engine/judge-series.ts';
import type { Move } from './engine/run-series.ts';
import {
  actionSentence,
  type FailedAction,
  type FailingStep,
  failingOf,
  failingSteps,
  failuresIn,
  isFailing,
  type ReadCount,
} from './failures.ts';
import { webPageOf } from './runs.ts';
import type { Runs, Study } from './scenario-study.ts';
import type { NearEvent } from './speed-events.ts';
import { failureFinding, inWords, placeOfStudy, unmeasuredFinding } from './speed-findings.ts';
import { deviceOf, percentOf, roundValue } from './speed-metrics.ts';
import { ALL_STEPS, type RowChoice, studyTable } from './study-table.ts';
import { methodNotes, type StudyTold, shareSentence, tellStudy } from './study-words.ts';

/** The state of a scenario in a word: failing whatever its speed, else the state of its speed. */
const VERDICTS = ['failing', ...SPEED_STATES] as const;

const maybe = z.number().nullable();
/** Share of failed runs with its 95 % interval, both in percent. */
const failedShape = z.object({ failed: z.number(), failurePercent: maybe, failureInterval: z.array(z.number()).optional() });
const runsShape = z.object({ start: z.string(), end: z.string(), runs: z.number(), ...failedShape.shape });

/**
 * The structured answer to "is this scenario slower?"; values in the unit of their metric, shares in percent, null where there is no value.
 */
export const scenarioAnswerShape = z.object({
  answer: z.string(),
  /** What was found, each thing that is told; of several scenarios that of the first line, and the first of each that is told beside it. */
  findings: z.array(findingShape).optional(),
  /** Of several scenarios one line each, the worst first; all that follows is then about the worst. */
  scenarios: z
    .array(z.object({ scenarioId: z.number(), verdict: z.enum(VERDICTS), line: z.string(), viewOnTheWeb: z.string().optional() }))
    .optional(),
  /** Gives the scenarios that are left. */
  cursor: z.string().optional(),
  verdict: z.enum(VERDICTS).optional(),
  /** Of its speed alone, where it fails. */
  speedVerdict: z.enum(SPEED_STATES).optional(),
  scenarioId: z.number().optional(),
  name: z.string().optional(),
  uri: z.string().optional(),
  /** Newest report of the scenario, as a page for a person. */
  viewOnTheWeb: z.string().optional(),
  baseline: runsShape.optional(),
  period: runsShape.optional(),
  /** How many series are in each state; those of no series are left out. Of several scenarios not said. */
  states: z.record(z.string(), z.number()).optional(),
  /** The first report from which the change holds, and the levels and runs on both sides of it. */
  since: z
    .object({
      date: z.number(),
      time: z.string(),
      step: z.string(),
      metric: z.string(),
      levelBefore: z.number(),
      level: z.number(),
      until: z.string().optional(),
      runsBefore: z.number(),
      runs: z.number(),
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
  failureVerdict: z.enum(FAILURE_STATES).optional(),
  failedSteps: z
    .array(z.object({ step: z.string(), ...failedShape.shape, failedBefore: z.number(), trend: z.enum(FAILURE_STATES) }))
    .optional(),
  /** Of the failed runs whose step report was read. */
  failedActions: z.array(z.object({ step: z.string(), message: z.string().nullable(), runs: z.number() })).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  details: z.array(z.string()).optional(),
});

/** The readings beside the reports. */
export interface Readings {
  readonly events: readonly NearEvent[];
  readonly actions: readonly FailedAction[];
  readonly read: ReadCount;
}

const percent = (share: number | null) => (share === null ? null : percentOf(share));

function failedFacts({ failed, share, low, high }: Share) {
  const facts = { failed, failurePercent: percent(share) };
  return share === null ? facts : { ...facts, failureInterval: [percentOf(low), percentOf(high)] };
}

function windowFacts({ window, all, failed }: Runs, timeZone: string) {
  const bounds = { start: minuteAt(window.startMs, timeZone), end: minuteAt(window.endMs, timeZone) };
  return { ...bounds, runs: all.length, ...failedFacts(shareOf(failed.length, all.length)) };
}

/** Counts of the states over all series, shown or not. */
function counts({ rows }: Study): Record<string, number> {
  const all = SPEED_STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const);
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

function sinceFacts({ headline, timeZone }: Study, { fromMs, untilMs, before, after }: Move) {
  const metric = headline?.metric ?? '';
  return {
    date: fromMs,
    time: minuteAt(fromMs, timeZone),
    step: headline?.step?.name ?? ALL_STEPS,
    metric,
    levelBefore: roundValue(metric, before.typical),
    level: roundValue(metric, after.typical),
    ...(untilMs !== undefined && { until: minuteAt(untilMs, timeZone) }),
    runsBefore: before.runs,
    runs: after.runs,
  };
}

/** Events that an answer shows; of more the likeliest causes. */
const MOST_EVENTS = 3;

function eventFacts({ key, text, atMs, leadMs }: NearEvent, timeZone: string) {
  return { key, text, time: minuteAt(atMs, timeZone), minutesBefore: Math.round(leadMs / MINUTE_MS) };
}

function shareFacts({ step, side, before, after, ofChange }: ServerShare) {
  const shares = { ttfbOfLcpPercentBefore: percent(before), ttfbOfLcpPercent: percent(after) };
  return { step, side, ...shares, ...(ofChange !== null && { ttfbOfChangePercent: percent(ofChange) }) };
}

function stepFacts({ step, share, runsBefore, trend }: FailingStep) {
  return { step, ...failedFacts(share), failedBefore: runsBefore, trend: trend.state };
}

/** Page of the newest report on the platform, for a person. */
export const pageOf = ({ baseline, period }: Study) => webPageOf(period.all) ?? webPageOf(baseline.all);

function verdictOf(study: Study): (typeof VERDICTS)[number] {
  return isFailing(study) ? 'failing' : study.state;
}

/** The facts of one scenario in an answer, without words and links. */
export function scenarioFacts(
  study: Study,
  { since, share }: Clues,
  { events, actions }: Readings,
  name: string | undefined,
  choice: RowChoice,
) {
  const { timeZone } = study;
  // Of several scenarios there is much else to say, and the words say what matters.
  const isOneOfSeveral = choice === 'few';
  return {
    verdict: verdictOf(study),
    ...(isFailing(study) && { speedVerdict: study.state }),
    baseline: windowFacts(study.baseline, timeZone),
    period: windowFacts(study.period, timeZone),
    ...(!isOneOfSeveral && { viewOnTheWeb: pageOf(study), states: counts(study) }),
    ...(since && { since: sinceFacts(study, since) }),
    ...(events.length > 0 && { events: events.slice(0, isOneOfSeveral ? 1 : MOST_EVENTS).map((event) => eventFacts(event, timeZone)) }),
    ...(share && !isOneOfSeveral && { serverShare: shareFacts(share) }),
    failureVerdict: failuresIn(study).state,
    ...(actions.length > 0 && { failedSteps: failingSteps(study).slice(0, 3).map(stepFacts), failedActions: actions.slice(0, 3) }),
    ...studyTable(study, deviceOf(name), choice),
  };
}

/** Metrics that are not measured of which an answer holds records. */
const MOST_UNMEASURED = 3;

/** Tells the failures and the speed of a scenario. */
export function tellScenario(study: Study, name: string, { events, actions, read }: Readings): StudyTold {
  const place = placeOfStudy(name, study);
  const isFirst = isFailing(study);
  const lost = study.unmeasured.slice(0, MOST_UNMEASURED).map((lack) => unmeasuredFinding(lack, place));
  const told = tellStudy(study, place, { events, isFailing: isFirst });
  const failing = failingOf(study);
  const failed = failing ? [failureFinding(study, place)] : [];
  const action = actionSentence(failing, actions, read);
  const ofFailures = [...failed.map(({ sentence }) => [sentence]), ...(action === '' ? [] : [action])];
  return {
    findings: isFirst ? [...lost, ...failed, ...told.findings] : [...lost, ...told.findings, ...failed],
    said: [
      ...lost.map(({ sentence }) => [sentence]).slice(0, 1),
      ...(isFirst ? [...ofFailures, ...told.said] : [...told.said, ...ofFailures]),
    ],
  };
}

/** Findings without the events that may have caused them, which stand beside them. */
export const besideEvents = (findings: readonly Finding[], study: Study) =>
  findings.map((finding) => {
    const causes = finding.causes.filter(({ kind }) => kind !== 'event');
    return causes.length === finding.causes.length ? finding : inWords({ ...finding, causes }, placeOfStudy('', study));
  });

/** All that is said of a single scenario, links aside, the words first. `whole`: every row, because a step was asked for. */
export function scenarioAnswer(
  study: Study,
  clues: Clues,
  readings: Readings,
  { name = 'The scenario', whole }: { name: string | undefined; whole: boolean },
) {
  const { findings, said } = tellScenario(study, name, readings);
  const { answer, rest } = paragraphOf([...said, shareSentence(clues.share)]);
  return {
    answer,
    findings: besideEvents(findings, study),
    ...scenarioFacts(study, clues, readings, name, whole ? 'all' : 'usual'),
    ...(rest.length > 0 && { details: rest }),
    notes: [...beginWords([firstRunOf(study)], study.baseline.window, study.timeZone, 'baseline'), ...methodNotes(study, deviceOf(name))],
  };
}

/** Days at the beginning of a range without any run from which it is said when the runs begin. */
const LATE_DAYS = 2;

/** When the runs begin, where a range begins clearly before the first of them. */
export function beginWords(
  firstDates: readonly (number | undefined)[],
  { startMs }: { readonly startMs: number },
  timeZone: string,
  range = 'range',
): string[] {
  const first = Math.min(...firstDates.flatMap((date) => date ?? []));
  const isLate = Number.isFinite(first) && first - startMs > LATE_DAYS * DAY_MS;
  return isLate ? [`Runs begin at ${minuteAt(first, timeZone)}, after the start of the ${range}.`] : [];
}

/** The first run of a study. */
export function firstRunOf({ baseline, period }: Pick<Study, 'baseline' | 'period'>): number | undefined {
  const first = [...baseline.all, ...period.all].reduce((least, { date }) => Math.min(least, date), Number.POSITIVE_INFINITY);
  return Number.isFinite(first) ? first : undefined;
}
