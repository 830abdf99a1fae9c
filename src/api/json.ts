import { nth } from '../lib/nth.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** How much of a JSON text may be parsed. */
export interface JsonLimits {
  /** Levels of lists and objects. */
  readonly maxDepth: number;
  /** Lists and objects in all; each costs a parser 16 to 100 bytes of memory, however short it is written. */
  readonly maxContainers: number;
}

/**
 * Which limit a JSON text exceeds; undefined for one that may be parsed, valid or not. Reads each byte once and keeps nothing, so that
 * what would fill the memory of a parser, or the stack of what walks its value, is refused before.
 */
export function jsonExcess(bytes: Uint8Array, { maxDepth, maxContainers }: JsonLimits): 'depth' | 'containers' | undefined {
  const { length } = bytes;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < length; at += 1) {
    const code = nth(bytes, at);
    if (code === QUOTE) {
      at += 1;
      for (let inner = bytes[at] ?? QUOTE; inner !== QUOTE; inner = bytes[at] ?? QUOTE) at += inner === BACKSLASH ? 2 : 1;
      continue;
    }
    // "[" and "{", "]" and "}" differ in one bit.
    const bracket = code | 0x20;
    if (bracket === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) return 'depth';
      if (containers > maxContainers) return 'containers';
    } else if (bracket === 0x7d) depth -= 1;
  }
  return undefined;
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
