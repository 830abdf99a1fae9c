import type { HarEntry } from '../har/index.ts';

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

export function collectTransport(): TransportCollector {
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
