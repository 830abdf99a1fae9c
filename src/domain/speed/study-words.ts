import type { Finding } from '../../findings/finding.ts';
import type { Said } from '../../findings/paragraph.ts';
import { dateText, valueText } from '../../findings/wording.ts';
import { minuteAt } from '../../lib/dates.ts';
import { counted, formatPercent } from '../../lib/number-text.ts';
import { FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import type { ServerShare } from './clues.ts';
import type { Level } from './engine/run-series.ts';
import type { Row, Runs, Study } from './scenario-study.ts';
import type { NearEvent } from './speed-events.ts';
import { type ScenarioPlace, studyFindings } from './speed-findings.ts';
import { type Device, formatValue, metricFact } from './speed-metrics.ts';
import { leadingRow } from './study-table.ts';

function percent(share: number | null, sign = false): string {
  return formatPercent(share === null ? null : share * 100, { digits: 0, sign });
}

/** `LCP at "Product"`; of the sum over all steps the metric alone. */
const nameOf = ({ metric, step }: Row) => `${metricFact(metric).short}${step ? ` at "${step.name}"` : ''}`;

/** The value of a level and the middle half of its runs: `2.71 s, middle half 2.6 to 2.84 s`. */
function levelWords(metric: string, { typical, p25, p75 }: Level): string {
  return `${formatValue(metric, typical)}, middle half ${formatValue(metric, p25)} to ${formatValue(metric, p75)}`;
}

/** The levels on both sides of a finding, one sentence; empty where the next finding says it. */
function levelsSentence({ now, against, unit, when }: Finding): string {
  if (against?.value === null || against === undefined) return '';
  const [is, then] = when.ongoing ? ['is', 'now'] : ['was', 'then'];
  return `It ${is} ${valueText(now, unit)} ${then} and ${valueText(against.value, unit)} before.`;
}

/** Fewer runs on a side of a move are said. */
const FEW_RUNS = 15;

/** One sentence: that a move rests on few runs; empty where it does not. */
function fewSentence({ move }: Row): string {
  if (!move || Math.min(move.before.runs, move.after.runs) >= FEW_RUNS) return '';
  return `It rests on few runs: ${move.before.runs} before and ${move.after.runs} since.`;
}

/** The clearest move that is named but not claimed, because whole days differ by as much; undefined where no row has one. */
function heldRow({ rows }: Study): Row | undefined {
  const size = ({ held }: Row) => Math.abs(held?.relative ?? 0);
  const held = rows.filter((row) => row.held && row.step).toSorted((a, b) => size(b) - size(a));
  return held.find(({ metric }) => metric === 'largestContentfulPaint') ?? held[0];
}

/** Names a move that days hide, where nothing moved for certain or what did is over; undefined where there is none. */
export function heldSentence(study: Study, { name, timeZone, year }: ScenarioPlace): string | undefined {
  const { headline } = study;
  const row = headline && headline.move?.untilMs === undefined ? undefined : heldRow(study);
  const held = row?.held;
  if (!row || !held) return undefined;
  const when = held.shape === 'drift' ? 'in 30 days' : `since ${dateText(minuteAt(held.fromMs, timeZone), year)}`;
  return `${nameOf(row)} in "${name}" may have moved by ${percent(held.relative, true)} ${when}, but whole days differ as much.`;
}

/** That nothing moved for certain, or what may have. */
function steadySentence(study: Study, place: ScenarioPlace, isFailing: boolean): string {
  const judged = study.rows.filter(({ state }) => state !== 'not enough data').length;
  const what = isFailing ? 'Its speed' : `"${place.name}"`;
  const calm = `${what} is steady: none of ${counted(judged, 'series', 'series')} changed its level.`;
  return heldSentence(study, place) ?? calm;
}

/** The highest step of a scenario in which nothing moved, and what scatters. */
function levelSentences({ rows }: Study, leading: Row | undefined): string[] {
  const scattered = rows.filter(({ state }) => state === 'unstable').map(nameOf);
  const level = leading?.verdict.level;
  return [
    ...(leading && level ? [`Slowest is ${nameOf(leading)} with ${formatValue(leading.metric, level.typical)}.`] : []),
    ...(scattered.length > 0 ? [`Runs vary widely, at a constant level: ${scattered.slice(0, 3).join(', ')}.`] : []),
  ];
}

function tooFewWords({ period, baseline }: Study): string {
  const withoutFailure = ({ all, failed }: Runs) => all.length - failed.length;
  return `${withoutFailure(period)} runs without failure in the period, ${withoutFailure(baseline)} in the baseline`;
}

/** `LCP at "Product" varies widely …`, or that some runs have another level, of a headline that is no move of all runs. */
function partlySentence(row: Row, name: string): string | undefined {
  const { state, verdict, metric, move } = row;
  if (state === 'two levels' && move) {
    const [usual, moved] = [move.before, move.after].map(({ typical }) => formatValue(metric, typical));
    const some = `${percent(move.share ?? null)} of runs at ${moved}`;
    return `${nameOf(row)} in "${name}" has two levels: ${some}, the others at ${usual} as before.`;
  }
  if (state !== 'unstable' || !verdict.level) return undefined;
  return `${nameOf(row)} in "${name}" varies widely at a constant level: ${levelWords(metric, verdict.level)}.`;
}

/** A scenario in words: the findings of its rows, and what is said of its course, the first sentence of which says it all. */
export interface StudyTold {
  readonly findings: readonly Finding[];
  /** The sentences of findings as lists, which their records hold as well. */
  readonly said: readonly Said[];
}

/** The events near a study, and whether it is told beside failures. */
interface StudyAbout {
  readonly events: readonly NearEvent[];
  readonly isFailing: boolean;
}

/** Tells the course of a scenario. */
export function tellStudy(study: Study, place: ScenarioPlace, about: StudyAbout = { events: [], isFailing: false }): StudyTold {
  const { state, headline } = study;
  const { name } = place;
  if (state === 'not enough data') return { findings: [], said: [`"${name}" has too few runs to judge: ${tooFewWords(study)}.`] };
  const row = leadingRow(study);
  const own = headline ? partlySentence(headline, name) : steadySentence(study, place, about.isFailing);
  const findings = studyFindings(study, place, { events: about.events, own, row });
  const [first, ...others] = findings;
  const further = others.map(({ sentence }) => [sentence]);
  if (!first) return { findings, said: [] };
  if (!headline) return { findings, said: [[first.sentence], ...levelSentences(study, row), ...further] };
  const held = heldSentence(study, place);
  const more = own === undefined ? [levelsSentence(first), fewSentence(headline), held ?? ''] : [];
  return { findings, said: [[first.sentence], ...more.filter((sentence) => sentence !== ''), ...further] };
}

/** Whether the time goes before the first byte or after it. */
export function shareSentence(share: ServerShare | undefined): string {
  if (!share) return '';
  const { side, before, after, ofChange } = share;
  const culprit = side === 'server' ? 'The server' : 'The front end, not the server';
  const part = ofChange === null ? `Mostly ${side}` : culprit;
  const earlier = before === null || after === null ? '' : ` (${percent(before)} before)`;
  return `${part}: TTFB is ${percent(after ?? before)} of its LCP${earlier}.`;
}

/** How the verdicts were found, what was left out, and what the ratings mean. */
export function methodNotes(study: Study, device: Device): string[] {
  const { rows, headline, baseline, period, usualSteps, otherSteps } = study;
  const judged = rows.filter(({ state }) => state !== 'not enough data').length;
  const metric = headline?.metric ?? 'largestContentfulPaint';
  const { short, effect } = metricFact(metric);
  const hasSums = rows.some(({ step }) => step === undefined);
  const sums = hasSums && otherSteps > 0 ? `; sums only over reports with ${usualSteps} steps (${otherSteps} others)` : '';
  return [
    `${METHOD} ${judged} series; ${short} must change by ${percent(effect.relative)} and ${formatValue(metric, effect.absolute)}.`,
    `${LEVELS} ${period.failed.length + baseline.failed.length} failed runs are left out${sums}.`,
    `${RATINGS} Device ${device === 'unknown' ? 'unknown: the name does not say' : `${device}, guessed from the name`}.`,
  ];
}

const MOST_BY_CHANCE = `${FALSE_DISCOVERY_RATES.speedChanges * 100}%`;
const METHOD = `Changes: searched over baseline and period, freed of cycles; at most ${MOST_BY_CHANCE} by chance, among`;
const LEVELS = 'Levels: medians of the runs on each side, freed of hour and weekday, and their middle half.';
const RATINGS = 'Ratings: field p75 limits are those of real visits, held against lab runs; lab limits go by the median.';

/** How the verdicts of several scenarios were found. */
export const siteNote = (judged: number) => `${METHOD} ${judged} series of all scenarios.`;
