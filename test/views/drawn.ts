import { drawChart } from '../../src/views/charts/draw-chart.ts';
import type { TooltipLine } from '../../src/views/charts/look.ts';
import { themes } from '../../src/views/charts/theme.ts';
import type { PanelSpec } from '../../src/views/spec.ts';

/** What the tests read of a series of an option. */
export interface Series {
  readonly symbol?: string;
  readonly lineStyle?: { readonly type?: unknown };
  readonly id?: string;
  readonly name?: string;
  readonly stack?: string;
  readonly data: readonly unknown[];
  readonly markLine?: { readonly data: readonly { readonly name: string; readonly xAxis: number }[] };
  readonly markArea?: { readonly data: readonly unknown[] };
}

/** As the server draws. */
export const LOOK = { theme: themes.light, widthPx: 960 };

/** The series that a picture is drawn from. */
export function seriesOf(spec: PanelSpec): readonly Series[] {
  return drawChart(spec, LOOK).option['series'] as Series[];
}

/** What a tooltip says, as a view would get it. */
export function tooltipOf(spec: PanelSpec, dataIndex: number): readonly TooltipLine[] {
  let shown: readonly TooltipLine[] = [];
  const tooltip = (lines: readonly TooltipLine[]) => {
    shown = lines;
    return {};
  };
  const { option } = drawChart(spec, { theme: themes.dark, widthPx: 960, tooltip });
  (option['tooltip'] as { formatter: (hovered: { dataIndex: number }[]) => object }).formatter([{ dataIndex }]);
  return shown;
}
