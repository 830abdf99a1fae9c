import type { GridSpec } from '../spec.ts';
import { CHARACTER_PX, commonOption, type Drawing, headPx, isNarrow, type Look, rowAxis, tooltipOption, WORDS_PX } from './look.ts';
import { formatValue, plainText } from './values.ts';

const ROW_PX = 2 * WORDS_PX;
const EDGE_PX = 16;
/** A cell of this width has room for four characters. */
const CELL_PX = 34;

/** A cell for each value, by column and row. */
function cellsOf({ rows }: GridSpec, { theme }: Look) {
  const highest = Math.max(Number.MIN_VALUE, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return rows.flatMap(({ values }, row) =>
    values.flatMap((value, column) => {
      if (value === null) return [];
      return [{ value: [column, row, value], itemStyle: { color: theme.series[0], opacity: 0.08 + (0.6 * value) / highest } }];
    }),
  );
}

/** Rows of cells that darken with their value, which stands in them; in a narrow picture the name of a row stands above it. */
export function drawGrid(spec: GridSpec, look: Look): Drawing {
  const { columns, rows, unit } = spec;
  const { theme, widthPx, tooltip } = look;
  const textPx = isNarrow(widthPx) ? WORDS_PX : 0;
  const names = rows.map(({ name }) => plainText(name, 40));
  const left = textPx > 0 ? EDGE_PX : EDGE_PX + CHARACTER_PX * Math.max(0, ...names.map((name) => name.length));
  const cellPx = (widthPx - left - EDGE_PX) / Math.max(1, columns.length);
  const top = headPx(look, spec) + 24;
  // What does not fit in a cell is written without decimals.
  const shown = (value: number) => formatValue(cellPx < CELL_PX || value >= 10 ? Math.round(value) : value, unit);
  const short = columns.map((name) => (name.length * CHARACTER_PX < cellPx ? name : (name.split(' ').at(-1) ?? name)));
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    grid: { left, right: EDGE_PX, top, height: (ROW_PX + textPx) * Math.max(1, rows.length), outerBoundsMode: 'none' },
    xAxis: {
      type: 'category',
      data: short,
      position: 'top',
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: theme.faintText, fontSize: 11, interval: 0 },
    },
    yAxis: rowAxis(names, theme, { linesBelow: textPx > 0 ? 2 : undefined }),
    series: [
      {
        type: 'scatter',
        symbol: 'rect',
        symbolSize: [Math.max(4, cellPx - 2), ROW_PX - 4],
        symbolOffset: [0, textPx / 2],
        emphasis: { disabled: true },
        label: {
          show: true,
          fontSize: cellPx < CELL_PX ? 9 : 10,
          opacity: 1,
          color: theme.text,
          formatter: ({ value }: { value: readonly [number, number, number] }) => shown(value[2]),
        },
        data: cellsOf(spec, look),
      },
    ],
    ...(tooltip && {
      tooltip: {
        ...tooltipOption(theme),
        trigger: 'item',
        formatter: ({ value }: { value: readonly [number, number, number] }) =>
          tooltip([{ name: names[value[1]] ?? '' }, { name: columns[value[0]] ?? '', value: formatValue(value[2], unit) }]),
      },
    }),
  };
  const told = rows.map(({ name, values }) => {
    const known = values.flatMap((value) => (value === null ? [] : [shown(value)]));
    return `${plainText(name, 40)} ${known.slice(0, 5).join(', ')}`;
  });
  return {
    option,
    heightPx: top + (ROW_PX + textPx) * Math.max(1, rows.length) + 16,
    words: `${plainText(spec.title)}: ${told.join('; ')}.`,
  };
}
