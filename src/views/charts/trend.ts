import type { TrendSeries, TrendSpec } from '../spec.ts';
import type { Drawing, Look, TooltipLine } from './look.ts';
import {
  axisLines,
  CHARACTER_PX,
  commonOption,
  LEGEND_TOP_PX,
  legendOption,
  MARK_PX,
  sliderOption,
  stagger,
  tooltipOption,
} from './look.ts';
import type { Theme } from './theme.ts';
import { dayWords, drawable, formatValue, plainText, shortText, timeLabel } from './values.ts';

const HEIGHT_PX = 420;
const LEFT_PX = 68;
const RIGHT_PX = 36;
const AXIS_PX = 30;
const SLIDER_PX = 30;
const LEVELS = 4;
/** Ranges of more series than this would cover each other. */
const MAX_BANDS = 4;

/** Hour at which a day is drawn. */
type DayHour = '00' | '12';

const isDay = (time: string): boolean => time.length === 10;

/** Where all is of whole days, a day is drawn at the tick that bears its name; among times of day at its noon, which its value sums up. */
function dayHourOf({ times, events, change, levels = [] }: TrendSpec): DayHour {
  const moments = [
    ...times,
    ...events.map(({ time }) => time),
    ...(change ? [change.time] : []),
    ...levels.flatMap(({ from, to }) => [from, to]),
  ];
  return moments.every(isDay) ? '00' : '12';
}

/** A local time of the chart as the instant that a clock in UTC would show it at: axes then need no zone. */
function wallMs(time: string, dayHour: DayHour): number {
  return Date.parse(isDay(time) ? `${time}T${dayHour}:00Z` : `${time}Z`);
}

interface Moment {
  readonly name: string;
  readonly atMs: number;
  readonly isChange: boolean;
}

function momentsOf({ events, change }: TrendSpec, dayHour: DayHour): Moment[] {
  const all = [...events.map((event) => ({ ...event, isChange: false })), ...(change ? [{ ...change, isChange: true }] : [])];
  return all
    .map(({ name, time, isChange }) => ({ name: shortText(name, isChange ? 48 : 32), atMs: wallMs(time, dayHour), isChange }))
    .filter(({ atMs }) => drawable(atMs) !== null);
}

/** The range as two stacked lines: an unseen one up to the lowest value, and the area from there to the highest. */
function band({ low, high }: TrendSeries, atMs: readonly number[], name: string, colour: string) {
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
  const base = atMs.map((at, index) => [at, drawable(low[index])]);
  const height = atMs.map((at, index) => {
    const [lowest, highest] = [drawable(low[index]), drawable(high[index])];
    return [at, lowest === null || highest === null ? null : highest - lowest];
  });
  return [
    { ...shared, data: base },
    { ...shared, areaStyle: { color: colour, opacity: 0.14 }, data: height },
  ];
}

/** Shapes by which lines are distinguished where colours are not. */
const SHAPES = [
  { symbol: 'circle', type: 'solid' },
  { symbol: 'rect', type: 'dashed' },
  { symbol: 'triangle', type: 'dotted' },
  { symbol: 'diamond', type: [8, 3, 2, 3] },
  { symbol: 'emptyCircle', type: [14, 4] },
  { symbol: 'emptyRect', type: [2, 5] },
] as const;

/** The line, without the points of `parts`, which a broken line leads to: a sum over half a week looks like a fall. */
function line({ values }: TrendSeries, at: Places, name: string, colour: string, place: number) {
  const { symbol, type } = SHAPES[place % SHAPES.length] ?? SHAPES[0];
  const { atMs, isPart } = at;
  const shared = {
    name,
    type: 'line',
    connectNulls: false,
    symbol,
    symbolSize: atMs.length > 90 ? 3 : 6,
    showAllSymbol: true,
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
  const point = (index: number) => [atMs[index], drawable(values[index])];
  const whole = {
    ...shared,
    lineStyle: { width: 2, color: colour, type },
    data: atMs.map((time, index) => (isPart(index) ? [time, null] : point(index))),
  };
  if (!atMs.some((_, index) => isPart(index))) return [whole];
  const led = atMs.map((time, index) => {
    if (isPart(index)) return { value: point(index), symbol: 'emptyCircle' };
    const isBeside = isPart(index - 1) || isPart(index + 1);
    return { value: isBeside ? point(index) : [time, null], symbol: 'none' };
  });
  return [whole, { ...shared, lineStyle: { width: 2, color: colour, type: [3, 4] }, data: led }];
}

/** Where the times of a chart lie, and which stand for a part of their week or month alone. */
interface Places {
  readonly atMs: readonly number[];
  readonly isPart: (index: number) => boolean;
}

/** First and last instant of the axis. */
interface Axis {
  readonly min: number;
  readonly max: number;
  readonly dayHour: DayHour;
}

/** Where the label of a moment stands: moved aside so that the edge of the picture does not cut it, and on which line above the plot. */
interface LabelPlace {
  readonly shiftPx: number;
  readonly level: number;
}

function labelPlaces(moments: readonly Moment[], { min, pxPerMs, plotPx }: { min: number; pxPerMs: number; plotPx: number }): LabelPlace[] {
  const labels = moments.map(({ name, atMs, isChange }) => {
    const widthPx = name.length * (isChange ? 1.1 : 1) * CHARACTER_PX;
    const atPx = (atMs - min) * pxPerMs;
    const centrePx = Math.max(widthPx / 2 - LEFT_PX, Math.min(atPx, plotPx + RIGHT_PX - widthPx / 2));
    return { atPx: centrePx, widthPx, shiftPx: centrePx - atPx };
  });
  return stagger(labels, LEVELS).map((level, index) => ({ level, shiftPx: labels[index]?.shiftPx ?? 0 }));
}

/** A line without points that carries what belongs to no series, so that hiding one does not hide it. */
function background(
  { judged, levels = [] }: TrendSpec,
  { min, max, dayHour }: Axis,
  moments: readonly Moment[],
  places: readonly LabelPlace[],
  theme: Theme,
) {
  // What lies outside the axis would not be drawn at all.
  const inside = (time: string) => Math.max(min, Math.min(max, wallMs(time, dayHour)));
  const marks = moments.map(({ name, atMs, isChange }, index) => ({
    name,
    xAxis: atMs,
    lineStyle: { color: isChange ? theme.accent : theme.mark, type: isChange ? 'solid' : 'dashed', width: isChange ? 2 : 1 },
    label: {
      position: 'end',
      formatter: () => name,
      color: isChange ? theme.accent : theme.mark,
      fontWeight: isChange ? 'bold' : 'normal',
      fontSize: 11,
      offset: [places[index]?.shiftPx ?? 0, -MARK_PX * (places[index]?.level ?? 0)],
    },
  }));
  const held = levels.flatMap(({ name, from, to, value }, index) => {
    if (drawable(value) === null) return [];
    const label = {
      formatter: () => plainText(name, 40),
      // The label stands where the level is farthest from the change.
      position: index === 0 ? 'insideStartTop' : 'insideEndTop',
      color: theme.text,
      fontSize: 11,
      fontWeight: 'bold',
      backgroundColor: theme.background,
      padding: [1, 3],
    };
    const start = { coord: [inside(from), value], symbol: 'none', lineStyle: { color: theme.text, type: 'solid', width: 1.5 }, label };
    return [[start, { coord: [inside(to), value], symbol: 'none' }]];
  });
  const interval = judged && [[{ xAxis: wallMs(judged.from, dayHour) }, { xAxis: wallMs(judged.to, dayHour) }]];
  return {
    id: 'background',
    type: 'line',
    data: [],
    markLine: { silent: true, symbol: 'none', data: [...marks, ...held] },
    ...(interval && { markArea: { silent: true, itemStyle: { color: theme.shade }, data: interval } }),
  };
}

function tooltipLines(spec: TrendSpec, index: number, colours: readonly string[]): TooltipLine[] {
  const time = spec.times[index] ?? '';
  const { unit } = spec;
  return [
    { name: `${dayWords(wallMs(time, '12'))} ${time.slice(11, 16)}`.trim() },
    ...spec.series.map(({ name, values, low, high }, position) => {
      const hasRange = low && high && drawable(low[index]) !== null;
      const range = hasRange ? ` (${formatValue(low[index], unit)} – ${formatValue(high[index], unit)})` : '';
      const colour = colours[position % colours.length] ?? '';
      return { name: plainText(name, 60), value: `${formatValue(values[index], unit)}${range}`, colour };
    }),
    ...spec.events
      .filter((event) => time !== '' && event.time.startsWith(time.slice(0, 10)))
      .map(({ name }) => ({ name: shortText(name, 120) })),
  ];
}

/** Values over time with their range, events as dashed lines, the change as a solid one; a missing value is a gap. */
export function drawTrend(spec: TrendSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip, heightPx = HEIGHT_PX } = look;
  const dayHour = dayHourOf(spec);
  const atMs = spec.times.map((time) => wallMs(time, dayHour));
  const inPart = new Set(spec.inPart);
  const isPart = (index: number) => inPart.has(spec.times[index] ?? '');
  const names = spec.series.map(({ name }) => plainText(name, 60));
  const moments = momentsOf(spec, dayHour);
  const all = [...atMs, ...moments.map((moment) => moment.atMs)].filter((at) => drawable(at) !== null);
  const [min, max] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];

  const pxPerMs = Math.max(80, widthPx - LEFT_PX - RIGHT_PX) / Math.max(1, max - min);
  const places = labelPlaces(moments, { min, pxPerMs, plotPx: (max - min) * pxPerMs });
  // A line alone is named by the title.
  const hasLegend = names.length > 1;
  const top =
    LEGEND_TOP_PX + (hasLegend ? 28 : 12) + (moments.length > 0 ? MARK_PX * (1 + Math.max(...places.map(({ level }) => level))) : 0);
  const bottom = AXIS_PX + (tooltip ? SLIDER_PX : 0);
  const colourOf = (index: number) => theme.series[index % theme.series.length] ?? theme.text;
  const banded = spec.series.length <= MAX_BANDS ? spec.series : [];
  const lines = axisLines(theme);

  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    useUTC: true,
    // The line itself stands in the legend, so that its shape is seen.
    ...(hasLegend && { legend: { ...legendOption(look, names), icon: undefined, itemWidth: 30, itemGap: 24 } }),
    grid: { left: LEFT_PX, right: RIGHT_PX, top, bottom, outerBoundsMode: 'none' },
    xAxis: {
      type: 'time',
      min,
      max,
      ...lines,
      splitLine: { show: false },
      axisLabel: {
        ...lines.axisLabel,
        showMinLabel: true,
        showMaxLabel: true,
        formatter: timeLabel([min, max], spec.times, pxPerMs),
      },
    },
    yAxis: {
      type: 'value',
      scale: true,
      ...lines,
      axisLine: { show: false },
      axisLabel: { ...lines.axisLabel, formatter: (value: number) => formatValue(value, spec.unit) },
    },
    series: [
      // The legend shows the shape of the first series of a name, which is the line.
      ...spec.series.flatMap((each, index) => line(each, { atMs, isPart }, names[index] ?? '', colourOf(index), index)),
      ...banded.flatMap((each, index) => band(each, atMs, names[index] ?? '', colourOf(index))),
      background(spec, { min, max, dayHour }, moments, places, theme),
    ],
    ...(tooltip && {
      dataZoom: sliderOption(theme, { left: LEFT_PX, right: RIGHT_PX, showDataShadow: true }),
      tooltip: {
        ...tooltipOption(theme),
        axisPointer: { type: 'line', lineStyle: { color: theme.faintText }, label: { show: false } },
        formatter: (hovered: readonly { dataIndex: number }[]) => tooltip(tooltipLines(spec, hovered[0]?.dataIndex ?? -1, theme.series)),
      },
    }),
  };
  return { option, heightPx, words: wordsOf(spec, names, moments) };
}

function wordsOf(spec: TrendSpec, names: readonly string[], moments: readonly Moment[]): string {
  const parts = [
    `${plainText(spec.title)}: ${names.join(', ')} from ${spec.times[0] ?? ''} to ${spec.times.at(-1) ?? ''} (${spec.timeZone})`,
    ...moments.map(({ name }) => name),
  ];
  return `${parts.join('; ')}.`;
}
