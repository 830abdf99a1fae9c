import { median, medianAbsoluteDeviation } from 'simple-statistics';
import type { PartyGroup } from '../analyse/third-parties.ts';
import type { HarEntry } from '../read/har-model.ts';
import type { HarSummary, RequestTotals } from '../summary/summary-types.ts';
import { weightOf } from '../summary/totals.ts';
import type { Pair } from './match-requests.ts';

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
  'One run on each side (scenarioId and step compare several): slower and faster list only what stands out from all matched ' +
  'requests (3.5 robust standard deviations and ' +
  '100 ms); analyze_scenario, which reads several runs, shows whether the page itself is slower.';

/** The same for samples of runs. */
export const SAMPLE_NOTE =
  'Durations and sizes are medians of the runs on each side; new is what no run before has and most runs after have, gone the reverse.';

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
  const outliers = timed.filter(({ from, to, ratio }) => Math.abs(ratio - usual) > STAND_OUT * spread && Math.abs(to - from) >= MIN_MS);
  const sorted = outliers.toSorted(largestFirst);
  return {
    slower: sorted.filter(({ from, to, ratio }) => to > from && ratio > usual),
    faster: sorted.filter(({ from, to, ratio }) => to < from && ratio < usual),
  };
}

/** What a group of requests was and became; null where no size is known. */
export interface GroupChange {
  readonly name: string;
  readonly requestsBefore: number;
  readonly requestsAfter: number;
  readonly transferBytesBefore: number | null;
  readonly transferBytesAfter: number | null;
  readonly contentBytesBefore: number | null;
  readonly contentBytesAfter: number | null;
}

interface Named {
  readonly name: string;
  readonly totals: RequestTotals;
}

const NOTHING = { requests: 0, transferBytes: 0, contentBytes: 0 };

function changesOf(before: readonly Named[], after: readonly Named[]): GroupChange[] {
  const earlier = new Map(before.map(({ name, totals }) => [name, totals]));
  const later = new Map(after.map(({ name, totals }) => [name, totals]));
  const names = [...new Set([...later.keys(), ...earlier.keys()])];
  const rows = names.map((name): GroupChange => {
    const was = earlier.get(name) ?? NOTHING;
    const is = later.get(name) ?? NOTHING;
    return {
      name,
      requestsBefore: was.requests,
      requestsAfter: is.requests,
      transferBytesBefore: was.transferBytes,
      transferBytesAfter: is.transferBytes,
      contentBytesBefore: was.contentBytes,
      contentBytesAfter: is.contentBytes,
    };
  });
  return rows.filter(hasChanged).toSorted((a, b) => changeOf(b) - changeOf(a));
}

function hasChanged(row: GroupChange): boolean {
  return row.requestsBefore !== row.requestsAfter || changeOf(row) >= 1000;
}

/** Bytes by which a group changed, either way. */
function changeOf(row: GroupChange): number {
  const was = weightOf({ transferBytes: row.transferBytesBefore, contentBytes: row.contentBytesBefore });
  const is = weightOf({ transferBytes: row.transferBytesAfter, contentBytes: row.contentBytesAfter });
  return Math.abs((is ?? 0) - (was ?? 0));
}

/** Parties that changed in requests or by at least 1,000 bytes, largest change first. */
export function partyChanges(before: readonly PartyGroup[], after: readonly PartyGroup[]): GroupChange[] {
  return changesOf(before, after);
}

/** Types that changed likewise. */
export function typeChanges(before: Pick<HarSummary, 'byType'>, after: Pick<HarSummary, 'byType'>): GroupChange[] {
  const named = ({ byType }: Pick<HarSummary, 'byType'>) => byType.map(({ type, ...totals }) => ({ name: type, totals }));
  return changesOf(named(before), named(after));
}
