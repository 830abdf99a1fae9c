import { drawPanels, init, setPlatformAPI } from './charts/draw-chart.ts';
import type { Drawing } from './charts/look.ts';
import { type ThemeName, themes } from './charts/theme.ts';
import type { ChartSpec } from './spec.ts';

/** Mean width of a character of DejaVu Sans, in parts of the size of the font: without a page ECharts assumes a narrower one. */
const CHARACTER = 0.6;

setPlatformAPI({
  measureText: (text, font) => ({ width: text.length * CHARACTER * Number.parseFloat(/([\d.]+)px/.exec(font ?? '')?.[1] ?? '12') }),
});

/** Wide enough for addresses, small enough for a model that looks at it. */
const WIDTH_PX = 960;

/** A drawn picture and the size that it was drawn in. */
export interface Svg {
  readonly svg: string;
  readonly widthPx: number;
  readonly heightPx: number;
}

function render({ option, heightPx }: Drawing, theme: ThemeName, widthPx: number): Svg {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height: heightPx });
  try {
    chart.setOption({ ...option, backgroundColor: themes[theme].background });
    return { svg: chart.renderToSVGString(), widthPx, heightPx };
  } finally {
    chart.dispose();
  }
}

/** Draws a chart as SVG of a width, without a browser; several pictures are placed below each other. */
export function drawSvg(spec: ChartSpec, theme: ThemeName = 'light', widthPx = WIDTH_PX): Svg {
  const drawn = drawPanels(spec, { theme: themes[theme], widthPx }).map((drawing) => render(drawing, theme, widthPx));
  const [only] = drawn;
  if (only && drawn.length === 1) return only;
  const tops = drawn.map((_, index) => drawn.slice(0, index).reduce((sum, { heightPx }) => sum + heightPx, 0));
  const heightPx = drawn.reduce((sum, panel) => sum + panel.heightPx, 0);
  const inner = drawn.map(({ svg }, index) => svg.replace('<svg ', `<svg y="${tops[index]}" `));
  const open = `<svg width="${widthPx}" height="${heightPx}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${widthPx} ${heightPx}">`;
  return { svg: `${open}${inner.join('')}</svg>`, widthPx, heightPx };
}
