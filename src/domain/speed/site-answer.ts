import type { Finding } from '../../findings/finding.ts';
import { paragraphOf } from '../../findings/paragraph.ts';
import { listed } from '../../findings/wording.ts';
import { counted } from '../../lib/number-text.ts';
import type { Clues } from './clues.ts';
import { SPEED_STATES, type State } from './engine/judge-series.ts';
import { beginOf } from './engine/run-series.ts';
import { actionSentence, type FailedStep, type Failing, failedStepsToRead, failingOf, isFailing } from './failures.ts';
import { beginWords, besideEvents, firstRunOf, pageOf, type Readings, scenarioFacts, tellScenario } from './scenario-answer.ts';
import { placeWords, type ScenarioPart, yetWords } from './scenario-cursor.ts';
import type { Study } from './scenario-study.ts';
import { metricFact, rankOf } from './speed-metrics.ts';
import { shareSentence, siteNote } from './study-words.ts';

/** Lines that an answer shows; a program gets all of them. */
const MOST_LINES = 10;

/** The facts of a scenario that stay in memory when the next one is read. */
export interface Summary {
  readonly scenarioId: number;
  readonly name: string;
  readonly state: State;
  readonly isFailing: boolean;
  /** The headline is of the period; else it lies before. */
  readonly isInPeriod: boolean;
  /** Place of the headline's metric among those that visitors feel, and size of its change. */
  readonly rank: number;
  readonly relative: number;
  readonly viewOnTheWeb: string | undefined;
  /** The first sentence on it. */
  readonly line: string;
  /** Its moves and failures, the headline first. */
  readonly findings: readonly Finding[];
  /** The first of its runs that were read, ms since 1970. */
  readonly firstRunMs: number | undefined;
  /** Series that were judged. */
  readonly judged: number;
  /** Undefined where failing is not worth a word. */
  readonly failing: (Failing & { readonly toRead: readonly FailedStep[]; readonly of: number }) | undefined;
}

/** Reduces the study of a scenario to what a list of scenarios says of it. */
export function summaryOf(scenarioId: number, name: string, study: Study): Summary {
  const { headline, state, period, rows } = study;
  const failing = failingOf(study);
  const nothing = { events: [], actions: [], read: { runs: 0, of: 0 } };
  const told = tellScenario(study, name, nothing);
  const { steps, of } = failedStepsToRead(study);
  return {
    scenarioId,
    name,
    state,
    isFailing: isFailing(study),
    isInPeriod: (headline?.move?.untilMs ?? beginOf(headline?.move) ?? period.window.endMs) >= period.window.startMs,
    rank: headline ? rankOf(headline.metric) : Number.MAX_SAFE_INTEGER,
    relative: headline?.move?.relative ?? 0,
    viewOnTheWeb: pageOf(study),
    line: [told.said[0] ?? ''].flat()[0] ?? '',
    findings: told.findings,
    firstRunMs: firstRunOf(study),
    judged: rows.filter((row) => row.state !== 'not enough data').length,
    failing: failing && { ...failing, toRead: steps, of },
  };
}

const isUnmeasuredIn = ({ findings }: Summary) => findings.some(({ verdict }) => verdict === 'measurement');

/** Place of a scenario among others: 0 is worst. */
function severityOf(summary: Summary): number {
  const { state, relative, failing, isFailing: fails } = summary;
  const isUnmeasured = isUnmeasuredIn(summary);
  // A drift downwards is good news, and a steady scenario that fails is not.
  if (state === 'drifting' && relative < 0) return SPEED_STATES.indexOf('faster');
  if (fails || isUnmeasured) return Math.min(SPEED_STATES.indexOf(state), SPEED_STATES.indexOf('slower') + 0.5);
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
    failingShare(b) - failingShare(a)
  );
}

/** The share of failed runs that is worth a word; 0 where none is. */
const failingShare = ({ failing }: Summary): number => failing?.share ?? 0;

/** The scenario that fails most; undefined where none does often enough for a word. */
export function mostFailing(summaries: readonly Summary[]): Summary | undefined {
  return summaries.filter(({ failing }) => failing).toSorted((a, b) => failingShare(b) - failingShare(a))[0];
}

/** How scenarios are counted that no sentence is about, where the state alone does not say it. */
const OTHERS: Readonly<Record<string, string>> = {
  'two levels': 'at two levels',
  'was slower': 'slower for a time',
  'was faster': 'faster for a time',
  'not enough data': 'without enough runs to judge',
};

const verdictOf = ({ isFailing: fails, state }: Summary) => (fails ? ('failing' as const) : state);

/** `The other four are steady.`, `Of the other 4, 1 is unstable and 3 are steady.`; empty where there are no others. */
function othersSentence(others: readonly Summary[]): string {
  const [first] = others;
  if (!first) return '';
  const all = (['failing', ...SPEED_STATES] as const).flatMap((verdict) => {
    const count = others.filter((summary) => verdictOf(summary) === verdict).length;
    return count > 0 ? [{ count, said: OTHERS[verdict] ?? verdict }] : [];
  });
  const [only] = all;
  if (all.length === 1 && only) return `The other ${only.count === 1 ? 'one is' : `${only.count} are`} ${only.said}.`;
  return `Of the other ${others.length}, ${listed(all.map(({ count, said }) => `${count} ${count === 1 ? 'is' : 'are'} ${said}`))}.`;
}

/** Whether a scenario became slower in the period, fails or lacks a metric. */
const isWorthSentence = (summary: Summary) =>
  summary.isFailing || isUnmeasuredIn(summary) || (summary.isInPeriod && (summary.state === 'slower' || summary.state === 'drifting'));

/** The scenario that is shown in detail. */
interface Worst {
  readonly summary: Summary;
  readonly study: Study;
  readonly clues: Clues;
  readonly readings: Readings;
}

/** States in which nothing moved. */
const CALM: ReadonlySet<State> = new Set(['steady', 'unstable', 'not enough data']);

interface SiteAnswerOptions {
  readonly whole: boolean;
  readonly metrics?: readonly string[] | undefined;
  /** Set where these are not all scenarios that were asked for. */
  readonly part?: ScenarioPart | undefined;
}

/** That nothing is wrong, or that nothing can be said. */
function calmSentence(summaries: readonly Summary[], metrics: readonly string[]): string {
  const isNamed = metrics.length > 0 && !metrics.includes('all') && metrics.length <= 3;
  const named = isNamed ? ` in ${listed(metrics.map((metric) => metricFact(metric).short))}` : '';
  const isUnknown = summaries.every(({ state, isFailing: fails }) => state === 'not enough data' && !fails);
  const calm = isUnknown ? 'has enough runs to be judged' : `became slower${named} or fails`;
  return `None of ${counted(summaries.length, 'scenario')} ${calm}.`;
}

/** The message of the failed action of a scenario, named. */
function actionOf({ name, failing }: Summary, { actions, read }: Readings): string[] {
  const action = actionSentence(failing, actions, read);
  return action === '' ? [] : [`"${name}": ${action}`];
}

/** The answer about several scenarios: counts and the worst in words, a line for each, the facts of the worst. */
export function siteAnswer(
  summaries: readonly Summary[],
  { summary, study, clues, readings }: Worst,
  { whole, metrics = [], part }: SiteAnswerOptions,
) {
  const failing = mostFailing(summaries);
  const ofWorst = failing === summary ? readings : { ...readings, actions: [] };
  const told = tellScenario(study, summary.name, ofWorst);
  const isCalm = summaries.every((each) => CALM.has(each.state) && !each.failing && !isUnmeasuredIn(each));
  // One scenario has a sentence of its own behind the first one.
  const next = summaries.find((each) => each !== summary && isWorthSentence(each));
  const others = summaries.filter((each) => each !== summary && each !== next);
  const where = part ? [`${yetWords(part) || `This is about ${placeWords(part)}`}.`] : [];
  const first = isCalm
    ? [calmSentence(summaries, metrics)]
    : [...told.said.slice(0, 1), ...(next ? [[next.line]] : []), othersSentence(others), ...told.said.slice(1)];
  const { answer, rest } = paragraphOf([...where, ...first, shareSentence(clues.share)]);
  const lines = summaries.slice(0, whole ? undefined : MOST_LINES);
  const more = summaries.length - lines.length;
  const details = [...rest, ...(failing && failing !== summary ? actionOf(failing, readings) : [])];
  return {
    answer,
    findings: [...besideEvents(told.findings, study), ...(next?.findings.slice(0, 1) ?? [])],
    scenarios: lines.map(lineOf),
    ...scenarioFacts(study, clues, ofWorst, summary.name, 'few'),
    ...(details.length > 0 && { details }),
    notes: [
      ...(more > 0 ? [`${more} more scenarios, none worse than the last line; name them in scenarioIds.`] : []),
      ...beginWords(
        summaries.map(({ firstRunMs }) => firstRunMs),
        study.baseline.window,
        study.timeZone,
        'baseline',
      ),
      'Facts and rows: the first line; scenarioIds: another.',
      siteNote(summaries.reduce((sum, { judged }) => sum + judged, 0)),
    ],
  };
}

/** A line of a list; the page is for those that moved or scatter. */
function lineOf(summary: Summary) {
  const { scenarioId, state, line, viewOnTheWeb } = summary;
  return { scenarioId, verdict: verdictOf(summary), line, ...(state !== 'steady' && { viewOnTheWeb }) };
}
