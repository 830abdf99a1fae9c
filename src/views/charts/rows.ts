import {
  CHARACTER_PX,
  type Head,
  headOf,
  isNarrow,
  type Look,
  legendOption,
  legendPx,
  marksOf,
  type PlotMark,
  seamOf,
  type TooltipLine,
  tooltipOption,
} from './look.ts';
import type { Theme } from './theme.ts';

/** Height of a line of words of a row. */
export const WORDS_PX = 14;
/** Room at the edges of a picture. */
export const EDGE_PX = 16;
/** Room for the labels of a scale below the rows. */
export const AXIS_PX = 30;

/** An amount behind a bar. */
export function amountLabel(theme: Theme, formatter: (params: { readonly dataIndex: number }) => string) {
  return { show: true, position: 'right', fontSize: 10, color: theme.faintText, ...seamOf(theme), formatter, opacity: 1 } as const;
}

/** The tooltip of a row, or of a time where its pointer is given. */
export function rowTooltip(
  look: Look,
  linesOf: (row: number) => readonly TooltipLine[],
  axisPointer: object = { type: 'shadow', shadowStyle: { color: look.theme.shade } },
) {
  return tooltipOption(look, ([first]: readonly { dataIndex: number }[]) => linesOf(first?.dataIndex ?? -1), axisPointer);
}

/** Rows of a picture, each with its words and something that is drawn beside or below them. */
interface Rows extends Head {
  /** Names of a legend; none where there is nothing to tell apart. */
  readonly names: readonly string[];
  /** The words of each row, in lines of at most so many characters. */
  readonly words: (characters: number) => readonly (readonly string[])[];
  readonly colourOf?: (row: number) => string;
  /** Height of what is drawn of a row. */
  readonly barsPx: number;
  readonly gapPx?: number;
  /** Of a narrow picture, whose words do not stand before it. */
  readonly leftPx: number;
  readonly rightPx: number;
  /** Marks above the rows, and the end of the axis that they stand on. */
  readonly marks?: readonly PlotMark[];
  readonly max?: number;
  /** Room between legend and rows, and below the rows. */
  readonly abovePx?: number;
  readonly belowPx?: number;
}

/** An axis that runs downwards with words for each row, which stand inside above `linesBelow` lines of room, or before it. */
function rowAxis(words: readonly string[], theme: Theme, linesBelow: number, colourOf: (row: number) => string) {
  const isAbove = linesBelow > 0;
  return {
    type: 'category',
    inverse: true,
    // By position, because words may repeat.
    data: words.map((_, index) => String(index)),
    axisLine: { lineStyle: { color: theme.line } },
    axisTick: { show: false },
    z: 4, // the words above lines of the scale
    axisLabel: {
      ...seamOf(theme),
      interval: 0,
      fontSize: 11,
      lineHeight: WORDS_PX,
      margin: isAbove ? 2 : 8,
      inside: isAbove,
      color: (row: string) => colourOf(Number(row)),
      formatter: (row: string) => (words[Number(row)] ?? '') + '\n'.repeat(linesBelow),
    },
  };
}

/**
 * Divides a picture between the words of its rows and what is drawn of them: words stand before it, short ones leave it their room; in a
 * narrow picture above it, over unseen bars of their height.
 */
export function rowsOf(look: Look, rows: Rows) {
  const { theme, widthPx } = look;
  const { names, words, colourOf = () => theme.text, barsPx, gapPx = 0, leftPx, rightPx } = rows;
  const { marks = [], max = 1, abovePx = 0, belowPx = AXIS_PX } = rows;
  const isAbove = isNarrow(widthPx);
  const longest = Math.max(0, ...words(Number.POSITIVE_INFINITY).flatMap((lines) => lines.map(({ length }) => length)));
  const labelPx = Math.round(Math.min(300, widthPx * 0.36, (longest + 2) * CHARACTER_PX));
  const lines = words(Math.floor((isAbove ? widthPx - 2 * EDGE_PX : labelPx) / CHARACTER_PX));
  const left = isAbove ? leftPx : labelPx + EDGE_PX;
  const linesPx = WORDS_PX * Math.max(1, ...lines.map(({ length }) => length));
  const textPx = isAbove ? linesPx : 0;
  const rowPx = gapPx + (isAbove ? textPx + barsPx : Math.max(barsPx, linesPx));
  const plotPx = Math.max(80, widthPx - left - rightPx);
  const above = marksOf(look, marks, { min: 0, max, leftPx: left, plotPx });
  const head = headOf(look, rows);
  const top = head.endPx + (names.length > 0 ? legendPx(look, names) : 4) + abovePx + above.heightPx;
  const linesBelow = isAbove ? Math.round(barsPx / (WORDS_PX + 2)) : 0;
  return {
    isAbove,
    textPx,
    left,
    plotPx,
    heightPx: top + Math.max(1, lines.length) * rowPx + belowPx,
    option: {
      ...head.option,
      ...(names.length > 0 && { legend: legendOption(look, names, head.endPx) }),
      grid: { left, right: rightPx, top, bottom: belowPx, outerBoundsMode: 'none' },
      yAxis: rowAxis(
        lines.map((each) => each.join('\n')),
        theme,
        linesBelow,
        colourOf,
      ),
    },
    // The top of an axis that runs downwards is its start.
    marks: above.data.map((mark) => ({ ...mark, label: { ...mark.label, position: 'start' } })),
    series: isAbove ? [{ type: 'bar', id: 'above', stack: 'above', silent: true, barWidth: textPx, data: lines.map(() => 0) }] : [],
  };
}
