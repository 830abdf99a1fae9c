import type { ECharts } from 'echarts/core';
import { drawPanels, init } from '../charts/draw-chart.ts';
import type { TooltipLine } from '../charts/look.ts';
import type { Theme } from '../charts/theme.ts';
import type { ChartSpec } from '../spec.ts';

/** An element of a tooltip: every text goes in as text, so that no address or name can become markup. */
function made(tag: string, ...parts: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...parts);
  return element;
}

/** The tooltip as an element. */
function tooltipElement(lines: readonly TooltipLine[]): HTMLElement {
  const box = made('div', ...lines.map(({ name, value, colour }) => (value === undefined ? made('b', name) : row(name, value, colour))));
  box.className = 'tooltip';
  return box;
}

function row(name: string, value: string, colour: string | undefined): HTMLElement {
  const swatch = made('i');
  if (colour !== undefined) swatch.style.backgroundColor = colour;
  return made('div', ...(colour === undefined ? [] : [swatch]), made('span', name), made('span', value));
}

/** The page and the parts that the pictures are drawn with. */
export interface Page {
  readonly theme: Theme;
  /** Height of the view where the host fixes it; a single picture then fits itself to it. */
  readonly heightPx: number | undefined;
}

interface Drawn {
  readonly element: HTMLElement;
  readonly chart: ECharts;
}

/** Zooms by the wheel with control (or by two fingers), around the pointer; the wheel alone scrolls. */
function zoom({ element, chart }: Drawn, event: WheelEvent): void {
  if (!event.ctrlKey) return;
  event.preventDefault();
  // The options of ECharts are not typed by what was set.
  const [state] = (chart.getOption()['dataZoom'] ?? []) as { start?: number; end?: number }[];
  const { start: first = 0, end: last = 100 } = state ?? {};
  const { left, width } = element.getBoundingClientRect();
  const at = (event.clientX - left) / width;
  const span = Math.min(100, Math.max(1, (last - first) * (event.deltaY > 0 ? 1.25 : 0.8)));
  const from = Math.min(100 - span, Math.max(0, first + (last - first - span) * at));
  chart.dispatchAction({ type: 'dataZoom', start: from, end: from + span });
}

function addPanel(box: HTMLElement): Drawn {
  const element = document.createElement('div');
  element.className = 'chart';
  element.setAttribute('role', 'img');
  box.append(element);
  const drawn = { element, chart: init(element, null, { renderer: 'svg' }) };
  element.addEventListener('wheel', (event) => zoom(drawn, event), { passive: false });
  element.addEventListener('dblclick', () => drawn.chart.dispatchAction({ type: 'dataZoom', start: 0, end: 100 }));
  return drawn;
}

/** Draws charts into a box: the first time and whenever spec, theme or size have changed. */
export function chartBox(box: HTMLElement): (spec: ChartSpec, page: Page) => void {
  const all: Drawn[] = [];
  return (spec, { theme, heightPx }) => {
    const fixed = heightPx !== undefined && { heightPx };
    const drawings = drawPanels(spec, { theme, widthPx: box.clientWidth, tooltip: tooltipElement, ...fixed });
    for (const { element, chart } of all.splice(drawings.length)) {
      chart.dispose();
      element.remove();
    }
    for (const [index, drawing] of drawings.entries()) {
      const drawn = (all[index] ??= addPanel(box));
      drawn.element.style.height = `${drawing.heightPx}px`;
      drawn.element.setAttribute('aria-label', drawing.words);
      drawn.chart.resize();
      drawn.chart.setOption(drawing.option, { notMerge: true });
    }
  };
}
