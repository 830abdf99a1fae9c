import { hypothesesOf, lookThrough, type ScanFinding, type Scanned } from '../../../../src/metrics/engine/scan.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../../src/statistics/discoveries.ts';

/** The changes found in many series. */
interface ScanResult {
  /** The clearest first. */
  readonly findings: readonly ScanFinding[];
  /** Series with enough days to be looked at. */
  readonly looked: number;
  /** The largest p-value that was still taken for a change. */
  readonly limit: number;
}

/**
 * Looks through many series for steps, episodes, outlier days and drift from day `from` to day `to`. The false discovery rate over all
 * series and shapes is 5 % (Benjamini and Hochberg 1995).
 */
export function scanSeries(all: readonly Scanned[], from: string, to: string): ScanResult {
  const looked = lookThrough(all, from, to);
  const candidates = looked.flatMap((each) => each.candidates);
  const clearest = new Map<string, number>();
  for (const { id, shape, pValue } of candidates) clearest.set(`${id}/${shape}`, Math.min(pValue, clearest.get(`${id}/${shape}`) ?? 1));
  const limit = discoveryLimit([...clearest.values()], FALSE_DISCOVERY_RATES.siteChanges, hypothesesOf(looked.length));
  return {
    findings: candidates.filter(({ pValue }) => pValue <= limit).toSorted((a, b) => a.pValue - b.pValue),
    looked: looked.length,
    limit,
  };
}
