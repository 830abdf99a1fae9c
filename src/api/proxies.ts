import { BlockList, isIP } from 'node:net';
import { isLoopback, liesIn } from '../lib/address.ts';
import { ApiError } from './errors.ts';

/** Variables of the environment, unset ones undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names. */
export interface Proxy {
  /** Scheme, host and port; the only part of the address that may be shown. */
  readonly origin: string;
  readonly protocol: 'http:' | 'https:' | 'socks5:';
  /** The variable that names it. */
  readonly variable: string;
  /** As they stand in the address, decoded. */
  readonly signIn: { readonly username: string; readonly password: string } | undefined;
}

/** Variables by the protocol of the address that is asked, the first that is set counts. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'https:': ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY'],
  'http:': ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
};
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };
const EXPECTED = 'expected http://host:port (https:// and socks5:// are understood too), with special characters before the @ as %XX';

/** A host as rules compare it: an IPv6 address without brackets. */
const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/** A part of an address without its escapes; as it stands where it has none. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** True where the address lies in this network, written `10.0.0.0/8`, or is the one that is written alone. */
function isInNetwork(address: string, network: string): boolean {
  const [start = '', prefix] = network.split('/');
  const versions = [isIP(address), isIP(start)];
  const bits = versions[1] === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  if (versions[0] === 0 || versions[0] !== versions[1] || !Number.isInteger(length) || length < 0 || length > bits) return false;
  const family = bits === 128 ? 'ipv6' : 'ipv4';
  const members = new BlockList();
  members.addSubnet(start, length, family);
  return members.check(address, family);
}

/** Whether NO_PROXY names the address: by name with all below it, IP address, network, each with or without a port; `*` is all. */
function isExempt({ protocol, hostname, port }: URL, list: string): boolean {
  const host = bare(hostname);
  return list.split(/[\s,]+/).some((entry) => {
    const whole = isIP(entry) !== 0 || entry.includes('/');
    const [, name = '', ownPort] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
    if (!whole && ownPort !== undefined && ownPort !== (port || DEFAULT_PORTS[protocol])) return false;
    const rule = bare(whole ? entry : name);
    return rule === '*' || (isIP(host) === 0 ? liesIn(host, [rule]) : isInNetwork(host, rule));
  });
}

/** Reads the address of a proxy; `host:port` alone is common. Throws where it cannot be used. */
function readProxy(variable: string, value: string): Proxy {
  const refusal = (reason: string) => new ApiError('settings', `${variable} ${reason}; ${EXPECTED}.`, { saysWayOn: true });
  const address = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(address)) throw refusal('is not a valid address of a proxy');
  // A proxy of SOCKS 5 is given names, not addresses, in either spelling.
  const { protocol: scheme, host, pathname, search, hash, username, password } = new URL(address.replace(/^socks5?h?:/i, 'socks5:'));
  if (scheme !== 'http:' && scheme !== 'https:' && scheme !== 'socks5:')
    throw refusal(`names a proxy of the kind ${scheme.slice(0, -1)}, which is not supported`);
  if (host === '' || !/^\/?$/.test(pathname) || search || hash) throw refusal('is not the address of a proxy alone');
  const signIn = username || password ? { username: decoded(username), password: decoded(password) } : undefined;
  return { origin: `${scheme}//${host}`, protocol: scheme, variable, signIn };
}

const valueOf = (environment: Environment, variable: string) => environment[variable]?.trim() ?? '';

/** Whether any variable names a proxy, for whatever addresses. */
export function namesProxy(environment: Environment): boolean {
  return Object.values(VARIABLES).some((variables) => variables.some((variable) => valueOf(environment, variable) !== ''));
}

/**
 * The proxy that requests to this address go through; undefined where they go directly, as those to this machine always do. Throws an
 * `ApiError` where the environment names one for it that cannot be used.
 */
export function proxyFor(url: URL, environment: Environment): Proxy | undefined {
  if (isLoopback(url.hostname)) return undefined;
  const variable = VARIABLES[url.protocol]?.find((name) => valueOf(environment, name) !== '');
  if (variable === undefined) return undefined;
  if (isExempt(url, valueOf(environment, 'no_proxy') || valueOf(environment, 'NO_PROXY'))) return undefined;
  return readProxy(variable, valueOf(environment, variable));
}
