/** Where a text stops being JSON; `path` holds well-known HAR members only, because keys may be secrets too. */
export interface JsonFault {
  /** Zero-based index into the text. */
  position: number;
  /** From 1. */
  line: number;
  column: number;
  path: string;
  expected: string;
}

const KNOWN_KEYS = new Set(
  (
    'log version creator browser pages entries comment name value startedDateTime time request response cache timings ' +
    'serverIPAddress connection ' +
    'pageref method url httpVersion cookies headers queryString postData headersSize bodySize status statusText content redirectURL size ' +
    'compression mimeType text encoding params blocked dns connect ssl send wait receive id title pageTimings onContentLoad onLoad'
  ).split(' '),
);
const SHOWN_DEPTH = 8;
/** No HAR is nested deeper; the search ends here instead of filling the memory. */
const MAX_DEPTH = 10_000;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const STRING_END = 'a closing double quote, without a raw control character or unknown escape before it';
const SPACES = new Set([32, 9, 10, 13]);
const QUOTE = 34;
const BACKSLASH = 92;
const FIRST_PRINTABLE = 32;

/**
 * Finds the first fault of a text that `JSON.parse` refused; the engine's own message is of no use, it quotes the text. Linear, no
 * recursion.
 */
export function findJsonFault(text: string): JsonFault | null {
  const closers: number[] = [];
  const steps: (string | number)[] = [];
  let position = 0;

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found === null) return null;
    position = pattern.lastIndex;
    return found[0];
  };
  const skipSpace = (): void => {
    while (SPACES.has(text.charCodeAt(position))) position += 1;
  };
  const string = (): string | null => {
    const start = position;
    position += 1;
    for (let code = text.charCodeAt(position); code !== QUOTE; code = text.charCodeAt(position)) {
      if (code === BACKSLASH ? match(ESCAPE) === null : !(code >= FIRST_PRINTABLE)) return null;
      if (code !== BACKSLASH) position += 1;
    }
    position += 1;
    return text.slice(start + 1, Math.min(position - 1, start + 40));
  };
  const fault = (expected: string): JsonFault => ({ position, ...lineAndColumn(text, position), path: pathOf(steps), expected });
  const key = (): string | null => {
    skipSpace();
    if (text[position] !== '"') return 'a member name in double quotes';
    const name = string();
    if (name === null) return STRING_END;
    if (closers.length <= SHOWN_DEPTH) steps[closers.length - 1] = name;
    skipSpace();
    if (text[position] !== ':') return '":" after the member name';
    position += 1;
    return null;
  };

  for (;;) {
    skipSpace();
    const opener = text[position];
    if (opener === '{' || opener === '[') {
      if (closers.length >= MAX_DEPTH) return fault(`an end to ${MAX_DEPTH} levels of nesting`);
      position += 1;
      closers.push(opener === '{' ? 125 : 93);
      skipSpace();
      if (text.charCodeAt(position) !== closers.at(-1)) {
        if (opener === '{') {
          const wrong = key();
          if (wrong) return fault(wrong);
        } else if (closers.length <= SHOWN_DEPTH) steps[closers.length - 1] = 0;
        continue;
      }
    } else if (opener === '"') {
      if (string() === null) return fault(STRING_END);
    } else if (match(SCALAR) === null) return fault('a value');

    for (;;) {
      skipSpace();
      const closer = closers.at(-1);
      if (closer === undefined) return position < text.length ? fault('the end of the text') : null;
      const found = text.charCodeAt(position);
      if (found === closer) {
        position += 1;
        closers.pop();
        if (closers.length < SHOWN_DEPTH) steps.length = Math.min(steps.length, closers.length);
        continue;
      }
      if (text[position] !== ',') return fault(closer === 125 ? '"," or "}"' : '"," or "]"');
      position += 1;
      if (closer === 125) {
        const wrong = key();
        if (wrong) return fault(wrong);
      } else {
        const index = steps[closers.length - 1];
        if (typeof index === 'number') steps[closers.length - 1] = index + 1;
      }
      break;
    }
  }
}

/** Where a position lies, both from 1. */
export function lineAndColumn(text: string, position: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < position; next = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = next + 1;
  }
  return { line, column: position - lineStart + 1 };
}

function pathOf(steps: (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (KNOWN_KEYS.has(step)) path += path ? `.${step}` : step;
    else break;
  }
  return path;
}
