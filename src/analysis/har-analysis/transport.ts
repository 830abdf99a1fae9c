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
  /** Requests over a protocol that needs one connection only (HTTP/2, HTTP/3, SPDY). */
  multiplexed: number;
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

/** Counts connections by host, over all requests that went over the network. */
export function transportByHost(entries: readonly HarEntry[]): HostTransport[] {
  const hosts = new Map<string, HostTransport>();
  for (const entry of entries) {
    if (entry.host === null || !wasSent(entry)) continue;
    let host = hosts.get(entry.host);
    if (!host) hosts.set(entry.host, (host = emptyTransport(entry.host)));
    host.requests += 1;
    const { dnsMs, connectMs, blockedMs } = entry.timings;
    if (isHttp1(entry)) {
      host.http1 += 1;
      host.longestQueueMs = Math.max(host.longestQueueMs, blockedMs ?? 0);
    } else if (entry.protocol !== null) host.multiplexed += 1;
    if (!opensConnection(entry)) continue;
    host.opened += 1;
    host.longestOpeningMs = Math.max(host.longestOpeningMs, (dnsMs ?? 0) + (connectMs ?? 0));
    if (entry.protocol !== null && !isHttp1(entry)) host.openedMultiplexed += 1;
  }
  return [...hosts.values()];
}

function emptyTransport(host: string): HostTransport {
  return { host, requests: 0, opened: 0, longestOpeningMs: 0, http1: 0, longestQueueMs: 0, multiplexed: 0, openedMultiplexed: 0 };
}
