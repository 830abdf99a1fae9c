import { formatMoney, formatNumber, formatPercent } from '../../../lib/number-text.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { definitionOf, nameOf } from '../metric-definitions.ts';
import type { MetricQuery } from '../read/metric-query.ts';
import { timeUnitOf } from '../read/metric-query.ts';
import type { ExpectedCell, QueryLine } from '../read/query-table.ts';

/** Rows that a sentence names. */
const MOST_NAMED = 3;

function valueText(metric: string, value: number | null): string {
  const unit = definitionOf(metric)?.unit;
  if (unit === '%') return formatPercent(value, { digits: 2 });
  return unit === 'currency' ? formatMoney(value, { group: true }) : formatNumber(value, { group: true });
}

/** One value of the table with what was to be expected of it. */
interface Judged {
  readonly metric: string;
  readonly line: QueryLine;
  readonly cell: ExpectedCell;
}

const isClear = ({ cell }: Judged) => cell.verdict === 'high' || cell.verdict === 'low';

function boundsText({ metric, cell: { expected, low, high } }: Judged): string {
  return `${valueText(metric, expected)} (95%: ${valueText(metric, low)} to ${valueText(metric, high)})`;
}

/** `20.3% below what was to be expected`. */
function distanceOf({ metric, line, cell: { expected } }: Judged): number {
  const value = line.values[metric];
  return typeof value === 'number' && expected ? value / expected - 1 : 0;
}

/** What a row is called in a sentence: its day, week or month, and what else it is of where rows differ in that. */
function rowName({ line: { interval, selection } }: Judged, query: MetricQuery, isAlone: boolean): string {
  const unit = timeUnitOf(query.breakdown);
  const time = unit === undefined ? 'the range' : unit === 'week' ? `the week of ${interval.label ?? ''}` : (interval.label ?? '');
  return isAlone || selection.device === 'all' ? time : `${time} (${selection.device})`;
}

/** One row that was judged: `Visits in the week of 2026-11-02 are low: 21,000, where 27,000 (95%: 25,100 to 28,900) were to be expected.` */
function singleSentence(own: Judged, query: MetricQuery): string {
  const { metric, line, cell } = own;
  const where = `${nameOf(metric)}, ${rowName(own, query, true)}:`;
  if (cell.verdict === 'forecast') return `${where} forecast ${boundsText(own)}.`;
  const value = valueText(metric, line.values[metric] ?? null);
  if (cell.verdict === 'ordinary') return `${where} ordinary, ${value} where ${boundsText(own)} was to be expected.`;
  return `${where} ${cell.verdict}, ${value} where ${boundsText(own)} was to be expected.`;
}

function severalSentence(judged: readonly Judged[], query: MetricQuery, metrics: number): string {
  const clear = judged.filter(isClear).toSorted((a, b) => Math.abs(distanceOf(b)) - Math.abs(distanceOf(a)));
  const unit = timeUnitOf(query.breakdown) ?? 'row';
  const what = metrics === 1 ? `${judged.length} ${unit}s` : `${judged.length} values`;
  if (clear.length === 0) return `All ${what} are ordinary: none lies further from what was to be expected than chance explains.`;
  const named = clear.slice(0, MOST_NAMED).map((own) => {
    const of = metrics === 1 ? '' : `${nameOf(own.metric)}, `;
    return `${of}${rowName(own, query, false)} ${formatPercent(100 * distanceOf(own), { sign: true, digits: 1 })}`;
  });
  const more = clear.length > MOST_NAMED ? ` and ${clear.length - MOST_NAMED} more` : '';
  return `${clear.length} of ${what} ${clear.length === 1 ? 'is' : 'are'} not ordinary, against what was to be expected: ${named.join(', ')}${more}.`;
}

function forecastSentence(ahead: readonly Judged[], query: MetricQuery): string {
  const [first] = ahead;
  const last = ahead.at(-1);
  if (!first || !last) return '';
  if (ahead.length === 1) return singleSentence(first, query);
  return (
    `Forecast of ${ahead.length} rows: ${nameOf(first.metric)}, ${rowName(first, query, false)} ${boundsText(first)} … ` +
    `${rowName(last, query, false)} ${boundsText(last)}.`
  );
}

/** What was to be expected in a sentence or two: the rows that are not ordinary, and the forecast. */
export function expectedAnswer(query: MetricQuery, lines: readonly QueryLine[]): string {
  const metrics = query.metrics.filter((metric) => !query.bases.includes(metric));
  const all = metrics.flatMap((metric) =>
    lines.flatMap((line): Judged[] => (line.expected?.[metric] ? [{ metric, line, cell: line.expected[metric] }] : [])),
  );
  const judged = all.filter(({ cell }) => cell.verdict === 'ordinary' || cell.verdict === 'high' || cell.verdict === 'low');
  const [first] = judged;
  const ahead = all.filter(({ cell, metric }) => cell.verdict === 'forecast' && metric === metrics[0]);
  const sentences = [
    first && (judged.length === 1 ? singleSentence(first, query) : severalSentence(judged, query, metrics.length)),
    forecastSentence(ahead, query),
    all.length > 0 && all.every(({ cell }) => cell.verdict === 'too young')
      ? 'Too young to judge: fewer than 21 days before the range are known, so nothing can be expected of it.'
      : '',
  ];
  return sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
}

/** Special days among some, and what they did last year; empty where there are none. */
export function specialNote(labels: readonly string[], known: KnownDays): string {
  const named = labels.flatMap((label) => {
    const day = known.specialDays(label);
    if (!day) return [];
    const mean = known.of('visits', label, true).special?.mean ?? 0;
    const effect =
      mean === 0
        ? 'not known from last year, so the bounds are wide'
        : `visits ${formatPercent(100 * Math.expm1(mean), { sign: true, digits: 0 })} last year`;
    return [`${label} ${day.name} (${effect})`];
  });
  if (named.length === 0) return '';
  const more = named.length > MOST_NAMED + 2 ? ` and ${named.length - MOST_NAMED - 2} more days` : '';
  return `Special days, of which last year says what to expect: ${named.slice(0, MOST_NAMED + 2).join('; ')}${more}.`;
}
