import type { Facts } from '../../findings/finding.ts';
import type { Said } from '../../findings/paragraph.ts';
import { type Grammar, subjectText, worded } from '../../findings/sentence.ts';
import { dateText, listed, pairText, rangeText, valueText } from '../../findings/wording.ts';
import { daysFrom } from '../../lib/calendar.ts';
import { todayIn } from '../../lib/dates.ts';
import { grouped, runsOf } from '../../lib/grouped.ts';
import { capital, firstOf } from '../../lib/sentences.ts';
import { logOfAtMost, scoreOfTail, Z_95 } from '../../statistics/tails.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { effectText } from '../calendar/special-words.ts';
import { usualLevel } from '../findings.ts';
import { unitOf } from '../metric-definitions.ts';
import { askedOf, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import type { ExpectedCell, QueryLine } from '../read/query-table.ts';
import { keyOf, type SiteChange } from '../site-changes.ts';
import { isChangeOf } from './expected-lines.ts';

/** Rows that a sentence names, and special days. */
const MOST_NAMED = 3;
const MOST_OCCASIONS = 6;
/** Share of normal values that lie outside their bounds by chance. */
const OUTSIDE = 0.05;

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

/** First and last day of a row. */
const daysOf = ({ line: { interval } }: JudgedLine, { timeZone }: Words) => ({
  from: todayIn(timeZone, interval.startMs),
  to: todayIn(timeZone, interval.endMs),
});

const VERDICTS: Readonly<Partial<Record<string, Facts['verdict']>>> = { high: 'higher', low: 'lower' };

/** The record of a row that is held against what was expected of it. */
function factsOf(own: JudgedLine, words: Words): Facts {
  const { metric, line, cell } = own;
  const { from, to } = daysOf(own, words);
  const { expected, low, high, verdict, unseen = [], alone = [], since } = cell;
  // A note names them all.
  const names = unseen.length > 1 ? ['special days'] : unseen;
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
    against: {
      what: 'expected',
      ...(since !== undefined && { name: usualLevel(since, words.grammar.year) }),
      value: expected,
      ...(low !== null && { low }),
      ...(high !== null && { high }),
    },
    ...(isMoved && { change: { percent, low: clipped(boundOf(high)), high: clipped(boundOf(low)) } }),
    verdict: VERDICTS[verdict ?? 'normal'] ?? 'unchanged',
    causes: isMoved ? [...names.map((name) => ({ kind: 'special day' as const, name, basis: 'inferred' as const })), ...alone] : [],
  };
}

/** Whether a value that is called normal as one of many lies outside its own bounds. */
const isOutside = ({ metric, line, cell: { verdict, low, high } }: JudgedLine) =>
  verdict === 'normal' && ((line.values[metric] ?? 0) < (low ?? 0) || (line.values[metric] ?? 0) > (high ?? Number.POSITIVE_INFINITY));

/** The first rows by their days, and their metrics where several were asked for: `from 7 to 13 Sept`. */
function daysText(rows: readonly JudgedLine[], words: Words, sideOf: (own: JudgedLine) => string = () => ''): string {
  const { query, grammar } = words;
  const texts = rows.map((own) => {
    const { from, to } = daysOf(own, words);
    const of = askedOf(query).length > 1 ? `${grammar.nounOf(own.metric).name} ` : '';
    const days = rangeText(from, to, grammar.year);
    return `${of === '' ? days.replace('on ', '') : of + days}${sideOf(own)}`;
  });
  const named = [...new Set(texts)];
  return named.length > MOST_NAMED ? firstOf(named, MOST_NAMED) : listed(named);
}

/** A sentence on values outside their own bounds that are normal as some of many; as many as are to be expected by chance, or more. */
function outsideText(rows: readonly JudgedLine[], isMore: boolean, words: Words): string {
  const lies = rows.length === 1 ? 'One lies outside its 95% bounds' : `${rows.length} lie outside their 95% bounds`;
  const why = isMore ? 'more than chance alone explains' : 'which may be chance';
  return rows.length === 0 ? '' : ` ${lies}, ${why}: ${daysText(rows, words, (own) => (distanceOf(own) < 0 ? ' (below)' : ' (above)'))}.`;
}

/** Rows with what a change has to do with them, of more than these how many: `, 2 of them because of a listed change (…)`. */
function changedText(rows: readonly JudgedLine[], of: number, why: string, words: Words): string {
  return rows.length === 0 ? '' : `, ${of > rows.length ? `${rows.length} of them ` : ''}${why} a listed change (${daysText(rows, words)})`;
}

/** Whether the days of a row are a change of its metric: it has one size. */
function isListed(own: JudgedLine, words: Words): boolean {
  const { from, to } = daysOf(own, words);
  return changesIn(own).some(({ metric, change }) => metric === own.metric && change.from === from && change.to === to);
}

/** `Both days were normal`, `Of 28 days, 3 were unusual`, empty where one sentence says it; `asked` values, of which these are judged. */
function countSentence(judged: readonly JudgedLine[], asked: number, told: number, explained: readonly JudgedLine[], words: Words): string {
  const { breakdown } = words.query;
  const isOfOne =
    askedOf(words.query).length + breakdown.length === 2 && new Set(judged.map(({ line }) => keyOf(line.selection))).size === 1;
  const unit = (isOfOne && timeUnitOf(breakdown)) || 'value';
  const parts = unit === 'value' ? 0 : judged.filter(({ line }) => line.interval.isPart).length;
  const which = `${judged.length < asked ? ' that can be judged' : ''}${parts > 0 ? ` (${parts} in part)` : ''}`;
  const [all, unusual] = [`${judged.length} ${unit}s${which}`, told + explained.length];
  const normal = judged.length - unusual;
  const hidden = hiddenIn(judged, words);
  const outside = judged.filter((own) => isOutside(own) && !hidden.includes(own));
  const isMore = Math.exp(logOfAtMost(outside.length - 1, OUTSIDE * normal, normal)) > 1 - OUTSIDE;
  const more = outsideText(outside, isMore, words);
  if (unusual === 0) {
    const were = isMore ? `None of ${all} was clearly unusual` : `${normal === 2 ? `Both ${unit}s${which}` : `All ${all}`} were normal`;
    return `${were}${changedText(hidden, normal, 'with', words)}.${more}`;
  }
  if (explained.length === 0 && told === 1 && more === '') return '';
  const why = changedText(explained, unusual, 'because of', words);
  return `Of ${all}, ${unusual} ${unusual === 1 ? 'was' : 'were'} unusual${why}.${more}`;
}

/** One sentence: what is expected of a row that is not over, with its bounds, and what is counted of it. */
function forecastSentence(own: JudgedLine, words: Words): string {
  const { year } = words.grammar;
  const { from, to } = daysOf(own, words);
  const { expected, low, high, since } = own.cell;
  const unit = unitOf(own.metric, words.currency) ?? '';
  const value = own.line.values[own.metric] ?? null;
  const counted = value === null ? '' : `; ${valueText(value, unit)} up to ${dateText(words.countedTo, year)}`;
  const subject = capital(subjectText(own.metric, words.placeOf(own.line, own.metric), words.grammar));
  const usual = since === undefined ? '' : `, ${usualLevel(since, year)}`;
  return `${subject} ${rangeText(from, to, year)}: ${valueText(expected, unit)} expected (${pairText(low, high, unit)})${usual}${counted}.`;
}

/** The values of lines with what was expected of each. */
const valuesOf = (lines: readonly QueryLine[], query: MetricQuery) =>
  lines.flatMap((line) =>
    askedOf(query).flatMap((metric): JudgedLine[] => (line.expected?.[metric] ? [{ metric, line, cell: line.expected[metric] }] : [])),
  );

const isAhead = ({ cell }: JudgedLine) => cell.verdict === 'forecast';

/** Days to come, a sentence for each metric and selection: of several rows their sum, which `whole` holds. */
export function forecastSentences(lines: readonly QueryLine[], whole: readonly QueryLine[], words: Words): string[] {
  const { query } = words;
  const ahead = valuesOf(lines, query).filter(isAhead);
  const sums = valuesOf(whole, query).filter(isAhead);
  const groupOf = ({ metric, line }: JudgedLine) => `${metric} ${keyOf(line.selection)}`;
  return [...grouped(ahead, groupOf)].flatMap(([group, [row, ...more]]) => {
    const own = more.length > 0 ? sums.find((sum) => groupOf(sum) === group) : row;
    return own ? [forecastSentence(own, words)] : [];
  });
}

/** Of less than this part of what there was, the scatter is not known. */
const LEAST_LEFT = 0.1;
/** Chance that one of all rows lies beyond the size of a change by chance alone. */
const BEYOND = 0.05;

/** The changes that lie in a row, which it was not learned from. */
const changesIn = ({ metric, cell: { news = [] } }: JudgedLine) => news.filter((told) => isChangeOf(told, metric));

/** Normal rows of several days with a change that no unusual row shows. */
function hiddenIn(judged: readonly JudgedLine[], words: Words): JudgedLine[] {
  const shown = new Set(judged.filter(isClear).flatMap(changesIn));
  const isLong = ({ from, to }: ReturnType<typeof daysOf>) => from !== to;
  const isHidden = (own: JudgedLine) => isLong(daysOf(own, words)) && changesIn(own).some((told) => !shown.has(told));
  return judged.filter((own) => !isClear(own) && isHidden(own));
}

/** The part of the days of a row on which a change is. */
function partOn({ change }: SiteChange, { from, to }: ReturnType<typeof daysOf>): number {
  const [first, last] = [change.from > from ? change.from : from, change.to !== undefined && change.to < to ? change.to : to];
  return Math.max(0, daysFrom(first, last) + 1) / (daysFrom(from, to) + 1);
}

/** A smaller part of how far a row lies from what was expected is no reason for it. */
const LEAST_PART = 0.25;

/** Whether changes explain why a row is not what was expected: they make a part of it, and the row lies not far beyond their size. */
function isExplained(own: JudgedLine, rows: number, words: Words): boolean {
  const { low, high, expected } = own.cell;
  const distance = distanceOf(own);
  const along = changesIn(own).filter(({ change }) => change.relative * distance > 0);
  const left = along.reduce((share, told) => share * (1 + partOn(told, daysOf(own, words)) * told.change.relative), 1);
  const bound = ((distance < 0 ? low : high) ?? 0) / (expected || 1);
  // On the scale of square roots few orders scatter alike; of many rows some lie beyond their own bounds.
  const reach = scoreOfTail(Math.log(BEYOND / rows)) / Z_95 / Math.sqrt(Math.max(LEAST_LEFT, Math.min(1, left)));
  const wider = Math.max(0, 1 + reach * (Math.sqrt(bound) - 1)) ** 2;
  return Math.log(left) / Math.log1p(distance) >= LEAST_PART && (left * wider - (1 + distance)) * distance >= 0;
}

/** The findings of a table with expectations, and its sentences in order. */
export interface ExpectedTold {
  readonly facts: readonly Facts[];
  readonly lead: readonly Said[];
  readonly details: readonly string[];
}

/** Tells which rows are not what was expected: of ranges that were asked for the farthest, of rows of time how many. */
export function tellExpected(lines: readonly QueryLine[], words: Words): ExpectedTold {
  const { query, grammar } = words;
  const all = valuesOf(lines, query);
  if (all.length > 0 && all.every(({ cell }) => cell.verdict === 'not enough data' && cell.expected === null))
    return { facts: [], lead: ['Nothing can be expected: too few of the days just before the range have data.'], details: [] };
  const past = all.filter((own) => !isAhead(own));
  const judged = past.filter((own) => own.cell.verdict === 'normal' || isClear(own));
  // Of what was asked as one row a reader wants to know how it was, normal or not.
  const isOneRow = query.breakdown.length === 0 || judged.length === 1;
  // A range that was asked for is told whatever explains it, of days and weeks those that nothing explains.
  const isAsked = isOneRow || timeUnitOf(query.breakdown) === undefined;
  const clear = judged.filter(isClear);
  const asChange = new Set(judged.filter((own) => isListed(own, words)));
  const isOfChange = (own: JudgedLine) => asChange.has(own) || (!isAsked && isExplained(own, judged.length, words));
  const explained = clear.filter(isOfChange);
  const isTold = (own: JudgedLine) => !asChange.has(own) && !explained.includes(own);
  const told = (isOneRow ? judged : clear).filter(isTold).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const facts = told.map((own) => factsOf(own, words));
  const sentences = facts.map((each) => [worded(each, grammar).sentence]);
  const count = isOneRow || judged.length === 0 ? '' : countSentence(judged, past.length, told.length, explained, words);
  const lead = (isAsked ? [...sentences, count] : [count, ...sentences]).filter((said) => said !== '');
  return { facts, lead: lead.slice(0, isAsked && !isOneRow ? 1 : MOST_NAMED + 1), details: [] };
}

/** Special days among some, by their names, and what they did last year; empty where there are none. */
export function specialNote(labels: readonly string[], { specialDays, of }: KnownDays): string {
  const nameOf = (day = '') => specialDays(day)?.name ?? '';
  const runs = runsOf(labels.filter(nameOf), ([first], day) => nameOf(first) === nameOf(day));
  if (runs.length === 0) return '';
  const texts = runs.slice(0, MOST_OCCASIONS).map((days) => {
    const effects = days.flatMap((day) => of('visits', day).special?.mean || []);
    const [first = ''] = days;
    const known = effects.length === 0 ? '' : ` (visits ${effectText(effects)} last year)`;
    return `${nameOf(first)} ${rangeText(first, days.at(-1) ?? first, first.slice(0, 4))}${known}`;
  });
  const more = runs.length > texts.length ? ` and ${runs.length - texts.length} more` : '';
  return `Special days: ${listed(texts)}${more}.`;
}
