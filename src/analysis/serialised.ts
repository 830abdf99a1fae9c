import { parseJson } from '../api/json.ts';

/** A list or object that the platform sends as text: parsed where it is JSON, large ids digit by digit, else the text as it came. */
export async function parsedOrText(value: unknown): Promise<unknown> {
  if (typeof value !== 'string') return value;
  return parseJson(value).catch(() => value);
}
