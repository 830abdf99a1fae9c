import { lowered } from '../../lib/sentences.ts';
import type { Clues } from './clues.ts';
import { type FailedStep, type FailureWords, failedStepsToRead, failureSentence, failureWords, isFailing } from './failures.ts';
import { SPEED_STATES, type State } from './move.ts';
import { firstRunOf, pageOf, type Readings, scenarioFacts, studyBeginWords } from './scenario-answer.ts';
import { placeWords, type ScenarioPart, yetWords } from './scenario-cursor.ts';
import type { Study } from './scenario-study.ts';
import { metricFact, rankOf } from './speed-metrics.ts';
import { shareSentence, siteNotes, speedLine, speedSentence } from './study-words.ts';

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
  readonly line: string;
  /** The first of its runs that were read, ms since 1970. */
  readonly firstRunMs: number | undefined;
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
    isFailing: isFailing(study),
    isInPeriod: (headline?.move?.untilDate ?? headline?.move?.since?.date ?? period.window.endMs) >= period.window.startMs,
    rank: headline ? rankOf(headline.metric) : Number.MAX_SAFE_INTEGER,
    relative: headline?.move?.relative ?? 0,
    viewOnTheWeb: pageOf(study),
    line: lineWords(study, name, failing),
    firstRunMs: firstRunOf(study),
    judged: rows.filter((row) => row.state !== 'not enough data').length,
    failing: failing && { ...failing, toRead: steps, of },
  };
}

/** A scenario in one line: what fails first, where that is what is wrong with it. */
function lineWords(study: Study, name: string, failing: FailureWords | undefined): string {
  if (!failing) return speedLine(study, name);
  return isFailing(study) ? `${name}: ${failing.words}; ${speedLine(study, 'speed')}` : `${speedLine(study, name)}; ${failing.words}`;
}

/** Place of a scenario among others: 0 is worst. */
function severityOf({ state, relative, failing, isFailing: fails }: Summary): number {
  // A drift downwards is good news, and a steady scenario that fails is not.
  if (state === 'drifting' && relative < 0) return SPEED_STATES.indexOf('faster');
  if (fails) return Math.min(SPEED_STATES.indexOf(state), SPEED_STATES.indexOf('slower') + 0.5);
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

/** The words for what is neither slower nor failing. */
const OTHERS: readonly (readonly [State, string])[] = [
  ['drifting', 'drifting'],
  ['two levels', 'at two levels'],
  ['was slower', 'slower for a time'],
  ['unstable', 'unstable'],
  ['faster', 'faster'],
  ['was faster', 'faster for a time'],
  ['steady', 'steady'],
  ['not enough data', 'without enough data'],
];

/** `1 unstable, 4 steady`: each scenario counts once, and failing ones are not among them, whatever their speed. */
function otherWords(summaries: readonly Summary[]): string {
  return OTHERS.flatMap(([state, said]) => {
    const count = summaries.filter((summary) => summary.state === state && !summary.isFailing).length;
    return count > 0 ? [`${count} ${said}`] : [];
  }).join(', ');
}

/** `, 1 of them failing too, 2 are failing`; nothing where none fails. */
function failingWords(summaries: readonly Summary[]): string {
  const failing = summaries.filter(({ isFailing: fails }) => fails);
  const too = failing.filter(({ state }) => state === 'slower').length;
  const apart = failing.length - too;
  return `${too > 0 ? `, ${too} of them failing too` : ''}${apart > 0 ? `, ${apart} ${apart === 1 ? 'is' : 'are'} failing` : ''}`;
}

/** `2 of 6 scenarios became slower, 1 of them before the period`; that none did in it comes before those that did earlier. */
function slowerWords(slower: readonly Summary[], of: string, named: string): string {
  const early = slower.filter(({ isInPeriod }) => !isInPeriod).length;
  if (early > 0 && early === slower.length) return `None of ${of} became slower in the period${named}, ${early} earlier`;
  const head = `${slower.length === 0 ? 'None' : slower.length} of ${of} became slower${named}`;
  return early === 0 ? head : `${head}, ${early} of them before the period`;
}

/** `1 of 6 scenarios became slower, 1 is failing; others: 1 unstable, 3 steady.` */
function countWords(summaries: readonly Summary[], metrics: readonly string[], part: ScenarioPart | undefined): string {
  const named = metrics.length > 0 && metrics.length <= 3 ? ` in ${metrics.map((metric) => metricFact(metric).short).join(', ')}` : '';
  const yet = part ? yetWords(part) : '';
  if (yet !== '') return `${yet}: ${lowered(countOf(summaries, 'them', named))}`;
  return countOf(summaries, part ? placeWords(part) : `${summaries.length} ${summaries.length === 1 ? 'scenario' : 'scenarios'}`, named);
}

/** The same of scenarios that `of` names. */
function countOf(summaries: readonly Summary[], of: string, named: string): string {
  if (summaries.every(({ state, isFailing: fails }) => state === 'not enough data' && !fails))
    return `None of ${of} has enough runs without failure to be judged${named}.`;
  const slower = summaries.filter(({ state }) => state === 'slower');
  const fails = failingWords(summaries);
  const others = otherWords(summaries);
  const areEarly = slower.length > 0 && slower.every(({ isInPeriod }) => !isInPeriod);
  const lead = !areEarly && (slower.length > 0 || fails !== '') ? 'others: ' : '';
  return `${slowerWords(slower, of, named)}${fails}${others === '' ? '' : `; ${lead}${others}`}.`;
}

/** The scenario that is shown in detail. */
interface Worst {
  readonly summary: Summary;
  readonly study: Study;
  readonly clues: Clues;
  readonly readings: Readings;
}

interface SiteAnswerOptions {
  readonly whole: boolean;
  readonly metrics?: readonly string[] | undefined;
  /** Set where these are not all scenarios that were asked for. */
  readonly part?: ScenarioPart | undefined;
}

/** The answer about several scenarios: counts and the worst in words, a line for each, the facts of the worst. */
export function siteAnswer(
  summaries: readonly Summary[],
  { summary, study, clues, readings }: Worst,
  { whole, metrics = [], part }: SiteAnswerOptions,
) {
  const { events, actions, read } = readings;
  const failing = mostFailing(summaries);
  const failed = failing ? `${failing.name}: ${failureSentence(failing.failing, actions, read)}` : '';
  const changed = study.headline ? [speedSentence(study, summary.name, events), shareSentence(clues.share)] : [];
  const lines = summaries.slice(0, whole ? undefined : MOST_LINES);
  const more = summaries.length - lines.length;
  const ofWorst = failing === summary ? readings : { ...readings, actions: [] };
  return {
    answer: [countWords(summaries, metrics.includes('all') ? [] : metrics, part), ...changed, failed]
      .filter((sentence) => sentence !== '')
      .join(' '),
    scenarios: lines.map(lineOf),
    ...scenarioFacts(study, clues, ofWorst, summary.name, 'few'),
    notes: [
      ...(more > 0 ? [`${more} more scenarios, none worse than the last line; name them in scenarioIds.`] : []),
      ...studyBeginWords(
        study,
        summaries.map(({ firstRunMs }) => firstRunMs),
      ),
      'Facts and rows: the first line; scenarioIds: another.',
      ...siteNotes(summaries.reduce((sum, { judged }) => sum + judged, 0)),
    ],
  };
}

/** A line of a list; the page is for those that moved or scatter. */
function lineOf({ scenarioId, state, isFailing: fails, line, viewOnTheWeb }: Summary) {
  return { scenarioId, verdict: fails ? ('failing' as const) : state, line, ...(state !== 'steady' && { viewOnTheWeb }) };
}
