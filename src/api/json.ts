import { nth } from '../lib/nth.ts';

/** Bytes of JSON. With the bit of braces, a bracket and its brace are the same. */
export const JSON_BYTES = { quote: 0x22, comma: 0x2c, list: 0x5b, opening: 0x7b, closing: 0x7d, braceBit: 0x20 } as const;
const { quote: QUOTE, comma: COMMA, opening: OPENING, closing: CLOSING, braceBit: BRACE_BIT } = JSON_BYTES;
const BACKSLASH = 0x5c;

/** How much of a JSON text may be parsed. */
export interface JsonLimits {
  /** Levels of lists and objects. */
  readonly maxDepth: number;
  /** Lists and objects in all; each costs a parser 16 to 100 bytes of memory, however short it is written. */
  readonly maxContainers: number;
}

/**
 * Goes through the brackets and commas outside of strings, and through the quotation marks around these, with the place of each in the
 * whole text, until `visit` returns true. Reads each byte once and keeps nothing; the text need not be valid.
 */
export function scanJson(pieces: readonly Uint8Array[], visit: (code: number, place: number) => boolean): void {
  let start = 0;
  let isText = false;
  let at = 0;
  for (const piece of pieces) {
    const { length } = piece;
    for (; at < length; at += 1) {
      const code = nth(piece, at);
      if (isText && code === BACKSLASH) at += 1;
      else if (code === QUOTE ? visit(code, start + at) : !isText && isMark(code) && visit(code, start + at)) return;
      if (code === QUOTE) isText = !isText;
    }
    // Past the end where a backslash was the last byte.
    at -= length;
    start += length;
  }
}

const isMark = (code: number) => code === COMMA || (code | BRACE_BIT) === OPENING || (code | BRACE_BIT) === CLOSING;

/**
 * Which limit a JSON text exceeds; undefined for one that may be parsed, valid or not: what would fill the memory of a parser, or the stack
 * of what walks its value, is refused before.
 */
export function jsonExcess(pieces: readonly Uint8Array[], { maxDepth, maxContainers }: JsonLimits): 'depth' | 'containers' | undefined {
  let depth = 0;
  let containers = 0;
  scanJson(pieces, (code) => {
    const bracket = code | BRACE_BIT;
    if (bracket === CLOSING) depth -= 1;
    if (bracket !== OPENING) return false;
    depth += 1;
    containers += 1;
    return depth > maxDepth || containers > maxContainers;
  });
  if (depth > maxDepth) return 'depth';
  return containers > maxContainers ? 'containers' : undefined;
}

/** 16 digits in a row where a value may stand; inside a string this can be a false alarm. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}|^\s*-?\d{16}/;
const LONG_RUN = /(?<![.\d])\d{16}/;

/** Position after the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close > 0; close = text.indexOf('"', close + 1)) {
    let slash = close - 1;
    while (text[slash] === '\\') slash -= 1;
    if ((close - slash) % 2 === 1) return close + 1;
  }
  return text.length;
}

/** True when a number outside of strings has 16 digits or more. */
function hasLongNumber(text: string): boolean {
  if (!LONG_NUMBER.test(text)) return false;
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf('"', at);
    const end = open < 0 ? text.length : open;
    if (end - at >= 16 && LONG_RUN.test(text.slice(at, end))) return true;
    at = open < 0 ? end : endOfString(text, open);
  }
  return false;
}

function parseNumber(text: string): number | string {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
}

/** Parses JSON; integers beyond 2^53 become text, digit by digit. Throws a SyntaxError as JSON.parse does. */
export async function parseJson(text: string): Promise<unknown> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (!hasLongNumber(body)) return JSON.parse(body);
  const { parse } = await import('lossless-json');
  return parse(body, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}
