import { isRecord } from '../../lib/is-record.ts';
import { type Theme, type ThemeName, themes } from '../charts/theme.ts';
import { type Block, blockOf, failureOf } from '../overview/blocks.ts';
import { blockHtml, OVERVIEW_CSS } from '../overview/html.ts';
import { type OverviewAsked, type OverviewPart, overviewParts } from '../overview/parts.ts';
import { chartBox } from './drawing.ts';
import { connectHost, type Host, type HostContext } from './host.ts';
import { connectSwitches } from './switches.ts';

type ViewMembers = Readonly<Record<string, unknown>>;

const shown: { context: HostContext; args: ViewMembers; blocks: Block[] } = { context: {}, args: {}, blocks: [] };
let host: Host | undefined;
/** Counts questions, so that only the answers to the latest are shown. */
let lastTurn = 0;

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

const switches = connectSwitches(part('switches'), select('period'), select('device'), () => void askAgain());
const themeName = (): ThemeName => (shown.context.theme === 'dark' ? 'dark' : 'light');

function applyContext(): void {
  const root = document.documentElement;
  root.dataset['theme'] = themeName();
  const { gridLine, background } = themes[themeName()];
  root.style.setProperty('--grid', gridLine);
  root.style.setProperty('--card', background);
  for (const [name, value] of Object.entries(shown.context.styles?.variables ?? {}))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
}

function pageTheme(): Theme {
  const { color, fontFamily } = getComputedStyle(document.body);
  const { color: faintText } = getComputedStyle(part('words'));
  return { ...themes[themeName()], text: color, faintText, font: fontFamily.replaceAll('"', "'") };
}

function say(words: string): void {
  part('words').textContent = words;
  part('words').hidden = words === '';
}

/** All parts as markup of their own escaped texts, and their pictures into the places that it leaves. */
function draw(): void {
  part('parts').innerHTML = shown.blocks.map((block) => blockHtml(block, block.chart ? '<div class="picture"></div>' : '')).join('');
  for (const { id, chart } of shown.blocks) {
    const place = part('parts').querySelector<HTMLElement>(`#${id} .picture`);
    if (chart && place) chartBox(place)(chart, { theme: pageTheme(), heightPx: undefined });
  }
}

const dataOf = ({ structuredContent }: ViewMembers): ViewMembers => (isRecord(structuredContent) ? structuredContent : {});

/** The words of an error, as far as they are one sentence. */
function reasonOf({ content }: ViewMembers): string {
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  return isRecord(first) && typeof first['text'] === 'string' ? first['text'].slice(0, 300) : 'The tool answered with an error.';
}

function blockFrom(of: OverviewPart, result: ViewMembers): Block {
  return result['isError'] === true ? failureOf(of, reasonOf(result)) : blockOf(of, dataOf(result));
}

/** The days that an answer covers, in its own zone; undefined where it names none. */
function askedIn(result: ViewMembers, args: ViewMembers): OverviewAsked | undefined {
  const { range } = dataOf(result);
  if (!isRecord(range)) return undefined;
  const { devices } = args;
  const device = Array.isArray(devices) && devices.length === 1 ? String(devices[0]) : undefined;
  return { startDate: String(range['start']).slice(0, 10), endDate: String(range['end']).slice(0, 10), device };
}

/** Shows the answer that the view was opened for, and asks for the other parts one by one. */
async function receive(result: ViewMembers, args: ViewMembers): Promise<void> {
  const turn = (lastTurn += 1);
  const [first, ...others] = overviewParts;
  if (!first) return;
  shown.blocks = [blockFrom(first, result)];
  draw();
  const asked = askedIn(result, args);
  if (!host?.callsTools || !asked) return;
  if (part('switches').hidden) switches.offer(shown.context.toolInfo?.tool, shown.args);
  for (const other of others) {
    say(`${other.title} …`);
    const block = await host.callTool(other.tool, { ...other.args(asked) }).then(
      (answer) => blockFrom(other, answer),
      (error: unknown) => failureOf(other, error instanceof Error ? error.message : String(error)),
    );
    if (turn !== lastTurn) return;
    shown.blocks = [...shown.blocks, block];
    draw();
  }
  say('');
}

/** Asks for everything again with what is chosen. */
async function askAgain(): Promise<void> {
  const [first] = overviewParts;
  if (!host || !first) return;
  const turn = (lastTurn += 1);
  const args = switches.chosen(shown.args);
  say(`${first.title} …`);
  try {
    const result = await host.callTool(first.tool, args);
    if (turn !== lastTurn) return;
    host.tellAssistant(`The overview now shows the answer of ${first.tool} ${JSON.stringify(args)}.`);
    await receive(result, args);
  } catch (error) {
    if (turn === lastTurn) say(error instanceof Error ? error.message : String(error));
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
  const style = document.createElement('style');
  style.textContent = OVERVIEW_CSS;
  document.head.append(style);
  const early: ViewMembers[] = [];
  host = await connectHost({
    toolInput: ({ arguments: args }) => {
      shown.args = isRecord(args) ? { ...args } : {};
    },
    toolResult: (result) => (host ? void receive(result, shown.args) : void early.push(result)),
    toolCancelled: () => say('The call was cancelled.'),
    contextChanged: (changed) => {
      shown.context = { ...shown.context, ...changed };
      applyContext();
      draw();
    },
  });
  shown.context = { ...host.context, ...shown.context };
  applyContext();
  for (const result of early) void receive(result, shown.args);
  watchSize();
}

void start();
