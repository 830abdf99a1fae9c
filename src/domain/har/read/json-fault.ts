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
const BRACE_END = 125;
const BRACKET_END = 93;
const FIRST_PRINTABLE = 32;

/** A place in a text, and the members and lists that lead to it. */
interface Scan {
  readonly text: string;
  position: number;
  /** Characters that close the objects and lists around the place. */
  readonly closers: number[];
  readonly steps: (string | number)[];
}

/** How a text goes on: with a value, with what may follow one, not at all; or what is missing at its fault. */
type Next = 'value' | 'end' | 'nothing' | { readonly expected: string };

/**
 * Finds the first fault of a text that `JSON.parse` refused; the engine's own message is of no use, it quotes the text. Linear, no
 * recursion.
 */
export function findJsonFault(text: string): JsonFault | null {
  const scan: Scan = { text, position: 0, closers: [], steps: [] };
  let next: Next = 'value';
  while (next === 'value' || next === 'end') next = next === 'value' ? readValue(scan) : readEnd(scan);
  if (next === 'nothing') return null;
  const { position } = scan;
  return { position, ...lineAndColumn(text, position), path: pathOf(scan.steps), expected: next.expected };
}

function skipSpace(scan: Scan): void {
  while (SPACES.has(scan.text.charCodeAt(scan.position))) scan.position += 1;
}

/** Whether a sticky pattern matches here; the place is behind it then. */
function passes(scan: Scan, pattern: RegExp): boolean {
  pattern.lastIndex = scan.position;
  if (!pattern.test(scan.text)) return false;
  scan.position = pattern.lastIndex;
  return true;
}

/** The first characters of a string whose opening quote stands here; null at its first fault. */
function readString(scan: Scan): string | null {
  const { text } = scan;
  const start = scan.position;
  scan.position += 1;
  for (let code = text.charCodeAt(scan.position); code !== QUOTE; code = text.charCodeAt(scan.position)) {
    if (code === BACKSLASH ? !passes(scan, ESCAPE) : !(code >= FIRST_PRINTABLE)) return null;
    if (code !== BACKSLASH) scan.position += 1;
  }
  scan.position += 1;
  return text.slice(start + 1, Math.min(scan.position - 1, start + 40));
}

/** Reads a string or scalar, or enters an object or list. */
function readValue(scan: Scan): Next {
  skipSpace(scan);
  const first = scan.text[scan.position];
  if (first === '{' || first === '[') return open(scan, first === '{' ? BRACE_END : BRACKET_END);
  if (first === '"') return readString(scan) === null ? { expected: STRING_END } : 'end';
  return passes(scan, SCALAR) ? 'end' : { expected: 'a value' };
}

function open(scan: Scan, closer: number): Next {
  const { text, closers, steps } = scan;
  if (closers.length >= MAX_DEPTH) return { expected: `an end to ${MAX_DEPTH} levels of nesting` };
  scan.position += 1;
  closers.push(closer);
  skipSpace(scan);
  if (text.charCodeAt(scan.position) === closer) return 'end';
  if (closer === BRACE_END) return readName(scan);
  if (closers.length <= SHOWN_DEPTH) steps[closers.length - 1] = 0;
  return 'value';
}

/** The name of a member, and its colon. */
function readName(scan: Scan): Next {
  const { text, closers, steps } = scan;
  skipSpace(scan);
  if (text[scan.position] !== '"') return { expected: 'a member name in double quotes' };
  const name = readString(scan);
  if (name === null) return { expected: STRING_END };
  if (closers.length <= SHOWN_DEPTH) steps[closers.length - 1] = name;
  skipSpace(scan);
  if (text[scan.position] !== ':') return { expected: '":" after the member name' };
  scan.position += 1;
  return 'value';
}

/** Reads what follows a value: a comma, the end of the object or list around it, or the end of the text. */
function readEnd(scan: Scan): Next {
  const { text, closers, steps } = scan;
  skipSpace(scan);
  const closer = closers.at(-1);
  if (closer === undefined) return scan.position < text.length ? { expected: 'the end of the text' } : 'nothing';
  if (text.charCodeAt(scan.position) === closer) {
    scan.position += 1;
    closers.pop();
    if (closers.length < SHOWN_DEPTH) steps.length = Math.min(steps.length, closers.length);
    return 'end';
  }
  if (text[scan.position] !== ',') return { expected: closer === BRACE_END ? '"," or "}"' : '"," or "]"' };
  scan.position += 1;
  if (closer === BRACE_END) return readName(scan);
  const index = steps[closers.length - 1];
  if (typeof index === 'number') steps[closers.length - 1] = index + 1;
  return 'value';
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
