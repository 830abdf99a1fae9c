import { BarChart, LineChart } from 'echarts/charts';
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { type ChartSpec, type PanelSpec, panelsOf } from '../spec.ts';
import { drawBars } from './bars.ts';
import { drawContribution } from './contribution.ts';
import type { Drawing, Look } from './look.ts';
import { drawTrend } from './trend.ts';
import { drawWaterfall } from './waterfall.ts';

use([BarChart, LineChart, SVGRenderer]);
use([DataZoomComponent, GridComponent, LegendComponent, TitleComponent, TooltipComponent]);
use([MarkAreaComponent, MarkLineComponent]);

/** ECharts with the parts that the charts use, and no others. */
export { init };

/** The ECharts option of any picture: the one declaration that server and view draw from. */
export function drawChart(spec: PanelSpec, look: Look): Drawing {
  if (spec.kind === 'waterfall') return drawWaterfall(spec, look);
  if (spec.kind === 'trend') return drawTrend(spec, look);
  return spec.kind === 'bars' ? drawBars(spec, look) : drawContribution(spec, look);
}

/** Height of each of several trends below each other. */
const PANEL_PX = 260;

/** The pictures of a chart from top to bottom: a single one has the height that is given, several trends are low. */
export function drawPanels(spec: ChartSpec, { heightPx, ...look }: Look): Drawing[] {
  const panels = panelsOf(spec);
  const isMany = panels.filter(({ kind }) => kind === 'trend').length > 1;
  const height = panels.length === 1 ? heightPx : isMany ? PANEL_PX : undefined;
  return panels.map((panel) => drawChart(panel, { ...look, ...(height !== undefined && { heightPx: height }) }));
}
