import { present } from '../../lib/sentences.ts';
import { type BarSeries, type BarsSpec, isUnnamed } from '../spec.ts';
import {
  amountLabel,
  axisLines,
  CHARACTER_PX,
  type Drawing,
  decalOf,
  headOf,
  isNarrow,
  type Look,
  legendOption,
  legendPx,
  rowAxis,
  rowPlace,
  rowTooltip,
  type TooltipLine,
  WORDS_PX,
  wrapped,
} from './look.ts';
import type { BarLines, Theme } from './theme.ts';
import { digitsOf, drawable, formatValue, markAt, plainText, tickText } from './values.ts';

const BAR_PX = 16;
/** Where words stand above, a bar is this part of their height below them. */
const LOW_GAP = 0.16;
const GAP_PX = 10;
const AXIS_PX = 30;
/** Room of a label of the scale. */
const VALUE_PX = 72;
/** Room for the amount behind a bar. */
const RIGHT_PX = 92;
const EDGE_PX = 16;

/** Lines across the bars of each series, in their order; the first has none. */
const seriesLines: readonly (BarLines | undefined)[] = [
  undefined,
  { angle: Math.PI / 4, line: 1, gap: 5 },
  { angle: -Math.PI / 4, line: 1, gap: 5 },
  { angle: Math.PI / 2, line: 1, gap: 4 },
  { angle: 0, line: 1, gap: 4 },
  { angle: Math.PI / 4, line: 2, gap: 3 },
  { angle: -Math.PI / 4, line: 2, gap: 3 },
  { angle: Math.PI / 2, line: 2, gap: 2 },
];

/** The amount of a row as it is written, with its note. */
function amountText({ series, notes, unit }: BarsSpec, { values }: BarSeries, row: number): string {
  const note = series.length === 1 ? (notes?.[row] ?? '') : '';
  const digits = digitsOf(series.flatMap((each) => each.values));
  return `${formatValue(values[row], unit, digits)}${note === '' ? '' : ` · ${plainText(note, 60)}`}`;
}

/** Labels before the rows; in a narrow picture above their bars, with the amount below where there is one series. */
function placeOf(spec: BarsSpec, { widthPx }: Look) {
  const { labels, series } = spec;
  const longest = Math.max(0, ...series.flatMap((each) => labels.map((_, row) => amountText(spec, each, row).length)));
  const rightPx = Math.max(RIGHT_PX, 24 + longest * CHARACTER_PX);
  const isAbove = isNarrow(widthPx);
  const [own] = series.length === 1 ? series : [];
  const beside = rowPlace(labels, widthPx, rightPx);
  const characters = isAbove ? Math.floor((widthPx - 3 * EDGE_PX) / CHARACTER_PX) : beside.characters;
  const lines = labels.map((label, row) => [
    ...wrapped(label, characters),
    ...(isAbove && own ? wrapped(amountText(spec, own, row), characters) : []),
  ]);
  const words = lines.map((all) => all.join('\n'));
  const textPx = WORDS_PX * Math.max(1, ...lines.map((all) => all.length));
  const barsPx = BAR_PX * Math.max(1, series.length);
  if (!isAbove) return { ...beside, rightPx, words, textPx: 0, rowPx: Math.max(barsPx, textPx) };
  const right = own ? 2 * EDGE_PX : rightPx;
  // The first label of the scale is longer than a zero.
  const hasLosses = series.some(({ values, low = [] }) => [...values, ...low].some((value) => markAt(value) < 0));
  return {
    left: hasLosses ? 2 * EDGE_PX : EDGE_PX,
    rightPx: right,
    plotPx: widthPx - 2 * EDGE_PX - right,
    words,
    textPx,
    rowPx: textPx + barsPx,
  };
}

/** Lines from end to end of each interval, across the middle of its bar. */
function whiskers({ low = [], high = [] }: BarSeries, downPx: number, { text }: Theme) {
  return {
    type: 'custom',
    id: 'intervals',
    silent: true,
    z: 5,
    renderItem(_: unknown, api: { value(at: number): number; coord(of: readonly number[]): readonly [number, number] }) {
      const [[x1, middle], [x2]] = [api.coord([api.value(1), api.value(0)]), api.coord([api.value(2), api.value(0)])];
      const y = middle + downPx;
      const line = (from: readonly [number, number], to: readonly [number, number]) => ({
        type: 'line',
        shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] },
        style: { stroke: text, lineWidth: 1.5 },
      });
      const ends = [x1, x2].map((x) => line([x, y - 4], [x, y + 4]));
      return { type: 'group', children: [line([x1, y], [x2, y]), ...ends] };
    },
    // The scale holds both ends.
    encode: { x: [1, 2], y: 0 },
    data: low.flatMap((from, row) => (drawable(from) === null || drawable(high[row]) === null ? [] : [[row, from, high[row]]])),
  };
}

/** The colours of a series: of one series by its rows, of several by the series, paler where a row is not of the finding. */
function styleOf({ accent, labels, series }: BarsSpec, index: number, theme: Theme) {
  const own = theme.series[index % theme.series.length] ?? theme.text;
  const colourOf = (label: string) => (accent?.includes(label) ? theme.accent : theme.grey);
  return labels.map((label) => {
    if (isUnnamed(label) && series.length === 1) return { color: theme.grey };
    if (!accent) return { color: own };
    return series.length > 1 ? { color: own, opacity: accent.includes(label) ? 1 : 0.4 } : { color: colourOf(label) };
  });
}

/** The pale continuation of each bar of the only series, or nothing up to the end of its interval. */
function behind(spec: BarsSpec, own: BarSeries, styles: ReturnType<typeof styleOf>, { theme, widthPx }: Look) {
  // Of a loss it begins at zero, where its amount is not written across its bar.
  const beyond = own.values.map((value, row) =>
    markAt(value) < 0 ? Math.max(Number.MIN_VALUE, markAt(own.high?.[row])) : Math.max(0, markAt(own.high?.[row]) - markAt(value)),
  );
  const { lost } = spec;
  return {
    type: 'bar',
    id: 'behind',
    stack: 'only',
    name: lost?.name ?? '',
    emphasis: { disabled: true },
    itemStyle: { color: lost ? (styles[0]?.color ?? theme.text) : 'transparent', opacity: 0.22 },
    // Not as pale as the bar that it stands behind.
    label: { ...amountLabel(theme, ({ dataIndex }) => amountText(spec, own, dataIndex)), show: !isNarrow(widthPx), opacity: 1 },
    data: lost ? lost.values.map((value, row) => ({ value: markAt(value), itemStyle: { ...styles[row], opacity: 0.22 } })) : beyond,
  };
}

/** Amounts as bars from zero, a row for each label, the amount behind or above each bar; no value is a dash and no bar. */
export function drawBars(spec: BarsSpec, look: Look): Drawing {
  const { theme } = look;
  const { unit, labels, lost } = spec;
  const [own] = spec.series.length === 1 ? spec.series : [];
  const { left, rightPx, plotPx, words, textPx, rowPx } = placeOf(spec, look);
  const names = present(...spec.series, lost).map(({ name }) => plainText(name, 60));
  const hasLegend = names.length > 1;
  const head = headOf(look, spec);
  const top = head.endPx + (hasLegend ? legendPx(look, names) : 4);
  const heightPx = top + Math.max(1, labels.length) * (rowPx + GAP_PX) + AXIS_PX;
  const styles = spec.series.map((_, index) => styleOf(spec, index, theme));

  const tooltipLines = (row: number): TooltipLine[] => [
    { name: plainText(labels[row] ?? '') },
    ...spec.series.map((each, index) => ({
      name: names[index] ?? '',
      value: amountText(spec, each, row),
      colour: styles[index]?.[row]?.color ?? theme.text,
    })),
  ];
  const option = {
    ...head.option,
    ...(hasLegend && { legend: legendOption(look, names, head.endPx) }),
    grid: { left, right: rightPx, top, bottom: AXIS_PX, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      // As many as have room; ECharts would leave out single ones instead.
      splitNumber: Math.max(1, Math.min(5, Math.floor(plotPx / VALUE_PX))),
      ...axisLines(theme, (value: number) => tickText(value, unit)),
    },
    yAxis: rowAxis(words, theme, { linesBelow: textPx === 0 ? undefined : spec.series.length }),
    series: present<object>(
      // Room for the words above the bars.
      textPx > 0 && { type: 'bar', id: 'words', silent: true, barWidth: textPx, data: labels.map(() => 0) },
      ...spec.series.map((each, index) => ({
        type: 'bar',
        id: String(index),
        name: names[index],
        ...(textPx > 0 ? { barWidth: WORDS_PX - 2, barGap: `${100 * LOW_GAP}%` } : { barMaxWidth: BAR_PX, barGap: '10%' }),
        ...(own && { stack: 'only' }),
        emphasis: { disabled: true },
        itemStyle: { color: styles[index]?.[0]?.color ?? theme.text, ...decalOf(seriesLines[index % seriesLines.length], theme) },
        ...(!own && { label: { ...amountLabel(theme, ({ dataIndex }) => amountText(spec, each, dataIndex)), opacity: 1 } }),
        // A bar of no length carries the dash of a missing value.
        data: labels.map((_, row) => ({ value: markAt(each.values[row]), itemStyle: styles[index]?.[row] })),
      })),
      own && behind(spec, own, styles[0] ?? [], look),
      own?.low && whiskers(own, (textPx * (1 + LOW_GAP)) / 2, theme),
    ),
    ...rowTooltip(look, tooltipLines),
  };
  return { option, heightPx, words: wordsOf(spec, names) };
}

function wordsOf(spec: BarsSpec, names: readonly string[]): string {
  const { title, labels, series } = spec;
  const rows = labels.map((label, row) => {
    const parts = series.map((each, index) => `${series.length > 1 ? `${names[index]} ` : ''}${amountText(spec, each, row)}`);
    return `${plainText(label, 60)} ${parts.join(', ')}`;
  });
  return `${plainText(title)}: ${rows.join('; ')}.`;
}
