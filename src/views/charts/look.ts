import type { EChartsCoreOption } from 'echarts/core';
import type { BarLines, Theme } from './theme.ts';
import { plainText } from './values.ts';

/** One line of a tooltip; a line without a value is a heading. */
export interface TooltipLine {
  readonly name: string;
  readonly value?: string;
  readonly colour?: string;
}

/** How a chart is drawn: on the server once, in a view to be zoomed and pointed at. */
export interface Look {
  readonly theme: Theme;
  readonly widthPx: number;
  /** Height of a view; a chart of rows is as high as its rows all the same. */
  readonly heightPx?: number;
  /** Makes the element of a tooltip; given by a view, which can also be zoomed. */
  readonly tooltip?: (lines: readonly TooltipLine[]) => object;
}

/** An ECharts option and the size that it was made for. */
export interface Drawing {
  readonly option: EChartsCoreOption;
  readonly heightPx: number;
  /** The picture in one sentence, as a text alternative. */
  readonly words: string;
}

/** Lines of a title or subtitle at most; no finding or key is longer. */
const MOST_LINES = 8;
/** Width of a bold character of 15 px and of one of 12 px in DejaVu Sans, on average. */
const TITLE_CHARACTER_PX = 9.8;
const SUBTITLE_CHARACTER_PX = 7;

/** Below this width, as of a phone, words stand above bars instead of beside them. */
export const isNarrow = (widthPx: number) => widthPx < 560;

/** A text in lines that fit the width; only a text of more lines than a head has is cut. */
export function wrapped(text: string, characters: number): string[] {
  const lines: string[] = [];
  // An amount stays with its unit, a day with its month, a sign with its meaning.
  for (const word of plainText(text, characters * MOST_LINES).split(/(?<!\p{S})(?:(?<!\d) | (?!\p{L}{1,4}\b))/u)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < characters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(plainText(word, characters));
  }
  return lines;
}

/** Title and subtitle of a picture. */
export interface Head {
  readonly title: string;
  readonly subtitle?: string | undefined;
}

/**
 * The option that all charts share, with title and subtitle, and where the legend or the plot begins below these; animation is off, because
 * a picture has to be whole at once.
 */
export function headOf({ theme, widthPx }: Look, { title, subtitle = '' }: Head) {
  const room = Math.max(120, widthPx - 24);
  const lines = wrapped(title, Math.floor(room / TITLE_CHARACTER_PX));
  const below = wrapped(subtitle, Math.floor(room / SUBTITLE_CHARACTER_PX));
  const option = {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: theme.font, color: theme.text },
    title: {
      text: lines.join('\n'),
      left: 12,
      top: 8,
      itemGap: 4,
      textStyle: { fontSize: 15, lineHeight: 20, fontWeight: 'bold', color: theme.text },
      ...(subtitle !== '' && { subtext: below.join('\n'), subtextStyle: { fontSize: 12, lineHeight: 16, color: theme.faintText } }),
    },
  } as const;
  return { option, endPx: 18 + 20 * lines.length + 16 * below.length };
}

/** Height of one line of marks above a plot. */
const MARK_PX = 14;
/** Width of a character of 11 px in DejaVu Sans, on average. */
export const CHARACTER_PX = 6.4;

/** Between names, and between rows of them. */
const LEGEND_GAP_PX = 14;
const LEGEND_ROW_PX = LEGEND_GAP_PX + 13;

/** Height of a legend of these names: as many rows as they need, because a still picture has no pages to turn. */
export function legendPx({ widthPx }: Look, names: readonly string[], symbolPx = 14): number {
  let [rows, atPx] = [1, 0];
  for (const name of names) {
    const itemPx = symbolPx + 8 + name.length * CHARACTER_PX * 1.08 + LEGEND_GAP_PX;
    if (atPx > 0 && atPx + itemPx > widthPx - 24) [rows, atPx] = [rows + 1, 0];
    atPx += itemPx;
  }
  return rows * LEGEND_ROW_PX - 3;
}

/** All names of a picture, in rows below its head. */
export function legendOption({ theme }: Look, names: readonly string[], topPx: number) {
  return {
    type: 'plain',
    left: 12,
    right: 12,
    top: topPx,
    icon: 'roundRect',
    itemWidth: 14,
    itemHeight: 9,
    itemGap: LEGEND_GAP_PX,
    data: [...names],
    textStyle: { fontSize: 11, color: theme.text },
    inactiveColor: theme.line,
  } as const;
}

/** A seam in the colour of the background, which keeps lines off the letters of a text. */
export const seamOf = ({ background }: Theme) => ({ textBorderColor: background, textBorderWidth: 3 });

/** The decal of a bar with these lines, as ECharts draws it. */
export function decalOf(lines: BarLines | undefined, theme: Theme) {
  if (!lines) return {};
  const { angle, line, gap } = lines;
  return { decal: { symbol: 'rect', color: theme.background, rotation: angle, dashArrayX: [1, 0], dashArrayY: [line, gap] } } as const;
}

/** Lines and labels of an axis; `formatter` writes the labels. */
export function axisLines<Value>(theme: Theme, formatter: (value: Value) => string) {
  return {
    axisLine: { show: true, lineStyle: { color: theme.line } },
    axisTick: { show: false },
    splitLine: { show: true, lineStyle: { color: theme.gridLine } },
    axisLabel: { color: theme.faintText, fontSize: 11, hideOverlap: true, formatter },
  } as const;
}

/** Zoom along the x axis by a handle below the plot. ECharts' zoom by wheel is not used: it keeps the page from being scrolled. */
export function sliderOption(theme: Theme, place: { readonly left: number; readonly right: number }) {
  return {
    ...place,
    id: 'slider',
    type: 'slider',
    xAxisIndex: 0,
    filterMode: 'none',
    bottom: 8,
    height: 16,
    showDetail: false,
    showDataShadow: false,
    brushSelect: false,
    borderColor: theme.gridLine,
    fillerColor: theme.shade,
    handleStyle: { color: theme.background, borderColor: theme.faintText },
    moveHandleStyle: { color: theme.line },
  } as const;
}

/** A tooltip of what is hovered, where a view makes its element; with a pointer that of all values at one place of the axis. */
export function tooltipOption<Hovered>(
  { theme, tooltip }: Look,
  linesOf: (hovered: Hovered) => readonly TooltipLine[],
  axisPointer?: object,
) {
  return (
    tooltip && {
      tooltip: {
        trigger: axisPointer ? 'axis' : 'item',
        confine: true,
        backgroundColor: theme.tooltip,
        borderColor: theme.line,
        textStyle: { color: theme.text, fontSize: 12 },
        ...(axisPointer && { axisPointer }),
        formatter: (hovered: Hovered) => tooltip(linesOf(hovered)),
      },
    }
  );
}

/** Gives labels that are close to each other different heights, so that none covers another: 0 is nearest to the plot. */
export function stagger(labels: readonly { readonly atPx: number; readonly widthPx: number }[]): number[] {
  const ends: number[] = [];
  const placed: number[] = [];
  for (const [index, { atPx, widthPx }] of [...labels.entries()].toSorted(([, a], [, b]) => a.atPx - b.atPx)) {
    const start = atPx - widthPx / 2;
    const free = ends.findIndex((end) => end <= start);
    const level = free === -1 ? ends.length : free;
    ends[level] = atPx + widthPx / 2 + 4;
    placed[index] = level;
  }
  return placed;
}

/** A moment that a line across the plot marks. */
export interface PlotMark {
  readonly name: string;
  /** On the axis. */
  readonly at: number;
  /** A change, not an event. */
  readonly isChange?: boolean;
}

/** Where an axis lies in a picture. */
interface AxisPlace {
  readonly min: number;
  readonly max: number;
  readonly leftPx: number;
  readonly plotPx: number;
}

/**
 * Lines across a plot, with their names above it: in as many lines as the picture needs, moved aside so that its edge does not cut them,
 * and at heights that keep those of close ones apart.
 */
export function marksOf({ theme, widthPx }: Look, marks: readonly PlotMark[], { min, max, leftPx, plotPx }: AxisPlace) {
  const longest = Math.max(24, Math.floor((widthPx - 24) / (1.1 * CHARACTER_PX)));
  const names = marks.map(({ name }) => wrapped(name, longest));
  const labels = marks.map(({ at, isChange }, index) => {
    const labelPx = Math.max(...(names[index] ?? []).map(({ length }) => length)) * (isChange ? 1.1 : 1) * CHARACTER_PX;
    const markPx = ((at - min) / Math.max(1, max - min)) * plotPx;
    // Over the numbers of the axis only where it has no room beside them.
    const inside = Math.min(Math.max(markPx, labelPx / 2), widthPx - leftPx - labelPx / 2 - CHARACTER_PX);
    const atPx = Math.max(labelPx / 2 - leftPx, inside);
    return { atPx, widthPx: labelPx, shiftPx: atPx - markPx };
  });
  const levels = stagger(labels);
  const namePx = MARK_PX * Math.max(0, ...names.map(({ length }) => length));
  return {
    heightPx: namePx * Math.max(0, ...levels.map((level) => level + 1)),
    data: marks.map(({ name, at, isChange = false }, index) => {
      const color = isChange ? theme.accent : theme.mark;
      return {
        name,
        xAxis: at,
        lineStyle: { color, type: isChange ? 'solid' : 'dashed', width: isChange ? 2 : 1 },
        label: {
          position: 'end',
          formatter: () => names[index]?.join('\n') ?? name,
          color,
          fontWeight: isChange ? 'bold' : 'normal',
          fontSize: 11,
          lineHeight: MARK_PX,
          offset: [labels[index]?.shiftPx ?? 0, -namePx * (levels[index] ?? 0)],
        },
      };
    }),
  };
}
