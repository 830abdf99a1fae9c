import { leadsInside } from '../api/inner-address.ts';
import { isLoopback } from '../lib/address.ts';

/** Why a file must not be fetched from here, as the end of a sentence; undefined when it may. Names are judged again when they are resolved. */
export function fileAddressFault(address: string, { allowInner }: { allowInner: boolean }): string | undefined {
  if (!URL.canParse(address)) return 'is no address';
  const url = new URL(address);
  if (leadsInside(url) && !allowInner) return 'leads into this machine or the network behind it';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return 'is not https';
  if (url.username || url.password) return 'carries a user name or a password';
  return undefined;
}
