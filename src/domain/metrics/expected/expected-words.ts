import type { Facts } from '../../../findings/finding.ts';
import type { Said } from '../../../findings/paragraph.ts';
import { type Grammar, worded } from '../../../findings/sentence.ts';
import { dateText, listed, pairText, percentText, rangeText, valueText } from '../../../findings/wording.ts';
import { todayIn } from '../../../lib/dates.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { unitOf, verbsOf } from '../metric-definitions.ts';
import { nameOf } from '../metric-names.ts';
import { askedOf, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import type { ExpectedCell, QueryLine } from '../read/query-table.ts';

/** Rows that a sentence names, and special days. */
const MOST_NAMED = 3;
const MOST_OCCASIONS = 6;
/** Beyond this factor of what was expected a row is far from it, whatever its bounds. */
const FAR = 1.5;

/** The settings of sentences beside the rows. */
interface Words {
  readonly query: MetricQuery;
  readonly timeZone: string;
  readonly currency: string | undefined;
  readonly grammar: Grammar;
  readonly placeOf: (line: QueryLine, metric: string) => Facts['place'];
  /** Up to when a row is counted whose other days lie ahead. */
  readonly countedTo: string;
}

/** One value of the table with what was expected of it. */
interface JudgedLine {
  readonly metric: string;
  readonly line: QueryLine;
  readonly cell: ExpectedCell;
}

const isClear = ({ cell }: JudgedLine) => cell.verdict === 'high' || cell.verdict === 'low';

/** −0.2 for a fifth less than was expected. */
function distanceOf({ metric, line, cell: { expected } }: JudgedLine): number {
  const value = line.values[metric];
  return typeof value === 'number' && expected ? value / expected - 1 : 0;
}

const sizeOf = (own: JudgedLine) => Math.abs(Math.log(Math.max(1e-9, 1 + distanceOf(own))));

/** First and last day of a row; of a range of which only a part is over, of all of it. */
function daysOf({ line: { interval: own } }: JudgedLine, { query, timeZone }: Words) {
  const { startMs, endMs } = own.label === undefined ? query.interval : own;
  return { from: todayIn(timeZone, startMs), to: todayIn(timeZone, endMs) };
}

const VERDICTS: Readonly<Partial<Record<string, Facts['verdict']>>> = { high: 'higher', low: 'lower' };

/** The record of a row that is held against what was expected of it. */
function factsOf(own: JudgedLine, words: Words): Facts {
  const { metric, line, cell } = own;
  const { from, to } = daysOf(own, words);
  const { expected, low, high, verdict } = cell;
  const percent = Number((100 * distanceOf(own)).toFixed(2));
  const clipped = (value: number) => Math.max(-100, value);
  const boundOf = (value: number | null) =>
    value === null || !expected ? percent : Number((percent - 100 * (value / expected - 1)).toFixed(2));
  const isMoved = isClear(own);
  return {
    subject: metric,
    unit: unitOf(metric, words.currency) ?? '',
    place: words.placeOf(line, metric),
    when: { shape: from === to ? 'day' : 'range', from, to, ongoing: false },
    now: line.values[metric] ?? null,
    against: { what: 'expected', value: expected, ...(low !== null && { low }), ...(high !== null && { high }) },
    ...(isMoved && { change: { percent, low: clipped(boundOf(high)), high: clipped(boundOf(low)) } }),
    verdict: VERDICTS[verdict ?? 'normal'] ?? 'unchanged',
    causes: [],
  };
}

const countNoun = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** The rows that are far from what was expected and still normal, because little is known of what is usual. */
function wideSentence(judged: readonly JudgedLine[], words: Words): string {
  const [farthest] = judged.filter((own) => !isClear(own) && sizeOf(own) >= Math.log(FAR)).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (!farthest) return '';
  const { from, to } = daysOf(farthest, words);
  const distance = 100 * distanceOf(farthest);
  const size = `${percentText(distance)} ${distance < 0 ? 'below' : 'above'}`;
  const { low, high } = farthest.cell;
  const unit = unitOf(farthest.metric, words.currency) ?? '';
  return (
    `${nameOf(farthest.metric)} ${rangeText(from, to, words.grammar.year)} ${verbsOf(farthest.metric).was} ${size} expected, which ` +
    `is not significant here: anything from ${pairText(low, high, unit)} is normal.`
  );
}

/** `Both days were normal`, `3 of 28 days were unusual`; empty of a single row. */
function countSentence(judged: readonly JudgedLine[], metrics: number, { query }: Words): string {
  const clear = judged.filter(isClear).length;
  const unit = metrics === 1 ? (timeUnitOf(query.breakdown) ?? 'row') : 'value';
  if (judged.length === 1 || clear === 1) return '';
  if (clear > 0) return `Of ${countNoun(judged.length, unit)}, ${clear} were unusual.`;
  return `${judged.length === 2 ? 'Both' : 'All'} ${judged.length === 2 ? `${unit}s` : countNoun(judged.length, unit)} were normal.`;
}

/** The forecast: the sum or the rows ahead, with their bounds. */
function forecastSentences(ahead: readonly JudgedLine[], words: Words): string[] {
  const year = words.grammar.year;
  const [first] = ahead;
  const last = ahead.at(-1);
  if (!first || !last) return [];
  const say = (own: JudgedLine, subject: string) => {
    const { from, to } = daysOf(own, words);
    const { expected, low, high } = own.cell;
    const unit = unitOf(own.metric, words.currency) ?? '';
    const value = own.line.values[own.metric] ?? null;
    const counted = value === null ? '' : ` So far it is ${valueText(value, unit)}, up to ${dateText(words.countedTo, year)}.`;
    return `${subject} ${rangeText(from, to, year)}: ${valueText(expected, unit)} expected (${pairText(low, high, unit)}).${counted}`;
  };
  const name = nameOf(first.metric);
  return first === last ? [say(first, name)] : [say(first, name), say(last, name)];
}

/** The findings of a table with expectations, and its sentences in order. */
export interface ExpectedTold {
  readonly facts: readonly Facts[];
  readonly lead: readonly Said[];
  readonly details: readonly string[];
}

/** Tells which rows are not what was expected, and what is to come. */
export function tellExpected(lines: readonly QueryLine[], words: Words): ExpectedTold {
  const { query, grammar } = words;
  const metrics = askedOf(query);
  const all = metrics.flatMap((metric) =>
    lines.flatMap((line): JudgedLine[] => (line.expected?.[metric] ? [{ metric, line, cell: line.expected[metric] }] : [])),
  );
  if (all.length > 0 && all.every(({ cell }) => cell.verdict === 'too young'))
    return { facts: [], lead: ['Nothing can be expected yet: fewer than 21 days before the range are known.'], details: [] };
  const judged = all.filter(({ cell }) => cell.verdict === 'normal' || cell.verdict === 'high' || cell.verdict === 'low');
  const forecasts = all.filter(({ cell }) => cell.verdict === 'forecast');
  const clear = judged.filter(isClear).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const told = judged.length === 1 ? judged : clear;
  const facts = told.map((own) => factsOf(own, words));
  const sentences = facts.map((each) => [worded(each, grammar).sentence]);
  const count = judged.length === 0 ? '' : countSentence(judged, metrics.length, words);
  const ahead = forecasts.filter(({ metric }) => metric === forecasts[0]?.metric);
  return {
    facts,
    lead: [count, ...sentences.slice(0, MOST_NAMED), ...forecastSentences(ahead, words)].filter((said) => said !== ''),
    details: [wideSentence(judged, words)].filter((sentence) => sentence !== ''),
  };
}

/** Special days of one name that follow each other, and what each did to visits last year; none where that is not known. */
interface Occasion {
  readonly name: string;
  readonly days: string[];
  readonly effects: number[];
}

function occasionsOf(labels: readonly string[], known: KnownDays): Occasion[] {
  const occasions: Occasion[] = [];
  for (const label of labels) {
    const day = known.specialDays(label);
    if (!day) continue;
    const effect = known.of('visits', label).special?.mean ?? 0;
    const last = occasions.at(-1);
    const own = last?.name === day.name ? last : { name: day.name, days: [], effects: [] };
    if (own !== last) occasions.push(own);
    own.days.push(label);
    if (effect !== 0) own.effects.push(100 * Math.expm1(effect));
  }
  return occasions;
}

/** `Black Friday on 27 Nov (visits +80% to +110% last year)`; without brackets where last year is not known. */
function occasionWords({ name, days, effects }: Occasion): string {
  const [least, most] = [Math.min(...effects), Math.max(...effects)].map((effect) => formatPercent(effect, { sign: true, digits: 0 }));
  const range = least === most ? most : `${least} to ${most}`;
  const known = effects.length === 0 ? '' : ` (visits ${range} last year)`;
  const [first = ''] = days;
  return `${name} ${rangeText(first, days.at(-1) ?? first, first.slice(0, 4))}${known}`;
}

/** Special days among some, and what they did last year; empty where there are none. */
export function specialNote(labels: readonly string[], known: KnownDays): string {
  const occasions = occasionsOf(labels, known);
  if (occasions.length === 0) return '';
  const named = occasions.slice(0, MOST_OCCASIONS);
  const more = occasions.length > named.length ? ` and ${occasions.length - named.length} more` : '';
  const unseen = named.some(({ effects }) => effects.length === 0) ? ' Bounds are wider where last year is not known.' : '';
  return `Special days: ${listed(named.map(occasionWords))}${more}.${unseen}`;
}
