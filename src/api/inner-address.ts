import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../lib/address.ts';

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
