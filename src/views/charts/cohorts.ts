import { nth } from '../../lib/nth.ts';
import type { CohortsSpec } from '../spec.ts';
import { axisLines, CHARACTER_PX, commonOption, type Drawing, headPx, type Look, legendOption, tooltipOption } from './look.ts';
import { formatValue, plainText } from './values.ts';

const ROW_PX = 24;
const CURVES_PX = 170;
const GAP_PX = 56;

const shown = (percent: number | null) => (percent === null ? '' : `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)}%`);

/** Where the cells and the curves stand. */
interface CohortPlace {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly trianglePx: number;
  readonly cellPx: number;
  readonly labels: readonly string[];
  readonly names: readonly string[];
}

function placeOf(spec: CohortsSpec, look: Look): CohortPlace {
  const { cohorts, by } = spec;
  const { widthPx } = look;
  const periods = Math.max(1, ...cohorts.map(({ percents }) => percents.length));
  const labels = cohorts.map(({ name, visitors }) => `${name}  ${formatValue(visitors, 'none')}`);
  const left = Math.min(widthPx * 0.4, Math.max(...labels.map((label) => label.length), 10) * CHARACTER_PX + 24);
  const right = 24;
  return {
    left,
    right,
    top: headPx(look, spec) + 24,
    trianglePx: ROW_PX * Math.max(1, cohorts.length),
    cellPx: (widthPx - left - right) / periods,
    labels,
    names: Array.from({ length: periods }, (_, index) => `${by} ${index}`),
  };
}

function cellSeries({ cohorts }: CohortsSpec, { cellPx }: CohortPlace, { theme }: Look) {
  // In the period of the first session all are there.
  const highest = Math.max(1, ...cohorts.flatMap(({ percents }) => percents.slice(1).map((percent) => percent ?? 0)));
  const cells = cohorts.flatMap(({ percents }, row) =>
    percents.flatMap((percent, column) => {
      if (percent === null) return [];
      const opacity = column === 0 ? 0.08 : 0.08 + 0.72 * Math.min(1, percent / highest);
      return [{ value: [column, row, percent], itemStyle: { color: theme.series[0] ?? theme.text, opacity } }];
    }),
  );
  return {
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
  } as const;
}

function curveSeries({ curves }: CohortsSpec, { theme }: Look) {
  return curves.map(({ name, percents }, index) => ({
    type: 'line',
    xAxisIndex: 1,
    yAxisIndex: 1,
    name: plainText(name, 30),
    symbolSize: 5,
    lineStyle: { width: 2, type: index === 0 ? 'solid' : 'dashed' },
    itemStyle: { color: theme.series[index % theme.series.length] ?? theme.text },
    // All are there in the first period, which would flatten the rest.
    data: percents.map((percent, period) => (period === 0 ? null : percent)),
  }));
}

function axesOf({ left, right, top, trianglePx, labels, names }: CohortPlace, { theme }: Look) {
  const lines = axisLines(theme);
  const category = { type: 'category', data: names, axisTick: { show: false }, axisLine: { show: false } } as const;
  const label = { color: theme.faintText, fontSize: 11 } as const;
  const bare = { axisTick: { show: false }, axisLine: { show: false } } as const;
  return {
    grid: [
      { left, right, top, height: trianglePx, outerBoundsMode: 'none' },
      { left, right, top: top + trianglePx + GAP_PX, height: CURVES_PX, outerBoundsMode: 'none' },
    ],
    xAxis: [
      { ...category, gridIndex: 0, position: 'top', axisLabel: { ...label, hideOverlap: true } },
      { ...category, gridIndex: 1, axisLine: lines.axisLine, axisLabel: { ...label, hideOverlap: true } },
    ],
    yAxis: [
      { type: 'category', gridIndex: 0, inverse: true, data: labels, ...bare, axisLabel: { ...label, color: theme.text, interval: 0 } },
      { type: 'value', gridIndex: 1, min: 0, ...lines, axisLabel: { ...lines.axisLabel, formatter: (value: number) => `${value}%` } },
    ],
  };
}

/** A row for each cohort whose cells darken with the share that came back, and below the shares of all as curves. */
export function drawCohorts(spec: CohortsSpec, look: Look): Drawing {
  const { theme, tooltip } = look;
  const place = placeOf(spec, look);
  const { labels, names } = place;
  const curves = curveSeries(spec, look);
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    ...axesOf(place, look),
    ...(curves.length > 1 && {
      legend: legendOption(
        look,
        curves.map(({ name }) => name),
        place.top + place.trianglePx + 10,
      ),
    }),
    series: [cellSeries(spec, place, look), ...curves],
    ...(tooltip && {
      tooltip: {
        ...tooltipOption(theme),
        trigger: 'item',
        formatter: ({ value, name }: { value: readonly number[] | number; name: string }) =>
          typeof value === 'number'
            ? tooltip([{ name }, { name: 'came back', value: shown(value) }])
            : tooltip([{ name: labels[nth(value, 1)] ?? '' }, { name: names[nth(value, 0)] ?? '', value: shown(value[2] ?? null) }]),
      },
    }),
  };
  const told = spec.cohorts.map(({ name, percents }) => {
    const first = percents.slice(1, 5).map(shown).filter(Boolean);
    return `${plainText(name, 40)} ${first.join(', ') || 'not over'}`;
  });
  const heightPx = place.top + place.trianglePx + GAP_PX + CURVES_PX + 40;
  return { option, heightPx, words: `${plainText(spec.title)}: ${told.join('; ')}.` };
}
