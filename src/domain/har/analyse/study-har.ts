import type { Har, HarEntry } from '../read/har-model.ts';
import { collectSummary } from '../summary/summarize-har.ts';
import type { HarSummary } from '../summary/summary-types.ts';
import { type Blocking, collectBlocking } from './blocking.ts';
import { type Answers, collectAnswers } from './response-times.ts';
import { collectParties, type EntityOf, type PartyGroup } from './third-parties.ts';

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
