import { type ChartSpec, isChart } from '../spec.ts';
import { chartBox } from './drawing.ts';
import { asMembers, type Members } from './host.ts';
import { errorWords, failureWords, pageTheme, part, say, shown, showView, switches } from './page.ts';

/** The chart as it is drawn; redrawn as a whole whenever a part of it changes. */
let drawn: ChartSpec | undefined;
let drawInto: ReturnType<typeof chartBox> | undefined;
/** Counts calls, so that only the answer to the latest is drawn. */
let lastCall = 0;

/** Where the host fixes the height, what is left of it below the switches. */
function fixedHeightPx(): number | undefined {
  const height = shown.context.containerDimensions?.height;
  return typeof height === 'number' && height > 160 ? height - part('switches').offsetHeight : undefined;
}

function draw(): void {
  part('charts').hidden = drawn === undefined;
  if (!drawn) return;
  const { host, context, args } = shown;
  if (host?.callsTools && toolName() !== undefined && part('switches').hidden) switches.offer(context.toolInfo?.tool, args);
  const heightPx = fixedHeightPx();
  part('scroll').style.maxHeight = heightPx === undefined ? '' : `${heightPx}px`;
  drawInto ??= chartBox(part('charts'));
  drawInto(drawn, { theme: { ...pageTheme(), background: getComputedStyle(document.body).backgroundColor }, heightPx });
}

function specOf({ structuredContent }: Members): ChartSpec | undefined {
  const { chart } = asMembers(structuredContent);
  return isChart(chart) ? chart : undefined;
}

/** Why an answer has no chart. */
const reasonOf = (result: Members) => (result['isError'] === true ? errorWords(result) : 'This answer came without a chart.');

/** The first answer: without a chart it may be asked for again with one. */
function receive(result: Members): void {
  const spec = specOf(result);
  if (spec) {
    show(spec);
    return;
  }
  if (drawn) return;
  say(reasonOf(result));
  part('ask').hidden = result['isError'] === true || !shown.host?.callsTools || toolName() === undefined;
}

function show(spec: ChartSpec): void {
  drawn = spec;
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
  const { host } = shown;
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
    if (turn === lastCall) say(failureWords(error));
  } finally {
    if (turn === lastCall) part('charts').removeAttribute('aria-busy');
  }
}

/** Shows the chart of an answer. */
export function showChart(): void {
  part('ask').addEventListener('click', () => void callAgain());
  void showView({ draw, receive, askAgain: () => void callAgain() });
}
