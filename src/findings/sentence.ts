import { daysFrom } from '../lib/calendar.ts';
import { formatNumber, formatPercent } from '../lib/number-text.ts';
import { capital } from '../lib/sentences.ts';
import { type Facts, type Finding, type FindingPlace, mayBeSeason } from './finding.ts';
import { dateText, listed, pairText, percentText, rangeText, roundedTo, valueText } from './wording.ts';

/** The name of a subject in the middle of a sentence: `conversion rate`, `visits`. */
export interface Noun {
  readonly name: string;
  readonly isPlural: boolean;
  /** Where other words than higher and lower are usual: slower, faster. */
  readonly higher?: string;
  readonly lower?: string;
}

/** Knowledge of the grammar beside the record. */
export interface Grammar {
  readonly nounOf: (subject: string) => Noun;
  /** The year of the reader, which dates leave out. */
  readonly year: string;
  /** The last day of which everything is known: an amount that ends before it says so. */
  readonly known?: string;
}

/** The subject with its place: `mobile conversion rate of "New visitors"`. */
export function subjectText(subject: string, place: FindingPlace, { nounOf }: Pick<Grammar, 'nounOf'>): string {
  const { device, segment, browser, country, goal, zone, page, scenario, step, host, job, variant, project } = place;
  const of = [segment, browser, country, variant].filter((name) => name !== undefined).map((name) => `"${name}"`);
  const at = [
    ...(of.length > 0 ? [`of ${listed(of)}`] : []),
    ...(zone === undefined ? [] : [`of the zone "${zone}"`]),
    ...(goal === undefined ? [] : [`for the goal "${goal}"`]),
    ...(step === undefined ? [] : [`at "${step}"`]),
    ...(scenario === undefined ? [] : [`in "${scenario}"`]),
    ...(page === undefined ? [] : [`on ${page}`]),
    ...(host === undefined ? [] : [`from ${host}`]),
    ...(job === undefined ? [] : [`in the export "${job}"`]),
    ...(project === undefined ? [] : [`in ${project}`]),
  ];
  return [...(device === undefined ? [] : [device]), nounOf(subject).name, ...at].join(' ');
}

const halfOf = ({ low, high }: { readonly low: number; readonly high: number }) => Math.abs(high - low) / 2;

/** `67% lower`; of a change in points alone `0.4 points higher`. */
function sizeText({ subject, change, verdict }: Facts, { nounOf }: Pick<Grammar, 'nounOf'>): string {
  const { higher = 'higher', lower = 'lower' } = nounOf(subject);
  const direction = verdict === 'higher' ? higher : lower;
  if (change?.percent !== undefined) return `${percentText(change.percent, halfOf(change))} ${direction}`;
  if (change?.points !== undefined) return `${formatNumber(Math.abs(change.points), { digits: 2 })} points ${direction}`;
  return direction;
}

type Causes = Facts['causes'];
const namesOf = (causes: Causes) => listed(causes.map(({ name }) => name));

/** How much of a difference a cause makes, before its words: empty where it is no less than all of it. */
function extentText([cause]: Causes): string {
  const share = cause?.share ?? 1;
  if (share >= 1) return '';
  return share > MOST ? 'mostly ' : 'partly ';
}
const MOST = 0.5;

/** `, mostly because of Christmas`: a cause with its part of a difference. */
const partText = (causes: Causes) => `, ${extentText(causes)}because of ${causes[0]?.name ?? ''}`;

/** `, mostly through visits`: the factors that make most of a change. */
const throughText = (causes: Causes) => `, ${extentText(causes)}through ${namesOf(causes)}`;

/** Whether a cause has a part in the figures of ranges, which comparable days have not. */
const isOfFigures = ({ kind, share }: Causes[number]) => kind === 'special day' && share !== undefined;

/** Which causes are told together, and in which words. */
interface CauseWords {
  readonly isOf: (cause: Causes[number], place: FindingPlace) => boolean;
  readonly tell: (causes: Causes) => string;
}

/** How a cause of each kind is told behind the size of a change, in the order in which they matter; only the first kind that is there. */
const CAUSES: readonly CauseWords[] = [
  {
    isOf: ({ kind }) => kind === 'mix',
    tell: (causes) => (causes[0]?.basis === 'measured' ? partText(causes) : `, perhaps because of ${causes[0]?.name ?? ''}`),
  },
  { isOf: ({ kind }) => kind === 'event', tell: (causes) => `; close in time: ${namesOf(causes)}` },
  { isOf: isOfFigures, tell: partText },
  { isOf: ({ kind }) => kind === 'special day' || kind === 'season', tell: (causes) => `; ${namesOf(causes)} alone could explain it` },
  { isOf: ({ kind }) => kind === 'factor', tell: throughText },
  { isOf: ({ kind, name }, { device }) => kind === 'place' && name !== device, tell: (causes) => `, above all in ${namesOf(causes)}` },
  { isOf: ({ kind, name }, { device }) => kind === 'place' && name === device, tell: () => '; no other device changed significantly' },
];

/** The cause of a change, behind its size; empty where the place says it. */
function causeText({ causes, place }: Facts): string {
  const told = CAUSES.find(({ isOf }) => causes.some((cause) => isOf(cause, place)));
  const isOfPart = told?.isOf === isOfFigures && causes.some(({ share = 1 }) => share < 1);
  const rest = isOfPart && causes.some(({ kind }) => kind === 'season') ? '; the season could explain the rest' : '';
  return told ? `${told.tell(causes.filter((cause) => told.isOf(cause, place)))}${rest}` : '';
}

/** From so many percent on a change is told as a multiple. */
const MANIFOLD = 1_000;

/** `-3%`, between two values; empty where there is no share. */
function differenceText(now: number | null, before: number | null): string {
  if (now === null || !before) return '';
  const percent = (100 * (now - before)) / before;
  if (percent >= MANIFOLD) return ` (${formatNumber(now / before, { digits: 0, group: true })} times as much)`;
  return ` (${formatPercent(percent, { sign: true, digits: Math.abs(percent) < 9.95 ? 1 : 0 })})`;
}

/** The figures of two ranges: `went from 3.41% to 2.64% (-23%)`. */
function rangeFigures({ now, against, unit }: Facts): string {
  const before = against?.value ?? null;
  return `${pairText(before, now, unit)}${differenceText(now, before)}`;
}

/** The change that would have been noticed; empty where it is not known. */
function detectableText({ detectable, now, against }: Facts): string {
  if (detectable === undefined) return '';
  if (detectable < 100) return `; one of ${percentText(detectable)} would have shown`;
  return `; even a ${(now ?? 0) > (against?.value ?? 0) ? 'doubling' : 'fall to zero'} would not have shown`;
}

/** The bounds of what was expected, and whether a value lies outside them that is normal as one of many. */
function boundsOf({ now, against, unit }: Facts): { readonly text: string; readonly isOutside: boolean } {
  const { low, high } = against ?? {};
  if (low === undefined || high === undefined) return { text: '', isOutside: false };
  return { text: ` (${pairText(low, high, unit)})`, isOutside: now !== null && (now < low || now > high) };
}

/** A value that is not clearly another than what was expected: `was normal on 16 Aug: 7,309 EUR, with 9,754 EUR expected`. */
function withinText(facts: Facts, was: string, days: string, expected: string): string {
  const { now, against: { name } = {}, unit, verdict } = facts;
  const bounds = boundsOf(facts);
  const beside = `, with ${expected} expected${bounds.text}${facts.causes.length > 0 ? ` on ${namesOf(facts.causes)}` : ''}`;
  // Beside a change that it holds a value makes no claim of its own.
  if (name !== undefined) return `${was} ${valueText(now, unit)} ${days}${beside}, ${name}.`;
  const normal = bounds.isOutside ? 'not clearly unusual' : 'normal';
  return `${was} ${verdict === 'unchanged' ? normal : 'too uncertain to judge'} ${days}: ${valueText(now, unit)}${beside}.`;
}

/** The sentence of a value that was held against the one expected. */
function expectedSentence(facts: Facts, subject: string, { nounOf, year }: Grammar): string {
  const { when, now, against, unit, verdict } = facts;
  const { from = '', to = from } = when;
  const was = nounOf(facts.subject).isPlural ? 'were' : 'was';
  const days = rangeText(from, to, year);
  const expected = valueText(against?.value ?? null, unit);
  if (verdict === 'higher' || verdict === 'lower') {
    const side = verdict === 'higher' ? 'above' : 'below';
    const size = facts.change?.percent === undefined ? side : `${percentText(facts.change.percent)} ${side}`;
    // A special day of which nothing is known may do so by itself; what is known of one is in what is expected.
    const why = causeText({ ...facts, causes: facts.causes.filter(({ basis }) => basis === 'inferred') });
    const beside = against?.name === undefined ? '' : `, ${against.name}`;
    return `${subject} ${was} ${size} normal ${days}: ${valueText(now, unit)} instead of ${expected}${beside}${why}.`;
  }
  return `${subject} ${withinText(facts, was, days, expected)}`;
}

/** Days that a change may have begun on, at most, where one is named for them all. */
const SURE_DAYS = 7;

/** Since when a change goes on: its most likely first day, about that of a season, or some day between the first and the last it may be. */
function sinceText({ when: { from = '', earliest = from, latest = from }, causes }: Facts, year: string): string {
  if (daysFrom(earliest, latest) <= SURE_DAYS) return `since ${mayBeSeason({ causes }) ? 'about ' : ''}${dateText(from, year)}`;
  return `since some day ${rangeText(earliest, latest, year, ['between', 'and'])}`;
}

/** The sentence of a change with a date. */
function datedSentence(facts: Facts, subject: string, { nounOf, year }: Grammar): string {
  const { when } = facts;
  const { from = '', to = from } = when;
  const { isPlural } = nounOf(facts.subject);
  const has = isPlural ? 'have' : 'has';
  const size = sizeText(facts, { nounOf });
  const isOpen = when.ongoing && when.to === undefined;
  const days = isOpen ? sinceText(facts, year) : rangeText(from, to, year);
  const drifted = isOpen ? `${has} drifted` : 'drifted';
  if (when.shape === 'drift') return `${subject} ${drifted} ${size} ${days}${causeText(facts) || ', slowly and on no single day'}.`;
  const than = facts.against?.name === undefined ? '' : ` than ${facts.against.name}`;
  if (when.ongoing) return `${subject} ${has} been ${size} ${days}${than}${causeText(facts)}.`;
  return `${subject} ${isPlural ? 'were' : 'was'} ${size} ${days}${than}${causeText(facts)}.`;
}

/** Whether a verdict is that something is another than it was, or than the others. */
export const isMoved = ({ verdict }: Pick<Facts, 'verdict'>) => verdict === 'higher' || verdict === 'lower';

/** The sentence of a value that was held against a limit. */
function limitSentence({ now, against, unit, verdict, subject: name }: Facts, subject: string, { nounOf }: Grammar): string {
  const limit = against?.value ?? null;
  const side = (now ?? 0) > (limit ?? 0) ? 'above' : 'within';
  const doubt = verdict === 'uncertain' ? ', but not significantly' : '';
  const is = nounOf(name).isPlural ? 'are' : 'is';
  return `${subject} ${is} ${valueText(now, unit)}, ${side} ${against?.name ?? 'the limit'} of ${valueText(limit, unit)}${doubt}.`;
}

/** The sentence of two places side by side: `Mobile conversion rate was 2.76%, 29% lower than desktop (3.88%).` */
function besideSentence(facts: Facts, subject: string, grammar: Grammar): string {
  const { verdict, against, now, unit } = facts;
  const own = `${subject} ${grammar.nounOf(facts.subject).isPlural ? 'were' : 'was'} ${valueText(now, unit)}`;
  const [name, other] = [against?.name ?? 'the others', valueText(against?.value ?? null, unit)];
  if (isMoved(facts)) return `${own}, ${sizeText(facts, grammar)} than ${name} (${other}).`;
  return `${own}, against ${other} of ${name}: ${verdict === 'too few data' ? 'too few days to judge' : 'no significant difference'}.`;
}

/** Percent: a smaller rest of a difference is none. */
const LEAST_REST = 0.5;

/** Why two ranges differ although nothing changed significantly, and what else is to be said of them: without the days that made a part. */
function differText({ causes, change }: Facts, name: string | undefined): string {
  if (causes.some(({ kind }) => kind === 'factor'))
    return throughText(causes) + (name === undefined ? '; no significant change' : `, ${name}`);
  const [{ share = 1 } = {}] = causes;
  const rest = 100 * ((1 + (change?.percent ?? 0) / 100) ** (1 - share) - 1);
  const left = Math.abs(rest) < LEAST_REST ? 'no significant change' : `${formatPercent(rest, { sign: true, digits: 1 })}, not significant`;
  return partText(causes) + (name === undefined ? `. Otherwise ${left}` : `, ${name}`);
}

/** How two ranges that did not change significantly are told, behind their figures. */
function calmText(facts: Facts): string {
  const { verdict, causes, change, against: { name, value } = { value: null } } = facts;
  if (verdict === 'too few data') return value === 0 ? '' : `: too few whole days to judge${causeText(facts)}`;
  // Beside a change that they hold the figures make no claim of their own.
  if (name !== undefined && causes.length === 0) return `, ${name}`;
  if (verdict === 'uncertain') return ': too uncertain to judge';
  if (causes.length > 0) return differText(facts, name);
  // Totals may differ by more than chance where days of the same kind do not.
  const beyond = change && change.low * change.high > 0 ? 'on comparable days ' : '';
  return `: ${beyond}no significant change${detectableText(facts)}`;
}

/** Share by which the size of a change differs from that of the figures at least where it is not theirs. */
const LEAST_APART = 0.01;

/** The sentence of two ranges. */
function rangeSentence(facts: Facts, subject: string, grammar: Grammar): string {
  const { verdict, against, now } = facts;
  const before = against?.value ?? null;
  if (now === null || before === null) return `${subject} has no value in ${now === before ? 'either period' : 'one of the two periods'}.`;
  const figures = rangeFigures(facts);
  if (!isMoved(facts)) return `${subject} went from ${figures}${calmText(facts)}.`;
  // Weekdays and special days may make the totals differ less than comparable days, or the other way.
  const { percent = 100 * (now / before - 1) } = facts.change ?? {};
  const isOfDays = Math.abs(((1 + percent / 100) * before) / now - 1) > LEAST_APART;
  const why = facts.causes.filter(isOfFigures);
  const causes = facts.causes.filter((cause) => !why.includes(cause));
  const without = why.length > 0 ? `, because of ${namesOf(why)}. Otherwise` : '. On comparable days';
  const isNow = grammar.nounOf(facts.subject).isPlural ? 'they are' : 'it is';
  if (isOfDays) return `${subject} went from ${figures}${without} ${isNow} ${sizeText(facts, grammar)}${causeText({ ...facts, causes })}.`;
  return `${subject} ${verdict === 'higher' ? 'rose' : 'fell'} from ${figures}${causeText(facts)}.`;
}

/** The sentence of a finding, without its cost. */
export function sentenceOf(facts: Facts, grammar: Grammar): string {
  if (facts.verdict === 'measurement') return `The counting may be at fault: ${listed(facts.causes.map(({ name }) => name))}.`;
  const subject = capital(subjectText(facts.subject, facts.place, grammar));
  if (facts.against?.what === 'limit') return limitSentence(facts, subject, grammar);
  if (facts.against?.what === 'expected') return expectedSentence(facts, subject, grammar);
  if (facts.against?.what === 'others' || facts.against?.what === 'variant') return besideSentence(facts, subject, grammar);
  return facts.when.shape !== 'range' && isMoved(facts) ? datedSentence(facts, subject, grammar) : rangeSentence(facts, subject, grammar);
}

/** Adds its sentence to a finding. */
export const worded = (facts: Facts, grammar: Grammar): Finding => ({ ...facts, sentence: sentenceOf(facts, grammar) });

const isMoney = ({ unit }: Pick<NonNullable<Facts['cost']>, 'unit'>) => /^[A-Z]{3}$/.test(unit);

/** The size of a cost, rounded to what its interval bears; empty where it is not known or may be nothing. */
export function costAmount({ cost }: Pick<Facts, 'cost'>): string {
  if (!cost || cost.low * cost.high <= 0) return '';
  const amount = formatNumber(Math.abs(roundedTo(cost.value, halfOf(cost))), { group: true, digits: 0 });
  return `about ${amount}${isMoney(cost) ? ` ${cost.unit}` : ''}`;
}

/** One sentence: what a change has cost or brought; empty where that is not known or may be nothing. */
export function costSentence({ cost, when, place }: Pick<Facts, 'cost' | 'when' | 'place'>, { nounOf, year, known = '' }: Grammar): string {
  const amount = costAmount({ cost });
  if (!cost || amount === '') return '';
  const isEnded = cost.to < known;
  const until = isEnded ? ` up to ${dateText(cost.to, year)}` : ' so far';
  const far = when.ongoing || cost.to < (when.to ?? '') ? until : '';
  if (isMoney(cost)) {
    const [lost, won] = when.ongoing && !isEnded ? ['has cost', 'has brought'] : ['cost', 'brought'];
    return `It ${cost.value < 0 ? lost : won} ${amount}${far}.`;
  }
  // A place that names the goal has said it.
  const of = cost.goal === undefined || place.goal !== undefined ? {} : { goal: cost.goal };
  return `That is ${amount} ${cost.value < 0 ? 'fewer' : 'more'} ${subjectText(cost.of, of, { nounOf })}${far}.`;
}

/** The sentences of a finding in a first paragraph: what it is, and what it has cost or brought. */
export const saidOf = (finding: Finding, grammar: Grammar): string[] => [finding.sentence, costSentence(finding, grammar)];

/** One sentence for the details: the interval of a change, and on which days it may have begun; empty of what did not change. */
export function intervalSentence({ subject, place, change, when, cost }: Facts, grammar: Grammar): string {
  if (!change || when.shape === 'range') return '';
  const { low, high } = change;
  const unit = change.percent === undefined ? ' points' : '%';
  const bound = (value: number) => formatNumber(value, { sign: true, digits: 1 });
  const { from = '', to = from, earliest = from, latest = from } = when;
  const days = when.ongoing ? '' : ` ${rangeText(from, to, grammar.year)}`;
  const begun = earliest === latest ? '' : `; it began ${rangeText(earliest, latest, grammar.year, ['between', 'and'])}`;
  const amount = (value: number) => formatNumber(value, { group: true, digits: 0 });
  const unitOfCost = cost && isMoney(cost) ? ` ${cost.unit}` : '';
  const costs = cost ? `; ${grammar.nounOf(cost.of).name} ${amount(cost.low)} to ${amount(cost.high)}${unitOfCost}` : '';
  const size = change.percent ?? change.points ?? 0;
  const interval = `${bound(size)}${unit}, 95% interval ${bound(low)} to ${bound(high)}${unit}`;
  return `${capital(subjectText(subject, place, grammar))}${days}: ${interval}${costs}${begun}.`;
}
