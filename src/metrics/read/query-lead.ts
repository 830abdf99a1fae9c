import type { FindingPlace } from '../../findings/finding.ts';
import { type Grammar, subjectText } from '../../findings/sentence.ts';
import { dateText, listed, rangeText, valueText } from '../../findings/wording.ts';
import { capital } from '../../lib/sentences.ts';
import { ALL_VISITORS } from '../../names/match-name.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { OTHER_DEVICE } from './metric-grid.ts';
import { askedOf, isOfDays, type MetricQuery, timeUnitOf } from './metric-query.ts';
import { COMMERCE_GOAL, PART_MARK, type QueryTable, TOTAL } from './query-table.ts';
import { baseOf, countScores, type Ends, endsOf, UNCOUNTED } from './row-ends.ts';

/** Metrics whose values a first sentence holds; the table has all. */
const MOST_METRICS = 3;
/** Names of rows that hold the others, or what is left of these, and of filters that narrow nothing. */
const UNTOLD: ReadonlySet<unknown> = new Set(['all', ALL_VISITORS, COMMERCE_GOAL, OTHER_DEVICE]);
const QUOTED: ReadonlySet<string> = new Set(['segment', 'goal', 'zone', 'within']);

/** A time or a place of the table as people write it: `12 Sept`, `the week of 7 Sept`, `Nov 2025`, `mobile`, `"Germany"`. */
function namePart(column: string, cell: string, year: string, isOneDay: boolean): string {
  if (QUOTED.has(column)) return `"${cell}"`;
  if (column === 'month') return dateText(`${cell}-01`, '').replace(/^1 /, '');
  // The day of its hours is that of the whole sentence.
  if (column === 'hour' && isOneDay) return dateText(cell, year).replace(/^[^,]*, /, '');
  if (column === 'week') return `the week of ${dateText(cell, year)}`;
  return /^\d{4}-\d\d-\d\d/.test(cell) ? dateText(cell, year) : cell.replace(/^(\d{4})-(Q\d)$/, '$2 $1');
}

/** A query beside its table, and how it is put into words. */
interface LeadScene {
  readonly query: Pick<MetricQuery, 'metrics' | 'bases' | 'breakdown' | 'order' | 'limit'>;
  /** First and last day of the range. */
  readonly from: string;
  readonly to: string;
  /** These days are not over. */
  readonly isOpen?: boolean;
  /** The rows are seen as a picture, of which their sum says nothing. */
  readonly isDrawn?: boolean | undefined;
  readonly grammar: Grammar;
}

/** A value with its metric in the middle of a sentence: `25,751 visits`, `conversion rate 2.41%`. */
function figureText(metric: string, name: string, value: unknown, units: QueryTable['units']): string {
  const text = valueText(typeof value === 'number' ? value : null, units[metric] ?? '');
  return isCount(metric) && definitionOf(metric)?.unit !== 'currency' ? `${text} ${name}` : `${name} ${text}`;
}

/** How often chance alone may make an end of a table. */
const LEVEL = 0.05;

/** The rows with a value of a metric, those of a whole only where there are no parts; `rest` is on no device that has a name. */
function valuedRows(metric: string, { columns, rows }: QueryTable, names: readonly string[]) {
  const valued = rows.flatMap((cells) => {
    const own = cells.slice(0, names.length);
    const cellOf = (name: string) => cells[columns.indexOf(name)];
    const value = cellOf(metric);
    if (typeof value !== 'number' || own.includes(TOTAL)) return [];
    const isPart = own.some((cell) => String(cell).endsWith(PART_MARK));
    return [{ own, value, base: baseOf(metric, cellOf), share: cellOf(`${metric}Share`), isPart }];
  });
  const parts = valued.filter(({ own }) => !own.some((cell) => UNTOLD.has(cell)));
  return parts.length > 1 ? { all: parts, rest: valued.filter(({ own }) => own.includes(OTHER_DEVICE)) } : { all: valued, rest: [] };
}

type ValuedRow = ReturnType<typeof valuedRows>['all'][number];

/** The rows with the most and the least of a metric by more than chance, of a limit's the first; empty of fewer than two. */
function endsText(metric: string, subject: string, table: QueryTable, names: readonly string[], scene: LeadScene): string {
  const { query, grammar, from, to } = scene;
  const { all, rest } = valuedRows(metric, table, names);
  const isCut = isLimited(query, all.length);
  // A part of a time may hold the most of what adds up, and says nothing else beside whole ones, nor what its few days average.
  const hasWhole = isCount(metric) || all.filter(({ isPart }) => !isPart).length > 1;
  const isHalf = ({ isPart, base }: ValuedRow) => isPart && hasWhole && base >= UNCOUNTED;
  const ranked = all.toSorted((a, b) => b.value - a.value).filter((row, at) => (at === 0 && isCount(metric)) || !isHalf(row));
  const [top, second] = ranked;
  const bottom = ranked.at(-1);
  if (!top || !bottom || !(isCut || second)) return '';
  const first = query.order?.smallestFirst ? { lowest: bottom } : { highest: top };
  const { highest, lowest }: Ends<ValuedRow> = isCut ? first : endsOf(ranked, countScores(metric), LEVEL);
  const figure = ({ value }: ValuedRow) => valueText(value, table.units[metric] ?? '');
  const shown = (row: ValuedRow) => {
    const told = names.flatMap((name, column) =>
      name === 'zoneId' || UNTOLD.has(row.own[column])
        ? []
        : [namePart(name, String(row.own[column]).replace(PART_MARK, ''), grammar.year, from === to)],
    );
    const ofAll = typeof row.share === 'number' ? `, ${valueText(row.share, '%')} of all` : '';
    return `${told.join(', ') || String(row.own[0])} (${figure(row)}${row.isPart ? ' in part of it' : ''}${ofAll})`;
  };
  // Why a row that lies beyond an end is none.
  const reasonOf = (row: ValuedRow) => {
    if (rest.includes(row)) return ' of the named devices';
    return isHalf(row) ? ` in a whole ${names[0] ?? ''}` : ' with enough visits to tell';
  };
  const [most, least] = grammar.nounOf(metric).isPlural ? ['most', 'fewest'] : ['highest', 'lowest'];
  const ends = [
    { word: most, end: highest, sign: 1 },
    { word: least, end: lowest, sign: -1 },
  ].flatMap(({ word, end, sign }) => {
    if (!end) return [];
    const beyond = [...rest, ...all].find(({ value }) => sign * (value - end.value) > 0);
    return [`${word}${end === (highest ?? lowest) ? ` ${subject}` : ''}${beyond ? reasonOf(beyond) : ''}: ${shown(end)}`];
  });
  if (ends.length > 0) return `${capital(ends.join('; '))}.`;
  const figures = new Set([bottom, top].map(figure));
  return top.value === second?.value ? '' : `${capital(subject)}: no significant difference (${[...figures].join(' to ')}).`;
}

/** Whether a limit kept the first rows, the last of which is no extreme. */
const isLimited = ({ limit }: Pick<MetricQuery, 'limit'>, rows: number) => limit !== undefined && rows >= limit;

/**
 * The sentences that answer a query without a verdict: its figures where it has one row, else the sum of what adds up over time, and which
 * rows have the most and the least of each metric. Empty where no row has a value.
 */
export function leadOf(table: QueryTable, scene: LeadScene): string {
  const { columns, rows, units, filters = {} } = table;
  const { query, from, to, isOpen = false, isDrawn = false, grammar } = scene;
  const asked = askedOf(query);
  const names = columns.slice(
    0,
    columns.findIndex((column) => column in units),
  );
  const told = Object.entries(filters).filter(([name, value]) => name !== 'zoneId' && !UNTOLD.has(value));
  const place: FindingPlace = Object.fromEntries(told.map(([name, value]) => [name === 'within' ? 'segment' : name, value]));
  const when = `${rangeText(from, to, grammar.year)}${isOpen ? ' so far' : ''}`;
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
    const isSummed =
      !isDrawn && rank === 0 && unit !== undefined && names.length === 1 && !isLimited(query, rows.length) && isCount(metric);
    const ends = endsText(metric, isSummed || rank > 0 ? subject : `${subject} ${when}`, table, names, scene);
    if (ends === '' || !isSummed) return ends;
    const at = columns.indexOf(metric);
    const sum = rows.reduce((all, row) => all + (row[0] === TOTAL ? 0 : Number(row[at] ?? 0)), 0);
    return `${capital(figureText(metric, subject, sum, units))} ${when}. ${ends}`;
  });
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
