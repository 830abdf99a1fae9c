import type { TrendSeries, TrendSpec } from '../spec.ts';
import {
  axisLines,
  commonOption,
  type Drawing,
  LEGEND_TOP_PX,
  type Look,
  legendOption,
  sliderOption,
  stagger,
  type TooltipLine,
} from './look.ts';
import type { Theme } from './theme.ts';
import { drawable, formatValue, plainText } from './values.ts';

const HEIGHT_PX = 420;
const LEFT_PX = 68;
const RIGHT_PX = 28;
const AXIS_PX = 30;
const MARK_PX = 14;
const CHARACTER_PX = 6.4;
/** Ranges of more series than this would cover each other. */
const MAX_BANDS = 4;

/** A local time of the chart as the instant that a clock in UTC would show it at: axes then need no zone. */
function wallMs(time: string): number {
  return Date.parse(time.length === 10 ? `${time}T00:00Z` : `${time}Z`);
}

interface Moment {
  readonly name: string;
  readonly atMs: number;
  readonly isChange: boolean;
}

function momentsOf({ events, change }: TrendSpec): Moment[] {
  const all = [...events.map((event) => ({ ...event, isChange: false })), ...(change ? [{ ...change, isChange: true }] : [])];
  return all
    .map(({ name, time, isChange }) => ({ name: plainText(name, isChange ? 40 : 24), atMs: wallMs(time), isChange }))
    .filter(({ atMs }) => drawable(atMs) !== null);
}

/** The range as two stacked lines: an unseen one up to the lowest value, and the area from there to the highest. */
function band({ low, high }: TrendSeries, atMs: readonly number[], name: string, colour: string) {
  if (!low || !high) return [];
  const shared = { name, type: 'line', stack: `range of ${name}`, stackStrategy: 'all', symbol: 'none', silent: true, lineStyle: { opacity: 0 }, itemStyle: { color: colour }, emphasis: { disabled: true }, tooltip: { show: false } } as const; // biome-ignore format: one thought
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

function momentLines(moments: readonly Moment[], levels: readonly number[], theme: Theme) {
  return {
    silent: true,
    symbol: 'none',
    data: moments.map(({ name, atMs, isChange }, index) => ({
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
    })),
  };
}

function dayWords(atMs: number): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(
    atMs,
  );
}

function tooltipLines(spec: TrendSpec, index: number, colours: readonly string[]): TooltipLine[] {
  const time = spec.times[index] ?? '';
  const clock = time.length > 10 ? ` ${time.slice(11, 16)}` : '';
  const day = time.slice(0, 10);
  return [
    { name: `${dayWords(wallMs(time))}${clock}` },
    ...spec.series.map(({ name, values, low, high }, position) => {
      const value = formatValue(values[index], spec.unit);
      const range = low && high && drawable(low[index]) !== null ? ` (${formatValue(low[index], spec.unit)} – ${formatValue(high[index], spec.unit)})` : ''; // biome-ignore format: one thought
      return { name: plainText(name, 60), value: `${value}${range}`, colour: colours[position % colours.length] ?? '' };
    }),
    ...spec.events.filter((event) => event.time.startsWith(day)).map((event) => ({ name: plainText(event.name, 80) })),
  ];
}

/** Values over time with their range, events as dashed lines, the change as a solid one; a missing value is a gap. */
export function drawTrend(spec: TrendSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const atMs = spec.times.map(wallMs);
  const names = spec.series.map(({ name }) => plainText(name, 60));
  const moments = momentsOf(spec);
  const all = [...atMs, ...moments.map((moment) => moment.atMs)].filter((at) => drawable(at) !== null);
  const [firstMs, lastMs] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [0, 1];
  const spanMs = Math.max(1, lastMs - firstMs);

  const plotPx = Math.max(80, widthPx - LEFT_PX - RIGHT_PX);
  const levels = stagger(
    moments.map((moment) => ({ atPx: ((moment.atMs - firstMs) / spanMs) * plotPx, widthPx: moment.name.length * CHARACTER_PX })),
    4,
  );
  const topPx = LEGEND_TOP_PX + 28 + (moments.length > 0 ? MARK_PX * (1 + Math.max(...levels)) : 0);
  const bottomPx = AXIS_PX + (tooltip ? 30 : 0);
  const heightPx = look.heightPx ?? HEIGHT_PX;
  const colourOf = (index: number) => theme.series[index % theme.series.length] ?? theme.text;
  const bands =
    spec.series.length <= MAX_BANDS ? spec.series.flatMap((each, index) => band(each, atMs, names[index] ?? '', colourOf(index))) : [];
  const lines = spec.series.map((each, index) => line(each, atMs, names[index] ?? '', colourOf(index)));

  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    useUTC: true,
    legend: legendOption(look, names),
    grid: { left: LEFT_PX, right: RIGHT_PX, top: topPx, bottom: bottomPx, outerBoundsMode: 'none' },
    xAxis: { type: 'time', min: firstMs, max: lastMs, ...axisLines(theme), splitLine: { show: false } },
    yAxis: {
      type: 'value',
      scale: true,
      ...axisLines(theme),
      axisLine: { show: false },
      axisLabel: { ...axisLines(theme).axisLabel, formatter: (value: number) => formatValue(value, spec.unit) },
    },
    series: [
      ...bands,
      ...lines,
      // Moments belong to no series, so that hiding one does not hide them.
      {
        id: 'moments',
        type: 'line',
        data: [],
        markLine: momentLines(moments, levels, theme),
        ...(spec.judged && {
          markArea: {
            silent: true,
            itemStyle: { color: theme.shade },
            data: [[{ xAxis: wallMs(spec.judged.from) }, { xAxis: wallMs(spec.judged.to) }]],
          },
        }),
      },
    ],
    ...(tooltip && {
      dataZoom: [
        { ...sliderOption(theme), id: 'time', xAxisIndex: 0, left: LEFT_PX, right: RIGHT_PX, bottom: 8, height: 18 },
        { type: 'inside', xAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false },
      ],
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'line', lineStyle: { color: theme.faintText }, label: { show: false } },
        confine: true,
        backgroundColor: theme.tooltip,
        borderColor: theme.line,
        textStyle: { color: theme.text, fontSize: 12 },
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
