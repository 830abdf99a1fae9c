import { median, medianAbsoluteDeviation } from 'simple-statistics';
import type { HarEntry } from '../har/index.ts';
import type { Pair } from './match.ts';

/** A matched request whose size or duration changed. */
export interface Change extends Pair {
  readonly from: number;
  readonly to: number;
}

/** Smaller changes of size are headers and cookies. */
const MIN_BYTES = 1000;
const MIN_BYTES_SHARE = 0.05;
/** Smaller changes of duration mean nothing, however steady all others are. */
const MIN_MS = 100;
/** Robust standard deviations by which a duration must stand out from those of the other requests. */
const STAND_OUT = 3.5;
/** The spread of durations between two runs is never taken to be smaller, as a logarithm of their ratio: 20 %. */
const MIN_SPREAD = 0.18;
/** Scales the median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/** What counts as slower; the words for the notes of an answer. */
export const NOISE_NOTE =
  'One run on each side: slower and faster list only what stands out from all matched requests (3.5 robust standard deviations and 100 ms); runs of analyze_scenario tell whether the page itself is slower.';

const largestFirst = (a: Change, b: Change): number => Math.abs(b.to - b.from) - Math.abs(a.to - a.from);

/** The size to compare: transferred where both sides fetched and know it, else that of the content. */
function sizesOf({ before, after }: Pair): [from: number | null, to: number | null] {
  const fetchedBoth = !before.fromCache && !after.fromCache && before.status !== 304 && after.status !== 304;
  if (fetchedBoth && before.transferBytes !== null && after.transferBytes !== null) return [before.transferBytes, after.transferBytes];
  return [before.contentBytes, after.contentBytes];
}

/** Requests that grew or shrank by at least 1,000 bytes and 5 %, largest change first. */
export function sizeChanges(pairs: readonly Pair[]): { grown: Change[]; shrunk: Change[] } {
  const changes = pairs.flatMap((pair): Change[] => {
    const [from, to] = sizesOf(pair);
    if (from === null || to === null) return [];
    const change = Math.abs(to - from);
    return change >= MIN_BYTES && change >= from * MIN_BYTES_SHARE ? [{ ...pair, from, to }] : [];
  });
  const sorted = changes.toSorted(largestFirst);
  return { grown: sorted.filter(({ from, to }) => to > from), shrunk: sorted.filter(({ from, to }) => to < from) };
}

function isTimed({ fromCache, durationMs, status }: HarEntry): boolean {
  return !fromCache && status !== 0 && durationMs !== null && durationMs > 0;
}

/** Requests whose duration changed by more than the scatter of all matched requests, largest change first. */
export function durationChanges(pairs: readonly Pair[]): { slower: Change[]; faster: Change[] } {
  const timed = pairs.flatMap((pair) => {
    const [from, to] = [pair.before.durationMs ?? 0, pair.after.durationMs ?? 0];
    return isTimed(pair.before) && isTimed(pair.after) ? [{ ...pair, from, to, ratio: Math.log(to / from) }] : [];
  });
  if (timed.length === 0) return { slower: [], faster: [] };
  const ratios = timed.map(({ ratio }) => ratio);
  const usual = median(ratios);
  const spread = Math.max(MIN_SPREAD, MAD_TO_SIGMA * medianAbsoluteDeviation(ratios));
  const standing = timed.filter(({ from, to, ratio }) => Math.abs(ratio - usual) > STAND_OUT * spread && Math.abs(to - from) >= MIN_MS);
  const sorted = standing.toSorted(largestFirst);
  return {
    slower: sorted.filter(({ from, to, ratio }) => to > from && ratio > usual),
    faster: sorted.filter(({ from, to, ratio }) => to < from && ratio < usual),
  };
}
