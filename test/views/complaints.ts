import { drawPanels, init } from '../../src/views/charts/draw-chart.ts';
import type { Drawing } from '../../src/views/charts/look.ts';
import { themes } from '../../src/views/charts/theme.ts';
import { type ChartSpec, type PanelSpec, panelsOf } from '../../src/views/spec.ts';

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Width of a character in parts of the size of the font, a little less than DejaVu Sans has: what only touches is no overlap. */
const CHARACTER = 0.5;

/** Where the texts of a drawn picture stand. */
function boxesOf(svg: string): Box[] {
  return [...svg.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].flatMap(([, attributes = '', escaped = '']) => {
    const text = escaped.replaceAll(/&\w+;/g, '"'); // each stands for one character
    const [, x = '0', y = '0'] = /translate\(([-\d.]+)[ ,]([-\d.]+)\)/.exec(attributes) ?? [];
    const own = (name: string) => Number(new RegExp(` ${name}="([-\\d.]+)"`).exec(attributes)?.[1] ?? 0);
    const sizePx = Number(/([\d.]+)px/.exec(attributes)?.[1] ?? 12);
    const widthPx = text.length * sizePx * CHARACTER;
    const anchor = /text-anchor="(\w+)"/.exec(attributes)?.[1];
    const atX = Number(x) + own('x');
    const left = anchor === 'middle' ? atX - widthPx / 2 : anchor === 'end' ? atX - widthPx : atX;
    const middle = Number(y) + own('y');
    return text === '' ? [] : [{ text, left, right: left + widthPx, top: middle - sizePx * 0.4, bottom: middle + sizePx * 0.4 }];
  });
}

const overlap = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** From this width on there is room for every word. */
const WIDE_PX = 900;

/** What is wrong with the labels of a time axis: those that name the same twice, and unequal distances. */
function tickComplaints(option: Drawing['option']): string[] {
  const { xAxis } = option as { xAxis?: { axisLabel?: { customValues?: number[]; formatter?: (atMs: number) => string } } };
  const { customValues = [], formatter } = xAxis?.axisLabel ?? {};
  const labels = customValues.map((atMs) => formatter?.(atMs) ?? '').filter((label) => label !== '');
  const twice = labels.filter((label, index) => labels.indexOf(label) < index);
  // Months differ by three days, and by an hour where clocks change.
  const gaps = customValues.slice(1).map((atMs, index) => atMs - (customValues[index] ?? 0));
  const isUneven = gaps.length > 0 && Math.max(...gaps) > 1.12 * Math.min(...gaps);
  return [...twice.map((label) => `twice: ${label}`), ...(isUneven ? [`uneven: ${labels.join(', ')}`] : [])];
}

/** Unequal distances between the labels below rows, where single ones were left out for want of room. */
function valueComplaints(kind: PanelSpec['kind'] | undefined, boxes: readonly Box[]): string[] {
  if (kind !== 'bars') return [];
  const lowest = Math.max(...boxes.map(({ top }) => top));
  const labels = boxes.filter(({ top }) => top > lowest - 1).toSorted((a, b) => a.left - b.left);
  const gaps = labels
    .slice(1)
    .map(({ left, right }, index) => (left + right - (labels[index]?.left ?? 0) - (labels[index]?.right ?? 0)) / 2);
  return Math.max(...gaps) > 1.2 * Math.min(...gaps) ? [`uneven: ${labels.map(({ text }) => text).join(', ')}`] : [];
}

/** What a reader would complain of in a picture of this width. */
export function complaintsOf(spec: ChartSpec, widthPx: number): string[] {
  const panels = panelsOf(spec);
  return drawPanels(spec, { theme: themes.light, widthPx }).flatMap(({ option, heightPx }, index) => {
    const chart = init(null, null, { renderer: 'svg', ssr: true, width: widthPx, height: heightPx });
    chart.setOption(option);
    const boxes = boxesOf(chart.renderToSVGString());
    chart.dispose();
    // Addresses alone are shortened, and names of events where a picture is narrow.
    const isWhole = widthPx >= WIDE_PX && panels[index]?.kind !== 'waterfall';
    const shortened = isWhole ? boxes.filter(({ text }) => text.includes('…')) : [];
    const cut = boxes.filter(({ left, right, top, bottom }) => left < -2 || right > widthPx + 2 || top < 0 || bottom > heightPx + 2);
    const covered = boxes.flatMap((box, place) => boxes.slice(place + 1).filter((other) => overlap(box, other)));
    const words = (complaint: string, found: readonly Box[]) => found.map(({ text }) => `${complaint}: ${text}`);
    return [
      ...words('shortened', shortened),
      ...words('cut', cut),
      ...words('covered', covered),
      ...tickComplaints(option),
      ...valueComplaints(panels[index]?.kind, boxes),
    ];
  });
}
