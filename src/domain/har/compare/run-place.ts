import { counted, formatMs } from '../../../lib/number-text.ts';
import type { PaintTimes } from '../analyse/largest-paint.ts';
import { middleOf } from './compare-runs.ts';

/** Fewer runs do not say what is usual. */
const LEAST_RUNS = 8;

const PLACED = [
  ['lcpMs', 'LCP'],
  ['loadMs', 'load'],
] as const;

/** Short of all, however many runs there are. */
function percentOf(share: number): string {
  return `${Math.min(99, Math.round(100 * share))}%`;
}

/** How unusual a run is among the runs near it: `outlier: LCP above all 63 runs near it (median 2.7 s)`; undefined with too few. */
export function placeOfRun(run: PaintTimes, near: readonly PaintTimes[]): string | undefined {
  for (const [name, words] of PLACED) {
    const value = run[name];
    const values = near.map((each) => each[name]).filter((each) => each !== null);
    if (value === null || values.length < LEAST_RUNS) continue;
    const below = values.filter((each) => each < value).length;
    const of = `${counted(values.length, 'run')} near it (median ${formatMs(middleOf(values))})`;
    if (below === values.length) return `outlier: ${words} above all ${of}`;
    if (below === 0) return `outlier: ${words} below all ${of}`;
    const share = below / values.length;
    const side = share < 0.5 ? `below ${percentOf(1 - share)}` : `above ${percentOf(share)}`;
    return `${share >= 0.95 || share <= 0.05 ? 'unusual' : 'usual'}: ${words} ${side} of ${of}`;
  }
  return undefined;
}
