import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { isLoopback } from '../lib/address.ts';
import { ApiError } from './errors.ts';

/** A watch over something that has to be heard of again and again. */
export interface IdleTimeout {
  /** Aborts when nothing was heard for too long, or with the caller's own signal and its reason. */
  readonly signal: AbortSignal;
  heard(): void;
  /** True where silence ended it and not the caller. */
  wasSilent(): boolean;
  stop(): void;
}

/** Aborts when nothing was heard for `idleTimeoutMs`, or with `signal`; without `idleTimeoutMs` only with `signal`. */
export function startIdleTimeout({ idleTimeoutMs, signal }: { idleTimeoutMs?: number | undefined; signal: AbortSignal }): IdleTimeout {
  const controller = new AbortController();
  const relay = () => controller.abort(signal.reason);
  if (signal.aborted) relay();
  // Files that are fetched at a time share one signal.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', relay, { once: true });
  let silent = false;
  const giveUp = () => {
    silent = true;
    controller.abort();
  };
  const timer = idleTimeoutMs === undefined ? undefined : setTimeout(giveUp, idleTimeoutMs);
  return {
    signal: controller.signal,
    heard: () => timer?.refresh(),
    wasSilent: () => silent && !signal.aborted,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', relay);
    },
  };
}

/** Failures of the certificate of the other side: trying again does not help. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)/;

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}

function words(code: string, host: string, detail: string): string {
  if (/proxy/i.test(detail)) return `The proxy did not let the request to ${host} through: ${/\d{3}/.exec(detail)?.[0] ?? code}.`;
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name of ${host} could not be resolved.`;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return `${host} did not take the connection in time.`;
  if (CERTIFICATE.test(code)) return `The certificate of ${host} is not accepted (${code}).`;
  if (code.startsWith('HPE_') || detail.includes('HTTP/1.1 protocol')) return `${host} answered something that is not HTTP.`;
  return `The connection to ${host} broke${code ? ` (${code})` : ''}.`;
}

/** Words an error of the network. The error itself is not passed on: it may hold what the other side sent. */
export function networkFailure(error: unknown, host: string, outcomeUnknown: boolean): ApiError {
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : '';
  const lasting = CERTIFICATE.test(code) || /proxy/i.test(detail);
  return new ApiError('down', words(code, host, detail), { code: code || undefined, outcomeUnknown, transient: !lasting });
}

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
