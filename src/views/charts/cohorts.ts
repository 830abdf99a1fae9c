import type { CohortsSpec } from '../spec.ts';
import { axisLines, CHARACTER_PX, commonOption, type Drawing, LEGEND_TOP_PX, type Look } from './look.ts';
import { formatValue, plainText } from './values.ts';

const ROW_PX = 24;
const CURVES_PX = 170;
const GAP_PX = 56;

const shown = (percent: number | null) => (percent === null ? '' : `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)}%`);

/** A row for each cohort whose cells darken with the share that came back, and below the shares of all as curves. */
export function drawCohorts(spec: CohortsSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const { cohorts, curves, by } = spec;
  const periods = Math.max(1, ...cohorts.map(({ percents }) => percents.length));
  const labels = cohorts.map(({ name, visitors }) => `${name}  ${formatValue(visitors, 'none')}`);
  const left = Math.min(widthPx * 0.4, Math.max(...labels.map((label) => label.length), 10) * CHARACTER_PX + 24);
  const right = 24;
  const cellPx = (widthPx - left - right) / periods;
  const top = LEGEND_TOP_PX + 24;
  const triangle = ROW_PX * Math.max(1, cohorts.length);
  const heightPx = top + triangle + GAP_PX + CURVES_PX + 40;
  // The first period is that of the first session: all are there.
  const highest = Math.max(1, ...cohorts.flatMap(({ percents }) => percents.slice(1).map((percent) => percent ?? 0)));
  const colour = theme.series[0] ?? theme.text;
  const names = Array.from({ length: periods }, (_, index) => `${by} ${index}`);
  const cells = cohorts.flatMap(({ percents }, row) =>
    percents.flatMap((percent, column) => {
      if (percent === null) return [];
      const strength = column === 0 ? 0.08 : 0.08 + 0.72 * Math.min(1, percent / highest);
      return [{ value: [column, row, percent], itemStyle: { color: colour, opacity: strength } }];
    }),
  );
  const lines = axisLines(theme);
  const category = { type: 'category', data: names, axisTick: { show: false }, axisLine: { show: false } } as const;
  const label = { color: theme.faintText, fontSize: 11 } as const;
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    grid: [
      { left, right, top, height: triangle, outerBoundsMode: 'none' },
      { left, right, top: top + triangle + GAP_PX, height: CURVES_PX, outerBoundsMode: 'none' },
    ],
    xAxis: [
      { ...category, gridIndex: 0, position: 'top', axisLabel: { ...label, hideOverlap: true } },
      { ...category, gridIndex: 1, boundaryGap: true, axisLine: lines.axisLine, axisLabel: { ...label, hideOverlap: true } },
    ],
    yAxis: [
      {
        type: 'category',
        gridIndex: 0,
        inverse: true,
        data: labels,
        axisTick: { show: false },
        axisLine: { show: false },
        axisLabel: { ...label, color: theme.text, interval: 0 },
      },
      { type: 'value', gridIndex: 1, min: 0, ...lines, axisLabel: { ...lines.axisLabel, formatter: (value: number) => `${value}%` } },
    ],
    series: [
      {
        type: 'scatter',
        xAxisIndex: 0,
        yAxisIndex: 0,
        symbol: 'rect',
        symbolSize: [Math.max(4, cellPx - 2), ROW_PX - 2],
        emphasis: { disabled: true },
        label: {
          show: cellPx >= 30,
          fontSize: 10,
          opacity: 1,
          color: theme.text,
          formatter: ({ value }: { value: readonly [number, number, number] }) => shown(value[2]),
        },
        data: cells,
      },
      ...curves.map(({ name, percents }, index) => ({
        type: 'line',
        xAxisIndex: 1,
        yAxisIndex: 1,
        name: plainText(name, 30),
        symbolSize: 5,
        lineStyle: { width: 2, type: index === 0 ? 'solid' : 'dashed' },
        itemStyle: { color: theme.series[index % theme.series.length] ?? theme.text },
        endLabel: { show: true, formatter: '{a}', fontSize: 11, color: theme.text, distance: -4, verticalAlign: 'bottom', align: 'right' },
        // All are there in the first period, which would flatten the rest.
        data: percents.map((percent, period) => (period === 0 ? null : percent)),
      })),
    ],
    ...(tooltip && {
      tooltip: {
        trigger: 'item',
        confine: true,
        backgroundColor: theme.tooltip,
        borderColor: theme.line,
        textStyle: { color: theme.text, fontSize: 12 },
        formatter: ({ value, name }: { value: readonly number[] | number; name: string }) =>
          Array.isArray(value)
            ? tooltip([{ name: labels[value[1] ?? 0] ?? '' }, { name: names[value[0] ?? 0] ?? '', value: shown(value[2] ?? null) }])
            : tooltip([{ name }, { name: 'came back', value: shown(Number(value)) }]),
      },
    }),
  };
  const told = cohorts.map(
    ({ name, percents }) => `${plainText(name, 40)} ${percents.slice(1, 5).map(shown).filter(Boolean).join(', ') || 'not over'}`,
  );
  return { option, heightPx, words: `${plainText(spec.title)}: ${told.join('; ')}.` };
}
