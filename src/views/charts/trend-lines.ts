import { nth } from '../../lib/nth.ts';
import type { TrendSeries } from '../spec.ts';
import { drawable, markAt, shortText } from './values.ts';

/** Longest name at the end of a line, in characters. */
export const LONGEST_LABEL = 36;

/** The range as two stacked lines: an unseen one up to the lowest value, and the area from there to the highest. */
export function band({ low, high }: TrendSeries, atMs: readonly number[], name: string, colour: string) {
  if (!low || !high) return [];
  const shared = {
    name,
    type: 'line',
    stack: `range of ${name}`,
    stackStrategy: 'all',
    z: 1, // behind the lines
    symbol: 'none',
    silent: true,
    lineStyle: { opacity: 0 },
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
  const base = atMs.map((at, index) => [at, drawable(low[index])]);
  const height = atMs.map((at, index) => {
    const [lowest, highest] = [drawable(low[index]), drawable(high[index])];
    return [at, lowest === null || highest === null ? null : highest - lowest];
  });
  return [
    { ...shared, data: base },
    { ...shared, areaStyle: { color: colour, opacity: 0.14 }, data: height },
  ];
}

/** Shapes by which lines are distinguished where colours are not. */
const SHAPES = [
  { symbol: 'circle', type: 'solid' },
  { symbol: 'rect', type: 'dashed' },
  { symbol: 'triangle', type: 'dotted' },
  { symbol: 'diamond', type: [8, 3, 2, 3] },
  { symbol: 'emptyCircle', type: [14, 4] },
  { symbol: 'emptyRect', type: [2, 5] },
] as const;

/** The name of a line at its end, moved aside where another stands there. */
function endLabel(name: string, colour: string, downPx: number) {
  const label = {
    show: true,
    formatter: () => shortText(name, LONGEST_LABEL),
    color: colour,
    fontSize: 11,
    distance: 8,
    offset: [0, downPx],
  };
  return { endLabel: label };
}

/** The line, without the points of `parts`, which a broken line leads to: a sum over half a week looks like a fall. */
export function line({ values }: TrendSeries, at: Places, name: string, colour: string, place: number, downPx: number | undefined) {
  const { symbol, type } = SHAPES[place % SHAPES.length] ?? SHAPES[0];
  const { atMs, isPart } = at;
  const shared = {
    name,
    type: 'line',
    connectNulls: false,
    symbol,
    symbolSize: atMs.length > 90 ? 3 : 6,
    showAllSymbol: true,
    itemStyle: { color: colour },
    emphasis: { disabled: true },
  };
  const label = downPx === undefined ? {} : endLabel(name, colour, downPx);
  const point = (index: number) => [atMs[index], drawable(values[index])];
  const whole = {
    ...shared,
    lineStyle: { width: 2, color: colour, type },
    ...(isPart(atMs.length - 1) ? {} : label),
    data: atMs.map((time, index) => (isPart(index) ? [time, null] : point(index))),
  };
  if (!atMs.some((_, index) => isPart(index))) return [whole];
  const led = atMs.map((time, index) => {
    if (isPart(index)) return { value: point(index), symbol: 'emptyCircle' };
    const isBeside = isPart(index - 1) || isPart(index + 1);
    return { value: isBeside ? point(index) : [time, null], symbol: 'none' };
  });
  return [whole, { ...shared, ...(isPart(atMs.length - 1) && label), lineStyle: { width: 2, color: colour, type: [3, 4] }, data: led }];
}

/** Where the times of a chart lie, and which stand for a part of their week or month alone. */
interface Places {
  readonly atMs: readonly number[];
  readonly isPart: (index: number) => boolean;
}

const LABEL_PX = 13;

/** How far down the name of each line moves so that none covers another, where a value of one is `pxPerValue` high. */
export function labelShifts(series: readonly TrendSeries[], pxPerValue: number): number[] {
  const wished = series.map(({ values }) => -pxPerValue * markAt(values.findLast((value) => drawable(value) !== null)));
  const order = [...wished.keys()].toSorted((a, b) => nth(wished, a) - nth(wished, b));
  const shifts: number[] = [];
  let below = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    const atPx = Math.max(nth(wished, index), below);
    shifts[index] = atPx - nth(wished, index);
    below = atPx + LABEL_PX;
  }
  // The lowest may have been moved below the axis: what is close to it moves up as one.
  const over = Math.max(0, below - LABEL_PX);
  return shifts.map((shift, index) => (nth(wished, index) + shift > -LABEL_PX * order.length ? shift - over : shift));
}
