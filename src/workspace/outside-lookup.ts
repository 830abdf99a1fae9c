import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isInnerAddress } from '../api/inner-address.ts';

/** Code of the error where a name has inner addresses only. */
export const INNER_ADDRESS = 'ERR_INNER_ADDRESS';

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Resolves names as a connection is opened, to public addresses only: what a name meant when it was looked at before would not count. */
export function outsideLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const outer = (addresses ?? []).filter(({ address }) => !isInnerAddress(address));
      const [first] = outer;
      if (error || !first) {
        const reason = `${hostname} leads into this machine or the network behind it`;
        callback(error ?? Object.assign(new Error(reason), { code: INNER_ADDRESS }), '');
      } else if (options.all) callback(null, outer);
      else callback(null, first.address, first.family);
    });
  };
}
