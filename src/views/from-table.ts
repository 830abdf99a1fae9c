import { definitionOf, isCount } from '../domain/metrics/metric-definitions.ts';
import { nameOf } from '../domain/metrics/metric-names.ts';
import { OTHER_DEVICE } from '../domain/metrics/read/metric-grid.ts';
import { DAYS_COLUMN, PART_MARK, type QueryTable, TOTAL } from '../domain/metrics/read/query-table.ts';
import { ALL_VISITORS } from '../domain/names/match-name.ts';
import { type Finding, placesOf } from '../findings/finding.ts';
import { isMoved } from '../findings/sentence.ts';
import type { Interval } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { formatPercent } from '../lib/number-text.ts';
import { capital, headlineOf, present } from '../lib/sentences.ts';
import { intervalIn, momentWords, rangeIn, type Unit, unitIn } from './charts/values.ts';
import {
  type BarsSpec,
  type ChartSpec,
  isUnnamed,
  joined,
  NO_NAME,
  type PanelSpec,
  panelsOf,
  type TrendSeries,
  type TrendSpec,
} from './spec.ts';
import { findingsDrawn, marksBeside, notDrawn } from './told.ts';

/** More lines or colours cannot be distinguished. */
const MAX_SERIES = 8;
/** More rows, of all pictures together, could not be read. */
const MAX_ROWS = 36;

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

/** Up to this many metrics are drawn below each other: as lines over time, and as bars. */
const MAX_METRICS = { time: 6, bars: 3 };

/** Time zone of a table, and the range that it is of where that is known. */
export interface TableRange {
  readonly timeZone: string;
  readonly interval?: Interval;
  /** Columns of metrics that stand only beside others. */
  readonly undrawn?: readonly string[];
  /** Rows are in the order of a metric: a line through them would say nothing. */
  readonly isOrdered?: boolean;
  /** Findings of the table, the most important first. */
  readonly findings?: readonly Finding[];
  /** The words of the answer. */
  readonly answer?: string;
  /** The row that the findings hold the others against. */
  readonly reference?: string;
}

interface DrawnCell {
  readonly labels: readonly string[];
  readonly value: number | null;
  /** The expected value, and its bounds at 95 %. */
  readonly expected: Readonly<Record<'expected' | 'low' | 'high', number | null>>;
  /** It has days that are to come: what is expected of it holds all changes that are known. */
  readonly isAhead: boolean;
}

/** Names of the places in a picture. */
const placesIn = ({ cells, filters }: Drawn) => [...filters, ...cells.flatMap(({ labels }) => labels)];

/** The finding of a metric about what is drawn of it; a difference before none. */
function findingIn(drawn: Drawn, findings: readonly Finding[] = []): Finding | undefined {
  const own = findingsDrawn(findings, drawn.metric, placesIn(drawn));
  return own.find(isMoved) ?? own.find(({ verdict }) => verdict === 'unchanged');
}

/** The places that a difference is of. */
const accentIn = (finding: Finding | undefined) => (finding && isMoved(finding) ? placesOf(finding) : []);

/** The drawn part of a table: one metric, by all its other columns. */
interface Drawn {
  readonly metric: string;
  /** Names of the columns before the metrics. */
  readonly dimensions: readonly string[];
  readonly cells: readonly DrawnCell[];
  readonly unit: Unit;
  /** Range, zone, unit, filters and what is left out. */
  readonly about: readonly string[];
  /** Names of the selections that all of it is of. */
  readonly filters: readonly string[];
  /** The whole, of which the answer tells, is not among what is drawn. */
  readonly isOfParts?: boolean;
}

const numberOf = (cell: string | number | null | undefined) => (typeof cell === 'number' ? cell : null);

/** Units whose rows are made of days. */
const OF_DAYS: ReadonlySet<string> = new Set(['weekday', 'weekend']);

function drawnOf({ columns, rows, units, filters }: QueryTable, metric: string, { timeZone, interval }: TableRange): Drawn {
  const [firstMetric = ''] = Object.keys(units);
  const count = columns.indexOf(firstMetric);
  // That all devices are meant goes without saying, and a goal says nothing of visits.
  const isPerGoal = definitionOf(metric)?.perGoal ?? false;
  // There are more Mondays to Fridays than weekends.
  const isPerDay = OF_DAYS.has(columns[0] ?? '') && isCount(metric);
  const daysAt = columns.indexOf(DAYS_COLUMN);
  const chosen = Object.entries(filters ?? {}).filter(([name, value]) => value !== 'all' && (name !== 'goal' || isPerGoal));
  const filtered = chosen.map(([name, value]) => (value.endsWith(name) ? value : `${name} ${value}`));
  return {
    metric,
    dimensions: columns.slice(0, count),
    cells: rows.map((row) => {
      const per = isPerDay ? (numberOf(row[daysAt]) ?? 1) : 1;
      const at = (column: string) => {
        const amount = numberOf(row[columns.indexOf(column)]);
        return amount === null ? null : amount / per;
      };
      const columnOf = (part: string) => (columns.includes(part) ? part : `${metric}${capital(part)}`);
      const named = (part: string) => at(columnOf(part));
      return {
        labels: row.slice(0, count).map((label) => String(label ?? '')),
        value: at(metric),
        expected: { expected: named('expected'), low: named('low'), high: named('high') },
        isAhead: row[columns.indexOf(columnOf('verdict'))] === 'forecast',
      };
    }),
    unit: unitIn(units[metric]),
    filters: chosen.map(([, value]) => value),
    about: present(
      isPerDay && daysAt !== -1 && 'mean of a day',
      interval && intervalIn(timeZone, interval),
      interval && timeZone,
      String(units[metric]),
      ...filtered,
    ),
  };
}

/** A line of a table over time: its name, and its values by time. */
type Line = readonly [name: string, values: ReadonlyMap<string, number | null>];

/** The sentence of what was found of the metric, else what the table as a whole says, else the name of what is drawn. */
function titleIn({ metric, dimensions }: Drawn, finding: Finding | undefined, headline: string | undefined): string {
  const by = dimensions.length > 0 ? ` by ${dimensions.join(' and ')}` : '';
  return finding ? headlineOf(finding.sentence) : (headline ?? `${nameOf(metric)}${by}`);
}

/** Rows that hide how the others differ: the whole, and what belongs to no device. */
const BESIDE: ReadonlySet<string> = new Set(['all', ALL_VISITORS, OTHER_DEVICE]);

const sizeOf = ([, values]: Line) => [...values.values()].reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);
/** A line that reaches no more of the largest than this lies on the axis. */
const SMALL = 0.03;

/** The largest lines, and what was left out in words. */
function chosenLines(lines: ReadonlyMap<string, ReadonlyMap<string, number | null>>) {
  const ordered = [...lines].toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const largest = Math.max(0, ...ordered.map(sizeOf));
  const visible = ordered.filter((line) => sizeOf(line) >= SMALL * largest);
  const names = new Set(visible.slice(0, MAX_SERIES).map(([name]) => name));
  const shown = [...lines].filter(([name]) => names.has(name));
  const dropped = [...lines.keys()].filter((name) => !names.has(name));
  return { shown, left: notDrawn(dropped, 'without') };
}

/** The expected values with bounds, those of days to come as a line of their own; empty where the table has none. */
function expectedLines(cells: readonly DrawnCell[]): TrendSeries[] {
  return ['expected', 'forecast'].flatMap((name, at) => {
    const valuesOf = (part: keyof DrawnCell['expected']) => cells.map((each) => (each.isAhead === at > 0 ? each.expected[part] : null));
    const line = { name, values: valuesOf('expected'), low: valuesOf('low'), high: valuesOf('high') };
    return line.values.some((value) => value !== null) ? [line] : [];
  });
}

/** The finding of a picture over time, and its marks: nothing that began before the first of its times. */
function toldOf(drawn: Drawn, findings: readonly Finding[] = [], times: readonly string[]) {
  const { metric, dimensions } = drawn;
  const own = findingsDrawn(findings, metric, placesIn(drawn));
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const isShown = ({ when: { from = first } }: Finding) => from >= first && from <= last;
  const found = [findingIn(drawn, findings)].find((each) => each && isShown(each));
  const mark = (time: string) => ({ name: momentWords(time, times.includes(time) ? (dimensions[0] ?? '') : 'day'), time });
  const { from, to = last } = found?.when ?? {};
  // The days of a change are no news beside it.
  const isNews = ({ when }: Finding) => from === undefined || (when.from ?? '') < from || (when.from ?? '') > to;
  const unusual = own.filter((each) => each.when.shape === 'day' && isShown(each) && isNews(each));
  const days = once(unusual.filter(isMoved).flatMap(({ when }) => when.from ?? []));
  return {
    finding: found,
    ...(from !== undefined && found && isMoved(found) && { change: mark(from) }),
    events: [...days.map(mark), ...marksBeside(findings, own, metric, times)],
  };
}

/** The times of a table, and those of which only a part is known. */
function timesOf({ dimensions: [per = ''], cells }: Drawn) {
  const partial = cells.flatMap(({ labels: [label = ''] }) => (label.endsWith(PART_MARK) ? [label.replace(PART_MARK, '')] : []));
  const inPart = once(partial.map(timeOf));
  const words = inPart.map((time) => momentWords(time, per)).join(' and ');
  const hollow = inPart.length > 0 && `hollow: a part of its ${per} only (${words})`;
  return { times: once(cells.map(({ labels }) => timeOf(labels[0] ?? ''))), inPart, hollow };
}

/** Values by line and time. */
function linesOf({ metric, cells }: Drawn): Map<string, Map<string, number | null>> {
  const lines = new Map<string, Map<string, number | null>>();
  for (const { labels, value } of cells) {
    const [label = '', ...others] = labels;
    const name = others.join(', ') || nameOf(metric);
    lines.set(name, (lines.get(name) ?? new Map<string, number | null>()).set(timeOf(label), value));
  }
  return lines;
}

function trendOf(drawn: Drawn, { timeZone, interval, findings }: TableRange, headline: string | undefined): TrendSpec {
  const { cells, dimensions, unit, about } = drawn;
  const { times, inPart, hollow } = timesOf(drawn);
  const lines = linesOf(drawn);
  const { shown, left } = chosenLines(lines);
  const expected = lines.size === 1 ? expectedLines(cells) : [];
  const ahead = cells.filter(({ isAhead }) => isAhead && expected.length > 1).map(({ labels }) => timeOf(labels[0] ?? ''));
  const begun = ahead.slice(0, 1).map((time) => ({ name: `forecast from ${momentWords(time, dimensions[0] ?? '')}`, time }));
  const { finding, events, ...marks } = toldOf(drawn, findings, times);
  const isMarked = events.length > 0 || marks.change !== undefined;
  const accent = accentIn(finding);
  return {
    kind: 'trend',
    // The answer begins with the whole, of which nothing is seen where it is left out.
    title: titleIn(drawn, finding, left || drawn.isOfParts ? undefined : headline),
    subtitle: present(
      ...about,
      !interval && timeZone,
      left,
      hollow,
      expected.length > 0 && 'bands: 95%',
      begun.length > 0 && isMarked && 'expected: without the changes, forecast: with them',
    ).join(', '),
    unit,
    timeZone,
    times,
    ...(inPart.length > 0 && { inPart }),
    series: [
      // Of what is to come there is the expected line alone.
      ...shown
        .filter(([, line]) => expected.length === 0 || [...line.values()].some((value) => value !== null))
        .map(([name, line]) => ({
          name,
          values: times.map((time) => line.get(time) ?? null),
          ...(shown.length > 1 && accent.includes(name) && { isAccent: true as const }),
        })),
      ...expected,
    ],
    events: [...events, ...begun],
    ...marks,
  };
}

/** The parts alone, with what was left out in words; all cells where these are of fewer than two. */
function partsAlone(drawn: Drawn, { reference }: TableRange): Drawn {
  const isBeside = (label: string) => BESIDE.has(label) && label !== reference;
  const cells = drawn.cells.filter(({ labels }) => !labels.some(isBeside));
  const dropped = once(drawn.cells.flatMap(({ labels }) => labels.filter(isBeside)));
  if (once(cells.map(({ labels }) => labels.at(-1))).length < 2) return drawn;
  return { ...drawn, cells, isOfParts: dropped.length > 0, about: present(...drawn.about, notDrawn(dropped, 'without')) };
}

/** The dimension of few values last, because its values are the colours. */
function turned({ dimensions, cells, ...rest }: Drawn): Drawn {
  const countOf = (place: number) => once(cells.map(({ labels }) => labels[place] ?? '')).length;
  const isTurned = dimensions.length === 2 && countOf(1) > MAX_SERIES && countOf(0) <= MAX_SERIES;
  if (!isTurned) return { dimensions, cells, ...rest };
  return { ...rest, dimensions: dimensions.toReversed(), cells: cells.map((cell) => ({ ...cell, labels: cell.labels.toReversed() })) };
}

/** The verdict behind the bar of a row; none for the row that the others are held against. */
function noteOf(findings: readonly Finding[], metric: string, row: string): string {
  const own = findings.find(({ subject, place }) => subject === metric && placesOf({ place }).includes(row));
  if (own?.verdict === 'unchanged') return 'no significant difference';
  const percent = own?.change?.percent;
  return [percent === undefined ? '' : formatPercent(Math.abs(percent), { digits: 0 }), own?.verdict ?? ''].join(' ').trim();
}

/** Rows by all columns but the last, whose values are the colours; by all of them where those would be too many. */
function barsOf(drawn: Drawn, { findings = [], reference }: TableRange, headline: string | undefined, most: number): BarsSpec {
  const { metric, dimensions, cells, unit, about } = turned(drawn);
  const last = once(cells.map(({ labels }) => labels.at(-1) ?? ''));
  const isColoured = dimensions.length > 1 && last.length <= MAX_SERIES;
  const rowOf = (labels: readonly string[]) => (isColoured ? labels.slice(0, -1) : labels).join(', ');
  const value = ({ value: amount }: Drawn['cells'][number]) => amount ?? Number.NEGATIVE_INFINITY;
  const ordered = RANKED.has(dimensions.join()) ? cells.toSorted((a, b) => value(b) - value(a)) : cells;
  const all = once(ordered.map(({ labels }) => rowOf(labels)));
  // A group without a name is not the first of those that have one.
  const rows = all.toSorted((a, b) => Number(isUnnamed(a)) - Number(isUnnamed(b)));
  const names = isColoured ? last : [nameOf(metric)];
  const shown = rows.slice(0, most);
  const valueOf = (row: string, name: string) =>
    cells.find(({ labels }) => rowOf(labels) === row && (!isColoured || labels.at(-1) === name))?.value ?? null;
  const finding = findingIn(drawn, findings);
  const accent = findings
    .filter(({ subject }) => subject === metric)
    .flatMap(accentIn)
    .filter((name) => shown.includes(name));
  const notes = shown.map((row) => noteOf(findings, metric, row));
  const isNoted = names.length === 1 && reference !== undefined && notes.some((note) => note !== '');
  return {
    kind: 'bars',
    title: titleIn({ ...drawn, dimensions }, finding, headline),
    subtitle: present(
      ...about,
      isNoted && `verdicts against ${reference}`,
      rows.length > shown.length && `${shown.length} of ${rows.length} rows`,
    ).join(', '),
    unit,
    labels: shown,
    series: names.map((name) => ({ name, values: shown.map((row) => valueOf(row, name)) })),
    ...(accent.length > 0 && { accent }),
    ...(isNoted && { notes }),
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

/** The first sentence of an answer, which is about its first metric; a finding is told of the picture that shows it. */
function tableHeadline({ findings = [], answer = '' }: TableRange): string | undefined {
  const first = headlineOf(answer);
  return first === '' || findings.some((each) => isMoved(each) && headlineOf(each.sentence) === first) ? undefined : first;
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
  const most = isOverTime ? MAX_METRICS.time : MAX_METRICS.bars;
  // Where not all can be drawn, what something was found of comes first, then in the order of the table, whose first the answer tells of.
  const first = range.findings?.find(({ subject }) => metrics.includes(subject))?.subject;
  const ordered = first === undefined ? metrics : [first, ...metrics.filter((name) => name !== first)];
  const shown = (metrics.length > most ? ordered : metrics).slice(0, most);
  const drawn = withoutIds(COURSES.has(unit) || OF_DAYS.has(unit) ? withoutTotal(table) : table);
  const pictures = shown.map((metric) => drawnOf(drawn, metric, range));
  const known = pictures.filter(({ cells }) => cells.some(({ value, expected }) => value !== null || expected.expected !== null));
  const left = notDrawn(metrics.filter((name) => !known.some(({ metric }) => metric === name)).map(nameOf));
  const headline = tableHeadline(range);
  const rows = Math.floor(MAX_ROWS / known.length);
  return joined(
    known.map((picture, at) =>
      (isOverTime ? trendOf : barsOf)(
        partsAlone({ ...picture, about: present(...picture.about, left) }, range),
        range,
        at === 0 ? headline : undefined,
        rows,
      ),
    ),
  );
}

/** Rows of any query: the types as DuckDB writes them, numbers perhaps as texts. */
interface TypedRows {
  readonly columns: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly units?: Readonly<Record<string, string>>;
  /** How many rows the query has; the picture holds those that are given. */
  readonly rowCount?: number | undefined;
  /** The days that the query could read. */
  readonly drawnDays?: Interval | undefined;
}

const NUMBER = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|UHUGEINT|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;
const MIDNIGHT = / 00:00:00$/;

function cellText(cell: unknown): string {
  if (cell === null || cell === '') return NO_NAME;
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** A column as a title says it: `browser name`. */
const wordsOf = (column: string) => column.replaceAll('_', ' ').trim() || column;

/** Instants as charts take them: days where all are midnights, the last one in part where the files end within it. */
function timeLabels(cells: readonly unknown[], drawnDays: Interval | undefined): string[] {
  const texts = cells.map(cellText);
  const areDays = texts.every((text) => MIDNIGHT.test(text) || text.length === 10);
  const isPart = (day: string) => drawnDays !== undefined && Date.parse(day) + DAY_MS > drawnDays.endMs + 1;
  return texts.map((text) => {
    if (!areDays) return text.replace(' ', 'T');
    const day = text.replace(MIDNIGHT, '');
    return isPart(day) ? `${day}${PART_MARK}` : day;
  });
}

/** A picture as the query names it; a column without a unit has no prefix. */
function worded(panel: PanelSpec, timeName: string | undefined, left: string): PanelSpec {
  const { title, subtitle = '' } = panel;
  return {
    ...panel,
    title: capital(timeName === undefined ? title : title.replace(/ by day\b/, ` by ${timeName}`)),
    subtitle: present(subtitle, left, 'rows of the query over downloaded exports').join(', '),
  };
}

/** First and last day of ordered times; empty where they are none. */
function rangeOf(times: readonly string[]): string {
  const [fromMs = Number.NaN, toMs = Number.NaN] = [times[0], times.at(-1)].map((time) => Date.parse(`${time?.slice(0, 10)}T00:00Z`));
  return Number.isFinite(fromMs) && Number.isFinite(toMs) ? rangeIn('UTC', fromMs, toMs) : '';
}

/**
 * Rows as lines over time where the first column is one, else as bars by the columns before the first amount; undefined where no amount
 * stands behind a label.
 */
export function chartOfRows(
  { columns: names, types, rows, units: own = {}, rowCount = rows.length, drawnDays }: TypedRows,
  timeZone: string,
): ChartSpec | undefined {
  // The first column is a label even where it is a number, and so is an id.
  const isAmount = (index: number) => index > 0 && NUMBER.test(types[index] ?? '') && !/(^|_)id$/i.test(names[index] ?? '');
  const columns = names.map(wordsOf);
  const units = Object.fromEntries(Object.entries(own).map(([name, unit]) => [wordsOf(name), unit]));
  const places = columns.flatMap((_, index) => (isAmount(index) ? [index] : []));
  const [first] = places;
  if (first === undefined) return undefined;
  const isTime = TIME.test(types[0] ?? '');
  const ordered = isTime ? rows.filter(([time]) => time !== null).toSorted(([a], [b]) => (cellText(a) < cellText(b) ? -1 : 1)) : rows;
  const starts = isTime
    ? timeLabels(
        ordered.map(([time]) => time),
        drawnDays,
      )
    : ordered.map(([cell]) => cellText(cell));
  const metrics = places.flatMap((place) => columns[place] ?? []);
  const table = {
    columns: [isTime ? 'day' : (columns[0] ?? ''), ...columns.slice(1, first), ...metrics],
    rows: ordered.map((row, index) => [
      starts[index] ?? '',
      ...row.slice(1, first).map(cellText),
      ...places.map((place) => (row[place] === null ? null : Number(row[place]))),
    ]),
    units: Object.fromEntries(metrics.map((metric) => [metric, units[metric] ?? ''])),
  };
  const chart = chartOfTable(table, { timeZone });
  const days = drawnDays ? `${intervalIn(timeZone, drawnDays)}, ${timeZone}` : '';
  const range = isTime ? rangeOf(starts) : days;
  const rest = rowCount > rows.length && `the first ${rows.length} of ${rowCount} rows`;
  const left = present(range, rest).join(', ');
  return chart && joined(panelsOf(chart).map((panel) => worded(panel, isTime ? columns[0] : undefined, left)));
}
