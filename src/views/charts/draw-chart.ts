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
import { type ChartSpec, type PanelSpec, panelsOf } from '../spec.ts';
import { drawBars } from './bars.ts';
import { drawFlow } from './flow.ts';
import { drawGrid } from './grid.ts';
import type { Drawing, Look } from './look.ts';
import { drawTrend } from './trend.ts';
import { drawWaterfall } from './waterfall.ts';

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
