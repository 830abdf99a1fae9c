import { present } from '../../lib/sentences.ts';
import { ascending } from '../../statistics/order.ts';
import { MAX_BANDS, type TrendEvent, type TrendSeries, type TrendSpec } from '../spec.ts';
import {
  axisLines,
  CHARACTER_PX,
  type Drawing,
  headOf,
  isNarrow,
  type Look,
  legendOption,
  legendPx,
  marksOf,
  type PlotMark,
  sliderOption,
  type TooltipLine,
} from './look.ts';
import { AXIS_PX, rowTooltip } from './rows.ts';
import type { Theme } from './theme.ts';
import { DAY_MS, dayWords, drawable, formatValue, markAt, momentWords, plainText, tickText, timeLabel } from './values.ts';

/** Longest name at the end of a line, in characters. */
const LONGEST_LABEL = 40;

/** A line as it is drawn, by a name that a picture can hold. */
interface TrendLine extends TrendSeries {
  readonly colour: string;
}

/** A trend whose lines have their colours. */
interface Coloured extends TrendSpec {
  readonly series: readonly TrendLine[];
}

/** The range as two stacked lines: an unseen one up to the lowest value, and the area from there to the highest. */
function band({ low, high, name, colour, inPart = [] }: TrendLine, { times, atMs }: Places) {
  if (!low || !high) return [];
  const shared = {
    name,
    type: 'line',
    stack: `range of ${name}`,
    stackStrategy: 'all',
    z: 1, // behind the lines
    symbol: 'none',
    silent: true,
    lineStyle: { opacity: 0 },
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
  const dataOf = (amountOf: (lowest: number, highest: number) => number) =>
    atMs.map((at, index) => {
      const [lowest, highest] = [drawable(low[index]), drawable(high[index])];
      return [at, inPart.includes(times[index] ?? '') || lowest === null || highest === null ? null : amountOf(lowest, highest)];
    });
  return [
    { ...shared, data: dataOf((lowest) => lowest) },
    { ...shared, areaStyle: { color: colour, opacity: 0.14 }, data: dataOf((lowest, highest) => highest - lowest) },
  ];
}

/** Shapes by which lines are distinguished where colours are not; all filled, because hollow is a part of a period. */
const SHAPES = [
  { symbol: 'circle', type: 'solid' },
  { symbol: 'rect', type: 'dashed' },
  { symbol: 'triangle', type: 'dotted' },
  { symbol: 'diamond', type: [8, 3, 2, 3] },
  { symbol: 'arrow', type: [14, 4] },
  { symbol: 'roundRect', type: [2, 5] },
  { symbol: 'pin', type: [20, 3, 3, 3] },
  { symbol: 'circle', type: [1, 3] },
] as const;

/** The line, and apart from it hollow points of parts: a line to a sum over half a week would look like a fall. */
function line({ values, isAhead, isAccent, name, colour, inPart = [] }: TrendLine, at: Places, place: number) {
  const { symbol, type } = isAhead ? SHAPES[2] : (SHAPES[place % SHAPES.length] ?? SHAPES[0]);
  const { times, atMs, fill, pointPx, isLabelled } = at;
  const isPart = (index: number) => inPart.includes(times[index] ?? '');
  const shared = {
    name,
    type: 'line',
    connectNulls: false,
    symbol,
    symbolSize: pointPx,
    z: isAccent ? 3 : 2,
    showAllSymbol: true,
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
  const endLabel = { show: isLabelled, formatter: () => plainText(name, LONGEST_LABEL), color: colour, fontSize: 11, distance: 8 };
  const dataOf = (ofParts: boolean) => atMs.map((time, index) => [time, isPart(index) === ofParts ? drawable(values[index]) : null]);
  const whole = { ...shared, lineStyle: { width: 2, color: colour, type }, endLabel, data: dataOf(false) };
  if (!atMs.some((_, index) => isPart(index))) return [whole];
  const hollow = { color: fill, borderColor: colour, borderWidth: 1.5 };
  return [whole, { ...shared, itemStyle: hollow, lineStyle: { width: 0 }, data: dataOf(true) }];
}

/** The times of a chart, and where they lie. */
interface Places {
  readonly times: readonly string[];
  readonly atMs: readonly number[];
  /** Fills the points of parts. */
  readonly fill: string;
  readonly pointPx: number;
  readonly isLabelled: boolean;
}

const LABEL_PX = 13;
/** Room of a point with its gap: closer ones are small. */
const POINT_PX = 9;

/** Whether the name of each line has room at its end, which is that of a whole period. */
function areApart(series: readonly TrendSeries[], last: string): boolean {
  const highest = Math.max(Number.MIN_VALUE, ...series.flatMap(({ values }) => values.map(markAt)));
  const ends = ascending(
    series.map(({ values, inPart = [] }) => (inPart.includes(last) ? Number.NaN : (drawable(values.at(-1)) ?? Number.NaN))),
  );
  return ends.every((end, index) =>
    index === 0 ? !Number.isNaN(end) : ((end - (ends[index - 1] ?? 0)) * LEAST_PLOT_PX.free) / highest >= LABEL_PX,
  );
}

const HEIGHT_PX = 420;
/** A plot is at least as high, however many lines head and legend take in a narrow picture; where a height is given, lower. */
const LEAST_PLOT_PX = { free: 220, given: 136 };
const LEFT_PX = 68;
const RIGHT_PX = 36;
const SLIDER_PX = 30;

/** Hour at which a day is drawn. */
type DayHour = '00' | '12';

const isDay = (time: string): boolean => time.length === 10;

/** Where all is of whole days, a day is drawn at the tick that bears its name; among times of day at its noon, which its value sums up. */
function dayHourOf({ times, events, change, levels = [] }: TrendSpec): DayHour {
  const moments = present(...events, change).map(({ time }) => time);
  return [...times, ...moments, ...levels.flatMap(({ from, to }) => [from, to])].every(isDay) ? '00' : '12';
}

/** Whether a time is one of day, of all days. */
const isAnyDay = (time: string) => time.length === 5;

/** A local time of the chart as the instant that a clock in UTC would show it at: axes then need no zone. */
function wallMs(time: string, dayHour: DayHour): number {
  if (isAnyDay(time)) return Date.parse(`1970-01-01T${time}Z`);
  return Date.parse(isDay(time) ? `${time}T${dayHour}:00Z` : `${time}Z`);
}

/**
 * Where the values of times are drawn: those of weeks and longer in the middle of what is over of them, so that a change within one is
 * seen to be.
 */
function pointsOf({ until = '9999-01-01' }: TrendSpec, startMs: readonly number[]): readonly number[] {
  const lengthOf = (at: number) => (startMs[at + 1] ?? Number.NaN) - (startMs[at] ?? Number.NaN);
  const lengths = startMs.map((_, at) => lengthOf(Math.min(at, startMs.length - 2)));
  const untilMs = wallMs(until, '00') + DAY_MS;
  return lengths.every((ms) => ms >= 7 * DAY_MS) ? startMs.map((ms, at) => (ms + Math.min(untilMs, ms + (lengths[at] ?? 0))) / 2) : startMs;
}

function momentsOf({ events, change, times }: TrendSpec, dayHour: DayHour, pointMs: readonly number[]): PlotMark[] {
  const placeOf = ({ time, isOfValue }: TrendEvent) => (isOfValue && pointMs[times.indexOf(time)]) || wallMs(time, dayHour);
  return present(...events, change)
    .map((each) => ({ name: each.name, at: placeOf(each), isChange: each === change }))
    .filter(({ at }) => drawable(at) !== null);
}

/** First and last instant of the axis. */
interface Axis {
  readonly min: number;
  readonly max: number;
  readonly dayHour: DayHour;
  readonly pointMs: readonly number[];
}

/** A line without points that carries what belongs to no series, so that hiding one does not hide it. */
function background(
  { times, judged, change, levels = [] }: TrendSpec,
  { min, max, dayHour, pointMs }: Axis,
  marks: ReturnType<typeof marksOf>['data'],
  theme: Theme,
) {
  // A value outside the axis would not be drawn at all.
  const inside = (ms: number) => Math.max(min, Math.min(max, ms));
  const valueAt = (time: string) => inside(pointMs[times.indexOf(time)] ?? wallMs(time, dayHour));
  const held = levels.flatMap(({ from, to, value }) => {
    if (drawable(value) === null) return [];
    // A label would cover points; the title says both levels.
    const lineStyle = { color: theme.text, type: 'solid', width: 1.5 };
    const start = { coord: [valueAt(from), value], symbol: 'none', lineStyle, label: { show: false } };
    return [[start, { coord: [valueAt(to), value], symbol: 'none' }]];
  });
  // A day is drawn at its noon; half of it on either side is its own, so that a single one is seen, and so of an hour of all days.
  const halfOf = (time: string) => (isAnyDay(time) ? DAY_MS / 48 : Number(isDay(time)) * (DAY_MS / 2));
  const areaOf = (from: string, to: string, itemStyle: object): object[] => [
    { xAxis: inside(wallMs(from, dayHour) - halfOf(from)), itemStyle },
    { xAxis: inside(wallMs(to, dayHour) + halfOf(to)) },
  ];
  const shaded = (from: string, to: string) => areaOf(from, to, { color: theme.shade });
  // Hours may pass midnight, which is an end of their axis.
  const passes = judged && judged.from > judged.to;
  const areas = present(
    judged && shaded(judged.from, passes ? '23:00' : judged.to),
    passes && shaded('00:00', judged.to),
    change?.to !== undefined && areaOf(change.time, change.to, { color: theme.accent, opacity: 0.1 }),
  );
  return {
    id: 'background',
    type: 'line',
    data: [],
    markLine: { silent: true, symbol: 'none', data: [...marks, ...held] },
    ...(areas.length > 0 && { markArea: { silent: true, data: areas } }),
  };
}

function tooltipLines(spec: Coloured, index: number): TooltipLine[] {
  const time = spec.times[index] ?? '';
  const { unit } = spec;
  return [
    { name: isAnyDay(time) ? time : `${dayWords(wallMs(time, '12'))} ${time.slice(11, 16)}`.trim() },
    ...spec.series.map(({ name, values, low, high, colour }) => {
      const hasRange = low && high && drawable(low[index]) !== null;
      const range = hasRange ? ` (${formatValue(low[index], unit)} – ${formatValue(high[index], unit)})` : '';
      return { name, value: `${formatValue(values[index], unit)}${range}`, colour };
    }),
    ...spec.events
      .filter((event) => time !== '' && event.time.startsWith(time.slice(0, 10)))
      .map(({ name }) => ({ name: plainText(name, 120) })),
  ];
}

/** Room of a label of the time axis with its gap. */
const TICK_PX = 84;

/** The midnights of an axis of times of day; of fewer than three the axis has hours too. */
function midnightsOf(min: number, max: number): number[] {
  const first = Math.ceil(min / DAY_MS);
  const count = Math.floor(max / DAY_MS) - first + 1;
  return Array.from({ length: count < 3 ? 0 : count }, (_, day) => (first + day) * DAY_MS);
}

/** The span of a time axis, and whether it can be zoomed. */
interface Scale {
  readonly min: number;
  readonly max: number;
  readonly pxPerMs: number;
  readonly isStill: boolean;
}

/**
 * Labels on the periods themselves, or on midnights between times of day, all equally far apart; ECharts would put its own between weekly
 * points, and one more at the end of the axis.
 */
function ticksOn(
  times: readonly string[],
  atMs: readonly number[],
  { min, max, pxPerMs, isStill }: Scale,
): { readonly customValues?: readonly number[] } {
  // A view may be zoomed to a few hours, which need labels of their own.
  const midnights = isStill ? midnightsOf(min, max) : [];
  const all = times.every((time) => isDay(time) || isAnyDay(time)) ? atMs : midnights;
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return {};
  const steps = all.length - 1;
  const every = Math.max(1, Math.ceil((all.length * TICK_PX) / Math.max(1, (last - first) * pxPerMs)));
  // A step that divides the axis names both its ends; else the last period has its label, and the subtitle says where the range begins.
  const even = Array.from({ length: every }, (_, more) => every + more).find((step) => steps % step === 0) ?? every;
  return { customValues: all.filter((_, index) => (steps - index) % even === 0) };
}

function timeAxis({ times }: TrendSpec, startMs: readonly number[], atMs: readonly number[], scale: Scale, theme: Theme) {
  const { min, max, pxPerMs } = scale;
  const ticks = ticksOn(times, atMs, scale);
  const ends = [min, max].filter((end) => ticks.customValues?.includes(end) ?? true);
  const labelOf = timeLabel([min, max], times, { pxPerMs, ends, ...(ticks.customValues && { ticks: ticks.customValues }) });
  const days = ((startMs[1] ?? 0) - (startMs[0] ?? 0)) / DAY_MS;
  const longer = days > 31 ? 'quarter' : 'month';
  const per = days > 7 ? longer : 'week';
  const lines = axisLines(theme, (ms: number) => (atMs === startMs ? labelOf(ms) : momentWords(times[atMs.indexOf(ms)] ?? '', per)));
  const axisLabel = { ...lines.axisLabel, showMinLabel: true, showMaxLabel: true, ...ticks };
  return { type: 'time', min, max, ...lines, splitLine: { show: false }, axisLabel };
}

/** Where head, names and plot stand. */
function layoutOf(
  spec: TrendSpec,
  look: Look,
  { names, moments, min, max }: { names: readonly string[]; moments: readonly PlotMark[]; min: number; max: number },
) {
  const { widthPx, tooltip } = look;
  // A line alone is named by the title; narrow pictures, and views in which lines can be hidden, have a legend.
  // A line that ends before or close to others would have its name across them.
  const isLabelled = names.length > 1 && !isNarrow(widthPx) && !tooltip && areApart(spec.series, spec.times.at(-1) ?? '');
  const hasLegend = names.length > 1 && !isLabelled;
  const longest = Math.max(...names.map((name) => name.length));
  const rightPx = isLabelled ? 16 + Math.min(LONGEST_LABEL, longest) * CHARACTER_PX * 1.08 : RIGHT_PX;
  const plotPx = Math.max(80, widthPx - LEFT_PX - rightPx);
  const marks = marksOf(look, moments, { min, max, leftPx: LEFT_PX, plotPx });
  const head = headOf(look, spec);
  const top = head.endPx + (hasLegend ? legendPx(look, names, 40) : 12) + marks.heightPx;
  const bottom = AXIS_PX + (tooltip ? SLIDER_PX : 0);
  const leastPx = look.heightPx === undefined ? LEAST_PLOT_PX.free : LEAST_PLOT_PX.given;
  const heightPx = Math.max(look.heightPx ?? HEIGHT_PX, top + leastPx + bottom);
  return { isLabelled, hasLegend, rightPx, pxPerMs: plotPx / Math.max(1, max - min), marks, head, top, bottom, heightPx };
}

const hasAccent = (series: readonly TrendSeries[]) => series.some(({ isAccent }) => isAccent);

/** The line of the finding first, which has the plainest shape, in the accent colour and all others in grey, else each in its own. */
function coloured({ series, ...spec }: TrendSpec, theme: Theme): Coloured {
  const ordered = series.toSorted((a, b) => Number(b.isAccent ?? false) - Number(a.isAccent ?? false));
  const colourOf = ({ isAccent }: TrendSeries, index: number) => {
    if (hasAccent(series)) return isAccent ? theme.accent : theme.grey;
    return theme.series[index % theme.series.length] ?? theme.text;
  };
  return { ...spec, series: ordered.map((each, at) => ({ ...each, name: plainText(each.name, 60), colour: colourOf(each, at) })) };
}

/** Values over time with their range, events as dashed lines, the change as a solid one; a missing value is a gap. */
export function drawTrend(given: TrendSpec, look: Look): Drawing {
  const { theme, tooltip } = look;
  const spec = coloured(given, theme);
  const dayHour = dayHourOf(spec);
  const startMs = spec.times.map((time) => wallMs(time, dayHour));
  const atMs = pointsOf(spec, startMs);
  const names = spec.series.map(({ name }) => name);
  const moments = momentsOf(spec, dayHour, atMs);
  // The last period is drawn to its end, so that its name has room.
  const [before = 0, last = 0] = startMs.slice(-2);
  const end = atMs === startMs ? [] : [2 * last - before];
  const all = [...startMs, ...end, ...moments.map(({ at }) => at)].filter((at) => drawable(at) !== null);
  const [min, max] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];

  const layout = layoutOf(spec, look, { names, moments, min, max });
  const { isLabelled, hasLegend, rightPx, pxPerMs, marks, head, top, bottom, heightPx } = layout;
  const pointPx = atMs.length * POINT_PX > (max - min) * pxPerMs ? 3 : 6;
  const places = { times: spec.times, atMs, fill: theme.background, pointPx, isLabelled };
  const isBanded = ({ isAccent }: TrendSeries) => spec.series.length <= MAX_BANDS && (isAccent || !hasAccent(spec.series));

  const option = {
    ...head.option,
    useUTC: true,
    // The line itself stands in the legend, so that its shape is seen.
    ...(hasLegend && { legend: { ...legendOption(look, names, head.endPx), icon: undefined, itemWidth: 30 } }),
    grid: { left: LEFT_PX, right: rightPx, top, bottom, outerBoundsMode: 'none' },
    xAxis: timeAxis(spec, startMs, atMs, { min, max, pxPerMs, isStill: !tooltip }, theme),
    yAxis: {
      type: 'value',
      // Amounts begin at zero: a part of the scale makes any wave look like a fall.
      scale: false,
      ...axisLines(theme, (value: number) => tickText(value, spec.unit)),
      axisLine: { show: false },
    },
    series: [
      // The legend shows the shape of the first series of a name, which is the line.
      ...spec.series.flatMap((each, index) => line(each, places, index)),
      ...spec.series.flatMap((each) => (isBanded(each) ? band(each, places) : [])),
      background(spec, { min, max, dayHour, pointMs: atMs }, marks.data, theme),
    ],
    ...(tooltip && { dataZoom: sliderOption(theme, { left: LEFT_PX, right: rightPx }) }),
    ...rowTooltip(look, (index) => tooltipLines(spec, index), {
      type: 'line',
      lineStyle: { color: theme.faintText },
      label: { show: false },
    }),
  };
  return { option, heightPx, words: wordsOf(spec, names, moments) };
}

function wordsOf(spec: TrendSpec, names: readonly string[], moments: readonly PlotMark[]): string {
  const parts = [
    `${plainText(spec.title)}: ${names.join(', ')} from ${spec.times[0] ?? ''} to ${spec.times.at(-1) ?? ''} (${spec.timeZone})`,
    ...moments.map(({ name }) => plainText(name)),
  ];
  return `${parts.join('; ')}.`;
}
