import { BarChart, CustomChart, LineChart, SankeyChart, ScatterChart } from 'echarts/charts';
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { type BarsSpec, type ChartSpec, type FlowSpec, type GridSpec, type PanelSpec, panelsOf } from '../spec.ts';
import { drawBars } from './bars.ts';
import { CHARACTER_PX, type Drawing, headOf, isNarrow, type Look, tooltipOption, wrapped } from './look.ts';
import { EDGE_PX, rowsOf, WORDS_PX } from './rows.ts';
import { drawTrend } from './trend.ts';
import { formatValue, plainText } from './values.ts';
import { drawWaterfall } from './waterfall.ts';

/** Room for a page and its label, and for the heading of a column; width of a page. */
const [NODE_PX, LABEL_PX, HEADING_PX, WIDE_PX] = [32, 190, 30, 10];

/** The columns below each other as bars, for a picture too narrow for bands. */
function columnsOf({ title, subtitle, columns, nodes, accent }: FlowSpec): BarsSpec {
  const nameOf = ({ label, side }: FlowSpec['nodes'][number]) => `${columns[side]}: ${label}`;
  return {
    kind: 'bars',
    title,
    ...(subtitle !== undefined && { subtitle }),
    unit: 'none',
    labels: nodes.map(nameOf),
    series: [{ name: 'sessions', values: nodes.map(({ count }) => count) }],
    accent: nodes.filter(({ id }) => id === accent).map(nameOf),
  };
}

/** The meaning of each column above it. */
function headingsOf({ columns, nodes }: FlowSpec, { theme, widthPx }: Look, topPx: number, rightPx: number) {
  const columnPx = (widthPx - EDGE_PX - rightPx - WIDE_PX) / Math.max(1, ...nodes.map(({ side }) => side));
  const shared = { top: topPx + HEADING_PX / 4, padding: 0, textStyle: { fontSize: 11, fontWeight: 'normal', color: theme.faintText } };
  return columns.map((text, side) => ({ ...shared, text, left: EDGE_PX + side * columnPx }));
}

/** Pages in columns and bands between them as broad as the sessions that went from one to the other. */
function drawFlow(spec: FlowSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  if (isNarrow(widthPx)) return drawBars(columnsOf(spec), look);
  const { columns, nodes, links, accent } = spec;
  const most = Math.max(1, ...columns.map((_, side) => nodes.filter((node) => node.side === side).length));
  const head = headOf(look, spec);
  const top = head.endPx + HEADING_PX;
  const heightPx = top + NODE_PX * (most + 1) + 20;
  const characters = Math.max(12, Math.floor(Math.min(LABEL_PX, (widthPx - 40) / (columns.length + 1)) / CHARACTER_PX));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const words = (id: string, limit: number) => {
    const node = byId.get(id);
    return node ? `${plainText(node.label, limit)} ${formatValue(node.count, 'none')}` : '';
  };
  const right = Math.min(LABEL_PX, widthPx / 4);
  const wayOf = (from = '', to = '') => `${byId.get(from)?.label} → ${byId.get(to)?.label}`;
  const option = {
    ...head.option,
    title: [head.option.title, ...headingsOf(spec, look, head.endPx, right)],
    series: [
      {
        type: 'sankey',
        left: EDGE_PX,
        right,
        top,
        bottom: 20,
        nodeWidth: WIDE_PX,
        nodeGap: 15,
        nodeAlign: 'left',
        // Keeps the order of the nodes.
        layoutIterations: 0,
        draggable: false,
        emphasis: { disabled: !tooltip, focus: 'adjacency' },
        label: { color: theme.text, fontSize: 11, position: 'right', formatter: ({ name }: { name: string }) => words(name, characters) },
        lineStyle: { opacity: 0.28, curveness: 0.5 },
        data: nodes.map(({ id, side }) => ({
          name: id,
          depth: side,
          itemStyle: { color: id === accent ? theme.accent : theme.grey, borderWidth: 0 },
        })),
        links: links.map(({ from: source, to: target, count: value, isAccent }) => ({
          source,
          target,
          value,
          lineStyle: { color: isAccent ? theme.accent : theme.grey },
        })),
      },
    ],
    ...tooltipOption(look, ({ data, name }: { data: { source?: string; target?: string; value?: number }; name: string }) =>
      data.value === undefined
        ? [{ name: words(name, 80) }]
        : [{ name: wayOf(data.source, data.target) }, { name: 'sessions', value: formatValue(data.value, 'none') }],
    ),
  };
  const largest = links.toSorted((a, b) => b.count - a.count).slice(0, 8);
  const told = largest.map(({ from, to, count }) => `${wayOf(from, to)} ${formatValue(count, 'none')}`);
  return { option, heightPx, words: `${plainText(spec.title)}: ${told.join('; ')}.` };
}

const ROW_PX = 2 * WORDS_PX;
/** A cell of this width has room for four characters. */
const CELL_PX = 34;

/** A cell that is drawn: its column, row and amount. */
interface GridCell {
  readonly value: readonly [number, number, number];
}

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
function drawGrid(spec: GridSpec, look: Look): Drawing {
  const { columns, rows, unit } = spec;
  const { theme } = look;
  const names = rows.map(({ name }) => plainText(name, 40));
  const { plotPx, textPx, heightPx, option } = rowsOf(look, {
    ...spec,
    names: [],
    words: (characters) => names.map((name) => wrapped(name, characters)),
    barsPx: ROW_PX,
    leftPx: EDGE_PX,
    rightPx: EDGE_PX,
    abovePx: 20,
    belowPx: EDGE_PX,
  });
  const cellPx = plotPx / Math.max(1, columns.length);
  // What does not fit in a cell is written without decimals.
  const shown = (value: number) => formatValue(cellPx < CELL_PX || value >= 10 ? Math.round(value) : value, unit);
  const short = columns.map((name) => (name.length * CHARACTER_PX < cellPx ? name : (name.split(' ').at(-1) ?? name)));
  const told = rows.map(({ values }, row) => {
    const known = values.filter((value) => value !== null).slice(0, 5);
    return `${names[row]} ${known.map(shown).join(', ')}`;
  });
  return {
    option: {
      ...option,
      xAxis: {
        type: 'category',
        data: short,
        position: 'top',
        axisTick: { show: false },
        axisLine: { show: false },
        axisLabel: { color: theme.faintText, fontSize: 11, interval: 0 },
      },
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
            formatter: ({ value: [, , amount] }: GridCell) => shown(amount),
          },
          data: cellsOf(spec, look),
        },
      ],
      ...tooltipOption(look, ({ value: [column, row, amount] }: GridCell) => [
        { name: names[row] ?? '' },
        { name: columns[column] ?? '', value: formatValue(amount, unit) },
      ]),
    },
    heightPx,
    words: `${plainText(spec.title)}: ${told.join('; ')}.`,
  };
}

use([BarChart, CustomChart, LineChart, SankeyChart, ScatterChart, SVGRenderer]);
use([DataZoomComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent]);
use([MarkAreaComponent, MarkLineComponent]);

/** ECharts with the parts that the charts use, and no others. */
export { init, setPlatformAPI };

/** The ECharts option of any picture: the one declaration that server and view draw from. */
export function drawChart(spec: PanelSpec, look: Look): Drawing {
  switch (spec.kind) {
    case 'waterfall':
      return drawWaterfall(spec, look);
    case 'trend':
      return drawTrend(spec, look);
    case 'bars':
      return drawBars(spec, look);
    case 'flow':
      return drawFlow(spec, look);
    default:
      return drawGrid(spec, look);
  }
}

/** Height of each of several trends below each other. */
const PANEL_PX = 260;

/** The pictures of a chart from top to bottom: a single one has the height that is given, several trends are low. */
export function drawPanels(spec: ChartSpec, { heightPx, ...look }: Look): Drawing[] {
  const panels = panelsOf(spec);
  const isMany = panels.filter(({ kind }) => kind === 'trend').length > 1;
  const panelPx = isMany ? PANEL_PX : undefined;
  const height = panels.length === 1 ? heightPx : panelPx;
  return panels.map((panel) => drawChart(panel, { ...look, ...(height !== undefined && { heightPx: height }) }));
}
