import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { nth } from '../../../lib/nth.ts';
import { HarError } from './har-model.ts';
import { findJsonFault, lineAndColumn } from './json-fault.ts';

/** No HAR is nested deeper: its own members take 8 levels, custom ones some more. */
const MAX_DEPTH = 200;
/** Lists and objects of a text; 96 MB of ordinary entries have under 3 million. Each costs the memory 16 to 100 bytes. */
const MAX_CONTAINERS = 10_000_000;

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
 * Finds a text whose brackets would fill the memory before `JSON.parse` reads it; null for all that may be parsed. Counting all brackets
 * takes half as long as parsing, so that large texts are sampled first (a 64th), and counted only where the samples are odd: a nesting that
 * passes unseen is harmless.
 */
function findExcess(text: string): Excess | null {
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

const MAX_MEGABYTES = 96;
/** Largest HAR text that is read, counted as UTF-8, also after unpacking. */
export const MAX_HAR_BYTES = MAX_MEGABYTES * 1024 * 1024;

/** JSON in text, gzip in base64, or JSON in a JSON string in one of these: no deployment was seen to wrap more often. */
const MAX_WRAPPINGS = 3;

/** The parsed value of a HAR in any of its forms: object, JSON text, gzip and base64, bytes; a BOM is skipped. Throws `HarError`. */
export function decodeHar(input: unknown): unknown {
  let value = input;
  for (let wrapping = 0; wrapping < MAX_WRAPPINGS; wrapping += 1) {
    if (value instanceof Uint8Array) value = textOf(value);
    if (typeof value !== 'string') return value;
    value = parse(value);
  }
  return value;
}

function parse(input: string): unknown {
  // A text has at least as many UTF-8 bytes as units and at most three times as many: most texts need no count.
  if (input.length > MAX_HAR_BYTES || (input.length * 3 > MAX_HAR_BYTES && Buffer.byteLength(input) > MAX_HAR_BYTES))
    throw tooLarge(Buffer.byteLength(input));
  const text = input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
  const gzipped = base64Of(text);
  if (gzipped) return gzipped;
  refuseExcess(text);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson(text);
  }
}

function refuseExcess(text: string): void {
  const excess = findExcess(text);
  if (!excess) return;
  const where = placeOf(text, excess.position);
  const sentence =
    excess.what === 'depth'
      ? `The HAR file is nested more than ${MAX_DEPTH} levels deep at ${where}; no HAR is.`
      : `The HAR file holds more than ${MAX_CONTAINERS} lists and objects up to ${where}; larger files are not read.`;
  throw new HarError(sentence, where);
}

function placeOf(text: string, position: number): string {
  const { line, column } = lineAndColumn(text, position);
  return `position ${position} (line ${line}, column ${column})`;
}

function invalidJson(text: string): HarError {
  if (text.trim() === '') return new HarError('The HAR file is empty.');
  const fault = findJsonFault(text);
  if (!fault) return new HarError('The HAR file is not valid JSON.');
  const where = placeOf(text, fault.position);
  const inside = fault.path ? `, in ${fault.path}` : '';
  const ending = fault.position >= text.length ? 'it ends at' : 'see';
  return new HarError(`The HAR file is not valid JSON: ${ending} ${where}${inside}, where ${fault.expected} is expected.`, where);
}

/** First bytes of what base64 may hold: gzip, "{", a BOM, white space, a quote. */
const PACKED_STARTS = new Set([0x1f, 0x7b, 0xef, 0x20, 0x09, 0x0a, 0x0d, 0x22]);

/** The bytes of base64 text, distinguished from JSON by its first characters; undefined for anything else. */
function base64Of(text: string): Uint8Array | undefined {
  const start = text.slice(0, 200).trimStart();
  const body = /^data:[\w.+/;=-]*;base64,/i.exec(start);
  const sample = start.slice(body?.[0].length ?? 0, (body?.[0].length ?? 0) + 60).replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/_-]{8,}=*$/.test(sample) || !PACKED_STARTS.has(nth(Buffer.from(sample, 'base64'), 0))) return undefined;
  return Buffer.from(body ? text.slice(text.indexOf(',') + 1) : text, 'base64');
}

function textOf(bytes: Uint8Array): string {
  const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = gzipped ? gunzip(bytes) : bytes;
  if (plain.byteLength > MAX_HAR_BYTES) throw tooLarge(plain.byteLength);
  return Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength).toString('utf8');
}

function gunzip(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_HAR_BYTES });
  } catch (error) {
    if (error instanceof RangeError)
      throw new HarError(`The HAR file is larger than ${MAX_MEGABYTES} MB decompressed; larger files are not read.`, null, error);
    throw new HarError('The HAR file is gzip data, but damaged or cut off: it cannot be decompressed.', null, error);
  }
}

function tooLarge(bytes: number): HarError {
  return new HarError(`The HAR file has ${(bytes / 1024 / 1024).toFixed(1)} MB; files larger than ${MAX_MEGABYTES} MB are not read.`);
}
