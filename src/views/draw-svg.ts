import { drawChart } from './charts/index.ts';
import { type ThemeName, themes } from './charts/theme.ts';
import { init } from './echarts.ts';
import type { ChartSpec } from './spec.ts';

/** Wide enough for addresses, small enough for a model that looks at it. */
const WIDTH_PX = 960;

/** A drawn picture and the size that it was drawn in. */
export interface Svg {
  readonly svg: string;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Draws a chart as SVG, without a browser. */
export function drawSvg(spec: ChartSpec, theme: ThemeName = 'light'): Svg {
  const { option, heightPx } = drawChart(spec, { theme: themes[theme], widthPx: WIDTH_PX });
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH_PX, height: heightPx });
  try {
    chart.setOption({ ...option, backgroundColor: themes[theme].background });
    return { svg: chart.renderToSVGString(), widthPx: WIDTH_PX, heightPx };
  } finally {
    chart.dispose();
  }
}
