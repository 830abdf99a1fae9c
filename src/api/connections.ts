import { type LookupAddress, type LookupAllOptions, lookup as resolveName } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { isLoopback } from '../lib/address.ts';
import { ApiError } from './errors.ts';
import { isInnerAddress } from './inner-address.ts';

/** A timeout that starts again with each sign of activity. */
export interface IdleTimeout {
  /** Aborts when there was no activity for too long, or with the caller's own signal and its reason. */
  readonly signal: AbortSignal;
  refresh(): void;
  /** True where the timeout ended it and not the caller. */
  hasExpired(): boolean;
  stop(): void;
}

/** Aborts after `idleTimeoutMs` without a `refresh`, or with `signal`; without `idleTimeoutMs` only with `signal`. */
export function startIdleTimeout({ idleTimeoutMs, signal }: { idleTimeoutMs?: number | undefined; signal: AbortSignal }): IdleTimeout {
  const controller = new AbortController();
  const relay = () => controller.abort(signal.reason);
  if (signal.aborted) relay();
  // Files that are fetched at a time share one signal.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', relay, { once: true });
  let expired = false;
  const giveUp = () => {
    expired = true;
    controller.abort();
  };
  const timer = idleTimeoutMs === undefined ? undefined : setTimeout(giveUp, idleTimeoutMs);
  return {
    signal: controller.signal,
    refresh: () => timer?.refresh(),
    hasExpired: () => expired && !signal.aborted,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener('abort', relay);
    },
  };
}

/** Code of the error where a name has inner addresses only. */
export const INNER_ADDRESS = 'ERR_INNER_ADDRESS';

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Calls back with whether a host has addresses of this machine or of private networks only. */
function judge(hostname: string, resolve: Resolve, answer: (isInside: boolean) => void): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) answer(isInnerAddress(bare));
  else
    resolve(bare, { all: true }, (_, found) => {
      const addresses = found ?? [];
      answer(addresses.length > 0 && addresses.every(({ address }) => isInnerAddress(address)));
    });
}

/**
 * Resolves names as a connection is opened, to public addresses only: what a name meant when it was looked at before would not count.
 * Where `unlessInside` leads inside itself, inner addresses are taken too, because the whole platform lies there.
 */
export function outsideLookup(resolve: Resolve = resolveName, unlessInside?: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const answer = (found: LookupAddress[]) => {
        const [first] = found;
        if (error || !first) {
          const reason = `${hostname} leads into this machine or the network behind it`;
          callback(error ?? Object.assign(new Error(reason), { code: INNER_ADDRESS }), '');
        } else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      };
      const all = addresses ?? [];
      const outer = all.filter(({ address }) => !isInnerAddress(address));
      if (error || outer.length > 0 || unlessInside === undefined) answer(outer);
      else judge(unlessInside, resolve, (isInside) => answer(isInside ? all : []));
    });
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
  if (code === INNER_ADDRESS)
    return (
      `${host} leads into this machine or the network behind it, so it was not called; if that is meant, ` +
      'WEB_ANALYTICS_ENDPOINT_DOMAINS allows it.'
    );
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
  const lasting = CERTIFICATE.test(code) || code === INNER_ADDRESS || /proxy/i.test(detail);
  return new ApiError('down', words(code, host, detail), { code: code || undefined, outcomeUnknown, transient: !lasting });
}

/** Variables of the environment, unset ones undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Kept connections, through the proxies that the environment names; loopback is reached directly. */
export interface Connections {
  /** The dispatcher for this host; each host has connections of its own. */
  dispatcher(hostname: string): Dispatcher;
  /** Ends all connections and what runs over them. */
  close(): Promise<void>;
}

/** Address of a proxy; `host:port` alone is common. */
function proxyAddress(value = ''): string {
  if (value === '') return '';
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new ApiError('settings', 'HTTP_PROXY or HTTPS_PROXY is not a valid address; expected http://host:port.');
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
