import * as z from 'zod';
import { findingShape } from '../findings/finding.ts';
import { paragraphOf, type Said } from '../findings/paragraph.ts';
import { listed } from '../findings/wording.ts';
import { type Device, rate, thresholdOf } from '../har/page-limits.ts';
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';
import { type TableColumn, tableOf } from '../lib/columns.ts';
import { minuteAt } from '../lib/dates.ts';
import { nth } from '../lib/nth.ts';
import { counted, formatPercent } from '../lib/number-text.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { present } from '../lib/sentences.ts';
import { sumOfKnown } from '../lib/tally.ts';
import { sparkline } from '../lib/text-table.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import { median } from '../statistics/order.ts';
import { leadingRow, type ServerShare, serverShareOf, worstOf } from './clues.ts';
import { detectableRise } from './detectable.ts';
import { FAILURE_STATES, type Share, shareOf } from './engine/failure-trend.ts';
import { SPEED_STATES, type State, severityOf } from './engine/judge-series.ts';
import { datedOf, type Level } from './engine/run-series.ts';
import { actionSentence, type ReadActions } from './failures.ts';
import { isCustomTiming, type Runs, webPageOf } from './runs.ts';
import { type ScenarioPart, yetWords } from './scenario-cursor.ts';
import type { Row, SpeedMove, Study } from './scenario-study.ts';
import type { NearEvent } from './speed-events.ts';
import { firstSentence, type SpeedTold, tellScenario } from './speed-findings.ts';
import { coreMetrics, deviceOf, formatValue, metricFact, percentOf, rankOf, roundValue, shownChance } from './speed-metrics.ts';

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

/** Name of the sum over all steps where a step's name would stand. */
const ALL_STEPS = 'all steps (sum)';
/** Changed rows that are shown unless a step was asked for; the rest is only counted. */
const MOST_CHANGED = 5;
/** The same for an answer that is about other scenarios too. */
const FEW_CHANGED = 3;
/** Days that the trend line shows, the latest ones. */
const TREND_DAYS = 28;

/** How a metric stands now against its limits: field limits hold for p75, lab limits for the median. */
function ratingOf({ step, metric, level }: Row, device: Device): string | null {
  const threshold = step && thresholdOf(metric, device);
  if (!threshold || !level) return null;
  return `${rate(threshold.basis === 'field p75' ? level.p75 : level.median, threshold)} (${threshold.basis})`;
}

/** Medians of the latest stretches of 24 h, the last one up to the end of the period; null where nothing ran. */
function trendOf({ series: { dates, values } }: Row, endMs: number): (number | null)[] {
  const days = Array.from({ length: TREND_DAYS }, (): number[] => []);
  for (const [index, date] of dates.entries()) days[TREND_DAYS - 1 - Math.floor((endMs - date) / DAY_MS)]?.push(nth(values, index));
  const first = days.findIndex((day) => day.length > 0);
  return first < 0 ? [] : days.slice(first).map((day) => (day.length > 0 ? median(day) : null));
}

/** Which rows an answer shows: all, those that matter, or of these only what changed, where the answer is about other scenarios too. */
type RowChoice = 'all' | 'usual' | 'few';

/** The rows that matter: what changed, the headline's step first, and the worst step of each core metric. */
function rowsToShow({ rows, headline }: Study, choice: RowChoice): Row[] {
  const rank = ({ metric }: Row) => rankOf(metric);
  if (choice === 'all') return rows.toSorted(byLeast(rank));
  const changed = rows
    .filter((row) => row.move ?? row === headline)
    .toSorted(byLeast(({ step }) => step !== headline?.step, rank))
    .slice(0, choice === 'few' ? FEW_CHANGED : MOST_CHANGED);
  if (choice === 'few') return changed;
  // Custom timings are among the rows only where they were asked for.
  const timings = [...new Set(rows.map(({ metric }) => metric))].filter(isCustomTiming);
  const worst = [...coreMetrics, ...timings].flatMap((metric) => worstOf(rows, metric) ?? []);
  return [...new Set([...changed, ...worst])];
}

/** The table of a study: the levels on both sides of `since` (of a drift: of the first and last fifth of the runs). */
function studyTable(study: Study, device: Device, choice: RowChoice) {
  const instantCell = (ms: number | undefined) => (ms === undefined ? null : minuteAt(ms, study.timeZone));
  /** The level of the latest runs, or after a move that of the runs since. */
  const levelAfter = ({ move, level }: Row) => move?.after ?? level;
  const typicalCell = ({ metric }: Row, level: Level | undefined) => (level ? roundValue(metric, level.typical) : null);
  const middleCell = ({ metric }: Row, level: Level | undefined) =>
    level ? `${roundValue(metric, level.p25)}…${roundValue(metric, level.p75)}` : null;
  /** What a move adds from its first level to its last one; 0.2 for +20 %. */
  const wholeOf = ({ shape, before, after, relative }: SpeedMove) => (shape === 'drift' ? after.typical / before.typical - 1 : relative);
  const columns: readonly TableColumn<Row, string | number | null>[] = [
    ['step', ({ step }) => step?.name ?? ALL_STEPS],
    ['metric', ({ metric }) => metric],
    ['verdict', ({ state }) => state],
    ['since', ({ move }) => instantCell(datedOf(move)?.fromMs)],
    ['until', ({ move }) => instantCell(move?.untilMs)],
    ['before', (row) => typicalCell(row, row.move?.before)],
    ['after', (row) => typicalCell(row, levelAfter(row))],
    ['changePercent', ({ move }) => (move && Number.isFinite(move.relative) ? percentOf(wholeOf(move)) : null)],
    ['middleHalfBefore', (row) => middleCell(row, row.move?.before)],
    ['middleHalf', (row) => middleCell(row, levelAfter(row))],
    ['nBefore', ({ move }) => move?.before.runs ?? null],
    ['n', (row) => levelAfter(row)?.runs ?? row.series.values.length],
    ['p', ({ p }) => (p === undefined ? null : shownChance(p))],
    ['rating', (row) => ratingOf(row, device)],
    ['trend', (row) => sparkline(trendOf(row, study.period.window.endMs))],
  ];
  return tableOf(columns, rowsToShow(study, choice));
}

const failedFacts = ({ failed, share, low, high }: Share) => ({
  failed,
  failurePercent: percentOf(share),
  ...(share !== null && { failureInterval: [percentOf(low), percentOf(high)] }),
});

function windowFacts({ window, all, failed }: Runs, timeZone: string) {
  const bounds = { start: minuteAt(window.startMs, timeZone), end: minuteAt(window.endMs, timeZone) };
  return { ...bounds, runs: all.length, ...failedFacts(shareOf(failed.length, all.length)) };
}

/** How many items have each of some words, the words that none has left out. */
const countsOf = <Word>(words: readonly Word[], all: readonly Word[]) =>
  words.map((word) => [word, all.filter((each) => each === word).length] as const).filter(([, count]) => count > 0);

/** Events that an answer shows; of more the likeliest causes. */
const MOST_EVENTS = 3;

function shareFacts({ step, side, before, after, ofChange }: ServerShare) {
  const shares = { ttfbOfLcpPercentBefore: percentOf(before), ttfbOfLcpPercent: percentOf(after) };
  return { step, side, ...shares, ...(ofChange !== null && { ttfbOfChangePercent: percentOf(ofChange) }) };
}

/** The facts of one scenario in an answer, without words and links. */
function scenarioFacts(study: Study, events: readonly NearEvent[], { actions }: ReadActions, name: string, choice: RowChoice) {
  const { timeZone, failures, rows } = study;
  // Of several scenarios there is much else to say, and the words say what matters.
  const isOneOfSeveral = choice === 'few';
  const share = isOneOfSeveral ? undefined : serverShareOf(study);
  const near = events.slice(0, isOneOfSeveral ? 1 : MOST_EVENTS).map(({ key, text, atMs, leadMs }) => ({
    key,
    text,
    time: minuteAt(atMs, timeZone),
    minutesBefore: Math.round(leadMs / MINUTE_MS),
  }));
  const failedSteps = failures.steps
    .slice(0, 3)
    .map(({ step, trend: { period, before, state } }) => ({ step, ...failedFacts(period), failedBefore: before.failed, trend: state }));
  return {
    verdict: verdictOf(study),
    ...(failures.isFailing && { speedVerdict: study.state }),
    baseline: windowFacts(study.baseline, timeZone),
    period: windowFacts(study.period, timeZone),
    ...(!isOneOfSeveral && {
      viewOnTheWeb: pageOf(study),
      states: Object.fromEntries(
        countsOf(
          SPEED_STATES,
          rows.map(({ state }) => state),
        ),
      ),
    }),
    ...(near.length > 0 && { events: near }),
    ...(share && { serverShare: shareFacts(share) }),
    failureVerdict: failures.state,
    ...(actions.length > 0 && { failedSteps, failedActions: actions.slice(0, 3) }),
    ...studyTable(study, deviceOf(name), choice),
  };
}

/** The facts of a scenario that stay in memory when the next one is read. */
export type Summary = ReturnType<typeof summaryOf>;

/** Page of the newest report on the platform, for a person. */
const pageOf = ({ baseline, period }: Study) => webPageOf(period.all) ?? webPageOf(baseline.all);

/** Reduces the study of a scenario to what a list of scenarios says of it. */
export function summaryOf(scenarioId: number, name: string, study: Study) {
  const { headline, state, period, baseline, judged, failures, failsFirst } = study;
  return {
    // In a list that a scenario fails says more than its level.
    ...tellScenario({ ...study, failsFirst: failures.isFailing }, name),
    scenarioId,
    name,
    state,
    failures,
    failsFirst,
    /** The headline is of the period; else it lies before. */
    isInPeriod: (headline?.move?.untilMs ?? datedOf(headline?.move)?.fromMs ?? period.window.endMs) >= period.window.startMs,
    /** Place of the headline's metric among those that visitors feel, and size of its change. */
    rank: headline ? rankOf(headline.metric) : Number.MAX_SAFE_INTEGER,
    relative: headline?.move?.relative ?? 0,
    viewOnTheWeb: pageOf(study),
    /** The first of its runs that were read, ms since 1970; infinite where there is none. */
    firstRunMs: Math.min(...[...baseline.all, ...period.all].map(({ date }) => date)),
    judged,
  };
}

const isUnmeasuredIn = ({ findings }: SpeedTold) => findings.some(({ verdict }) => verdict === 'measurement');

/** Place of a scenario among others, 0 is worst; one that fails or is not measured stands behind those that became slower. */
function placeOf(summary: Summary): number {
  const { state, relative, failures, failsFirst } = summary;
  const place = severityOf(state, relative);
  if (failsFirst || isUnmeasuredIn(summary)) return Math.min(place, SPEED_STATES.indexOf('slower') + 0.5);
  return state === 'steady' && failures.isTold ? SPEED_STATES.indexOf('unstable') + 0.5 : place;
}

/** The share of failed runs that is worth a word; 0 where none is. */
const failingShare = ({ failures: { isTold, period } }: Summary): number => (isTold ? (period.share ?? 0) : 0);

/** Worse ones first: by state, those of the period and new failures first, by what visitors feel, by size. */
export const compareSummaries = byLeast<Summary>(
  placeOf,
  ({ isInPeriod }) => !isInPeriod,
  ({ failures }) => failures.state !== 'fails more often',
  ({ rank }) => rank,
  ({ relative }) => -Math.abs(relative),
  (summary) => -failingShare(summary),
);

/** The scenario that fails most; undefined where none does often enough for a word. */
export function mostFailing(summaries: readonly Summary[]): Summary | undefined {
  return summaries.filter(({ failures }) => failures.isTold).toSorted(byMost(failingShare))[0];
}

/** How scenarios are counted that no sentence is about, where the state alone does not say it. */
const OTHERS: Readonly<Record<string, string>> = {
  'two levels': 'at two levels',
  'was slower': 'slower for a time',
  'was faster': 'faster for a time',
  'not enough data': 'without enough runs to judge',
};

const verdictOf = ({ failures, state }: Pick<Study, 'failures' | 'state'>) => (failures.isFailing ? ('failing' as const) : state);

/** `The other 4 are steady.`, `Of the other 4, "Search" is unstable and 3 are steady.`; empty where there are no others. */
function othersSentence(others: readonly Summary[], part: ScenarioPart | undefined): string {
  const seen = part ? ' looked at' : '';
  const said = VERDICTS.flatMap((verdict) => {
    const own = others.filter((other) => verdictOf(other) === verdict);
    const words = OTHERS[verdict] ?? verdict;
    const [first, ...more] = own;
    if (!first) return [];
    if (own.length === others.length)
      return `The other ${more.length > 0 ? `${own.length}${seen} are` : `one${seen}, "${first.name}", is`} ${words}.`;
    return more.length > 0 ? `${own.length} are ${words}` : `${verdict === 'steady' ? 1 : `"${first.name}"`} is ${words}`;
  });
  const [all = ''] = said;
  return said.length > 1 ? `Of the other ${others.length}${seen}, ${listed(said)}.` : all;
}

/** Whether a scenario became slower in the period, fails or lacks a metric. */
const isWorthSentence = (summary: Summary) =>
  summary.failures.isFailing ||
  isUnmeasuredIn(summary) ||
  (summary.isInPeriod && (summary.state === 'slower' || summary.state === 'drifting'));

/** The scenarios beside the worst that are worth a sentence. */
const furtherOf = (summaries: readonly Summary[], worst: Summary) => summaries.filter((each) => each !== worst && isWorthSentence(each));

/** States in which nothing moved. */
const CALM: ReadonlySet<State> = new Set(['steady', 'unstable', 'not enough data']);

/** That nothing is wrong, or that nothing can be said, and of metrics that were named what else fails most; none where something is. */
function calmSentences(summaries: readonly Summary[], metrics: readonly string[]): Said[] {
  const isNamed = metrics.length > 0 && !metrics.includes('all') && metrics.length <= 3;
  const failing = mostFailing(summaries);
  if (!summaries.every((each) => CALM.has(each.state) && !each.failsFirst && !isUnmeasuredIn(each)) || (failing && !isNamed)) return [];
  const named = isNamed ? ` in ${listed(metrics.map((metric) => metricFact(metric).short))}` : '';
  const isUnknown = summaries.every(({ state }) => state === 'not enough data');
  const calm = isUnknown ? 'has enough runs to be judged' : `became slower${named}${failing ? '' : ' or fails'}`;
  const fails = failing?.findings.filter(({ subject }) => subject === 'failedRuns').map(({ sentence }) => sentence) ?? [];
  return [`None of ${counted(summaries.length, 'scenario')} ${calm}.`, fails];
}

/** Whether the time of the step that an answer looks at goes before the first byte or after it. */
function shareSentences(study: Study): string[] {
  const share = serverShareOf(study);
  if (!share) return [];
  const { step, side, before, after, ofChange } = share;
  const text = (part: number | null) => formatPercent((part ?? 0) * 100, { digits: 0 });
  const culprit = side === 'server' ? 'The server' : 'The front end, not the server';
  const earlier = before === null || after === null ? '' : ` (${text(before)} before)`;
  return [`${ofChange === null ? `Mostly ${side}` : culprit}: TTFB is ${text(after ?? before)} of LCP at "${step}"${earlier}.`];
}

const METHOD = `Changes: searched over baseline and period, freed of cycles; at most \
${100 * FALSE_DISCOVERY_RATES.speedChanges}% by chance, among`;

/** How the verdicts on a scenario were found, what was left out, and what the ratings mean. */
function methodNotes(study: Study, device: Device): string[] {
  const { rows, headline, baseline, period, usualSteps, otherSteps, judged } = study;
  const metric = headline?.metric ?? 'largestContentfulPaint';
  const { short, effect } = metricFact(metric);
  const hasSums = rows.some(({ step }) => step === undefined);
  const sums = hasSums && otherSteps > 0 ? `; sums only over reports with ${usualSteps} steps (${otherSteps} others)` : '';
  const share = formatPercent(100 * effect.relative, { digits: 0 });
  const least = `${short} must change by ${share} and ${formatValue(metric, effect.absolute)}`;
  const failed = period.failed.length + baseline.failed.length;
  return [
    `${METHOD} ${judged} series; ${least}.`,
    'Levels: medians of the runs on each side, freed of hour and weekday, and their middle half. ' +
      `${failed} failed runs are left out${sums}.`,
    'Ratings: field p75 limits are those of real visits, held against lab runs; lab limits go by the median. ' +
      `Device ${device === 'unknown' ? 'unknown: the name does not say' : `${device}, guessed from the name`}.`,
  ];
}

/** Days at the beginning of a range without any run from which it is said when the runs begin. */
const LATE_DAYS = 2;

/** When the runs begin, where a range begins clearly before the first of them. */
export function beginWords(firstMs: number, { startMs }: { readonly startMs: number }, timeZone: string, range = 'range'): string[] {
  const isLate = Number.isFinite(firstMs) && firstMs - startMs > LATE_DAYS * DAY_MS;
  return isLate ? [`Runs begin at ${minuteAt(firstMs, timeZone)}, after the start of the ${range}.`] : [];
}

/** The scenario that is shown in detail, with the readings beside its reports. */
export interface Worst {
  readonly summary: Summary;
  readonly study: Study;
  readonly events: readonly NearEvent[];
  /** Of the scenario that fails most. */
  readonly actions: ReadActions;
}

interface AnswerOptions {
  /** Lines that an answer shows are all. */
  readonly whole: boolean;
  /** Rows of the only scenario that was asked for; undefined where there were several. */
  readonly only?: Exclude<RowChoice, 'few'> | undefined;
  readonly metrics?: readonly string[] | undefined;
  /** Set where these are not all scenarios that were asked for. */
  readonly part?: ScenarioPart | undefined;
}

/** Lines that an answer shows; a program gets all of them. */
const MOST_LINES = 10;

/** The lines of several scenarios, the worst first; the page is for those that moved or scatter. */
function linesOf(summaries: readonly Summary[]) {
  return summaries.map((summary) => {
    const { scenarioId, state, viewOnTheWeb } = summary;
    return { scenarioId, verdict: verdictOf(summary), line: firstSentence(summary), ...(state !== 'steady' && { viewOnTheWeb }) };
  });
}

/** The sentences on one scenario, or on several: the worst, one other that is worth a sentence, and the counts of the rest. */
function sentencesOn(summaries: readonly Summary[], told: SpeedTold, worst: Summary, { only, metrics = [], part }: AnswerOptions): Said[] {
  const where = present(part && `${yetWords(part)}.`);
  if (only) return [...where, ...told.said];
  const calm = calmSentences(summaries, metrics);
  if (calm.length > 0) return [...where, ...calm];
  const [next] = furtherOf(summaries, worst);
  const others = summaries.filter((each) => each !== worst && each !== next);
  const first = [told, ...present(next)].map((each) => [firstSentence(each)]);
  return [...where, ...first, othersSentence(others, part), ...told.said.slice(1)];
}

/** How the answer about several scenarios was found, and which have no line in it. */
function siteNotes(summaries: readonly Summary[], begin: readonly string[], lines: number): string[] {
  const more = summaries.length - lines;
  const judged = sumOfKnown(summaries, (each) => each.judged);
  return present(
    more > 0 && `${more} more scenarios, none worse than the last line; name them in scenarioIds.`,
    ...begin,
    'Facts and rows: the first line; scenarioIds: another.',
    `${METHOD} ${judged} series of all scenarios.`,
  );
}

/** The smallest rise of what is looked at first that would have been told, where nothing changed. */
function leastRise(study: Study): number | undefined {
  const leading = study.state === 'steady' ? leadingRow(study) : undefined;
  return leading && detectableRise(leading, study);
}

/** The answer about one scenario, or about several: counts and the worst in words, a line for each, the facts of the worst. */
export function scenarioAnswer(summaries: readonly Summary[], { summary, study, events, actions }: Worst, options: AnswerOptions) {
  const { whole, only } = options;
  const failing = only ? summary : mostFailing(summaries);
  const ofWorst = failing === summary ? actions : { ...actions, actions: [] };
  const detectable = only && leastRise(study);
  const told = tellScenario(study, summary.name, events, ofWorst, detectable);
  const { answer, rest } = paragraphOf(sentencesOn(summaries, told, summary, options));
  const action = failing && failing !== summary ? actionSentence(failing.failures, actions) : '';
  const share = shareSentences(study).map((sentence) => (only ? sentence : `"${summary.name}": ${sentence}`));
  const details = [...rest, ...share, ...present(action && `"${failing?.name}": ${action}`)];
  const lines = summaries.slice(0, whole ? undefined : MOST_LINES);
  const firstMs = Math.min(...summaries.map(({ firstRunMs }) => firstRunMs));
  const begin = beginWords(firstMs, study.baseline.window, study.timeZone, 'baseline');
  return {
    answer,
    // The events stand beside them, once.
    findings: [
      ...tellScenario(study, summary.name, [], undefined, detectable).findings,
      ...furtherOf(summaries, summary).flatMap(({ findings }) => findings.slice(0, 1)),
    ],
    ...(!only && { scenarios: linesOf(lines) }),
    ...scenarioFacts(study, events, ofWorst, summary.name, only ?? 'few'),
    ...(details.length > 0 && { details }),
    notes: only ? [...begin, ...methodNotes(study, deviceOf(summary.name))] : siteNotes(summaries, begin, lines.length),
  };
}
