import { type Finding, mayBeSeason } from '../findings/finding.ts';
import { costAmount, isMoved } from '../findings/sentence.ts';
import { type CalendarUnit, slotsOf } from '../lib/calendar.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../lib/clock.ts';
import { todayIn } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import { counted, formatPercent } from '../lib/number-text.ts';
import { capital, firstOf, headlineOf, lowered, present } from '../lib/sentences.ts';
import { LAST } from '../metrics/engine/scan.ts';
import { isCount } from '../metrics/metric-definitions.ts';
import { nameOf } from '../metrics/metric-names.ts';
import { OTHER_DEVICE } from '../metrics/read/metric-grid.ts';
import { DAYS_COLUMN, PART_MARK, type QueryTable, type TableRange, TOTAL } from '../metrics/read/query-table.ts';
import { ALL_VISITORS } from '../names/match-name.ts';
import { meanOf } from '../statistics/order.ts';
import { intervalIn, momentWords, sinceWords, type Unit, unitIn } from './charts/values.ts';
import {
  type BarSeries,
  type BarsSpec,
  type ChartSpec,
  isUnnamed,
  joined,
  MAX_BANDS,
  type TrendEvent,
  type TrendSeries,
  type TrendSpec,
} from './spec.ts';
import {
  changesIn,
  type Filters,
  filterWords,
  isChange,
  isDrawn,
  isMeant,
  isOnDays,
  levelsOf,
  markOf,
  notDrawn,
  placeBeside,
} from './told.ts';

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

const isCalendarUnit = (unit: string): unit is CalendarUnit => COURSES.has(unit) && unit !== 'hour';

const once = <T>(values: readonly T[]) => [...new Set(values)];

/** Up to this many metrics are drawn below each other: as lines over time, and as bars. */
const MAX_METRICS = { time: 6, bars: 3 };

/** A range, and all else that a table is drawn with. */
interface Pictured extends TableRange {
  /** The amounts in words, where the title may not name them. */
  readonly shows?: string;
  /** What happened meanwhile. */
  readonly events?: readonly TrendEvent[];
  readonly judged?: TrendSpec['judged'];
  /** The meaning of `low` and `high`. */
  readonly bands?: string;
  /** Amounts of weeks are the means of their days. */
  readonly areMeans?: boolean;
}

interface DrawnCell {
  readonly labels: readonly string[];
  readonly value: number | null;
  /** Its part of the whole in percent, where that was asked. */
  readonly share: number | null;
  /** The expected value, and the bounds of that, else of the value. */
  readonly expected: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** It has days that are to come: what is expected of it holds all changes that are known. */
  readonly isAhead: boolean;
}

/** The findings about places that are drawn. */
const atPlacesOf = ({ cells, filters, isOfParts }: Drawn, findings: readonly Finding[] = []): Finding[] => {
  const lines = cells.map(({ labels }) => labels.flatMap(wordsIn));
  return findings.filter((each) => isDrawn(each, { filters, lines, isOfParts }));
};

/** The same of the metric alone. */
const findingsIn = (drawn: Drawn, findings?: readonly Finding[]) =>
  atPlacesOf(drawn, findings).filter(({ subject }) => subject === drawn.metric);

/** The names of a line or row, which may be of several, or one that holds a comma. */
const wordsIn = (name: string) => [name, ...name.split(', ')];

/** The drawn part of a table: one metric, by all its other columns. */
interface Drawn {
  readonly metric: string;
  /** The sentence that answers for the metric; empty where there is none. */
  readonly said: string;
  /** Names of the columns before the metrics. */
  readonly dimensions: readonly string[];
  readonly cells: readonly DrawnCell[];
  readonly unit: Unit;
  /** The same as the table names it. */
  readonly of: string | undefined;
  /** Range, zone, unit and filters. */
  readonly about: readonly string[];
  /** Names of what is left out. */
  readonly left: readonly string[];
  readonly filters: Filters;
  readonly areMeans: boolean;
  /** The whole, of which the answer tells, is not among what is drawn. */
  readonly isOfParts?: boolean;
}

/** Ends the names of columns of shares, which stand beside the amounts that they are of. */
const SHARE = 'Share';

const numberOf = (cell: string | number | null | undefined) => (typeof cell === 'number' ? cell : null);

/** Units whose rows are made of days. */
const OF_DAYS: ReadonlySet<string> = new Set(['weekday', 'weekend']);

function drawnOf(
  { columns, rows, units, filters = {} }: QueryTable,
  metric: string,
  { timeZone, interval, shows, answers = {}, words = [], areMeans = false }: Pictured,
): Drawn {
  const [firstMetric = ''] = Object.keys(units);
  // A picture names zones by their paths.
  const places = [...columns.keys()].slice(0, columns.indexOf(firstMetric)).filter((place) => columns[place] !== 'zoneId');
  // There are more Mondays to Fridays than weekends.
  const isPerDay = OF_DAYS.has(columns[0] ?? '') && isCount(metric);
  const daysAt = columns.indexOf(DAYS_COLUMN);
  return {
    metric,
    said: headlineOf(answers[metric] ?? ''),
    dimensions: places.flatMap((place) => columns[place] ?? []),
    cells: rows.map((row) => {
      const per = isPerDay ? (numberOf(row[daysAt]) ?? 1) : 1;
      const at = (column: string) => numberOf(row[columns.indexOf(column)]);
      const meanAt = (column: string) => (at(column) === null ? null : Number(at(column)) / per);
      const columnOf = (part: string) => (columns.includes(part) ? part : `${metric}${capital(part)}`);
      return {
        labels: places.map((place) => String(row[place] ?? '')),
        value: meanAt(metric),
        share: at(`${metric}${SHARE}`),
        expected: meanAt(columnOf('expected')),
        low: meanAt(columnOf('low')),
        high: meanAt(columnOf('high')),
        isAhead: row[columns.indexOf(columnOf('verdict'))] === 'forecast',
      };
    }),
    unit: unitIn(units[metric]),
    of: units[metric],
    filters,
    areMeans,
    left: [],
    about: present(
      shows,
      isPerDay && daysAt !== -1 && 'mean of a day',
      interval && intervalIn(timeZone, interval),
      interval && timeZone,
      String(units[metric]),
      ...filterWords(filters, metric),
      ...words,
    ),
  };
}

/** The cells of a line of a table over time. */
type CellsByTime = ReadonlyMap<string, DrawnCell>;
/** A line of a table over time: its name, and its cells by time. */
type Line = readonly [name: string, cells: CellsByTime];

/** A sentence of a finding, else what answers for the metric, else the name of what is drawn. */
function titleIn({ metric, dimensions, said }: Drawn, found = '') {
  const by = dimensions.length > 0 ? ` by ${dimensions.join(' and ')}` : '';
  return headlineOf(found) || said || capital(`${nameOf(metric)}${by}`);
}

/** Rows that hide how the others differ: the whole, and what belongs to no device. */
const BESIDE: ReadonlySet<string> = new Set(['all', ALL_VISITORS, OTHER_DEVICE]);

const sizeOf = ([, cells]: Line) => [...cells.values()].reduce((sum, { value }) => sum + Math.abs(value ?? 0), 0);
/** A line that reaches no more of the largest than this lies on the axis. */
const SMALL = 0.03;

/** The largest lines, and what was left out in words. */
function chosenLines(lines: ReadonlyMap<string, CellsByTime>) {
  const ordered = [...lines].toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const largest = Math.max(0, ...ordered.map(sizeOf));
  const visible = ordered.filter((line) => sizeOf(line) >= SMALL * largest);
  const names = new Set(visible.slice(0, MAX_SERIES).map(([name]) => name));
  const shown = [...lines].filter(([name]) => names.has(name));
  const dropped = [...lines.keys()].filter((name) => !names.has(name));
  return { shown, dropped };
}

/** The expected values with bounds, and those of days to come as a line of their own; empty where the table has none. */
function expectedLines(cells: readonly DrawnCell[], inPart: readonly string[]): TrendSeries[] {
  return ['expected', 'forecast'].flatMap((name, at) => {
    const valuesOf = (part: 'expected' | 'low' | 'high') => cells.map((each) => (each.isAhead === at > 0 ? each[part] : null));
    const line = {
      name,
      values: valuesOf('expected'),
      low: valuesOf('low'),
      high: valuesOf('high'),
      inPart,
      ...(at > 0 && { isAhead: true as const }),
    };
    return line.values.some((value) => value !== null) ? [line] : [];
  });
}

/** More would cover each other. */
const MOST_MARKS = 4;

const isByDay = ({ dimensions: [unit = ''] }: Drawn) => unit === 'day' || unit === 'hour';

/**
 * The marks of values that are not what was expected, those that lie farthest from it first, each with how far, and its place where it is
 * the only one.
 */
function unusualMarks({ dimensions: [per = ''], filters }: Drawn, own: readonly Finding[], times: readonly string[]): TrendEvent[] {
  const slotOf = ({ when: { from = '' } }: Finding) => times.findLast((start) => start <= from) ?? '';
  return [...grouped(own, slotOf)].flatMap(([time, [first, ...others]]) => {
    if (!first) return [];
    const off = formatPercent(first.change?.percent ?? 0, { sign: true, digits: 0 });
    const than = first.against?.what === 'expected' ? ' vs expected' : '';
    const places = others.length > 0 ? [] : placeBeside(first, filters);
    const why = first.causes.flatMap(({ kind, name }) => (kind === 'special day' ? name : []));
    return [{ time, name: `${[...places, momentWords(time, per), ...why].join(', ')} ${off}${than}`, isOfValue: true as const }];
  });
}

/** Whether the levels of a finding are amounts as they are drawn: of days, whatever the hours or weeks of these hold. */
const isOfUnit = ({ unit }: Finding, { metric, dimensions: [per], of, areMeans }: Drawn) =>
  (per === 'day' || areMeans) && unit === (isCount(metric) ? `${of} a day` : of);

/**
 * A change of the whole of which no part shows the first share is one of how large the parts are; one of a part is no story of a whole that
 * does not show the second.
 */
const FOLLOWED = { byPart: 0.5, byWhole: 0.2 };

/** Whether a line moved by this share of a change of another place, as far as it has days on both sides. */
function isFollowed({ change, when: { from = '', to = LAST } }: Finding, drawn: Drawn, share: number): boolean {
  return [...linesOf(drawn).values()].some((line) => {
    const levelOf = (isOn: boolean) =>
      meanOf([...line].flatMap(([time, { value }]) => (value !== null && (time >= from && time <= to) === isOn ? [value] : [])));
    const relative = levelOf(true) / levelOf(false) - 1;
    return !(relative / ((change?.percent ?? 0) / 100) < share);
  });
}

/** Whether the lines show nothing of a finding: of what the season may have made no day before, and of a mix of parts none of these. */
const isUnseen = (each: Finding, drawn: Drawn, [first = '']: readonly string[]) =>
  (mayBeSeason(each) && (each.when.from ?? '') < first) ||
  (drawn.isOfParts && placeBeside(each, drawn.filters).length === 0 && !isFollowed(each, drawn, FOLLOWED.byPart));

/**
 * A finding as a title: its sentence where its line is drawn, else, where the drawn one shows it, behind the name of that; of another
 * metric with what it cost of the drawn one, where that is known.
 */
function titleBy(drawn: Drawn, finding: Finding | undefined): string | undefined {
  if (!finding) return undefined;
  const { subject, sentence, cost } = finding;
  const name = nameOf(drawn.metric);
  if (subject === drawn.metric && atPlacesOf(drawn, [finding]).length > 0) return sentence;
  if (subject === drawn.metric) return isFollowed(finding, drawn, FOLLOWED.byWhole) ? `${capital(name)}: ${lowered(sentence)}` : undefined;
  const amount = cost?.of === drawn.metric ? costAmount(finding) : '';
  const fewer = cost?.of === 'revenueSum' ? 'less' : 'fewer';
  return amount === '' ? undefined : `${headlineOf(sentence)}: ${amount} ${Number(cost?.value) < 0 ? fewer : 'more'} ${lowered(name)}`;
}

/** The change that can title what is drawn, of some. */
const titlingIn = (drawn: Drawn, changes: readonly Finding[]) =>
  changes.find((each) => isChange(each) && !mayBeSeason(each) && titleBy(drawn, each) !== undefined);

/**
 * The finding of the whole range, and what titles what is drawn over time: that, else a change, else a day; what answers for the metric
 * where days to come are drawn.
 */
function titledBy(drawn: Drawn, own: readonly Finding[], changes: readonly Finding[]) {
  const isTold = (each: Finding) => each.verdict === 'unchanged' || isMoved(each);
  const finding = own.find((each) => each.when.shape !== 'day' && isTold(each));
  // Nobody sees one day in a course of weeks or months, nor one of several apart from the others.
  const [day, ...others] = isByDay(drawn) ? own.filter(isTold) : [];
  const change = titlingIn(drawn, changes);
  const isAhead = drawn.said !== '' && drawn.cells.some((cell) => cell.isAhead);
  const moved = finding && isMoved(finding) ? finding : (change ?? finding);
  const titled = isAhead ? undefined : (moved ?? (others.length > 0 ? undefined : day));
  return { finding, titled, title: titleBy(drawn, titled) };
}

/**
 * The first finding of what is drawn over time, with its marks and levels, and how many unusual days have none; changes of places or
 * metrics without a line, and days in a course of weeks, are marked in words.
 */
function toldOf(drawn: Drawn, findings: readonly Finding[] = [], times: readonly string[]) {
  const seen = findings.filter((each) => isOnDays(each, times) && !isUnseen(each, drawn, times));
  const own = findingsIn(drawn, seen);
  // One day makes no week.
  const isSeen = ({ when }: Finding) => when.shape !== 'day' || isByDay(drawn);
  const changes = changesIn(seen.filter(isSeen), drawn.metric, times);
  // A change that is marked says why its days are not what was expected without it.
  const isOfValue = ({ when: { shape, from = '' }, against }: Finding) =>
    against?.what === 'expected' ? !changes.some((each) => isOnDays(each, [from])) : shape === 'day' && isByDay(drawn);
  const valued = own.filter((each) => isMoved(each) && isOfValue(each));
  const { finding, titled, title } = titledBy(drawn, own, changes);
  // Two ranges may differ by a change within them.
  const story = titled && isMoved(titled) ? [titled, ...changes].find(isChange) : undefined;
  const unusual = unusualMarks(drawn, valued, times);
  return {
    title,
    accent: present(finding, story).filter(isMoved),
    left: unusual.length > MOST_MARKS && `${counted(unusual.length - MOST_MARKS, 'more unusual day')} not marked`,
    marks: [
      ...unusual.slice(0, MOST_MARKS),
      ...changes.filter((each) => each.when.from !== story?.when.from && !valued.includes(each)).map((each) => markOf(each, times)),
    ],
    levels: story && own.includes(story) && isOfUnit(story, drawn) ? levelsOf(story, times) : [],
    ...(story && { change: markOf(story, times, story === titled ? sinceWords(story.when) : undefined) }),
  };
}

/** Days or hours with those between them that lack; of which most lack are none. */
function withGaps(times: readonly string[]): readonly string[] {
  const { length } = times[0] ?? '';
  const step = length === 10 ? DAY_MS : HOUR_MS;
  const [from = 0, to = 0] = [times[0], times.at(-1)].map((time) => Date.parse(`${time}Z`));
  const all = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => isoTime(from + at * step).slice(0, length));
  return all.length < 2 * times.length && times.every((time) => all.includes(time)) ? all : times;
}

/** The times of a table, those of which only a part is counted, and those of which the range holds a part, whatever is counted of it. */
function timesOf({ dimensions: [per = ''], cells }: Drawn, { interval, timeZone }: TableRange) {
  const partial = cells.flatMap(({ labels: [label = ''] }) => (label.endsWith(PART_MARK) ? [label.replace(PART_MARK, '')] : []));
  const slots = interval && isCalendarUnit(per) ? slotsOf(per, interval, timeZone) : [];
  const inPart = once(partial.map(timeOf));
  const cut = slots.filter(({ isPart }) => isPart).map(({ label }) => timeOf(label));
  const hollowIn = (times: readonly string[]) =>
    times.length > 0 && `hollow: a part of its ${per} only (${times.map((time) => momentWords(time, per)).join(' and ')})`;
  const known = once(cells.map(({ labels }) => timeOf(labels[0] ?? ''))).toSorted();
  // Only the rows of a query may lack some.
  const times = interval ? known : withGaps(known);
  const lacking = once(times.flatMap((time) => (known.includes(time) ? [] : [momentWords(time.slice(0, 10), 'day')])));
  return {
    times,
    inPart,
    cut,
    hollowIn,
    notes: interval ? [] : present(timeZone, lacking.length > 0 && `gap: no value on ${firstOf(lacking, 3)}`),
  };
}

/** Cells by line and time. */
const linesOf = ({ metric, cells }: Drawn): Map<string, CellsByTime> =>
  new Map(
    [...grouped(cells, ({ labels }) => labels.slice(1).join(', ') || nameOf(metric))].map(([name, own]) => [
      name,
      new Map(own.map((cell) => [timeOf(cell.labels[0] ?? ''), cell])),
    ]),
  );

/** Whether amounts have intervals of their own: where something is expected, these are of that. */
const hasBounds = (cells: readonly (DrawnCell | undefined)[]) => cells.some((cell) => cell?.expected === null && cell.low !== null);

/** The intervals of amounts that have some. */
function boundsOf(cells: readonly (DrawnCell | undefined)[]): Pick<TrendSeries, 'low' | 'high'> {
  const [low = [], high = []] = (['low', 'high'] as const).map((side) => cells.map((cell) => cell?.[side] ?? null));
  return hasBounds(cells) ? { low, high } : {};
}

/** The meaning of what is drawn beside lines. */
function keysOf({ series, judged, levels }: Pick<TrendSpec, 'series' | 'judged' | 'levels'>, bands = '95%'): string[] {
  return present(
    series.length <= MAX_BANDS && series.some(({ low }) => low) && `bands: ${bands}`,
    judged && `shaded: the ${judged.from.includes('-') ? 'period' : 'hours of the title'}`,
    levels && (levels.length > 1 ? 'level lines: before and after the change began' : 'level line: since the change began'),
    series.some(({ isAhead }) => isAhead) && 'dotted: forecast',
  );
}

function trendOf(drawn: Drawn, range: Pictured): TrendSpec {
  const { cells, dimensions, unit, about } = drawn;
  const { timeZone, interval, findings, judged, bands, events = [], accent: meant = [] } = range;
  const { times, inPart, cut, hollowIn, notes } = timesOf(drawn, range);
  const lines = linesOf(drawn);
  const { shown, dropped } = chosenLines(lines);
  // The last row reaches to the end of the range.
  const until = interval && todayIn(timeZone, interval.endMs);
  const { title, accent, left, marks, levels, ...told } = toldOf(drawn, findings, present(...times, until));
  const expected = lines.size === 1 ? expectedLines(cells, cut) : [];
  const isExpected = expected.length > 0;
  const begun = times.filter((_, at) => expected.at(-1)?.isAhead && expected.at(-1)?.values[at] !== null).slice(0, 1);
  const isAccent = (name: string) => meant.includes(name) || accent.some((each) => isMeant(wordsIn(name), each, drawn.filters));
  const series = [
    // Of what is to come there is the expected line alone.
    ...shown
      .filter(([, line]) => !isExpected || [...line.values()].some(({ value }) => value !== null))
      .map(([name, line]): TrendSeries => {
        const own = times.map((time) => line.get(time));
        return {
          name,
          values: own.map((cell) => cell?.value ?? null),
          ...boundsOf(own),
          ...(inPart.length > 0 && { inPart }),
          ...(shown.length > 1 && isAccent(name) && { isAccent: true as const }),
        };
      }),
    ...expected,
  ];
  const beside = { series, ...(judged && { judged }), ...(levels.length > 0 && !isExpected && { levels }) };
  return {
    kind: 'trend',
    // Of weeks and months it begins with the whole, of which nothing is seen where that is left out.
    title: titleIn(drawn.isOfParts && !isByDay(drawn) ? { ...drawn, said: '' } : drawn, title),
    subtitle: present(
      ...about,
      ...notes,
      notDrawn([...drawn.left, ...dropped]),
      hollowIn(isExpected ? once([...inPart, ...cut]).toSorted() : inPart),
      ...keysOf(beside, bands),
      left,
    ).join(', '),
    unit,
    timeZone,
    times,
    ...(until !== undefined && { until }),
    events: [...marks, ...events, ...begun.map((time) => ({ name: `forecast from ${momentWords(time, dimensions[0] ?? '')}`, time }))],
    ...beside,
    ...told,
  };
}

/** The parts alone, with what was left out in words; all cells where these are of fewer than two. */
function partsAlone(drawn: Drawn, { reference }: TableRange): Drawn {
  const isBeside = (label: string) => BESIDE.has(label) && label !== reference;
  const cells = drawn.cells.filter(({ labels }) => !labels.some(isBeside));
  const dropped = once(drawn.cells.flatMap(({ labels }) => labels.filter(isBeside))).map((name) => (name === 'all' ? 'all devices' : name));
  if (once(cells.map(({ labels }) => labels.at(-1))).length < 2) return drawn;
  return { ...drawn, cells, isOfParts: dropped.length > 0, left: [...drawn.left, ...dropped] };
}

/** The dimension of few values last, because its values are the colours. */
function turned({ dimensions, cells, ...rest }: Drawn): Drawn {
  const countOf = (place: number) => once(cells.map(({ labels }) => labels[place] ?? '')).length;
  const isTurned = dimensions.length === 2 && countOf(1) > MAX_SERIES && countOf(0) <= MAX_SERIES;
  if (!isTurned) return { dimensions, cells, ...rest };
  return { ...rest, dimensions: dimensions.toReversed(), cells: cells.map((cell) => ({ ...cell, labels: cell.labels.toReversed() })) };
}

/** The note behind the bar of a row: how it differs from the one that the others are held against. */
function noteOf({ verdict, change }: Finding): string {
  if (verdict === 'unchanged') return 'no significant difference';
  return present(change?.percent !== undefined && formatPercent(Math.abs(change.percent), { digits: 0 }), verdict).join(' ');
}

/** The finding that titles bars: alike over the whole range is no more than part of the story where one of them changed within it. */
const titleFinding = (drawn: Drawn, finding: Finding | undefined, changes: readonly Finding[]) =>
  finding && isMoved(finding) ? finding : (titlingIn(drawn, atPlacesOf(drawn, changes)) ?? finding);

/** The findings that bars show, and the one that titles them. */
function barsTold(drawn: Drawn, { findings, interval, timeZone }: TableRange) {
  const days = interval ? [interval.startMs, interval.endMs].map((ms) => todayIn(timeZone, ms)) : [];
  const found = findingsIn(drawn, findings).filter((each) => each.when.shape === 'range' && isOnDays(each, days));
  // Bars are of the whole range: of a change within it they show no day. Those of a difference first.
  const own = found.toSorted((a, b) => Number(isMoved(b)) - Number(isMoved(a)));
  const changes = changesIn(findings, drawn.metric, days);
  // Of weekdays those of usual weeks are drawn, which show nothing of a change.
  const isOfWeekdays = OF_DAYS.has(drawn.dimensions[0] ?? '');
  return { own, changes, titled: isOfWeekdays ? undefined : titleFinding(drawn, own[0], changes) };
}

/** Rows by all columns but the last, whose values are the colours; by all of them where those would be too many. */
function barsOf(drawn: Drawn, range: TableRange, most: number): BarsSpec {
  const { reference, accent: meant = [] } = range;
  const { metric, dimensions, cells, unit, about, left } = turned(drawn);
  const last = once(cells.map(({ labels }) => labels.at(-1) ?? ''));
  const isColoured = dimensions.length > 1 && last.length <= MAX_SERIES;
  const namesOf = ({ labels }: DrawnCell) => (isColoured ? labels.slice(0, -1) : labels);
  const value = (cell: DrawnCell | undefined) => cell?.value ?? Number.NEGATIVE_INFINITY;
  const ordered = RANKED.has(dimensions.join()) ? cells.toSorted((a, b) => value(b) - value(a)) : cells;
  // A group without a name is not the first of those that have one.
  const rows = [...grouped(ordered, (cell) => namesOf(cell).join(', '))].toSorted(
    ([a], [b]) => Number(isUnnamed(a)) - Number(isUnnamed(b)),
  );
  const names = isColoured ? last : [nameOf(metric)];
  const shown = rows.slice(0, most);
  const { own, changes, titled } = barsTold(drawn, range);
  const isOfRow = (all: readonly DrawnCell[], each: Finding) =>
    all.some((cell) => cell.value !== null && isMeant(namesOf(cell), each, drawn.filters));
  const found = [...own, ...present(titled)].filter(isMoved);
  const accent = shown.flatMap(([row, all]) => (found.some((each) => isOfRow(all, each)) ? [row] : [])).concat(meant);
  const notes = shown.map(([row, all]) => {
    const shares = all.map(({ share }) => share !== null && `${formatPercent(share, { digits: 1 })} of all`);
    const told = own.find((each) => isOfRow(all, each));
    return present(row === reference && 'reference', ...shares, told && noteOf(told)).join(' · ');
  });
  const isNoted = names.length === 1 && notes.some((note) => note !== '');
  const series = names.map((name): BarSeries => {
    const bars = shown.map(([, all]) => all.find(({ labels }) => !isColoured || labels.at(-1) === name));
    return { name, values: bars.map((cell) => cell?.value ?? null), ...(!isColoured && boundsOf(bars)) };
  });
  const title = titleIn({ ...drawn, dimensions }, titleBy(drawn, titled));
  return {
    kind: 'bars',
    title,
    subtitle: [
      present(
        ...about,
        notDrawn(left),
        isNoted && reference !== undefined && `verdicts against ${reference}`,
        series.some(({ low }) => low) && 'lines: 95%',
        rows.length > shown.length && `${shown.length} of ${rows.length} rows`,
      ).join(', '),
      ...changes.map(({ sentence }) => headlineOf(sentence)).filter((told) => !title.toLowerCase().includes(told.toLowerCase())),
    ].join('; '),
    unit,
    labels: shown.map(([row]) => row),
    series,
    ...(accent.length > 0 && { accent }),
    ...(isNoted && { notes }),
  };
}

/**
 * A table as lines over time or as bars by its other columns, a picture for each of the first metrics; undefined where it has a single
 * row.
 */
export function chartOfTable(table: QueryTable, range: Pictured): ChartSpec | undefined {
  const undrawn = new Set([DAYS_COLUMN, ...(range.undrawn ?? [])]);
  const metrics = Object.keys(table.units).filter((name) => !undrawn.has(name) && !name.endsWith(SHARE));
  const [unit = ''] = table.columns;
  const isOverTime = COURSES.has(unit) && !range.isOrdered;
  // A single row, or time, is a figure and no picture.
  if (new Set(table.rows.map(([time], at) => (isOverTime ? time : at))).size < 2) return undefined;
  const most = isOverTime ? MAX_METRICS.time : MAX_METRICS.bars;
  // Where not all can be drawn, what something was found of comes first, then in the order of the table, whose first the answer tells of.
  const first = range.findings?.find(({ subject }) => metrics.includes(subject))?.subject;
  const ordered = first === undefined ? metrics : [first, ...metrics.filter((name) => name !== first)];
  const shown = (metrics.length > most ? ordered : metrics).slice(0, most);
  // Beside its parts a total hides how they differ.
  const isOfTimes = COURSES.has(unit) || OF_DAYS.has(unit);
  const drawn = { ...table, rows: table.rows.filter(([time]) => !isOfTimes || time !== TOTAL) };
  const pictures = shown.map((metric) => drawnOf(drawn, metric, range));
  const known = pictures.filter(({ cells }) => cells.some(({ value, expected }) => value !== null || expected !== null));
  const left = metrics.filter((name) => !known.some(({ metric }) => metric === name)).map(nameOf);
  const rows = Math.floor(MAX_ROWS / known.length);
  return joined(
    known.map((picture) => {
      const parts = partsAlone({ ...picture, left }, range);
      return isOverTime ? trendOf(parts, range) : barsOf(parts, range, rows);
    }),
  );
}
