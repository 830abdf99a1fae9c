import { median } from '../../statistics/order.ts';
import { metricOf, type Step, type Window } from './runs.ts';

/** Above this share of the LCP the server is where to look first (web.dev, "Optimize LCP": about 40 % is the usual part of TTFB). */
const SERVER_SHARE = 0.4;

/** How much of a step's LCP passes before the first byte, and where its time is lost. */
export interface ServerShare {
  readonly step: string;
  /** Median over the runs of TTFB divided by LCP; null where a side has no run with both. */
  readonly before: number | null;
  readonly after: number | null;
  /** Which part of the change of LCP came before the first byte; null where LCP hardly moved. */
  readonly ofChange: number | null;
  readonly side: 'server' | 'front end';
}

interface Pair {
  readonly ttfb: number;
  readonly lcp: number;
}

function pairsIn({ runs }: Step, { startMs, endMs }: Window): Pair[] {
  return runs.flatMap(({ date, result }) => {
    const [ttfb, lcp] = [metricOf(result, 'firstByte'), metricOf(result, 'largestContentfulPaint')];
    return date >= startMs && date <= endMs && ttfb !== null && lcp !== null && lcp > 0 ? [{ ttfb, lcp }] : [];
  });
}

function middle(pairs: readonly Pair[], value: (pair: Pair) => number): number | null {
  return pairs.length > 0 ? median(pairs.map(value)) : null;
}

/** Says whether a step waits for the server or for the page; a change is laid to where it came from, a level to its larger part. */
export function serverShareOf(step: Step, windows: { baseline: Window; period: Window }, changed: boolean): ServerShare | undefined {
  const [earlier, later] = [pairsIn(step, windows.baseline), pairsIn(step, windows.period)];
  const share = ({ ttfb, lcp }: Pair) => ttfb / lcp;
  const [before, after] = [middle(earlier, share), middle(later, share)];
  const level = after ?? before;
  if (level === null) return undefined;
  const moved = (value: (pair: Pair) => number) => (middle(later, value) ?? 0) - (middle(earlier, value) ?? 0);
  const lcpMoved = moved(({ lcp }) => lcp);
  const ofChange = changed && before !== null && after !== null && lcpMoved !== 0 ? moved(({ ttfb }) => ttfb) / lcpMoved : null;
  const isServer = ofChange === null ? level > SERVER_SHARE : ofChange >= 0.5;
  return { step: step.name, before, after, ofChange, side: isServer ? 'server' : 'front end' };
}
