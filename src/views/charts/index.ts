import type { ChartSpec } from '../spec.ts';
import type { Drawing, Look } from './look.ts';
import { drawTrend } from './trend.ts';
import { drawWaterfall } from './waterfall.ts';

/** The ECharts option of any chart: the one declaration that server and view draw from. */
export function drawChart(spec: ChartSpec, look: Look): Drawing {
  return spec.kind === 'waterfall' ? drawWaterfall(spec, look) : drawTrend(spec, look);
}
