import { type Theme, type ThemeName, themes } from '../charts/theme.ts';
import { type ChartSpec, isChart } from '../spec.ts';
import { chartBox } from './drawing.ts';
import { connectHost, type Host, type HostContext } from './host.ts';
import { connectSwitches } from './switches.ts';

type Members = Readonly<Record<string, unknown>>;

/** The chart and its switches; redrawn as a whole whenever a part of it changes. */
interface Shown {
  spec?: ChartSpec;
  context: HostContext;
  args: Members;
}

const shown: Shown = { context: {}, args: {} };
let host: Host | undefined;
/** Counts calls, so that only the answer to the latest is drawn. */
let lastCall = 0;

function part(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}

function select(id: string): HTMLSelectElement {
  const element = part(id);
  if (!(element instanceof HTMLSelectElement)) throw new Error(`#${id} offers no choice.`);
  return element;
}

const drawInto = chartBox(part('charts'));
const switches = connectSwitches(part('switches'), select('period'), select('device'), () => void callAgain());

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

/** Where the host fixes the height, what is left of it below the switches. */
function fixedHeightPx(): number | undefined {
  const height = shown.context.containerDimensions?.height;
  return typeof height === 'number' && height > 160 ? height - part('switches').offsetHeight : undefined;
}

function draw(): void {
  const { spec } = shown;
  part('charts').hidden = spec === undefined;
  if (!spec) return;
  if (host?.callsTools && toolName() !== undefined && part('switches').hidden) switches.offer(shown.context.toolInfo?.tool, shown.args);
  const heightPx = fixedHeightPx();
  part('scroll').style.maxHeight = heightPx === undefined ? '' : `${heightPx}px`;
  drawInto(spec, { theme: pageTheme(), heightPx });
}

function specOf({ structuredContent }: Members): ChartSpec | undefined {
  const chart =
    typeof structuredContent === 'object' && structuredContent !== null && 'chart' in structuredContent
      ? structuredContent.chart
      : undefined;
  return isChart(chart) ? chart : undefined;
}

/** Why an answer has no chart: the words of an error, cut to what fits. */
function reasonOf({ isError, content }: Members): string {
  if (isError !== true) return 'This answer came without a chart.';
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const words = typeof first === 'object' && first !== null && 'text' in first && typeof first.text === 'string' ? first.text : '';
  return words === '' ? 'The tool answered with an error.' : words.slice(0, 300);
}

/** The first answer: without a chart it may be asked for again with one. */
function receive(result: Members): void {
  const spec = specOf(result);
  if (spec) {
    show(spec);
    return;
  }
  if (shown.spec) return;
  say(reasonOf(result));
  part('ask').hidden = result['isError'] === true || !host?.callsTools || toolName() === undefined;
}

function show(spec: ChartSpec): void {
  shown.spec = spec;
  say('');
  part('ask').hidden = true;
  draw();
}

function toolName(): string | undefined {
  const name = shown.context.toolInfo?.tool?.name;
  return typeof name === 'string' ? name : undefined;
}

/** Repeats the call with its chart and with what is chosen; what cannot be drawn leaves the last picture and says why. */
async function callAgain(): Promise<void> {
  const name = toolName();
  if (!host || name === undefined) return;
  const turn = (lastCall += 1);
  part('ask').hidden = true;
  part('charts').setAttribute('aria-busy', 'true');
  say('Drawing …');
  const args = switches.chosen(shown.args);
  try {
    const result = await host.callTool(name, { ...args, chart: true });
    if (turn !== lastCall) return;
    const spec = specOf(result);
    if (spec) {
      show(spec);
      host.tellAssistant(`The chart now shows the answer of ${name} ${JSON.stringify(args)}.`);
    } else say(reasonOf(result));
  } catch (error) {
    if (turn === lastCall) say(error instanceof Error ? error.message : String(error));
  } finally {
    if (turn === lastCall) part('charts').removeAttribute('aria-busy');
  }
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
  part('ask').addEventListener('click', () => void callAgain());
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
