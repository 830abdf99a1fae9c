import type { BarsSpec } from '../spec.ts';
import type { Drawing, Look, TooltipLine } from './look.ts';
import {
  amountLabel,
  axisLines,
  CHARACTER_PX,
  commonOption,
  decalOf,
  headPx,
  legendOption,
  legendPx,
  rowAxis,
  rowPlace,
  rowWords,
  tooltipOption,
  valueTicks,
} from './look.ts';
import type { BarLines } from './theme.ts';
import { formatValue, markAt, plainText } from './values.ts';

const BAR_PX = 16;
const GAP_PX = 10;
const AXIS_PX = 30;
/** Room for the amount behind a bar. */
const RIGHT_PX = 92;
const LONGEST_NOTE = 30;

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

/** Amounts as bars from zero, a row for each label, the amount behind each bar; no value is a dash and no bar. */
export function drawBars(spec: BarsSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const { unit, labels } = spec;
  const isNoted = spec.notes !== undefined && spec.series.length === 1;
  const amountText = (row: number, value: number | null | undefined) => {
    const note = isNoted ? (spec.notes?.[row] ?? '') : '';
    return `${formatValue(value, unit)}${note === '' ? '' : ` ${plainText(note, LONGEST_NOTE)}`}`;
  };
  const amounts = spec.series.flatMap(({ values }) => values.map((value, row) => amountText(row, value).length));
  const rightPx = Math.max(RIGHT_PX, 24 + Math.max(0, ...amounts) * CHARACTER_PX);
  const { left, characters, plotPx } = rowPlace(labels, widthPx, rightPx);
  const names = spec.series.map(({ name }) => plainText(name, 60));
  const hasLegend = names.length > 1;
  const headEndPx = headPx(look, spec);
  const top = headEndPx + (hasLegend ? legendPx(look, names) : 4);
  const heightPx = top + Math.max(1, labels.length) * (BAR_PX * Math.max(1, names.length) + GAP_PX) + AXIS_PX;
  const lines = axisLines(theme);
  const colourOf = (index: number) => theme.series[index % theme.series.length] ?? theme.text;

  const tooltipLines = (row: number): TooltipLine[] => [
    { name: plainText(labels[row] ?? '') },
    ...spec.series.map(({ values }, index) => ({
      name: names[index] ?? '',
      value: formatValue(values[row], unit),
      colour: colourOf(index),
    })),
  ];
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    ...(hasLegend && { legend: legendOption(look, names, headEndPx) }),
    grid: { left, right: rightPx, top, bottom: AXIS_PX, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      ...valueTicks(plotPx),
      ...lines,
      axisLabel: { ...lines.axisLabel, formatter: (value: number) => formatValue(value, unit) },
    },
    yAxis: rowAxis(
      labels.map((label) => rowWords(label, characters)),
      theme,
    ),
    series: spec.series.map(({ values }, index) => ({
      type: 'bar',
      name: names[index],
      barMaxWidth: BAR_PX,
      barGap: '10%',
      emphasis: { disabled: true },
      itemStyle: { color: colourOf(index), ...decalOf(seriesLines[index % seriesLines.length], theme) },
      label: amountLabel(theme, ({ dataIndex }) => amountText(dataIndex, values[dataIndex])),
      // A bar of no length carries the dash of a missing value.
      data: labels.map((_, row) => markAt(values[row])),
    })),
    ...(tooltip && {
      tooltip: {
        ...tooltipOption(theme),
        axisPointer: { type: 'shadow', shadowStyle: { color: theme.shade } },
        formatter: (hovered: readonly { dataIndex: number }[]) => tooltip(tooltipLines(hovered[0]?.dataIndex ?? -1)),
      },
    }),
  };
  return { option, heightPx, words: wordsOf(spec, names) };
}

function wordsOf({ title, labels, series, unit, notes }: BarsSpec, names: readonly string[]): string {
  const rows = labels.map((label, row) => {
    const note = series.length === 1 ? (notes?.[row] ?? '') : '';
    const parts = series.map(({ values }, index) => `${series.length > 1 ? `${names[index]} ` : ''}${formatValue(values[row], unit)}`);
    return `${plainText(label, 60)} ${parts.join(', ')}${note === '' ? '' : ` (${note})`}`;
  });
  return `${plainText(title)}: ${rows.join('; ')}.`;
}
