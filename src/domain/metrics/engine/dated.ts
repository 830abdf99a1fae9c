import type { Change } from './changes.ts';
import { relativeOf, type Series } from './series.ts';
import type { Shape } from './significance.ts';

/** A change in words of days: from `from` to `to`, of which `to` is left out where it goes on. */
export interface DatedChange {
  readonly shape: Shape;
  readonly from: string;
  readonly to?: string;
  /** Days it has lasted for. */
  readonly days: number;
  /** First and last day on which it may have begun as well (95 %). */
  readonly earliest: string;
  readonly latest: string;
  /** Against the days before it: −0.25 for a quarter less; `low` and `high` bound it at 95 %. */
  readonly relative: number;
  readonly low: number;
  readonly high: number;
  readonly pValue: number;
}

/** Standard errors on each side of an effect that hold it at 95 %. */
export const INTERVAL = 1.96;

/** A change of a series in words of days. */
export function dated(series: Series, change: Change): DatedChange {
  const { labels } = series;
  const { shape, from, to, effect, error, logP, earliest, latest } = change;
  const label = (at: number) => labels[at] ?? '';
  return {
    shape,
    from: label(from),
    ...(to < labels.length && { to: label(to - 1) }),
    days: to - from,
    earliest: label(earliest),
    latest: label(latest),
    relative: relativeOf(series, effect),
    low: relativeOf(series, effect - INTERVAL * error),
    high: relativeOf(series, effect + INTERVAL * error),
    pValue: Math.exp(logP),
  };
}
