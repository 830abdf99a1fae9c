import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { isLoopback } from '../lib/address.ts';
import { ApiError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Kept connections, through the proxies that the environment names; loopback is reached directly. */
export interface Connections {
  /** What sends requests to this host; each host has connections of its own. */
  dispatcher(hostname: string): Dispatcher;
  /** Ends all connections and what runs over them. */
  close(): Promise<void>;
}

/** Address of a proxy; `host:port` alone is common. */
function proxyAddress(value = ''): string {
  if (value === '') return '';
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new ApiError('settings', 'HTTP_PROXY or HTTPS_PROXY is no address; expected http://host:port.');
}

/** Loads undici and opens nothing yet; `lookup` resolves the names that are reached directly. */
export async function openConnections(options: { environment?: Environment | undefined; lookup?: LookupFunction }): Promise<Connections> {
  const { environment = process.env, lookup } = options;
  // undici's parser is WebAssembly: code optimised for it costs 25 MB of peak memory and gains nothing at this traffic.
  (await import('node:v8')).setFlagsFromString('--liftoff-only');
  // The default export, because a bundle gives a CommonJS package no other.
  const { Agent, EnvHttpProxyAgent } = (await import('undici')).default;
  // Timeouts are the callers' own, in ms; those of undici are too coarse.
  const shared = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 10_000, ...(lookup && { lookup }) } };
  const direct = new Agent(shared);
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY } = environment;
  const httpProxy = proxyAddress(http_proxy || HTTP_PROXY);
  const httpsProxy = proxyAddress(https_proxy || HTTPS_PROXY);
  const proxied =
    httpProxy || httpsProxy
      ? new EnvHttpProxyAgent({ ...shared, httpProxy, httpsProxy, noProxy: no_proxy || NO_PROXY || '', proxyTunnel: false })
      : direct;
  return {
    dispatcher: (hostname) => (isLoopback(hostname) ? direct : proxied),
    close: async () => {
      await Promise.all([direct.destroy(), proxied === direct ? undefined : proxied.destroy()]);
    },
  };
}
