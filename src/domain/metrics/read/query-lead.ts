import type { FindingPlace } from '../../../findings/finding.ts';
import { type Grammar, subjectText } from '../../../findings/sentence.ts';
import { dateText, listed, rangeText, valueText } from '../../../findings/wording.ts';
import { capital } from '../../../lib/sentences.ts';
import { ALL_VISITORS } from '../../names/match-name.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { OTHER_DEVICE } from './metric-grid.ts';
import { askedOf, isOfDays, type MetricQuery, timeUnitOf } from './metric-query.ts';
import { COMMERCE_GOAL, PART_MARK, type QueryTable, TOTAL } from './query-table.ts';

/** Metrics whose values a first sentence holds; the table has all. */
const MOST_METRICS = 3;
/** Names of rows that hold the others, or what is left of these, and of filters that narrow nothing. */
const UNTOLD: ReadonlySet<unknown> = new Set(['all', ALL_VISITORS, COMMERCE_GOAL, OTHER_DEVICE]);
const QUOTED: ReadonlySet<string> = new Set(['segment', 'goal', 'zone', 'within']);

/** A time or a place of the table as people write it: `12 Sept`, `the week of 7 Sept`, `Nov 2025`, `mobile`, `"Germany"`. */
function namePart(column: string, cell: string, year: string): string {
  if (QUOTED.has(column)) return `"${cell}"`;
  if (column === 'month') return dateText(`${cell}-01`, '').replace(/^1 /, '');
  if (column === 'week') return `the week of ${dateText(cell, year)}`;
  return /^\d{4}-\d\d-\d\d/.test(cell) ? dateText(cell, year) : cell;
}

/** A query beside its table, and how it is put into words. */
interface LeadScene {
  readonly query: Pick<MetricQuery, 'metrics' | 'bases' | 'breakdown' | 'order' | 'limit'>;
  /** First and last day of the range. */
  readonly from: string;
  readonly to: string;
  readonly grammar: Grammar;
}

/** A value with its metric in the middle of a sentence: `25,751 visits`, `conversion rate 2.41%`. */
function figureText(metric: string, name: string, value: unknown, units: QueryTable['units']): string {
  const text = valueText(typeof value === 'number' ? value : null, units[metric] ?? '');
  return isCount(metric) && definitionOf(metric)?.unit !== 'currency' ? `${text} ${name}` : `${name} ${text}`;
}

type TableRow = QueryTable['rows'][number];

/** The rows with the most and the least of a metric, of as many as a limit left; empty of fewer than two that it left whole. */
function endsText(
  metric: string,
  subject: string,
  { columns, rows, units }: QueryTable,
  names: readonly string[],
  { query, grammar }: LeadScene,
): string {
  const at = columns.indexOf(metric);
  const hasName = (row: TableRow, isOf: (cell: unknown) => boolean) => row.slice(0, names.length).some(isOf);
  const isPart = (cell: unknown) => String(cell).endsWith(PART_MARK);
  const valued = rows.filter((row) => typeof row[at] === 'number' && !hasName(row, (cell) => cell === TOTAL));
  const parts = valued.filter((row) => !hasName(row, (cell) => UNTOLD.has(cell)));
  const all = (parts.length > 1 ? parts : valued).toSorted((a, b) => Number(b[at]) - Number(a[at]));
  const ranked = all.filter((row) => !hasName(row, isPart));
  const isCut = isLimited(query, valued.length);
  if (ranked.length < (isCut ? 1 : 2)) return '';
  const shown = (row: TableRow = []) => {
    const own = names.flatMap((name, column) =>
      name === 'zoneId' || UNTOLD.has(row[column]) ? [] : [namePart(name, String(row[column]).replace(PART_MARK, ''), grammar.year)],
    );
    const share = row[columns.indexOf(`${metric}Share`)];
    const part = hasName(row, isPart) ? ' in part of it' : '';
    const ofAll = typeof share === 'number' ? `, ${valueText(share, '%')} of all` : '';
    return `${own.join(', ') || String(row[0])} (${valueText(Number(row[at]), units[metric] ?? '')}${part}${ofAll})`;
  };
  // A part of a time may hold the most of what adds up, and never says what is least.
  const highest = isCount(metric) ? all[0] : ranked[0];
  const { isPlural } = grammar.nounOf(metric);
  const valueOf = (row: TableRow | undefined) => Number(row?.[at]);
  // The least of several rows is that of none of them.
  const [isTied, isShared] = [valueOf(highest) === valueOf(ranked.at(-1)), valueOf(ranked.at(-1)) === valueOf(ranked.at(-2))];
  if (isTied && ranked.length > 1) return '';
  const [most, least] = isPlural ? ['Most', 'Fewest'] : ['Highest', 'Lowest'];
  const [top, bottom] = [`${most} ${subject}: ${shown(highest)}`, shown(ranked.at(-1))];
  if (!isCut && !isShared) return `${top}; ${least.toLowerCase()}: ${bottom}.`;
  return query.order?.smallestFirst ? `${least} ${subject}: ${bottom}.` : `${top}.`;
}

/** Whether a limit kept the first rows, the last of which is no extreme. */
const isLimited = ({ limit }: Pick<MetricQuery, 'limit'>, rows: number) => limit !== undefined && rows >= limit;

/**
 * The sentences that answer a query without a verdict: its figures where it has one row, else the sum of what adds up over time, and which
 * rows have the most and the least of each metric. Empty where no row has a value.
 */
export function leadOf(table: QueryTable, scene: LeadScene): string {
  const { columns, rows, units, filters = {} } = table;
  const { query, from, to, grammar } = scene;
  const asked = askedOf(query);
  const names = columns.slice(
    0,
    columns.findIndex((column) => column in units),
  );
  const told = Object.entries(filters).filter(([name, value]) => name !== 'zoneId' && !UNTOLD.has(value));
  const place: FindingPlace = Object.fromEntries(told.map(([name, value]) => [name === 'within' ? 'segment' : name, value]));
  const when = rangeText(from, to, grammar.year);
  const valueOf = (metric: string) => rows[0]?.[columns.indexOf(metric)];
  if (names.length === 0) {
    const [first, ...more] = asked.filter((metric) => typeof valueOf(metric) === 'number').slice(0, MOST_METRICS);
    if (first === undefined) return '';
    const beside = more.map((metric) => figureText(metric, grammar.nounOf(metric).name, valueOf(metric), units));
    return `${capital(listed([figureText(first, subjectText(first, place, grammar), valueOf(first), units), ...beside]))} ${when}.`;
  }
  const unit = timeUnitOf(query.breakdown);
  // Rows in the order of one metric are no rank of the others.
  const ranks = query.order ? [query.order.metric] : asked.slice(0, MOST_METRICS);
  const sentences = ranks.map((metric, rank) => {
    const subject = subjectText(metric, place, grammar);
    // Weekdays of ranges that hold one of them more often are no rank of counts.
    if (isOfDays(unit) && isCount(metric)) return '';
    const isSummed = rank === 0 && unit !== undefined && names.length === 1 && !isLimited(query, rows.length) && isCount(metric);
    const ends = endsText(metric, isSummed || rank > 0 ? subject : `${subject} ${when}`, table, names, scene);
    if (ends === '' || !isSummed) return ends;
    const at = columns.indexOf(metric);
    const sum = rows.reduce((all, row) => all + (row[0] === TOTAL ? 0 : Number(row[at] ?? 0)), 0);
    return `${capital(figureText(metric, subject, sum, units))} ${when}. ${ends}`;
  });
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
