/** The engine's words for an escape of half a character in a line of JSON. */
export const HALF_CHARACTER = /Malformed JSON.*surrogate/s;

/** Faults of files by the engine's words. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/unicode|utf-?8/i, 'is not UTF-8 text'],
  [/Malformed JSON|JSON transform/i, 'is not valid JSON'],
  [/gzip|inflate|zlib|incorrect header|unexpected end of file/i, 'is not a whole gzip file'],
  [/maximum.*(size|length)|line_size/i, 'is longer than 16 MB'],
  [/CSV Error/i, 'does not have the columns of the header'],
];
const MOST_CHARS = 200;

/** The first text that one of these patterns finds. */
const firstOf = (message: string, ...patterns: readonly RegExp[]) => patterns.flatMap((each) => each.exec(message)?.[1] ?? [])[0];

/** Which file of a run is at fault, which line of it where that is known, and what is wrong, from what the engine says. */
export function damageWords(message: string): string {
  const file = firstOf(message, /in file "(?:[^"]*\/)?([^"]+)"/, /file = (?:\S*\/)?(\S+)/, /"(?:[^"]*\/)?([^"]+\.gz)"/);
  const inJson = firstOf(message, /in line (\d+)/);
  // The reader of JSON counts from the line after.
  const line = inJson === undefined ? firstOf(message, /Line: (\d+)/) : Number(inJson) - 1;
  const place = [file ?? [], line === undefined ? [] : `line ${line}`].flat().join(', ');
  const [, fault] = FAULTS.find(([words]) => words.test(message)) ?? [];
  if (fault !== undefined) return `${place || 'a file'} ${fault}`;
  return [place, (message.split('\n')[0] ?? '').slice(0, MOST_CHARS)].filter((part) => part !== '').join(': ');
}
