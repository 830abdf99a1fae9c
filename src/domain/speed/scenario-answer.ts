import * as z from 'zod';
import { MINUTE_MS } from '../../lib/clock.ts';
import { minuteAt } from '../../lib/dates.ts';
import type { Clues, Since } from './clues.ts';
import { type Share, shareOf } from './engine/failed-share.ts';
import {
  type FailedAction,
  type FailedStep,
  type FailingStep,
  type FailureWords,
  failedStepsToRead,
  failingSteps,
  failureSentence,
  failuresIn,
  failureWords,
  type ReadCount,
} from './failures.ts';
import { SPEED_STATES, type State } from './move.ts';
import { webPageOf } from './runs.ts';
import type { Runs, Study } from './scenario-study.ts';
import type { ServerShare } from './server-share.ts';
import type { NearEvent } from './speed-events.ts';
import { deviceOf, percentOf, rankOf, roundValue } from './speed-metrics.ts';
import { ALL_STEPS, cellsOf, type RowChoice, rowsToShow, studyColumns } from './study-table.ts';
import { methodNotes, shareSentence, siteNotes, speedLine, speedSentence } from './study-words.ts';

const trends = ['fails more often', 'fails less often', 'no change', 'not enough data'] as const;

const maybe = z.number().nullable();
/** Share of failed runs with its 95 % interval, both in percent. */
const failedShape = z.object({ failed: z.number(), failurePercent: maybe, failureInterval: z.array(z.number()).optional() });
const runsShape = z.object({ start: z.string(), end: z.string(), runs: z.number(), ...failedShape.shape });

/**
 * The structured answer to "is this scenario slower?"; values in the unit of their metric, shares in percent, null where there is no value.
 */
export const scenarioAnswerShape = z.object({
  answer: z.string(),
  /** Of several scenarios one line each, the worst first; all that follows is then about the worst. */
  scenarios: z
    .array(z.object({ scenarioId: z.number(), verdict: z.enum(SPEED_STATES), line: z.string(), viewOnTheWeb: z.string().optional() }))
    .optional(),
  verdict: z.enum(SPEED_STATES),
  scenarioId: z.number(),
  name: z.string().optional(),
  uri: z.string(),
  /** Newest report of the scenario, as a page for a person. */
  viewOnTheWeb: z.string().optional(),
  baseline: runsShape,
  period: runsShape,
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
  failureVerdict: z.enum(trends),
  failedSteps: z.array(z.object({ step: z.string(), ...failedShape.shape, failedBefore: z.number(), trend: z.enum(trends) })).optional(),
  /** Of the failed runs whose step report was read. */
  failedActions: z.array(z.object({ step: z.string(), message: z.string().nullable(), runs: z.number() })).optional(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
});

/** What was read beside the reports. */
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

function sinceFacts({ headline, timeZone }: Study, since: Since) {
  const metric = headline?.metric ?? '';
  const value = (level: number) => roundValue(metric, level);
  return {
    date: since.date,
    time: minuteAt(since.date, timeZone),
    step: headline?.step?.name ?? ALL_STEPS,
    metric,
    levelBefore: value(since.before),
    level: value(since.after),
    ...(since.untilDate !== undefined && { until: minuteAt(since.untilDate, timeZone) }),
    runsBefore: headline?.move?.before.runs ?? 0,
    runs: headline?.move?.after.runs ?? 0,
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

const pageOf = ({ baseline, period }: Study) => webPageOf(period.all) ?? webPageOf(baseline.all);

/** What the answer says of one scenario beside the words, links aside. */
function scenarioFacts(study: Study, { since, share }: Clues, { events, actions }: Readings, name: string | undefined, choice: RowChoice) {
  const { timeZone } = study;
  // Of several scenarios there is much else to say, and the words say what matters.
  const isOneOfSeveral = choice === 'few';
  return {
    verdict: study.state,
    baseline: windowFacts(study.baseline, timeZone),
    period: windowFacts(study.period, timeZone),
    ...(!isOneOfSeveral && { viewOnTheWeb: pageOf(study), states: counts(study) }),
    ...(since && { since: sinceFacts(study, since) }),
    ...(events.length > 0 && { events: events.slice(0, MOST_EVENTS).map((event) => eventFacts(event, timeZone)) }),
    ...(share && !isOneOfSeveral && { serverShare: shareFacts(share) }),
    failureVerdict: failuresIn(study).state,
    ...(actions.length > 0 && { failedSteps: failingSteps(study).slice(0, 3).map(stepFacts), failedActions: actions.slice(0, 3) }),
    columns: [...studyColumns],
    rows: rowsToShow(study, choice).map((row) => cellsOf(row, deviceOf(name), study)),
  };
}

/** A line of a list; the page is for those that moved or scatter. */
function lineOf({ scenarioId, state, line, viewOnTheWeb }: Summary) {
  return { scenarioId, verdict: state, line, ...(state !== 'steady' && { viewOnTheWeb }) };
}

/** All that is said of a single scenario, links aside, the words first. `whole`: every row, because a step was asked for. */
export function scenarioAnswer(
  study: Study,
  clues: Clues,
  readings: Readings,
  { name, whole }: { name: string | undefined; whole: boolean },
) {
  const { events, actions, read } = readings;
  const sentences = [speedSentence(study, name, events), shareSentence(clues.share), failureSentence(failureWords(study), actions, read)];
  return {
    answer: sentences.filter((sentence) => sentence !== '').join(' '),
    ...scenarioFacts(study, clues, readings, name, whole ? 'all' : 'usual'),
    notes: methodNotes(study, deviceOf(name)),
  };
}

/** Lines that an answer shows; a program gets all of them. */
const MOST_LINES = 10;

/** What is kept of a scenario when the next one is read. */
export interface Summary {
  readonly scenarioId: number;
  readonly name: string;
  readonly state: State;
  /** The headline is of the period; else it lies before. */
  readonly isInPeriod: boolean;
  /** Place of the headline's metric among those that visitors feel, and size of its change. */
  readonly rank: number;
  readonly relative: number;
  readonly viewOnTheWeb: string | undefined;
  readonly line: string;
  /** Series that were judged. */
  readonly judged: number;
  /** Undefined where failing is not worth a word. */
  readonly failing: (FailureWords & { readonly toRead: readonly FailedStep[]; readonly of: number }) | undefined;
}

/** Reduces the study of a scenario to what a list of scenarios says of it. */
export function summaryOf(scenarioId: number, name: string, study: Study): Summary {
  const { headline, state, period, rows } = study;
  const failing = failureWords(study);
  const { steps, of } = failedStepsToRead(study);
  return {
    scenarioId,
    name,
    state,
    isInPeriod: (headline?.move?.untilDate ?? headline?.move?.since?.date ?? period.window.endMs) >= period.window.startMs,
    rank: headline ? rankOf(headline.metric) : Number.MAX_SAFE_INTEGER,
    relative: headline?.move?.relative ?? 0,
    viewOnTheWeb: pageOf(study),
    line: `${speedLine(study, name)}${failing ? `; ${failing.words}` : ''}`,
    judged: rows.filter((row) => row.state !== 'not enough data').length,
    failing: failing && { ...failing, toRead: steps, of },
  };
}

/** Place of a scenario among others: 0 is worst. */
function severityOf({ state, relative, failing }: Summary): number {
  // A drift downwards is good news, and a steady scenario that fails is not.
  if (state === 'drifting' && relative < 0) return SPEED_STATES.indexOf('faster');
  if (state === 'steady' && failing) return SPEED_STATES.indexOf('unstable') + 0.5;
  return SPEED_STATES.indexOf(state);
}

/** Worse ones first: by state, those of the period first, by what visitors feel, by size. */
export function compareSummaries(a: Summary, b: Summary): number {
  return (
    severityOf(a) - severityOf(b) ||
    Number(b.isInPeriod) - Number(a.isInPeriod) ||
    a.rank - b.rank ||
    Math.abs(b.relative) - Math.abs(a.relative) ||
    (b.failing?.share ?? 0) - (a.failing?.share ?? 0)
  );
}

/** The scenario that fails most; undefined where none does often enough for a word. */
export function mostFailing(summaries: readonly Summary[]): Summary | undefined {
  return summaries.filter(({ failing }) => failing).toSorted((a, b) => (b.failing?.share ?? 0) - (a.failing?.share ?? 0))[0];
}

/** `1 of 6 scenarios became slower; others: 1 unstable, 4 steady.` */
function countWords(summaries: readonly Summary[]): string {
  const slower = summaries.filter(({ state }) => state === 'slower');
  const early = slower.filter(({ isInPeriod }) => !isInPeriod).length;
  const words: readonly (readonly [State, string])[] = [
    ['drifting', 'drifting'],
    ['was slower', 'slower for a time'],
    ['unstable', 'unstable'],
    ['faster', 'faster'],
    ['was faster', 'faster for a time'],
    ['steady', 'steady'],
    ['not enough data', 'without enough data'],
  ];
  const others = words.flatMap(([state, said]) => {
    const count = summaries.filter((summary) => summary.state === state).length;
    return count > 0 ? [`${count} ${said}`] : [];
  });
  const head = `${slower.length === 0 ? 'None' : slower.length} of ${summaries.length} scenarios became slower`;
  const before = early === 0 ? '' : early === slower.length ? ', before the period' : `, ${early} of them before the period`;
  return `${head}${before}${others.length > 0 ? `; ${slower.length === 0 ? '' : 'others: '}${others.join(', ')}` : ''}.`;
}

/** The scenario that is shown in detail. */
export interface Worst {
  readonly summary: Summary;
  readonly study: Study;
  readonly clues: Clues;
  readonly readings: Readings;
}

/** What is said of several scenarios: counts and the worst in words, a line for each, the facts of the worst. */
export function siteAnswer(summaries: readonly Summary[], { summary, study, clues, readings }: Worst, whole: boolean) {
  const { events, actions, read } = readings;
  const failing = mostFailing(summaries);
  const failed = failing ? `${failing.name}: ${failureSentence(failing.failing, actions, read)}` : '';
  const changed = study.headline ? [speedSentence(study, summary.name, events), shareSentence(clues.share)] : [];
  const lines = summaries.slice(0, whole ? undefined : MOST_LINES);
  const more = summaries.length - lines.length;
  const ofWorst = failing === summary ? readings : { ...readings, actions: [] };
  return {
    answer: [countWords(summaries), ...changed, failed].filter((sentence) => sentence !== '').join(' '),
    scenarios: lines.map(lineOf),
    ...scenarioFacts(study, clues, ofWorst, summary.name, 'few'),
    notes: [
      ...(more > 0 ? [`${more} more scenarios, none worse than the last line; name them in scenarioIds.`] : []),
      'Facts and rows: the first line; scenarioIds asks for another.',
      ...siteNotes(summaries.reduce((sum, { judged }) => sum + judged, 0)),
    ],
  };
}
