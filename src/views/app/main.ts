import type { ECharts } from 'echarts/core';
import { drawChart } from '../charts/index.ts';
import type { Theme, ThemeName } from '../charts/theme.ts';
import { themes } from '../charts/theme.ts';
import { init } from '../echarts.ts';
import type { ChartSpec } from '../spec.ts';
import { connectHost, type Host, type HostContext } from './host.ts';
import { tooltipElement } from './tooltip.ts';

type Members = Readonly<Record<string, unknown>>;

/** What is shown now; redrawn as a whole whenever a part of it changes. */
interface Shown {
  spec?: ChartSpec;
  context: HostContext;
  args: Members;
}

const shown: Shown = { context: {}, args: {} };
let host: Host | undefined;
let chart: ECharts | undefined;

function part(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}

const themeName = (): ThemeName => (shown.context.theme === 'dark' ? 'dark' : 'light');

/** Passes the host's own colours and fonts on to the page; names and values are the host's, which frames the view anyway. */
function applyContext(): void {
  const root = document.documentElement;
  root.dataset['theme'] = themeName();
  for (const [name, value] of Object.entries(shown.context.styles?.variables ?? {}))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
}

/** The chart's theme in the colours that the page has with the host's variables applied. */
function pageTheme(): Theme {
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
  const { color: faintText } = getComputedStyle(part('words'));
  return { ...themes[themeName()], background: backgroundColor, text: color, faintText, font: fontFamily.replaceAll('"', "'") };
}

function say(words: string): void {
  part('words').textContent = words;
  part('words').hidden = words === '';
}

function fixedHeightPx(): number | undefined {
  const height = shown.context.containerDimensions?.height;
  return typeof height === 'number' && height > 160 ? height : undefined;
}

function draw(): void {
  const { spec } = shown;
  const box = part('chart');
  box.hidden = spec === undefined;
  if (!spec) return;
  say('');
  part('ask').hidden = true;
  const heightPx = fixedHeightPx();
  part('scroll').style.maxHeight = heightPx === undefined ? '' : `${heightPx}px`;
  const drawing = drawChart(spec, {
    theme: pageTheme(),
    widthPx: box.clientWidth,
    tooltip: tooltipElement,
    ...(heightPx !== undefined && { heightPx }),
  });
  box.style.height = `${drawing.heightPx}px`;
  box.setAttribute('aria-label', drawing.words);
  chart ??= init(box, null, { renderer: 'svg' });
  chart.resize();
  chart.setOption(drawing.option, { notMerge: true });
}

function isChart(value: unknown): value is ChartSpec {
  return typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'waterfall' || value.kind === 'trend');
}

function receive(result: Members): void {
  const structured = result['structuredContent'];
  const spec = typeof structured === 'object' && structured !== null && 'chart' in structured ? structured.chart : undefined;
  if (isChart(spec)) {
    shown.spec = spec;
    draw();
    return;
  }
  if (shown.spec) return;
  say(result['isError'] === true ? 'The tool answered with an error.' : 'This answer came without a chart.');
  part('ask').hidden = result['isError'] === true || !host?.callsTools || toolName() === undefined;
}

function toolName(): string | undefined {
  const name = shown.context.toolInfo?.tool?.name;
  return typeof name === 'string' ? name : undefined;
}

/** Repeats the call with its chart, because the assistant asked without. */
async function askForChart(): Promise<void> {
  const name = toolName();
  if (!host || name === undefined) return;
  part('ask').hidden = true;
  say('Drawing …');
  try {
    receive(await host.callTool(name, { ...shown.args, chart: true }));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** Zooms by the wheel with control (or by two fingers), around the pointer; the wheel alone scrolls. */
function zoom(event: WheelEvent): void {
  if (!event.ctrlKey || !chart) return;
  event.preventDefault();
  const [state] = (chart.getOption()['dataZoom'] ?? []) as { start?: number; end?: number }[];
  const { start: first = 0, end: last = 100 } = state ?? {};
  const { left, width } = part('chart').getBoundingClientRect();
  const at = (event.clientX - left) / width;
  const span = Math.min(100, Math.max(1, (last - first) * (event.deltaY > 0 ? 1.25 : 0.8)));
  const from = Math.min(100 - span, Math.max(0, first + (last - first - span) * at));
  chart.dispatchAction({ type: 'dataZoom', start: from, end: from + span });
}

function watchSize(): void {
  let widthPx = 0;
  new ResizeObserver(() => {
    const page = part('view');
    host?.tellSize(Math.ceil(page.clientWidth), Math.ceil(page.scrollHeight));
    if (page.clientWidth === widthPx) return;
    widthPx = page.clientWidth;
    draw();
  }).observe(part('view'));
}

async function start(): Promise<void> {
  part('ask').addEventListener('click', () => void askForChart());
  part('chart').addEventListener('wheel', zoom, { passive: false });
  part('chart').addEventListener('dblclick', () => chart?.dispatchAction({ type: 'dataZoom', start: 0, end: 100 }));
  const early: Members[] = [];
  host = await connectHost({
    toolInput: ({ arguments: args }) => {
      shown.args = typeof args === 'object' && args !== null ? { ...args } : {};
    },
    toolResult: (result) => (host ? receive(result) : void early.push(result)),
    toolCancelled: () => say('The call was cancelled.'),
    contextChanged: (changed) => {
      shown.context = { ...shown.context, ...changed };
      applyContext();
      draw();
    },
  });
  shown.context = { ...host.context, ...shown.context };
  applyContext();
  early.forEach(receive);
  watchSize();
}

void start();
