import { type ChartSpec, isChart } from '../spec.ts';
import { chartBox } from './drawing.ts';
import { asMembers, type Members } from './host.ts';
import { callTool, errorWords, pageTheme, part, say, shown, showView } from './page.ts';
import { chosenArgs, offerSwitches } from './switches.ts';

/** The chart as it is drawn; redrawn as a whole whenever a part of it changes. */
let drawn: ChartSpec | undefined;
let drawInto: ReturnType<typeof chartBox> | undefined;

/** Where the host fixes the height, what is left of it below the switches. */
function fixedHeightPx(): number | undefined {
  const height = shown.context.containerDimensions?.height;
  return typeof height === 'number' && height > 160 ? height - part('switches').offsetHeight : undefined;
}

function draw(): void {
  part('charts').hidden = drawn === undefined;
  if (!drawn) return;
  offerSwitches(() => void callAgain());
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
  const name = toolName();
  if (name === undefined) return;
  part('ask').hidden = true;
  part('charts').setAttribute('aria-busy', 'true');
  say('Drawing …');
  const args = chosenArgs();
  const isLatest = await callTool(name, { ...args, chart: true }, (result) => {
    const spec = specOf(result);
    if (!spec) return say(reasonOf(result));
    show(spec);
    shown.host?.tellAssistant(`The chart now shows the answer of ${name} ${JSON.stringify(args)}.`);
  });
  if (isLatest) part('charts').removeAttribute('aria-busy');
}

/** Shows the chart of an answer. */
export function showChart(): void {
  part('ask').addEventListener('click', () => void callAgain());
  void showView({ draw, receive });
}
