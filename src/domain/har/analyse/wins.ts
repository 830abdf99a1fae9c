import { formatMs } from '../../../lib/number-text.ts';
import type { Blocking } from './blocking.ts';
import type { LargestPaint, PaintTimes } from './largest-paint.ts';

/** What a finding can win of the first and the largest paint at most, ms; left out where the paint is unknown. */
export interface Wins {
  readonly fcpMs?: number;
  readonly lcpMs?: number;
}

/** What is known of the paints of a load. */
interface Painted {
  readonly paints: PaintTimes;
  readonly largest: LargestPaint | null;
  readonly blocking: Pick<Blocking, 'firstByteMs'>;
}

/** A request that begins this much before another ends did not wait for it. */
const TOGETHER_MS = 20;

function winsOf(fcpMs: number | null, lcpMs: number | null): Wins {
  const won = (ms: number) => Math.round(Math.max(0, ms));
  return { ...(fcpMs !== null && { fcpMs: won(fcpMs) }), ...(lcpMs !== null && { lcpMs: won(lcpMs) }) };
}

/** Of what everything waits for: redirects and the document. */
export function loadWins({ paints: { fcpMs, lcpMs } }: Painted, ms: number): Wins {
  return winsOf(fcpMs === null ? null : Math.min(ms, fcpMs), lcpMs === null ? null : Math.min(ms, lcpMs));
}

/** Of what held rendering back until an instant: an image that was loaded beside it waits for its own end too. */
export function blockingWins({ paints: { fcpMs, lcpMs }, largest, blocking }: Painted, ms: number, untilMs: number): Wins {
  const from = blocking.firstByteMs ?? 0;
  const image = largest?.kind === 'image' ? largest.entry : null;
  const isBeside = image?.startMs != null && image.startMs < untilMs - TOGETHER_MS;
  const ofLargest = isBeside ? Math.min(ms, largest?.marginMs ?? 0) : ms;
  return winsOf(fcpMs === null ? null : Math.min(ms, fcpMs - from), lcpMs === null ? null : Math.min(ofLargest, lcpMs - from));
}

/** Of what the largest paint alone waited for: it cannot come before the first one. */
export function largestWins({ paints: { fcpMs, lcpMs }, blocking }: Painted, ms: number): Wins {
  return winsOf(fcpMs === null ? null : 0, lcpMs === null ? null : Math.min(ms, lcpMs - (fcpMs ?? blocking.firstByteMs ?? 0)));
}

/** `wins at most 620 ms of FCP and 960 ms of LCP`; empty where it wins nothing. */
export function winWords({ fcpMs = 0, lcpMs = 0 }: Wins): string {
  const parts = [
    [fcpMs, 'FCP'],
    [lcpMs, 'LCP'],
  ] as const;
  const won = parts.flatMap(([ms, paint]) => (ms >= 1 ? [`${formatMs(ms)} of ${paint}`] : []));
  return won.length === 0 ? '' : `wins at most ${won.join(' and ')}`;
}
