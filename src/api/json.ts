import { setImmediate as afterOthers } from 'node:timers/promises';
import { isRecord } from '../lib/is-record.ts';
import { nth, nthUnsigned } from '../lib/nth.ts';
import { withoutBreaks } from '../lib/strangers-text.ts';

/** Bytes of JSON. With the bit of braces, a bracket and its brace are the same. */
const [QUOTE, COMMA, LIST, OPENING, CLOSING, BRACE_BIT, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x7d, 0x20, 0x5c] as const;

/** How much of a JSON text may be parsed. */
interface JsonLimits {
  /** Levels of lists and objects. */
  readonly maxDepth: number;
  /** Lists and objects in all; each costs a parser 16 to 100 bytes of memory, however short it is written. */
  readonly maxContainers: number;
}

/** Entries that are parsed together; a longer text would not be freed before the next large collection. */
const PIECE_BYTES = 65_536;

/** The list that takes most of a JSON document. */
interface LongList {
  /** Where the names of the objects around it stand, from the outside in, its own the last. */
  readonly names: readonly (readonly [from: number, to: number])[];
  /** Its opening bracket, a comma between two entries in each piece, its closing bracket. */
  readonly cuts: readonly number[];
}

/** The facts that the marks of a JSON text tell before it is parsed. */
interface Outline {
  /** The limit that it exceeds. */
  readonly excess: 'depth' | 'containers' | undefined;
  /** A list in objects alone that takes more than half of the document. */
  readonly list: LongList | undefined;
}

/** Tells bytes apart by a table: a comparison with each of them takes twice as long. */
const among = (codes: readonly number[]) => Uint8Array.from({ length: 256 }, (_, code) => Number(codes.includes(code)));
/** Bytes that matter inside of strings, and outside. */
const [IN_TEXT, OUTSIDE] = [among([QUOTE, BACKSLASH]), among([QUOTE, COMMA, LIST, OPENING, CLOSING, CLOSING & ~BRACE_BIT])];

/**
 * Goes through the brackets and commas outside of strings, and through the quotation marks around these, with the place of each in the
 * whole text, until `visit` returns true. Reads each byte once and keeps nothing; the text need not be valid.
 */
function scanJson(pieces: readonly Uint8Array[], visit: (code: number, place: number) => boolean): void {
  let start = 0;
  let marks = OUTSIDE;
  let at = 0;
  for (const piece of pieces) {
    const { length } = piece;
    for (; at < length; at += 1) {
      const code = nthUnsigned(piece, at);
      if (nthUnsigned(marks, code) === 0) continue;
      if (code === BACKSLASH) at += 1;
      else if (visit(code, start + at)) return;
      if (code === QUOTE) marks = marks === OUTSIDE ? IN_TEXT : OUTSIDE;
    }
    // Past the end where a backslash was the last byte.
    at -= length;
    start += length;
  }
}

/**
 * Reads the marks of a JSON text. One that exceeds a limit must not be parsed, valid or not: it would fill the memory of a parser, or the
 * stack of what walks its value.
 */
export function outlineOf(pieces: readonly Uint8Array[], { maxDepth, maxContainers }: JsonLimits): Outline {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const names: [from: number, to: number][] = [];
  let cuts: number[] = [];
  let [depth, containers, listDepth, nextCut] = [0, 0, 0, 0];
  let textStart: number | undefined;
  let list: LongList | undefined;
  let excess: Outline['excess'];
  function cut(place: number): void {
    cuts.push(place);
    nextCut = place + PIECE_BYTES;
  }
  scanJson(pieces, (code, place) => {
    if (code === QUOTE) {
      if (textStart !== undefined && listDepth === 0) names[depth] = [textStart, place + 1];
      textStart = textStart === undefined ? place : undefined;
    } else if (code === COMMA) {
      if (depth === listDepth && place >= nextCut) cut(place);
    } else if ((code | BRACE_BIT) === OPENING) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) excess = 'depth';
      else if (containers > maxContainers) excess = 'containers';
      if (code === LIST && listDepth === 0) {
        listDepth = depth;
        cuts = [];
        cut(place);
      }
    } else {
      if (depth === listDepth) {
        cut(place);
        if (place - nth(cuts, 0) > total / 2) list = { names: names.slice(1, depth), cuts };
        listDepth = 0;
      }
      depth -= 1;
    }
    return excess !== undefined;
  });
  return { excess, list };
}

/** 16 digits in a row where a value may stand; inside a string this can be a false alarm. */
const LONG_NUMBER = /[:[,]\s*-?\d{16}|^\s*-?\d{16}/;
const LONG_RUN = /(?<![.\d])\d{16}/;

/** Position after the string that opens at `open`; the end of a text in which it does not close. */
export function endOfString(text: string, open: number): number {
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

/** Shorter documents are parsed as one text. */
const LARGE_BYTES = 262_144;
/** The text between two places. */
function textOf(pieces: readonly Buffer[], from: number, to: number): string {
  const parts: Buffer[] = [];
  let start = 0;
  for (const piece of pieces) {
    const end = start + piece.length;
    if (end > from && start < to) parts.push(piece.subarray(Math.max(0, from - start), to - start));
    start = end;
  }
  return Buffer.concat(parts).toString('utf8');
}

async function parsePiece(text: string): Promise<unknown> {
  return withoutBreaks(await parseJson(text), text);
}

/**
 * The value of a large JSON document most of which is one list, with every text on one line. It is read some entries at a time, because its
 * text as a whole would take as much memory again as its bytes. Undefined for every other document, valid or not.
 */
export async function parseLargeJson(pieces: readonly Buffer[], { list: found }: Outline): Promise<unknown> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (!found || length < LARGE_BYTES) return undefined;
  try {
    const { cuts } = found;
    const names = found.names.map(([from, to]) => String(JSON.parse(textOf(pieces, from, to))));
    const around = textOf(pieces, 0, nth(cuts, 0) + 1) + textOf(pieces, nth(cuts, cuts.length - 1), length);
    const value = await parsePiece(around);
    const list = names.reduce((holder: unknown, name) => (isRecord(holder) ? holder[name] : undefined), value);
    if (!Array.isArray(list) || list.length > 0) return undefined;
    for (const [index, cut] of cuts.slice(1).entries()) {
      // Other calls have their turns meanwhile.
      await afterOthers();
      const entries = await parsePiece(`[${textOf(pieces, nth(cuts, index) + 1, cut)}]`);
      if (Array.isArray(entries)) for (const entry of entries) list.push(entry);
    }
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
