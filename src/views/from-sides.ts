import { isPercent, valueText } from '../domain/metrics/compare/change.ts';
import type { Side } from '../domain/metrics/compare/sides.ts';
import { nameOf, unitOf } from '../domain/metrics/metric-definitions.ts';
import { ALL_VISITORS } from '../domain/names/match-name.ts';
import { intervalIn } from './charts/values.ts';
import type { ComparisonChartOptions } from './from-comparison.ts';
import { type ChartSpec, joined } from './spec.ts';

/** Metrics below each other. */
const MAX_METRICS = 3;

const isWhole = ({ name }: Side) => name === ALL_VISITORS || name === 'all';

/** The sides that are drawn; those without a value, or with 0, are named instead. */
function drawnSides(sides: readonly Side[], metric: string) {
  const visible = sides.filter(({ values }) => (values[metric] ?? 0) !== 0);
  const shown = visible.length > 1 ? visible : sides;
  const left = sides.filter((side) => !shown.includes(side)).map(({ name }) => name);
  return { shown, left: left.length > 0 ? [`nothing to draw: ${left.join(', ')}`] : [] };
}

/** The sides with the highest and the lowest value. */
function sidesTitle(metric: string, kind: string, sides: readonly Side[], currency: string | undefined): string {
  const parts = sides.some((side) => !isWhole(side)) ? sides.filter((side) => !isWhole(side)) : sides;
  const known = parts.flatMap(({ name, values }) => (typeof values[metric] === 'number' ? [{ name, value: values[metric] }] : []));
  const [first, ...rest] = known.toSorted((a, b) => b.value - a.value);
  const words = ({ name, value }: { name: string; value: number }) => `${name} ${valueText(metric, value, currency)}`;
  const lowest = rest.at(-1);
  if (!first) return `${nameOf(metric)} by ${kind}: no value`;
  return `${nameOf(metric)} by ${kind}: highest ${words(first)}${lowest ? `, lowest ${words(lowest)}` : ''}`;
}

/** Devices or segments side by side, as bars of the first metrics. */
export function chartOfSides(
  metrics: readonly string[],
  sides: readonly Side[],
  kind: string,
  {
    currency,
    timeZone,
    period,
    verdictOf,
  }: Omit<ComparisonChartOptions, 'baseline' | 'labels' | 'endsMeet'> & {
    /** Against the first side, beyond noise or not. */
    readonly verdictOf: (metric: string, side: Side) => string | undefined;
  },
): ChartSpec | undefined {
  const shown = metrics.slice(0, MAX_METRICS);
  const range = `${intervalIn(timeZone, period)}, ${timeZone}`;
  const rest = metrics.length > shown.length ? [`${shown.length} of ${metrics.length} metrics`] : [];
  return joined(
    shown.map((metric) => {
      const drawn = drawnSides(sides, metric);
      const notes = drawn.shown.map((side) => verdictOf(metric, side) ?? '');
      const judged = notes.some((note) => note !== '') ? [`verdicts against ${sides[0]?.name}`] : [];
      return {
        kind: 'bars',
        title: sidesTitle(metric, kind, drawn.shown, currency),
        subtitle: [`${range}: ${unitOf(metric, currency) ?? ''}`, ...judged, ...drawn.left, ...rest].join(', '),
        unit: isPercent(metric) ? 'percent' : 'none',
        labels: drawn.shown.map(({ name }) => name),
        series: [{ name: nameOf(metric), values: drawn.shown.map(({ values }) => values[metric] ?? null) }],
        ...(judged.length > 0 && { notes }),
      };
    }),
  );
}
