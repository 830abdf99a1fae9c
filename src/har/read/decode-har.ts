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
  } catch {
    throw invalidJson(text);
  }
}

function invalidJson(text: string): HarError {
  if (text.trim() === '') return new HarError('The HAR file is empty.');
  const fault = findJsonFault(text);
  const inside = fault.path ? `, in ${fault.path}` : '';
  const ending = fault.position >= text.length ? 'it ends at' : 'see';
  const where = placeOf(text, fault.position);
  return new HarError(`The HAR file is not valid JSON: ${ending} ${where}${inside}, where ${fault.expected} is expected.`);
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
/** The search for a fault ends here instead of filling the memory. */
const MOST_LEVELS = 10_000;
const [SPACE, QUOTE, COLON, COMMA] = [/[\t\n\r ]*/y, /"/y, /:/y, /,/y];
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Part of a string. */
const CHARACTERS = /[ !#-[\]-\uFFFF]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const STRING_END = 'a closing double quote, without a raw control character or unknown escape before it';

/** How a text goes on: with a value, with the name of a member, with what may follow a value; or what is missing at its fault. */
type Next = 'value' | 'name' | 'end' | { readonly expected: string };

/**
 * Finds the first fault of a text that `JSON.parse` refused; the engine's own message is of no use, it quotes the text. Linear, no
 * recursion. The path holds well-known HAR members only, because keys may be secrets too.
 */
function findJsonFault(text: string) {
  let position = 0;
  /** The objects and lists around the place: what closes each, and the member or the number of the item in it. */
  const around: { readonly closer: string; step: string | number }[] = [];
  /** The text here that a sticky pattern matches, if any; the place is behind it then. */
  const passed = (pattern: RegExp) => {
    pattern.lastIndex = position;
    const [found] = pattern.exec(text) ?? [];
    position += found?.length ?? 0;
    return found;
  };
  const passesString = () => {
    passed(QUOTE);
    let part: string | undefined;
    do part = passed(CHARACTERS);
    while (part !== undefined);
    return passed(QUOTE) !== undefined;
  };
  const read = {
    value(): Next {
      if (text[position] === '"') return passesString() ? 'end' : { expected: STRING_END };
      const isObject = text[position] === '{';
      if (!isObject && text[position] !== '[') return passed(SCALAR) === undefined ? { expected: 'a value' } : 'end';
      if (around.length >= MOST_LEVELS) return { expected: `an end to ${MOST_LEVELS} levels of nesting` };
      position += 1;
      const closer = isObject ? '}' : ']';
      around.push({ closer, step: isObject ? '' : 0 });
      passed(SPACE);
      if (text[position] === closer) return 'end';
      return isObject ? 'name' : 'value';
    },
    name(): Next {
      const start = position + 1;
      if (text[position] !== '"') return { expected: 'a member name in double quotes' };
      if (!passesString()) return { expected: STRING_END };
      Object.assign(around.at(-1) ?? {}, { step: text.slice(start, position - 1) });
      passed(SPACE);
      return passed(COLON) === undefined ? { expected: '":" after the member name' } : 'value';
    },
    end(): Next {
      const inner = around.at(-1);
      if (!inner) return { expected: 'the end of the text' };
      if (text[position] === inner.closer) {
        position += 1;
        around.pop();
        return 'end';
      }
      if (passed(COMMA) === undefined) return { expected: `"," or "${inner.closer}"` };
      if (typeof inner.step === 'string') return 'name';
      inner.step += 1;
      return 'value';
    },
  };
  for (let next: Next = 'value'; ; ) {
    passed(SPACE);
    next = read[next]();
    if (typeof next === 'object') return { position, path: pathOf(around.slice(0, SHOWN_DEPTH).map(({ step }) => step)), ...next };
  }
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
