import type { EChartsCoreOption } from 'echarts/core';
import { CHARACTER_PX } from './look.ts';
import type { Theme } from './theme.ts';

/** Place of the words before the bars and of the bars. */
export interface RowPlace {
  /** Where the plot begins. */
  readonly left: number;
  /** Characters that the words before a bar may have. */
  readonly characters: number;
  readonly plotPx: number;
}

/** Divides a width between words, bars and the `rightPx` behind them. */
export function rowPlace(widthPx: number, rightPx: number): RowPlace {
  const labelPx = Math.round(Math.min(300, widthPx * 0.36));
  const left = labelPx + 8;
  return { left, characters: Math.floor(labelPx / CHARACTER_PX), plotPx: Math.max(80, widthPx - left - rightPx) };
}

/** An axis that runs downwards with words before each row. */
export function rowAxis(words: readonly string[], theme: Theme, colourOf: (row: number) => string = () => theme.text): EChartsCoreOption {
  return {
    type: 'category',
    inverse: true,
    // By position, because words may repeat.
    data: words.map((_, index) => String(index)),
    axisLine: { lineStyle: { color: theme.line } },
    axisTick: { show: false },
    axisLabel: {
      interval: 0,
      fontSize: 11,
      margin: 8,
      color: (row: string) => colourOf(Number(row)),
      formatter: (row: string) => words[Number(row)] ?? '',
    },
  };
}
