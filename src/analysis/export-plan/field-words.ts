import { fold } from '../names.ts';
import type { ExportableField } from './catalogue.ts';

/** Words of a request that say nothing about which field is meant. */
const FILLERS = new Set('a all an and column field for in of our per the total value with'.split(' ')); // biome-ignore format: one thought
/** Words of field names that say what every such name says: which record it belongs to, its unit, its kind of value. */
const USUAL = new Set('session number id name code msec cent ind any all target'.split(' ')); // biome-ignore format: one thought

/** Text as names are compared: folded, with single spaces for all that is neither letter nor digit. */
export function plain(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The words of a text in their singular, as far as that only takes an s. */
function wordsOf(text: string): string[] {
  return plain(text)
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 && !word.endsWith('ss') ? word.replace(/s$/, '') : word));
}

/** The words of a request that count. */
export function askedWords(text: string): string[] {
  const words = wordsOf(text);
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

/** How far a name goes beyond the words that were asked for, 0 where it says the same; undefined where it lacks one of them. */
export function surplusOf({ name }: ExportableField, asked: readonly string[]): number | undefined {
  const words = wordsOf(name.replace('number_of_', ''));
  if (asked.length === 0 || !asked.every((word) => words.includes(word))) return undefined;
  const surplus = words.filter((word) => !asked.includes(word) && !USUAL.has(word)).length;
  // `session_number` is a number, not a record of a session; a part of a list comes after what stands alone.
  const isCount = name.endsWith('_number') && !asked.includes('number') ? 1 : 0;
  return surplus + isCount + (name.includes('.') ? 1 : 0);
}

/** Whether name, aliases and description together hold all the words; `exact`: the description says just them. */
export function described({ name, aliases, description }: ExportableField, asked: readonly string[]): 'exact' | 'partly' | undefined {
  const all = new Set(wordsOf([name, ...(aliases ?? []), description ?? ''].join(' ')));
  if (asked.length === 0 || !asked.every((word) => all.has(word))) return undefined;
  const telling = askedWords(description ?? '');
  return telling.length === asked.length && telling.every((word) => asked.includes(word)) ? 'exact' : 'partly';
}
