import type { Har, HarEntry } from '../read/har-model.ts';
import { isCompressible } from '../read/resource-type.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import type { HarSummary } from '../summary/har-summary.ts';
import { collectSummary } from '../summary/summarize-har.ts';
import { isCompressed } from '../summary/waste.ts';
import { type Blocking, collectBlocking } from './blocking.ts';
import { collectParties, type EntityOf, type PartyGroup } from './third-parties.ts';

/** From this wait on a server's answer counts as slow. */
export const SLOW_ANSWER_MS = 500;

/** What the answers of servers were like. */
export interface Answers {
  /** Requests beside the document that waited long for their first byte. */
  readonly slow: readonly HarEntry[];
  /** Failed requests by status, 0 for no response, and the longest duration of one. */
  readonly failures: ReadonlyMap<number, number>;
  readonly longestFailureMs: number;
  /** The share that compression leaves of a text, measured on the compressed texts of the file; null where there are none. */
  readonly compressedShare: number | null;
}

/** Collects what answers were like; the main document and what led to it are never slow answers, they have a finding of their own. */
function collectAnswers(main: ReadonlySet<HarEntry>) {
  const slow: HarEntry[] = [];
  const failures = new Map<number, number>();
  let longestFailureMs = 0;
  let packedBytes = 0;
  let unpackedBytes = 0;
  return {
    add(entry: HarEntry): void {
      if (answersSlowly(entry, main)) slow.push(entry);
      if (hasFailed(entry)) {
        failures.set(entry.status, (failures.get(entry.status) ?? 0) + 1);
        longestFailureMs = Math.max(longestFailureMs, entry.durationMs ?? 0);
      }
      const { transferBytes, contentBytes } = entry;
      if (!transferBytes || !contentBytes || transferBytes > contentBytes || !isCompressed(entry) || !isCompressible(entry.mime)) return;
      packedBytes += transferBytes;
      unpackedBytes += contentBytes;
    },
    answers: (): Answers => ({
      slow,
      failures,
      longestFailureMs,
      compressedShare: unpackedBytes > 0 ? packedBytes / unpackedBytes : null,
    }),
  };
}

/** The request that waited longest for its first byte; null where none waited. */
export function longestWait(entries: readonly HarEntry[]): { entry: HarEntry; waitMs: number } | null {
  let longest: { entry: HarEntry; waitMs: number } | null = null;
  for (const entry of entries) {
    const { waitMs } = entry.timings;
    if (waitMs !== null && waitMs > (longest?.waitMs ?? 0)) longest = { entry, waitMs };
  }
  return longest;
}

/** True for a request that waited long for its first byte, those of the main document aside. */
export function answersSlowly(entry: HarEntry, main: ReadonlySet<HarEntry>): boolean {
  return (entry.timings.waitMs ?? 0) >= SLOW_ANSWER_MS && !main.has(entry);
}

/** How the requests of one host were carried. */
export interface HostTransport {
  readonly host: string;
  requests: number;
  /** Requests that opened a connection, and the longest time one of those took. */
  opened: number;
  longestOpeningMs: number;
  /** Requests over HTTP/1.0 or 1.1, and the longest time one of them waited for a free connection. */
  http1: number;
  longestQueueMs: number;
  /** Connections opened for a protocol that needs one only (HTTP/2, HTTP/3, SPDY). */
  openedMultiplexed: number;
}

/** Over the network: neither from the cache nor without any response. */
function wasSent(entry: HarEntry): boolean {
  return entry.host !== null && !entry.fromCache && entry.status !== 0;
}

/** True where a request had to open a connection. */
export function opensConnection(entry: HarEntry): boolean {
  return (entry.timings.connectMs ?? 0) > 0;
}

export function isHttp1({ protocol }: HarEntry): boolean {
  return protocol === 'http/1.1' || protocol === 'http/1.0';
}

/** Collects how hosts were spoken to, over all requests that went over the network. */
export interface TransportCollector {
  add(entry: HarEntry): void;
  hosts(): HostTransport[];
}

function collectTransport(): TransportCollector {
  const hosts = new Map<string, HostTransport>();
  return {
    add(entry) {
      if (entry.host === null || !wasSent(entry)) return;
      let host = hosts.get(entry.host);
      if (!host) hosts.set(entry.host, (host = emptyTransport(entry.host)));
      addRequest(host, entry);
    },
    hosts: () => [...hosts.values()],
  };
}

function addRequest(host: HostTransport, entry: HarEntry): void {
  const { dnsMs, connectMs, blockedMs } = entry.timings;
  host.requests += 1;
  if (isHttp1(entry)) {
    host.http1 += 1;
    host.longestQueueMs = Math.max(host.longestQueueMs, blockedMs ?? 0);
  }
  if (!opensConnection(entry)) return;
  host.opened += 1;
  host.longestOpeningMs = Math.max(host.longestOpeningMs, (dnsMs ?? 0) + (connectMs ?? 0));
  if (entry.protocol !== null && !isHttp1(entry)) host.openedMultiplexed += 1;
}

function emptyTransport(host: string): HostTransport {
  return { host, requests: 0, opened: 0, longestOpeningMs: 0, http1: 0, longestQueueMs: 0, openedMultiplexed: 0 };
}

/** What is known of a HAR file beyond its summary, worked out once for all views. */
export interface HarStudy {
  readonly har: Har;
  readonly summary: HarSummary;
  /** The document and the redirects that led to it. */
  readonly main: ReadonlySet<HarEntry>;
  readonly blocking: Blocking;
  readonly parties: readonly PartyGroup[];
  readonly hosts: readonly HostTransport[];
  readonly answers: Answers;
}

/**
 * Studies a HAR file in one pass: on a large one, looking at each request is what takes time. The entities give the names of third parties.
 */
export function studyHar(har: Har, entityOf: EntityOf): HarStudy {
  const main = new Set(har.document ? [...har.redirects, har.document] : []);
  const [summary, blocking] = [collectSummary(har, { top: 3, errors: 3 }), collectBlocking(har)];
  const [parties, transport, answers] = [collectParties(entityOf), collectTransport(), collectAnswers(main)];
  for (const entry of har.entries) {
    summary.add(entry);
    blocking.add(entry);
    parties.add(entry);
    transport.add(entry);
    answers.add(entry);
  }
  const found = blocking.blocking();
  return {
    har,
    summary: summary.summary(),
    main,
    blocking: found,
    parties: parties.groups(found.entries),
    hosts: transport.hosts(),
    answers: answers.answers(),
  };
}
