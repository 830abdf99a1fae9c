import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { counted, formatMs } from '../../lib/number-text.ts';
import { byLeast } from '../../lib/order.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';

/** A run of a step, as far as its choice depends on it. */
export interface RunFigures {
  /** Of the report, ms since 1970. */
  readonly date: number;
  readonly stepResultId: string;
  /** Null where the report does not say. */
  readonly loadTimeMs: number | null;
  readonly paints: PaintTimes;
}

/** The lower median of what is known, a value that occurred; null where nothing is. */
export function middle(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null).toSorted((a, b) => a - b);
  return known[(known.length - 1) >> 1] ?? null;
}

/** Spreads below this share of the median count as equal. */
const LEAST_SPREAD = 0.02;

/** At most `most` runs whose number of requests, load time, LCP and TBT lie closest to the medians of all, the most typical first. */
export function typicalRuns<Run extends RunFigures>(runs: readonly Run[], most: number): Run[] {
  const figures = ({ loadTimeMs, paints: { requests = null, lcpMs, tbtMs } }: RunFigures) => [requests, loadTimeMs, lcpMs, tbtMs];
  const distances = [0, 1, 2, 3].map((at) => {
    const known = runs.flatMap((run) => figures(run)[at] ?? []);
    const usual = known.length > 0 ? median(known) : 0;
    const spread = known.length > 0 ? Math.max(medianAbsoluteDeviation(known), LEAST_SPREAD * Math.abs(usual), 1) : 1;
    // What is unknown is taken to be usual.
    return (run: Run) => Math.abs((figures(run)[at] ?? usual) - usual) / spread;
  });
  return runs.toSorted(byLeast((run) => sumOfKnown(distances, (distance) => distance(run)))).slice(0, most);
}

/** Fewer runs do not say what is usual. */
const LEAST_USUAL = 8;
/** Short of all, however many runs there are. */
const percentOf = (share: number) => `${Math.min(99, Math.round(100 * share))}%`;

/** How unusual a run is among the runs near it: `outlier: LCP above all 63 runs near it (median 2.7 s)`; undefined with too few. */
export function placeOfRun(run: PaintTimes, near: readonly PaintTimes[]): string | undefined {
  for (const [name, words] of [['lcpMs', 'LCP'] as const, ['loadMs', 'load'] as const]) {
    const value = run[name];
    const values = near.map((each) => each[name]).filter((each) => each !== null);
    if (value === null || values.length < LEAST_USUAL) continue;
    const below = values.filter((each) => each < value).length;
    const of = `${counted(values.length, 'run')} near it (median ${formatMs(middle(values))})`;
    if (below === values.length || below === 0) return `outlier: ${words} ${below === 0 ? 'below' : 'above'} all ${of}`;
    const share = below / values.length;
    const side = share < 0.5 ? `below ${percentOf(1 - share)}` : `above ${percentOf(share)}`;
    return `${share >= 0.95 || share <= 0.05 ? 'unusual' : 'usual'}: ${words} ${side} of ${of}`;
  }
  return undefined;
}
