import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { endOfString } from '../../api/json.ts';
import { nth } from '../../lib/nth.ts';
import { HarError } from './har-model.ts';

/** No HAR is nested deeper: its own members take 8 levels, custom ones some more. */
const MAX_DEPTH = 200;
/** Lists and objects of a text; 96 MB of ordinary entries have under 3 million. Each costs the memory 16 to 100 bytes. */
const MAX_CONTAINERS = 10_000_000;

/** Shorter texts cannot fill the memory, however they are nested. */
const SMALL_TEXT = 2_000_000;

/** Refuses a text whose brackets would fill the memory before `JSON.parse` reads it: counting takes a fifth of the time of parsing. */
function refuseExcess(text: string): void {
  if (text.length < SMALL_TEXT) return;
  let openers = 0;
  let depth = 0;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === 34) position = endOfString(text, position) - 1;
    // "[" and "{", "]" and "}" differ in one bit.
    else if ((code | 32) === 125) depth -= 1;
    else if ((code | 32) === 123) {
      openers += 1;
      depth += 1;
      if (depth > MAX_DEPTH)
        throw new HarError(`The HAR file is nested more than ${MAX_DEPTH} levels deep at ${placeOf(text, position)}; no HAR is.`);
      if (openers > MAX_CONTAINERS)
        throw new HarError(
          `The HAR file holds more than ${MAX_CONTAINERS} lists and objects up to ${placeOf(text, position)}; larger files are not read.`,
        );
    }
  }
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
  } catch (error) {
    throw invalidJson(text, String(error));
  }
}

/** Where a text ends too early or is damaged, as far as the engine says it: its other words may quote the text. */
function invalidJson(text: string, words: string): HarError {
  if (text.trim() === '') return new HarError('The HAR file is empty.');
  const position = /at position (\d+)/.exec(words)?.[1] ?? (/end of JSON/.test(words) ? text.length : undefined);
  const fault = Number(position) >= text.length ? 'ends too early' : 'is damaged';
  return new HarError(
    `The HAR file is not valid JSON${position === undefined ? '' : `: it ${fault}, at ${placeOf(text, Number(position))}`}.`,
  );
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
      throw new HarError(`The HAR file is larger than ${MAX_MEGABYTES} MB decompressed; larger files are not read.`, { cause: error });
    throw new HarError('The HAR file is gzip data, but damaged or cut off: it cannot be decompressed.', { cause: error });
  }
}

function tooLarge(bytes: number): HarError {
  return new HarError(`The HAR file has ${(bytes / 1024 / 1024).toFixed(1)} MB; files larger than ${MAX_MEGABYTES} MB are not read.`);
}

/** Where a position lies, line and column from 1. */
function placeOf(text: string, position: number): string {
  let line = 1;
  let lineStart = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < position; next = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = next + 1;
  }
  return `position ${position} (line ${line}, column ${position - lineStart + 1})`;
}
