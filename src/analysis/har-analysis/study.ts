import { type Har, type HarEntry, type HarSummary, summarizeHar } from '../har/index.ts';
import { isCompressible } from '../har/resource-type.ts';
import { type Blocking, findBlocking } from './blocking.ts';
import type { EntityOf } from './entities.ts';
import { groupParties, type PartyGroup } from './parties.ts';
import { type HostTransport, transportByHost } from './transport.ts';

/** From this wait on a server's answer counts as slow. */
export const SLOW_ANSWER_MS = 500;

/** What is known of a HAR file beyond its summary, worked out once for all views. */
export interface HarStudy {
  readonly har: Har;
  readonly summary: HarSummary;
  readonly blocking: Blocking;
  readonly parties: readonly PartyGroup[];
  readonly hosts: readonly HostTransport[];
  /** Requests beside the document that waited long for their first byte, and the one that waited longest. */
  readonly slowAnswers: { readonly requests: number; readonly longest: HarEntry | null };
  /** What packing leaves of a text, measured on the packed texts of the file; null where there are none. */
  readonly packedShare: number | null;
}

/** Studies a HAR file; the entities give the names of third parties. */
export function studyHar(har: Har, entityOf: EntityOf): HarStudy {
  const blocking = findBlocking(har);
  return {
    har,
    summary: summarizeHar(har, { top: 3, errors: 3 }),
    blocking,
    parties: groupParties(har.entries, entityOf, new Set(blocking.entries)),
    hosts: transportByHost(har.entries),
    ...slowAndPacked(har),
  };
}

/** True for a request that waited long for its first byte, the document and what led to it aside. */
export function answersSlowly(entry: HarEntry, { document, redirects }: Har): boolean {
  return (entry.timings.waitMs ?? 0) >= SLOW_ANSWER_MS && entry !== document && !redirects.includes(entry);
}

function slowAndPacked(har: Har): Pick<HarStudy, 'slowAnswers' | 'packedShare'> {
  let requests = 0;
  let longest: HarEntry | null = null;
  let packedBytes = 0;
  let unpackedBytes = 0;
  for (const entry of har.entries) {
    const { waitMs } = entry.timings;
    if ((waitMs ?? 0) >= SLOW_ANSWER_MS && answersSlowly(entry, har)) {
      requests += 1;
      if (!longest || (waitMs ?? 0) > (longest.timings.waitMs ?? 0)) longest = entry;
    }
    const { contentEncoding, transferBytes, contentBytes } = entry;
    if (contentEncoding === null || !transferBytes || !contentBytes || transferBytes > contentBytes) continue;
    if (!isCompressible(entry.mime)) continue;
    packedBytes += transferBytes;
    unpackedBytes += contentBytes;
  }
  return { slowAnswers: { requests, longest }, packedShare: unpackedBytes > 0 ? packedBytes / unpackedBytes : null };
}
