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
import { drawable, formatValue, plainText, shortText } from './values.ts';

const HEIGHT_PX = 420;
const LEFT_PX = 68;
const RIGHT_PX = 28;
const AXIS_PX = 30;
const SLIDER_PX = 30;
const LEVELS = 4;
/** Ranges of more series than this would cover each other. */
const MAX_BANDS = 4;

/** A local time of the chart as the instant that a clock in UTC would show it at: axes then need no zone. A day is drawn at its noon. */
function wallMs(time: string): number {
  return Date.parse(time.length === 10 ? `${time}T12:00Z` : `${time}Z`);
}

interface Moment {
  readonly name: string;
  readonly atMs: number;
  readonly isChange: boolean;
}

function momentsOf({ events, change }: TrendSpec): Moment[] {
  const all = [...events.map((event) => ({ ...event, isChange: false })), ...(change ? [{ ...change, isChange: true }] : [])];
  return all
    .map(({ name, time, isChange }) => ({ name: shortText(name, isChange ? 48 : 32), atMs: wallMs(time), isChange }))
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

function line({ values }: TrendSeries, atMs: readonly number[], name: string, colour: string) {
  return {
    name,
    type: 'line',
    connectNulls: false,
    symbol: 'circle',
    symbolSize: atMs.length > 90 ? 3 : 5,
    showAllSymbol: true,
    lineStyle: { width: 2, color: colour },
    itemStyle: { color: colour },
    emphasis: { disabled: true },
    data: atMs.map((at, index) => [at, drawable(values[index])]),
  };
}

/** A line without points that carries what belongs to no series, so that hiding one does not hide it. */
function background({ judged }: TrendSpec, moments: readonly Moment[], levels: readonly number[], theme: Theme) {
  const data = moments.map(({ name, atMs, isChange }, index) => ({
    name,
    xAxis: atMs,
    lineStyle: { color: isChange ? theme.accent : theme.mark, type: isChange ? 'solid' : 'dashed', width: isChange ? 2 : 1 },
    label: {
      position: 'end',
      formatter: () => name,
      color: isChange ? theme.accent : theme.mark,
      fontWeight: isChange ? 'bold' : 'normal',
      fontSize: 11,
      offset: [0, -MARK_PX * (levels[index] ?? 0)],
    },
  }));
  const interval = judged && [[{ xAxis: wallMs(judged.from) }, { xAxis: wallMs(judged.to) }]];
  return {
    id: 'background',
    type: 'line',
    data: [],
    markLine: { silent: true, symbol: 'none', data },
    ...(interval && { markArea: { silent: true, itemStyle: { color: theme.shade }, data: interval } }),
  };
}

function dayWords(atMs: number): string {
  const style = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return drawable(atMs) === null ? '' : new Intl.DateTimeFormat('en-GB', style).format(atMs);
}

function tooltipLines(spec: TrendSpec, index: number, colours: readonly string[]): TooltipLine[] {
  const time = spec.times[index] ?? '';
  const { unit } = spec;
  return [
    { name: `${dayWords(wallMs(time))} ${time.slice(11, 16)}`.trim() },
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

/** Labels of a time axis always name the day, because the axis may be zoomed to any part. */
const TIME_FORMATS = { year: '{d} {MMM} {yyyy}', month: '{d} {MMM}', day: '{d} {MMM}', hour: '{HH}:{mm}', minute: '{HH}:{mm}' };

/** Values over time with their range, events as dashed lines, the change as a solid one; a missing value is a gap. */
export function drawTrend(spec: TrendSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip, heightPx = HEIGHT_PX } = look;
  const atMs = spec.times.map(wallMs);
  const names = spec.series.map(({ name }) => plainText(name, 60));
  const moments = momentsOf(spec);
  const all = [...atMs, ...moments.map((moment) => moment.atMs)].filter((at) => drawable(at) !== null);
  const [min, max] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];

  const pxPerMs = Math.max(80, widthPx - LEFT_PX - RIGHT_PX) / Math.max(1, max - min);
  const places = moments.map((moment) => ({ atPx: (moment.atMs - min) * pxPerMs, widthPx: moment.name.length * CHARACTER_PX }));
  const levels = stagger(places, LEVELS);
  const top = LEGEND_TOP_PX + 28 + (moments.length > 0 ? MARK_PX * (1 + Math.max(...levels)) : 0);
  const bottom = AXIS_PX + (tooltip ? SLIDER_PX : 0);
  const colourOf = (index: number) => theme.series[index % theme.series.length] ?? theme.text;
  const banded = spec.series.length <= MAX_BANDS ? spec.series : [];
  const lines = axisLines(theme);

  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    useUTC: true,
    legend: legendOption(look, names),
    grid: { left: LEFT_PX, right: RIGHT_PX, top, bottom, outerBoundsMode: 'none' },
    xAxis: { type: 'time', min, max, ...lines, splitLine: { show: false }, axisLabel: { ...lines.axisLabel, formatter: TIME_FORMATS } },
    yAxis: {
      type: 'value',
      scale: true,
      ...lines,
      axisLine: { show: false },
      axisLabel: { ...lines.axisLabel, formatter: (value: number) => formatValue(value, spec.unit) },
    },
    series: [
      ...banded.flatMap((each, index) => band(each, atMs, names[index] ?? '', colourOf(index))),
      ...spec.series.map((each, index) => line(each, atMs, names[index] ?? '', colourOf(index))),
      background(spec, moments, levels, theme),
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
