import { definitionOf, nameOf } from '../domain/metrics/metric-definitions.ts';
import { OTHER_DEVICE } from '../domain/metrics/read/metric-grid.ts';
import { isAddable } from '../domain/metrics/read/metric-query.ts';
import { DAYS_COLUMN, PART_MARK, type QueryTable, TOTAL } from '../domain/metrics/read/query-table.ts';
import { ALL_VISITORS } from '../domain/names/match-name.ts';
import type { Interval } from '../lib/calendar.ts';
import { intervalIn, momentWords } from './charts/values.ts';
import { type BarsSpec, type ChartSpec, joined, type TrendSeries, type TrendSpec } from './spec.ts';
import { barsTitle, expectedTitle, type Line, trendTitle } from './table-titles.ts';

/** More lines or colours cannot be distinguished. */
const MAX_SERIES = 8;
/** More rows make a picture that cannot be read. */
const MAX_ROWS = 30;

/** A row's label as a time: that of a month or quarter is its first day, a mark of a part is dropped. */
function timeOf(text: string): string {
  const [date = '', hour = ''] = text.split(/[ T]/);
  const quarter = /^(\d{4})-Q([1-4])$/.exec(date);
  if (quarter) return `${quarter[1]}-${String(3 * Number(quarter[2]) - 2).padStart(2, '0')}-01`;
  // Where clocks are put back, the second hour stands at the place of the first; the table has both.
  if (/^\d{2}:/.test(hour)) return `${date}T${hour.slice(0, 5)}`;
  return date.length === 7 ? `${date}-01` : date;
}

/** Units whose rows are a course over time. */
const COURSES: ReadonlySet<string> = new Set(['hour', 'day', 'week', 'month', 'quarter']);

/** Only bars of these are sorted by value; devices have a fixed order. */
const RANKED: ReadonlySet<string> = new Set(['zone', 'segment', 'goal']);

const once = <T>(values: readonly T[]) => [...new Set(values)];

/** Up to this many metrics are drawn below each other: as lines over time, as bars, and as bars of more rows than `FEW_ROWS`. */
const MAX_METRICS = { time: 6, bars: 3, longBars: 1 };
const FEW_ROWS = 8;

/** Time zone of a table, and the range that it is of where that is known. */
export interface TableRange {
  readonly timeZone: string;
  readonly interval?: Interval;
  /** Columns of metrics that stand only beside others. */
  readonly undrawn?: readonly string[];
  /** Rows are in the order of a metric: a line through them would say nothing. */
  readonly isOrdered?: boolean;
}

interface DrawnCell {
  readonly labels: readonly string[];
  readonly value: number | null;
  /** The expected value, and its bounds at 95 %. */
  readonly expected: Readonly<Record<'expected' | 'low' | 'high', number | null>>;
  /** Whether the value is ordinary, where that was judged. */
  readonly verdict?: string;
}

/** The drawn part of a table: one metric, by all its other columns. */
interface Drawn {
  readonly metric: string;
  /** Names of the columns before the metrics. */
  readonly dimensions: readonly string[];
  readonly cells: readonly DrawnCell[];
  readonly unit: 'percent' | 'none';
  /** Range, zone, unit, filters and what is left out. */
  readonly about: readonly string[];
}

const numberOf = (cell: string | number | null | undefined) => (typeof cell === 'number' ? cell : null);

/** Units whose rows are made of days. */
const OF_DAYS: ReadonlySet<string> = new Set(['weekday', 'weekend']);

/** Of how many days each bar is the sum: `sums of 8 days each`. */
function sumsWords(rows: QueryTable['rows'], at: number): string {
  const days = rows.flatMap((row) => numberOf(row[at]) ?? []);
  const [least, most] = [Math.min(...days), Math.max(...days)];
  return days.length === 0 ? 'sums over the range' : `sums of ${least === most ? most : `${least} to ${most}`} days each`;
}

function drawnOf(
  { columns, rows, units, filters }: QueryTable,
  metric: string,
  shown: number,
  { timeZone, interval, undrawn = [] }: TableRange,
): Drawn {
  const metrics = Object.keys(units);
  const [firstMetric = ''] = metrics;
  const asked = metrics.filter((name) => name !== DAYS_COLUMN && !undrawn.includes(name)).length;
  const count = columns.indexOf(firstMetric);
  // That all devices are meant goes without saying, and a goal says nothing of visits.
  const isPerGoal = definitionOf(metric)?.perGoal ?? false;
  const chosen = Object.entries(filters ?? {}).filter(([name, value]) => value !== 'all' && (name !== 'goal' || isPerGoal));
  const filtered = chosen.map(([name, value]) => (value.endsWith(name) ? value : `${name} ${value}`));
  return {
    metric,
    dimensions: columns.slice(0, count),
    cells: rows.map((row) => {
      const at = (column: string) => numberOf(row[columns.indexOf(column)]);
      const placeOf = (part: string) => (columns.includes(part) ? part : `${metric}${part[0]?.toUpperCase()}${part.slice(1)}`);
      const named = (part: string) => at(placeOf(part));
      const verdict = row[columns.indexOf(placeOf('verdict'))];
      return {
        labels: row.slice(0, count).map((label) => String(label ?? '')),
        value: at(metric),
        expected: { expected: named('expected'), low: named('low'), high: named('high') },
        ...(typeof verdict === 'string' && { verdict }),
      };
    }),
    unit: units[metric] === '%' ? 'percent' : 'none',
    about: [
      ...(OF_DAYS.has(columns[0] ?? '') && isAddable(metric) ? [sumsWords(rows, columns.indexOf(DAYS_COLUMN))] : []),
      ...(interval ? [intervalIn(timeZone, interval), timeZone] : []),
      String(units[metric]),
      ...filtered,
      ...(asked > shown ? [`${shown === 1 ? 'the first' : `${shown}`} of ${asked} metrics`] : []),
    ],
  };
}

const sizeOf = ([, values]: Line) => [...values.values()].reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);
/** A line that reaches no more of the largest than this lies on the axis. */
const SMALL = 0.03;

/** The largest lines, without the whole among its parts, and what was left out in words. */
function chosenLines(lines: ReadonlyMap<string, ReadonlyMap<string, number | null>>) {
  const parts = [...lines].filter(([name]) => lines.size < 3 || (name !== 'all' && name !== ALL_VISITORS));
  const ordered = parts.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const largest = Math.max(0, ...ordered.map(sizeOf));
  const visible = ordered.filter((line) => lines.size < 2 || sizeOf(line) > SMALL * largest);
  const names = new Set(visible.slice(0, MAX_SERIES).map(([name]) => name));
  const shown = [...lines].filter(([name]) => names.has(name));
  const dropped = [...lines.keys()].filter((name) => !names.has(name));
  const left =
    dropped.length > 0 ? [`not drawn: ${dropped.length > 3 ? `${dropped.length} of ${lines.size} lines` : dropped.join(', ')}`] : [];
  return { shown, left };
}

/** The expected values as a line with bounds; empty where the table has none. */
function expectedLine(cells: readonly DrawnCell[]): TrendSeries[] {
  if (cells.every(({ expected }) => expected.expected === null)) return [];
  const valuesOf = (part: keyof DrawnCell['expected']) => cells.map(({ expected }) => expected[part]);
  return [{ name: 'expected', values: valuesOf('expected'), low: valuesOf('low'), high: valuesOf('high') }];
}

function trendOf({ metric, dimensions, cells, unit, about }: Drawn, { timeZone, interval }: TableRange): TrendSpec {
  const times = once(cells.map(({ labels }) => timeOf(labels[0] ?? '')));
  const lines = new Map<string, Map<string, number | null>>();
  for (const { labels, value } of cells) {
    const [label = '', ...others] = labels;
    const name = others.join(', ') || nameOf(metric);
    lines.set(name, (lines.get(name) ?? new Map<string, number | null>()).set(timeOf(label), value));
  }
  const { shown, left } = chosenLines(lines);
  const band = lines.size === 1 ? expectedLine(cells) : [];
  // A sum over a part looks like a fall.
  const parts = once(cells.flatMap(({ labels: [label = ''] }) => (label.endsWith(PART_MARK) ? [label.replace(PART_MARK, '')] : [])));
  const partial = parts.map(timeOf);
  const per = dimensions[0] ?? '';
  const judged = band.length > 0 ? cells.map(({ labels: [label = ''], ...cell }) => ({ ...cell, time: timeOf(label) })) : [];
  const found = expectedTitle({ metric, per }, judged);
  const words = partial.map((time) => momentWords(time, per)).join(' and ');
  const cut = parts.length > 0 ? [`hollow: a part of its ${per} only (${words})`] : [];
  return {
    kind: 'trend',
    title: found ?? trendTitle({ metric, unit, per }, shown, new Set(partial)),
    subtitle: [...about, ...(interval ? [] : [timeZone]), ...left, ...cut, ...(band.length > 0 ? ['band: expected at 95%'] : [])].join(
      ', ',
    ),
    unit,
    timeZone,
    times,
    ...(parts.length > 0 && { inPart: partial }),
    series: [...shown.map(([name, line]) => ({ name, values: times.map((time) => line.get(time) ?? null) })), ...band],
    events: [],
  };
}

/** Rows that hide how the others differ: the whole, and what belongs to no device. */
const BESIDE: ReadonlySet<string> = new Set(['all', ALL_VISITORS, OTHER_DEVICE]);

/** The parts alone, and what was left out in words; all cells where few would stay. */
function partsAlone(cells: readonly DrawnCell[]): { cells: readonly DrawnCell[]; left: readonly string[] } {
  const parts = cells.filter(({ labels }) => !labels.some((label) => BESIDE.has(label)));
  const dropped = once(cells.flatMap(({ labels }) => labels.filter((label) => BESIDE.has(label))));
  if (parts.length < 2 || dropped.length === 0) return { cells, left: [] };
  return { cells: parts, left: [`not drawn: ${dropped.join(', ')}`] };
}

/** The dimension of few values last, because its values are the colours. */
function turned({ dimensions, cells, ...rest }: Drawn): Drawn {
  const countOf = (place: number) => once(cells.map(({ labels }) => labels[place] ?? '')).length;
  const isTurned = dimensions.length === 2 && countOf(1) > MAX_SERIES && countOf(0) <= MAX_SERIES;
  if (!isTurned) return { dimensions, cells, ...rest };
  return { ...rest, dimensions: dimensions.toReversed(), cells: cells.map((cell) => ({ ...cell, labels: cell.labels.toReversed() })) };
}

/** Rows by all columns but the last, whose values are the colours; by all of them where those would be too many. */
function barsOf(drawn: Drawn): BarsSpec {
  const alone = partsAlone(drawn.cells);
  const { metric, dimensions, cells, unit, about } = turned({ ...drawn, cells: alone.cells });
  const last = once(cells.map(({ labels }) => labels.at(-1) ?? ''));
  const isColoured = dimensions.length > 1 && last.length <= MAX_SERIES;
  const rowOf = (labels: readonly string[]) => (isColoured ? labels.slice(0, -1) : labels).join(', ');
  const value = ({ value: amount }: Drawn['cells'][number]) => amount ?? Number.NEGATIVE_INFINITY;
  const ordered = RANKED.has(dimensions.join()) ? cells.toSorted((a, b) => value(b) - value(a)) : cells;
  const all = once(ordered.map(({ labels }) => rowOf(labels)));
  const filled = new Set(ordered.flatMap(({ labels, value: amount }) => ((amount ?? 0) === 0 ? [] : [rowOf(labels)])));
  const rows = filled.size > 1 ? all.filter((row) => filled.has(row)) : all;
  const empty = all.filter((row) => !rows.includes(row));
  const names = isColoured ? last : [nameOf(metric)];
  const shown = rows.slice(0, MAX_ROWS);
  const valueOf = (row: string, name: string) =>
    cells.find(({ labels }) => rowOf(labels) === row && (!isColoured || labels.at(-1) === name))?.value ?? null;
  const left = [
    ...alone.left,
    ...(empty.length > 0 ? [`nothing to draw: ${empty.join(', ')}`] : []),
    ...(rows.length > shown.length ? [`${shown.length} of ${rows.length} rows`] : []),
  ];
  return {
    kind: 'bars',
    title: barsTitle(nameOf(metric), dimensions.join(' and '), unit, rows, names, valueOf),
    subtitle: [...about, ...left].join(', '),
    unit,
    labels: shown,
    series: names.map((name) => ({ name, values: shown.map((row) => valueOf(row, name)) })),
  };
}

/** A picture names zones by their paths. */
function withoutIds({ filters, ...table }: QueryTable): QueryTable {
  const at = table.columns.indexOf('zoneId');
  const { zoneId: _id, ...named } = filters ?? {};
  const kept =
    at === -1 ? table : { ...table, columns: table.columns.toSpliced(at, 1), rows: table.rows.map((row) => row.toSpliced(at, 1)) };
  return { ...kept, ...(filters && { filters: named }) };
}

/** Beside its parts a total hides how they differ. */
function withoutTotal(table: QueryTable): QueryTable {
  return { ...table, rows: table.rows.filter(([time]) => time !== TOTAL) };
}

/**
 * A table as lines over time or as bars by its other columns, a picture for each of the first metrics; undefined where it has a single
 * row.
 */
export function chartOfTable(table: QueryTable, range: TableRange): ChartSpec | undefined {
  const undrawn = new Set([DAYS_COLUMN, ...(range.undrawn ?? [])]);
  const metrics = Object.keys(table.units).filter((name) => !undrawn.has(name));
  const [unit = ''] = table.columns;
  const isOverTime = COURSES.has(unit) && !range.isOrdered;
  if (!isOverTime && table.rows.length < 2) return undefined;
  const mostBars = table.rows.length > FEW_ROWS ? MAX_METRICS.longBars : MAX_METRICS.bars;
  const most = isOverTime ? MAX_METRICS.time : mostBars;
  const shown = metrics.slice(0, most);
  const drawn = withoutIds(COURSES.has(unit) || OF_DAYS.has(unit) ? withoutTotal(table) : table);
  const pictures = shown.map((metric) => drawnOf(drawn, metric, shown.length, range));
  return joined(pictures.map((picture) => (isOverTime ? trendOf(picture, range) : barsOf(picture))));
}
