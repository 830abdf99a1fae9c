import { ApiError } from '../api/errors.ts';

/** The number that a variable of an address stands for; an address with anything else names nothing. */
export function integer(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ApiError('missing', `${name} "${text}" is no id`);
  return Number(text);
}
