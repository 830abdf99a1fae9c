import type { Side } from '../analysis/compare/sides.ts';
import { isPercent, nameOf } from '../analysis/compare/words.ts';
import { unitOf } from '../analysis/metric-units.ts';
import { type ChartSpec, joined } from './spec.ts';

/** Metrics below each other. */
const MAX_METRICS = 3;

/** Devices or segments side by side, as bars of the first metrics. */
export function chartOfSides(
  metrics: readonly string[],
  sides: readonly Side[],
  kind: string,
  currency: string | undefined,
): ChartSpec | undefined {
  const shown = metrics.slice(0, MAX_METRICS);
  const left = metrics.length > shown.length ? `, ${shown.length} of ${metrics.length} metrics` : '';
  return joined(
    shown.map((metric) => ({
      kind: 'bars',
      title: `${nameOf(metric)} by ${kind}`,
      subtitle: `${unitOf(metric, currency) ?? ''}${left}`,
      unit: isPercent(metric) ? 'percent' : 'none',
      labels: sides.map(({ name }) => name),
      series: [{ name: nameOf(metric), values: sides.map(({ values }) => values[metric] ?? null) }],
    })),
  );
}
