import { present } from '../../lib/sentences.ts';
import { type BarSeries, type BarsSpec, isUnnamed } from '../spec.ts';
import { axisLines, CHARACTER_PX, type Drawing, decalOf, isNarrow, type Look, type TooltipLine, wrapped } from './look.ts';
import { amountLabel, EDGE_PX, rowsOf, rowTooltip, WORDS_PX } from './rows.ts';
import type { BarLines, Theme } from './theme.ts';
import { digitsOf, drawable, formatValue, markAt, plainText, tickText } from './values.ts';

const BAR_PX = 16;
/** Where words stand above, a bar is this part of their height below them. */
const LOW_GAP = 0.16;
const GAP_PX = 10;
/** Room of a label of the scale. */
const VALUE_PX = 72;
/** Room for the amount behind a bar. */
const RIGHT_PX = 92;

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
  const digits = digitsOf(
    series.flatMap((each) => each.values),
    unit,
  );
  return `${formatValue(values[row], unit, digits)}${note === '' ? '' : ` · ${plainText(note, 60)}`}`;
}

/** The rows of the picture; in a narrow one the amount stands below the label where there is one series. */
function layout(spec: BarsSpec, look: Look) {
  const { labels, series, lost } = spec;
  const [own] = isNarrow(look.widthPx) && series.length === 1 ? series : [];
  const names = present(...series, lost).map(({ name }) => plainText(name, 60));
  const longest = Math.max(0, ...series.flatMap((each) => labels.map((_, row) => amountText(spec, each, row).length)));
  // The first label of the scale is longer than a zero.
  const hasLosses = series.some(({ values, low = [] }) => [...values, ...low].some((value) => markAt(value) < 0));
  return rowsOf(look, {
    ...spec,
    names: names.length > 1 ? names : [],
    words: (characters) =>
      labels.map((label, row) => [...wrapped(label, characters), ...(own ? wrapped(amountText(spec, own, row), characters) : [])]),
    barsPx: BAR_PX * Math.max(1, series.length),
    gapPx: GAP_PX,
    leftPx: hasLosses ? 2 * EDGE_PX : EDGE_PX,
    rightPx: own ? 2 * EDGE_PX : Math.max(RIGHT_PX, 24 + longest * CHARACTER_PX),
  });
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
      const pathData = `M${x1} ${y}H${x2}${[x1, x2].map((x) => `M${x} ${y - 4}v8`).join('')}`;
      return { type: 'path', shape: { pathData }, style: { stroke: text, fill: 'none', lineWidth: 1.5 } };
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

/** The pale continuation of each bar, or nothing up to the end of its interval, with the amount behind it. */
function behind(spec: BarsSpec, own: BarSeries, styles: ReturnType<typeof styleOf>, { theme, widthPx }: Look) {
  const { lost, series } = spec;
  // Of a loss it begins at zero, where its amount is not written across its bar.
  const beyond = own.values.map((value, row) =>
    markAt(value) < 0 ? Math.max(Number.MIN_VALUE, markAt(own.high?.[row])) : Math.max(0, markAt(own.high?.[row]) - markAt(value)),
  );
  return {
    ...BAR,
    id: `behind ${own.name}`,
    stack: own.name,
    name: lost?.name ?? '',
    itemStyle: { color: lost ? (styles[0]?.color ?? theme.text) : 'transparent', opacity: 0.22 },
    // Not as pale as the bar that it stands behind.
    label: { ...amountLabel(theme, ({ dataIndex }) => amountText(spec, own, dataIndex)), show: !isNarrow(widthPx) || series.length > 1 },
    data: lost ? lost.values.map((value, row) => ({ value: markAt(value), itemStyle: { ...styles[row], opacity: 0.22 } })) : beyond,
  };
}

/** Members that all bars share. */
const BAR = { type: 'bar', emphasis: { disabled: true } } as const;

/** Amounts as bars from zero, a row for each label, the amount behind or above each bar; no value is a dash and no bar. */
export function drawBars(spec: BarsSpec, look: Look): Drawing {
  const { theme } = look;
  const { unit, labels, series } = spec;
  const { isAbove, textPx, plotPx, heightPx, ...rows } = layout(spec, look);
  const names = series.map(({ name }) => plainText(name, 60));
  const styles = series.map((_, index) => styleOf(spec, index, theme));
  const stylesOf = (index: number) => styles[index] ?? [];
  const width = isAbove ? { barWidth: WORDS_PX - 2, barGap: `${100 * LOW_GAP}%` } : { barMaxWidth: BAR_PX, barGap: '10%' };

  const tooltipLines = (row: number): TooltipLine[] => [
    { name: plainText(labels[row] ?? '') },
    ...series.map((each, index) => ({
      name: names[index] ?? '',
      value: amountText(spec, each, row),
      colour: stylesOf(index)[row]?.color ?? theme.text,
    })),
  ];
  const option = {
    ...rows.option,
    xAxis: {
      type: 'value',
      // As many as have room; ECharts would leave out single ones instead.
      splitNumber: Math.max(1, Math.min(5, Math.floor(plotPx / VALUE_PX))),
      ...axisLines(theme, (value: number) => tickText(value, unit)),
    },
    series: [
      ...rows.series,
      ...series.map((each, index) => ({
        ...BAR,
        ...width,
        id: String(index),
        name: names[index],
        stack: each.name,
        itemStyle: { color: stylesOf(index)[0]?.color ?? theme.text, ...decalOf(seriesLines[index % seriesLines.length], theme) },
        // A bar of no length carries the dash of a missing value.
        data: labels.map((_, row) => ({ value: markAt(each.values[row]), itemStyle: stylesOf(index)[row] })),
      })),
      ...series.map((each, index) => behind(spec, each, stylesOf(index), look)),
      ...series.slice(0, 1).flatMap((own) => (own.low ? whiskers(own, (textPx * (1 + LOW_GAP)) / 2, theme) : [])),
    ],
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
