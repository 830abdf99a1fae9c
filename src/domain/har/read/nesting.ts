/** No HAR is nested deeper: its own members take 8 levels, custom ones some more. */
export const MAX_DEPTH = 200;
/** Lists and objects of a text; 96 MB of ordinary entries have under 3 million. Each costs the memory 16 to 100 bytes. */
export const MAX_CONTAINERS = 10_000_000;

/** Shorter texts cannot fill the memory, however they are nested. */
const SMALL_TEXT = 2_000_000;
const WINDOW = 256;
const STRIDE = 64 * WINDOW;
/** Levels that the samples must suggest before all is counted; brackets inside of texts make them differ by some thousands. */
const SUSPECT_DEPTH = 100_000;

/** Why `JSON.parse` would take too much memory for a text, and where. */
export interface Excess {
  what: 'depth' | 'containers';
  position: number;
}

/**
 * Finds a text whose brackets would fill the memory before `JSON.parse` reads it; null for all that may be parsed. Counting all brackets takes half as long as parsing, so
 * that large texts are sampled first (a 64th), and counted only where the samples are odd: a nesting that passes unseen is harmless.
 */
export function findExcess(text: string): Excess | null {
  return text.length < SMALL_TEXT || !looksExcessive(text) ? null : countBrackets(text);
}

function looksExcessive(text: string): boolean {
  const share = STRIDE / WINDOW;
  let openers = 0;
  let depth = 0;
  let deepest = 0;
  for (let start = 0; start < text.length; start += STRIDE) {
    const end = Math.min(start + WINDOW, text.length);
    for (let position = start; position < end; position += 1) {
      const code = text.charCodeAt(position);
      // "[" and "{", "]" and "}" differ in one bit.
      if ((code | 32) === 123) {
        openers += 1;
        depth += 1;
      } else if ((code | 32) === 125) depth -= 1;
    }
    if (depth > deepest) deepest = depth;
  }
  return deepest * share > SUSPECT_DEPTH || openers * share > MAX_CONTAINERS;
}

function countBrackets(text: string): Excess | null {
  let openers = 0;
  let depth = 0;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) position = endOfString(text, position);
    else if ((code | 32) === 125) depth -= 1;
    else if ((code | 32) === 123) {
      openers += 1;
      depth += 1;
      if (depth > MAX_DEPTH) return { what: 'depth', position };
      if (openers > MAX_CONTAINERS) return { what: 'containers', position };
    }
  }
  return null;
}

/** The closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  for (let code = text.charCodeAt(position); code !== 34 && position < text.length; code = text.charCodeAt(position))
    position += code === 92 ? 2 : 1;
  return position;
}
