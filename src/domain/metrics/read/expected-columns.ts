import type { MetricQuery } from './metric-query.ts';

/** The expected value; null where the days before are too few. */
export interface ExpectedCell {
  readonly expected: number | null;
  /** Bounds at 95 %. */
  readonly low: number | null;
  readonly high: number | null;
  /** Null of a metric that has no value on any day, as one that the project does not have. */
  readonly verdict: null | 'normal' | 'high' | 'low' | 'forecast' | 'too young' | 'not enough data';
}

/** Columns of what was to be expected, by their metric: named after it where there are several. */
export function expectedColumns({ expected, metrics, bases }: Pick<MetricQuery, 'expected' | 'metrics' | 'bases'>) {
  if (!expected) return [];
  const asked = metrics.filter((metric) => !bases.includes(metric));
  return asked.flatMap((metric) =>
    (['expected', 'low', 'high', 'verdict'] as const).map((part) => {
      const name = asked.length === 1 ? part : `${metric}${part[0]?.toUpperCase()}${part.slice(1)}`;
      return { metric, part, name };
    }),
  );
}
