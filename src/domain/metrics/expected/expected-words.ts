import { todayIn } from '../../../lib/dates.ts';
import { formatMoney, formatNumber, formatPercent } from '../../../lib/number-text.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { definitionOf, nameOf } from '../metric-definitions.ts';
import type { ExpectedCell } from '../read/expected-columns.ts';
import { type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import type { QueryLine } from '../read/query-table.ts';

/** Rows that a sentence names, and special days. */
const MOST_NAMED = 3;
const MOST_OCCASIONS = 6;

/** The settings of sentences beside the rows. */
interface Words {
  readonly query: MetricQuery;
  readonly timeZone: string;
  readonly currency: string | undefined;
  /** Up to when a row is counted whose other days lie ahead. */
  readonly countedTo?: string;
}

function valueText(metric: string, value: number | null, { currency }: Words): string {
  const unit = definitionOf(metric)?.unit;
  if (unit === '%') return formatPercent(value, { digits: 2 });
  return unit === 'currency'
    ? `${formatMoney(value, { group: true })}${currency === undefined ? '' : ` ${currency}`}`
    : formatNumber(value, { group: true });
}

/** One value of the table with what was to be expected of it. */
interface JudgedLine {
  readonly metric: string;
  readonly line: QueryLine;
  readonly cell: ExpectedCell;
}

const isClear = ({ cell }: JudgedLine) => cell.verdict === 'high' || cell.verdict === 'low';

function boundsText({ metric, cell: { expected, low, high } }: JudgedLine, words: Words): string {
  const [least, most] = [low, high].map((value) => valueText(metric, value, { ...words, currency: undefined }));
  return `${valueText(metric, expected, words)} (95%: ${least ?? ''} to ${most ?? ''})`;
}

/** −0.2 for a fifth less than was to be expected. */
function distanceOf({ metric, line, cell: { expected } }: JudgedLine): number {
  const value = line.values[metric];
  return typeof value === 'number' && expected ? value / expected - 1 : 0;
}

/** The name of a row in a list: its day, week, month or range, and its device where rows differ in that. */
function rowName({ line: { interval: own, selection } }: JudgedLine, { query, timeZone }: Words, isOfMany = false): string {
  // What was counted of a range is only its part that is over.
  const interval = own.label === undefined ? { ...query.interval, label: undefined } : own;
  const [first, last] = [todayIn(timeZone, interval.startMs), todayIn(timeZone, interval.endMs)];
  const time = interval.label ?? (first === last ? first : `${first} … ${last}`);
  if (isOfMany && interval.label === undefined) return selection.device === 'all' ? 'all devices' : selection.device;
  return selection.device === 'all' ? time : `${time} (${selection.device})`;
}

/** The same with what stands before it in a sentence: `in the week of 2026-11-02`. */
function placed(own: JudgedLine, words: Words): string {
  const unit = timeUnitOf(words.query.breakdown);
  const name = rowName(own, words);
  if (unit === 'week') return `in the week of ${name}`;
  if (unit === undefined && name.includes(' … ')) return `from ${name.replace(' … ', ' to ')}`;
  return unit === undefined || unit === 'day' ? `on ${name}` : `in ${name}`;
}

/** One row: `Visits in the week of 2026-11-02: low, 21,000 where 27,000 (95%: 25,100 to 28,900) was to be expected.` */
function singleSentence(own: JudgedLine, words: Words): string {
  const { metric, line, cell } = own;
  const where = `${nameOf(metric)} ${placed(own, words)}:`;
  const counted = line.values[metric] ?? null;
  const value = valueText(metric, counted, words);
  const soFar = counted === null || words.countedTo === undefined ? '' : ` ${value} up to ${words.countedTo},`;
  if (cell.verdict === 'forecast') return `${where}${soFar} forecast ${boundsText(own, words)}.`;
  const told = `${value} where ${boundsText(own, words)} was to be expected`;
  return isFar(own) ? `${where} ${told}: ordinary only because these bounds are so wide.` : `${where} ${cell.verdict}, ${told}.`;
}

/** Beyond this factor of what was to be expected a row is far from it, whatever its bounds. */
const FAR = 1.5;

/** Whether an ordinary row lies so far from what was to be expected that only wide bounds make it one. */
function isFar(own: JudgedLine): boolean {
  return own.cell.verdict === 'ordinary' && Math.abs(Math.log(Math.max(1e-9, 1 + distanceOf(own)))) >= Math.log(FAR);
}

/** Whether a row lies outside its own bounds at 95 %, as some of many ordinary ones do. */
function isOutside({ metric, line, cell: { low, high } }: JudgedLine): boolean {
  const value = line.values[metric];
  return typeof value === 'number' && typeof low === 'number' && typeof high === 'number' && (value < low || value > high);
}

/** Of each metric the row farthest from what was to be expected; says `farthest` where others are left out, nothing where none is far. */
function farRows(judged: readonly JudgedLine[], words: Words, metrics: number): string {
  const sizeOf = (own: JudgedLine) => Math.abs(Math.log(Math.max(1e-9, 1 + distanceOf(own))));
  const farthest = new Map<string, JudgedLine>();
  for (const own of judged.filter(isFar).toSorted((a, b) => sizeOf(b) - sizeOf(a)))
    if (!farthest.has(own.metric)) farthest.set(own.metric, own);
  const named = [...farthest.values()].slice(0, MOST_NAMED);
  if (named.length === 0) return '';
  const rows = named.map((own) => {
    const of = metrics === 1 ? '' : `${nameOf(own.metric)}, `;
    const value = valueText(own.metric, own.line.values[own.metric] ?? null, words);
    return `${of}${rowName(own, words, true)} with ${value} where ${boundsText(own, words)} was to be expected`;
  });
  return `${judged.length > named.length ? 'farthest ' : ''}${rows.join('; ')}`;
}

/** `2 of 28 lie outside their own 95% bounds`; empty where none does: of many ordinary rows some do. */
function outsideWords(judged: readonly JudgedLine[], others = ''): string {
  const outside = judged.filter(isOutside).length;
  if (outside === 0) return '';
  const which = outside === 1 ? 'lies outside its' : 'lie outside their';
  const some = judged.length === 1 && others !== '' ? `${others}one` : `${outside} of ${others}${judged.length}`;
  return `${some} ${which} own 95% bounds`;
}

function severalSentence(judged: readonly JudgedLine[], words: Words, metrics: number): string {
  const clear = judged.filter(isClear).toSorted((a, b) => Math.abs(distanceOf(b)) - Math.abs(distanceOf(a)));
  const unit = timeUnitOf(words.query.breakdown) ?? 'row';
  const what = metrics === 1 ? `${judged.length} ${unit}s` : `${judged.length} values`;
  if (clear.length === 0) {
    const all = judged.length === 2 ? what.replace('2', 'Both') : `All ${what}`;
    const beyond = farRows(judged.filter(isOutside), words, metrics);
    const outside = outsideWords(judged);
    if (beyond !== '') return `${all} together are ordinary, but ${outside}: ${beyond}.`;
    const far = judged.filter(isFar);
    const wide = farRows(far, words, metrics);
    const which = far.length === judged.length ? 'but' : `${far.length} of them`;
    if (wide !== '') return `${all} count as ordinary, ${which} only because the bounds are so wide: ${wide}.`;
    const though = outside === '' ? '' : `, though ${outside}`;
    return `${all} are ordinary: none lies further from what was to be expected than chance explains${though}.`;
  }
  const named = clear.slice(0, MOST_NAMED).map((own) => {
    const of = metrics === 1 ? '' : `${nameOf(own.metric)}, `;
    return `${of}${rowName(own, words, true)} ${formatPercent(100 * distanceOf(own), { sign: true, digits: 1 })}`;
  });
  const more = clear.length > MOST_NAMED ? ` and ${clear.length - MOST_NAMED} more` : '';
  const are = clear.length === 1 ? 'is' : 'are';
  const outside = outsideWords(
    judged.filter((own) => !isClear(own)),
    'the other ',
  );
  const rest = outside === '' ? '' : `; ${outside}`;
  return `${clear.length} of ${what} ${are} not ordinary, against what was to be expected: ${named.join(', ')}${more}${rest}.`;
}

function forecastSentence(ahead: readonly JudgedLine[], words: Words): string {
  const [first] = ahead;
  const last = ahead.at(-1);
  if (!first || !last) return '';
  if (ahead.length === 1) return singleSentence(first, words);
  const [from, to] = [boundsText(first, words), boundsText(last, words)];
  const between = ahead.length > 2 ? '…, ' : '';
  return `Forecast of ${nameOf(first.metric).toLowerCase()}: ${rowName(first, words)} ${from}, ${between}${rowName(last, words)} ${to}.`;
}

/** The expectation in a sentence or two: the rows that are not ordinary, and the forecast. */
export function expectedAnswer(lines: readonly QueryLine[], words: Words): string {
  const { query } = words;
  const metrics = query.metrics.filter((metric) => !query.bases.includes(metric));
  const all = metrics.flatMap((metric) =>
    lines.flatMap((line): JudgedLine[] => (line.expected?.[metric] ? [{ metric, line, cell: line.expected[metric] }] : [])),
  );
  const judged = all.filter(({ cell }) => cell.verdict === 'ordinary' || cell.verdict === 'high' || cell.verdict === 'low');
  const [first] = judged;
  const forecasts = all.filter(({ cell }) => cell.verdict === 'forecast');
  const ahead = forecasts.filter(({ metric }) => metric === forecasts[0]?.metric);
  const sentences = [
    first && (judged.length === 1 ? singleSentence(first, words) : severalSentence(judged, words, metrics.length)),
    forecastSentence(ahead, words),
    all.length > 0 && all.every(({ cell }) => cell.verdict === 'too young')
      ? 'Nothing can be said of what was to be expected: fewer than 21 days before the range are known.'
      : '',
  ];
  return sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
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
    const effect = known.of('visits', label, true).special?.mean ?? 0;
    const last = occasions.at(-1);
    const own = last?.name === day.name ? last : { name: day.name, days: [], effects: [] };
    if (own !== last) occasions.push(own);
    own.days.push(label);
    if (effect !== 0) own.effects.push(100 * Math.expm1(effect));
  }
  return occasions;
}

/** `2026-11-27 Black Friday (visits +80% to +110% last year)`; without brackets where last year is not known. */
function occasionWords({ name, days, effects }: Occasion): string {
  const [least, most] = [Math.min(...effects), Math.max(...effects)].map((effect) => formatPercent(effect, { sign: true, digits: 0 }));
  const range = least === most ? most : `${least} to ${most}`;
  const known = effects.length === 0 ? '' : ` (visits ${range} last year)`;
  return `${days.length === 1 ? days[0] : `${days[0]} to ${days.at(-1)}`} ${name}${known}`;
}

/** Special days among some, and what they did last year; empty where there are none. */
export function specialNote(labels: readonly string[], known: KnownDays): string {
  const occasions = occasionsOf(labels, known);
  if (occasions.length === 0) return '';
  const named = occasions.slice(0, MOST_OCCASIONS);
  const more = occasions.length > named.length ? ` and ${occasions.length - named.length} more` : '';
  const [seen, unseen] = [true, false].map((isSeen) => named.filter(({ effects }) => effects.length > 0 === isSeen).map(occasionWords));
  const parts = [
    ...(seen && seen.length > 0 ? [seen.join('; ')] : []),
    ...(unseen && unseen.length > 0 ? [`with wide bounds, because last year is not known: ${unseen.join('; ')}`] : []),
  ];
  return `Special days: ${parts.join('; ')}${more}.`;
}
