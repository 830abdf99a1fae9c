import { addressFault } from '../lib/address.ts';
import { ApiError } from './errors.ts';

/** The base address without a slash at the end; refused where `addressFault` finds one. */
export function checkedAuthUrl(address: string): string {
  const fault = addressFault(address);
  if (fault) throw new ApiError('settings', `The address of the authentication server ${fault}.`);
  return address.replace(/\/+$/, '');
}
