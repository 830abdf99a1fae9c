import { isRecord } from '../../lib/is-record.ts';
import { type Block, blockOf, failureOf } from '../overview/blocks.ts';
import { blockHtml, OVERVIEW_CSS } from '../overview/html.ts';
import { type OverviewAsked, type OverviewPart, overviewParts } from '../overview/parts.ts';
import { showChart } from './chart.ts';
import { chartBox } from './drawing.ts';
import { asMembers, type Members } from './host.ts';
import { callTool, errorWords, failureWords, newTurn, pageTheme, part, say, shown, showView } from './page.ts';
import { chosenArgs, offerSwitches } from './switches.ts';

let blocks: readonly Block[] = [];

/** All parts as markup of their own escaped texts, and their pictures into the places that it leaves. */
function draw(): void {
  part('parts').innerHTML = blocks.map((block) => blockHtml(block, block.chart ? '<div class="picture"></div>' : '')).join('');
  for (const { id, chart } of blocks) {
    const place = part('parts').querySelector<HTMLElement>(`#${id} .picture`);
    if (chart && place) chartBox(place)(chart, { theme: pageTheme(), heightPx: undefined });
  }
}

function blockFrom(of: OverviewPart, result: Members): Block {
  return result['isError'] === true ? failureOf(of, errorWords(result)) : blockOf(of, asMembers(result['structuredContent']));
}

/** The block of a part; an answer about a part of all is asked for again, because what it has read is kept and it comes further. */
async function* blocksOf(of: OverviewPart, call: () => Promise<Members>, reached?: unknown): AsyncGenerator<Block> {
  try {
    const answer = await call();
    yield blockFrom(of, answer);
    const { cursor } = asMembers(answer['structuredContent']);
    if (cursor !== undefined && cursor !== reached) yield* blocksOf(of, call, cursor);
  } catch (error) {
    yield failureOf(of, failureWords(error));
  }
}

/** The days that an answer covers, in its own zone; undefined where it names none. */
function askedIn(result: Members, args: Members): OverviewAsked | undefined {
  const { range } = asMembers(result['structuredContent']);
  if (!isRecord(range)) return undefined;
  const { devices } = args;
  const device = Array.isArray(devices) && devices.length === 1 ? String(devices[0]) : undefined;
  return { startDate: String(range['start']).slice(0, 10), endDate: String(range['end']).slice(0, 10), device };
}

/** Shows the answer that the view was opened for, and asks for the other parts one by one. */
async function receive(result: Members, args: Members): Promise<void> {
  const isLatest = newTurn();
  const [first, ...others] = overviewParts;
  if (!first) return;
  blocks = [blockFrom(first, result)];
  draw();
  const { host } = shown;
  const asked = askedIn(result, args);
  if (!host?.callsTools || !asked) return;
  offerSwitches(() => void askAgain());
  for (const other of others) {
    say(`${other.title} …`);
    const before = blocks;
    for await (const block of blocksOf(other, () => host.callTool(other.tool, { ...other.args(asked) }))) {
      if (!isLatest()) return;
      blocks = [...before, block];
      draw();
    }
  }
  say('');
}

/** Asks for everything again with what is chosen. */
async function askAgain(): Promise<void> {
  const [first] = overviewParts;
  if (!first) return;
  const args = chosenArgs();
  say(`${first.title} …`);
  await callTool(first.tool, args, (result) => {
    shown.host?.tellAssistant(`The overview now shows the answer of ${first.tool} ${JSON.stringify(args)}.`);
    return receive(result, args);
  });
}

/** Shows changes, key figures, speed and exports of a period. */
function showOverview(): void {
  const style = document.createElement('style');
  style.textContent = OVERVIEW_CSS;
  document.head.append(style);
  void showView({ draw, receive: (result) => void receive(result, shown.args) });
}

// One script for all pages, which are made of the same drawings; a page says which view it shows.
if (document.body.dataset['view'] === 'overview') showOverview();
else showChart();
