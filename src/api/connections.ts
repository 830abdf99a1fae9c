import { type LookupAddress, type LookupAllOptions, lookup as resolveName } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { isLoopback } from '../lib/address.ts';
import { capital } from '../lib/sentences.ts';
import { ApiError } from './errors.ts';
import { type Environment, type Proxy, proxyFor } from './proxies.ts';

/** Addresses of this machine, of private networks, or of no host at all. */
const inner = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inner.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
] as const)
  inner.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address is outside the public internet; IPv4 inside IPv6 is checked as IPv4. */
export function isInnerAddress(ip: string): boolean {
  const bare = ip.replace(/%.*$/, '');
  const version = isIP(bare);
  return version === 0 || inner.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the host of a URL is this machine or an IP address of an inner network; where a name leads is not looked up. */
export function leadsInside(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isLoopback(url.hostname) || (isIP(host) !== 0 && isInnerAddress(host));
}

/** Aborts after `idleTimeoutMs` without a `refresh`, or with `signal`; without `idleTimeoutMs` only with `signal`. */
export function startIdleTimeout({ idleTimeoutMs, signal }: { idleTimeoutMs?: number | undefined; signal: AbortSignal }) {
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
    /** Aborts when there was no activity for too long, or with the caller's own signal and its reason. */
    signal: controller.signal,
    refresh: () => void timer?.refresh(),
    /** True where the timeout ended it and not the caller. */
    hasExpired: () => expired && !signal.aborted,
    stop: () => {
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
/** Certificates that an authority signed which Node does not know. */
const UNKNOWN_AUTHORITY = /^(DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_)/;

/** A proxy did not lead to where it was asked to: the way to it failed, or it answered with a status that refuses. */
class ProxyError extends Error {
  override name = 'ProxyError';
  readonly proxy: Proxy;
  readonly status: number | undefined;
  constructor(proxy: Proxy, { status, cause }: { status?: number; cause?: unknown }) {
    super('The proxy failed.', { cause });
    this.proxy = proxy;
    this.status = status;
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return 'cause' in error ? codeOf(error.cause) : '';
}

function words(code: string, host: string, detail: string): string {
  if (code === INNER_ADDRESS)
    return (
      `${host} leads into this machine or the network behind it, so it was not called; if that is meant, ` +
      'WEB_ANALYTICS_ENDPOINT_DOMAINS allows it.'
    );
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name of ${host} could not be resolved.`;
  if (/^(UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|ETIMEDOUT)$/.test(code)) return `${host} did not take the connection in time.`;
  if (CERTIFICATE.test(code)) {
    const remedy = UNKNOWN_AUTHORITY.test(code)
      ? ' If an authority of your own signed it, such as that of a proxy which opens TLS, NODE_EXTRA_CA_CERTS has to name its PEM file.'
      : '';
    return `The certificate of ${host} is not accepted (${code}).${remedy}`;
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `${host} does not speak TLS as expected (${code}).`;
  if (code.startsWith('HPE_') || detail.includes('HTTP/1.1 protocol')) return `${host} answered something that is not HTTP.`;
  return `The connection to ${host} broke${code ? ` (${code})` : ''}.`;
}

/** Beginnings of what undici says where a proxy of either kind requires a sign-in that its address lacks. */
const SIGN_IN_REQUIRED = /^(Proxy Authentication Required|Username and password required)/;

function proxyWords({ proxy, status, cause }: ProxyError, host: string): string {
  const name = `the proxy ${proxy.origin} of ${proxy.variable}`;
  const code = codeOf(cause);
  const detail = cause instanceof Error ? cause.message : '';
  const answer = status ? ` (${status})` : '';
  if (status === 407 || code.startsWith('UND_ERR_SOCKS5_AUTH') || SIGN_IN_REQUIRED.test(detail))
    return proxy.signIn
      ? `${name} refuses the user or the password of its address${answer}.`
      : `${name} requires a user and a password${answer}: in its address they stand before the host, with an @ behind them.`;
  if (status !== undefined || code.startsWith('UND_ERR_SOCKS5')) return `${name} did not connect to ${host}${answer || ` (${detail})`}.`;
  return `${words(code, name, detail)} It is on the way to ${host}.`;
}

/** Answers that another try may change, because the proxy, or the host behind it, is busy or away; the others need another setting. */
function isMomentary({ status, cause }: ProxyError): boolean {
  if (status !== undefined) return status === 429 || status >= 500;
  const code = codeOf(cause);
  return !CERTIFICATE.test(code) && !code.startsWith('ERR_SSL_') && !/^UND_ERR_(SOCKS5_AUTH|INVALID_ARG)/.test(code);
}

function proxyFailure(error: ProxyError, host: string, outcomeUnknown: boolean): ApiError {
  const transient = isMomentary(error);
  const code = `ERR_PROXY_${error.status ?? codeOf(error.cause)}`;
  const message = capital(proxyWords(error, host));
  return new ApiError(transient ? 'down' : 'settings', message, { code, outcomeUnknown, transient, saysWayOn: true });
}

/**
 * Words an error of the network. The error itself is not passed on: it may hold what the other side sent. `proxy` is given where the whole
 * connection leads to it.
 */
export function networkFailure(
  error: unknown,
  { host, outcomeUnknown, proxy }: { host: string; outcomeUnknown: boolean; proxy?: Proxy | undefined },
): ApiError {
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : '';
  const ofHost = CERTIFICATE.test(code) || code === INNER_ADDRESS;
  const onWay = proxy && !ofHost ? new ProxyError(proxy, { cause: error }) : undefined;
  const failed = error instanceof ProxyError ? error : onWay;
  if (failed) return proxyFailure(failed, host, outcomeUnknown);
  return new ApiError('down', words(code, host, detail), { code: code || undefined, outcomeUnknown, transient: !ofHost });
}

/** How requests to an address travel. */
interface Route {
  /** Each host has connections of its own. */
  readonly dispatcher: Dispatcher;
  /** Given where the whole connection leads to a proxy, and no tunnel through it to the host. */
  readonly proxy?: Proxy;
}

type Undici = typeof import('undici');

/** Timeouts are the callers' own, in ms; those of undici are too coarse. */
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0 };
/** Longest that the other side may take to accept a connection. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Longest for a proxy to accept one, and again to open a tunnel; short, so that the proxy is named before the call is given up. */
const PROXY_TIMEOUT_MS = 5_000;

/** The connections to a proxy that tunnels are asked of. */
function openTunnels(proxy: Proxy, options: object, { Pool }: Undici): Dispatcher {
  const pool = new Pool(proxy.origin, { ...options, headersTimeout: PROXY_TIMEOUT_MS });
  const connect = pool.connect.bind(pool);
  return Object.assign(pool, {
    async connect(target: Dispatcher.ConnectOptions) {
      // TLS has no names for addresses.
      const servername = isIP(new URL(proxy.origin).hostname.replace(/^\[|\]$/g, '')) ? { servername: '' } : {};
      const answer = await connect({ ...target, ...servername }).catch((cause: unknown) => {
        throw new ProxyError(proxy, { cause });
      });
      const { statusCode: status, socket } = answer;
      if (status === 200) return answer;
      socket.on('error', () => undefined).destroy();
      throw new ProxyError(proxy, { status });
    },
  });
}

/** The way through a proxy, which resolves the names; addresses of http are asked of the proxy itself, the others through tunnels. */
function openProxy(proxy: Proxy, undici: Undici): Dispatcher {
  const { origin, protocol, signIn } = proxy;
  if (protocol === 'socks5:')
    return new undici.Socks5ProxyAgent(origin, { ...signIn, connect: undici.buildConnector({ timeout: PROXY_TIMEOUT_MS }) });
  const token = signIn && `Basic ${Buffer.from(`${signIn.username}:${signIn.password}`).toString('base64')}`;
  return new undici.ProxyAgent({
    ...UNTIMED,
    uri: origin,
    ...(token && { token }),
    proxyTunnel: false,
    proxyTls: { timeout: PROXY_TIMEOUT_MS },
    clientFactory: (_origin, options) => openTunnels(proxy, options, undici),
  });
}

/** Loads undici and opens nothing yet; `lookup` resolves the names that are reached directly. */
export async function openConnections(options: { environment?: Environment | undefined; lookup?: LookupFunction }) {
  const { environment = process.env, lookup } = options;
  // undici's parser is WebAssembly: code optimised for it costs 25 MB of peak memory and gains nothing at this traffic.
  (await import('node:v8')).setFlagsFromString('--liftoff-only');
  // The default export, because a bundle gives a CommonJS package no other.
  const undici = (await import('undici')).default;
  const direct = new undici.Agent({ ...UNTIMED, connect: { timeout: CONNECT_TIMEOUT_MS, ...(lookup && { lookup }) } });
  const proxied = new Map<string, Dispatcher>();
  return {
    /** Throws an ApiError where the environment names a proxy for this address that cannot be used. */
    route(url: URL): Route {
      const proxy = proxyFor(url, environment);
      if (!proxy) return { dispatcher: direct };
      const key = `${proxy.variable} ${proxy.origin}`;
      const dispatcher = proxied.get(key) ?? openProxy(proxy, undici);
      proxied.set(key, dispatcher);
      return proxy.protocol === 'socks5:' || url.protocol === 'http:' ? { dispatcher, proxy } : { dispatcher };
    },
    /** Ends all connections and what runs over them. */
    close: async () => {
      await Promise.all([direct, ...proxied.values()].map((each) => each.destroy()));
    },
  };
}

/** Kept connections, through the proxies that the environment names. */
export type Connections = Awaited<ReturnType<typeof openConnections>>;
