import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { endOfString } from '../../../api/json.ts';
import { nth } from '../../../lib/nth.ts';
import { HarError } from './har-model.ts';

/** No HAR is nested deeper: its own members take 8 levels, custom ones some more. */
const MAX_DEPTH = 200;
/** Lists and objects of a text; 96 MB of ordinary entries have under 3 million. Each costs the memory 16 to 100 bytes. */
const MAX_CONTAINERS = 10_000_000;

/** Refuses a text whose brackets would fill the memory before `JSON.parse` reads it: counting takes a fifth of the time of parsing. */
function refuseExcess(text: string): void {
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
  } catch {
    return refuseJson(text);
  }
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

const KNOWN_KEYS = new Set(
  (
    'log version creator browser pages entries comment name value startedDateTime time request response cache timings ' +
    'serverIPAddress connection ' +
    'pageref method url httpVersion cookies headers queryString postData headersSize bodySize status statusText content redirectURL size ' +
    'compression mimeType text encoding params blocked dns connect ssl send wait receive id title pageTimings onContentLoad onLoad'
  ).split(' '),
);
const SHOWN_DEPTH = 8;
const [SPACE, QUOTE, COLON, COMMA, END] = [/[\t\n\r ]*/y, /"/y, /:/y, /,/y, /$/y];
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Part of a string. */
const CHARACTERS = /[ !#-[\]-\uFFFF]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const STRING_END = 'a closing double quote, without a raw control character or unknown escape before it';

/**
 * Refuses at its first fault a text that `JSON.parse` refused, whose own message is of no use: it quotes the text. None that comes here is
 * nested deeper than a HAR may be. The path holds well-known HAR members only, because keys may be secrets too.
 */
function refuseJson(text: string): never {
  if (text.trim() === '') throw new HarError('The HAR file is empty.');
  let position = 0;
  /** The member or the number of the item in each object and list around the place. */
  const steps: (string | number)[] = [];
  /** Whether a sticky pattern matches here; the place is behind it then. */
  const passes = (pattern: RegExp) => {
    pattern.lastIndex = position;
    const [found] = pattern.exec(text) ?? [];
    position += found?.length ?? 0;
    return found !== undefined;
  };
  const needs = (pattern: RegExp, expected: string) => {
    if (passes(pattern)) return;
    const path = pathOf(steps.slice(0, SHOWN_DEPTH));
    const ending = position >= text.length ? 'it ends at' : 'see';
    const where = placeOf(text, position);
    throw new HarError(`The HAR file is not valid JSON: ${ending} ${where}${path && `, in ${path}`}, where ${expected} is expected.`);
  };
  const restOfString = () => {
    while (passes(CHARACTERS));
    needs(QUOTE, STRING_END);
  };
  const items = (closer: string, read: (index: number) => void) => {
    position += 1;
    steps.push('');
    passes(SPACE);
    for (let index = 0; text[position] !== closer; index += 1) {
      if (index > 0) needs(COMMA, `"," or "${closer}"`);
      passes(SPACE);
      read(index);
      passes(SPACE);
    }
    position += 1;
    steps.pop();
  };
  const value = () => {
    if (text[position] === '{') items('}', member);
    else if (text[position] === '[') items(']', item);
    else if (passes(QUOTE)) restOfString();
    else needs(SCALAR, 'a value');
  };
  const item = (index: number) => {
    steps[steps.length - 1] = index;
    value();
  };
  const member = () => {
    needs(QUOTE, 'a member name in double quotes');
    const start = position;
    restOfString();
    steps[steps.length - 1] = text.slice(start, position - 1);
    passes(SPACE);
    needs(COLON, '":" after the member name');
    passes(SPACE);
    value();
  };
  passes(SPACE);
  value();
  passes(SPACE);
  needs(END, 'the end of the text');
  throw new HarError('The HAR file is not valid JSON.');
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

function pathOf(steps: (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (KNOWN_KEYS.has(step)) path += path ? `.${step}` : step;
    else break;
  }
  return path;
}
