import { type Theme, type ThemeName, themes } from '../charts/theme.ts';
import { asMembers, connectHost, type Host, type HostContext, type Members } from './host.ts';

/** The behaviour of one view; the page is the same for all. */
export interface View {
  /** Draws all of it again: its size, its theme or its data have changed. */
  draw(): void;
  /** Takes the answer that the view was opened for. */
  receive(result: Members): void;
}

/** The host, its context and the arguments of the call; a page shows one view. */
export const shown: { host: Host | undefined; context: HostContext; args: Members } = { host: undefined, context: {}, args: {} };

/** The element of the page with this id; throws where it has none. */
export function part(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}

const themeName = (): ThemeName => (shown.context.theme === 'dark' ? 'dark' : 'light');

/** Passes the host's own colours and fonts on to the page; names and values are the host's, which frames the view anyway. */
function applyContext(): void {
  const root = document.documentElement;
  root.dataset['theme'] = themeName();
  const { gridLine, background } = themes[themeName()];
  root.style.setProperty('--grid', gridLine);
  root.style.setProperty('--card', background);
  for (const [name, value] of Object.entries(shown.context.styles?.variables ?? {}))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
}

/** The theme of pictures in the texts' colours and font that the page has with the host's variables applied. */
export function pageTheme(): Theme {
  const { color, fontFamily } = getComputedStyle(document.body);
  const { color: faintText } = getComputedStyle(part('words'));
  return { ...themes[themeName()], text: color, faintText, font: fontFamily.replaceAll('"', "'") };
}

/** Shows a sentence in the place of the view's messages. */
export function say(words: string): void {
  part('words').textContent = words;
  part('words').hidden = words === '';
}

/** The words of an answer that is an error, cut to what fits. */
export function errorWords({ content }: Members): string {
  const [first]: unknown[] = Array.isArray(content) ? content : [];
  const { text: words } = asMembers(first);
  return typeof words !== 'string' || words === '' ? 'The tool answered with an error.' : words.slice(0, 300);
}

/** Counts questions, so that only the answers to the latest are shown. */
let turns = 0;

/** Begins a question; says whether it is still the latest. */
export function newTurn(): () => boolean {
  const own = (turns += 1);
  return () => own === turns;
}

/** Calls a tool; a failure is said, and an answer that a later question has overtaken is dropped: says whether none has. */
export async function callTool(name: string, args: Members, take: (result: Members) => unknown): Promise<boolean> {
  const isLatest = newTurn();
  try {
    const result = await shown.host?.callTool(name, args);
    if (result && isLatest()) await take(result);
  } catch (error) {
    if (isLatest()) say(failureWords(error));
  }
  return isLatest();
}

/** The words of a failed call. */
export const failureWords = (error: unknown) => (error instanceof Error ? error.message : String(error));

function watchSize(draw: () => void): void {
  let widthPx = 0;
  new ResizeObserver(() => {
    const page = part('view');
    shown.host?.tellSize(Math.ceil(page.clientWidth), Math.ceil(page.scrollHeight));
    if (page.clientWidth === widthPx) return;
    widthPx = page.clientWidth;
    draw();
  }).observe(part('view'));
}

/** Connects the page to its host and shows the view in it. */
export async function showView(opened: View): Promise<void> {
  const early: Members[] = [];
  shown.host = await connectHost({
    'tool-input': ({ arguments: args }) => {
      shown.args = asMembers(args);
    },
    'tool-result': (result) => (shown.host ? opened.receive(result) : void early.push(result)),
    'tool-cancelled': () => say('The call was cancelled.'),
    'host-context-changed': (changed) => {
      shown.context = { ...shown.context, ...changed };
      applyContext();
      opened.draw();
    },
  });
  shown.context = { ...shown.host.context, ...shown.context };
  applyContext();
  for (const result of early) opened.receive(result);
  watchSize(() => opened.draw());
}
