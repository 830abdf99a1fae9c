import { isRecord } from '../lib/is-record.ts';
import { nth } from '../lib/nth.ts';
import { withoutBreaks } from '../lib/strangers-text.ts';
import { parseJson } from './json.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;

/** Shorter documents are parsed as one text. */
const LARGE_BYTES = 1_048_576;
/** Entries that are parsed together; a longer text would not be freed before the next large collection. */
const PIECE_BYTES = 65_536;

/** The list that takes most of a JSON document. */
interface LongList {
  /** Names of the objects around it, from the outside in, its own the last. */
  readonly names: readonly string[];
  /** Its opening bracket, a comma between two entries in each piece, its closing bracket. */
  readonly cuts: readonly number[];
}

/** Position of the quotation mark that ends the string opened at `open`. */
function closingQuote(bytes: Buffer, open: number): number {
  let at = open + 1;
  for (let code = bytes[at] ?? QUOTE; code !== QUOTE; code = bytes[at] ?? QUOTE) at += code === BACKSLASH ? 2 : 1;
  return at;
}

/** Finds a list in objects alone that takes more than half of the document. */
function findLongList(bytes: Buffer): LongList | undefined {
  const { length } = bytes;
  const names: (readonly [from: number, to: number])[] = [];
  let cuts: number[] = [];
  let depth = 0;
  let listDepth = 0;
  let nextCut = 0;
  for (let at = 0; at < length; at += 1) {
    const code = nth(bytes, at);
    if (code === QUOTE) {
      const end = closingQuote(bytes, at);
      if (listDepth === 0) names[depth] = [at, end + 1];
      at = end;
    } else if (code === COMMA) {
      if (depth === listDepth && at >= nextCut) {
        cuts.push(at);
        nextCut = at + PIECE_BYTES;
      }
    } else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (code === LIST && listDepth === 0) {
        listDepth = depth;
        cuts = [at];
        nextCut = at + PIECE_BYTES;
      }
    } else if ((code | 0x20) === 0x7d) {
      if (depth === listDepth) {
        cuts.push(at);
        if (at - nth(cuts, 0) > length / 2) return { names: namesIn(bytes, names.slice(1, depth)), cuts };
        listDepth = 0;
      }
      depth -= 1;
    }
  }
  return undefined;
}

function namesIn(bytes: Buffer, places: readonly (readonly [from: number, to: number])[]): string[] {
  return places.map(([from, to]) => String(JSON.parse(bytes.toString('utf8', from, to))));
}

async function parsePiece(text: string): Promise<unknown> {
  return withoutBreaks(await parseJson(text), text);
}

/**
 * The value of a large JSON document most of which is one list, with every text on one line. It is read some entries at a time, because its
 * text as a whole would take as much memory again as its bytes. Undefined for every other document, valid or not.
 */
export async function parseLargeJson(bytes: Buffer): Promise<unknown> {
  if (bytes.length < LARGE_BYTES) return undefined;
  try {
    const found = findLongList(bytes);
    if (!found) return undefined;
    const { names, cuts } = found;
    const value = await parsePiece(bytes.toString('utf8', 0, nth(cuts, 0) + 1) + bytes.toString('utf8', nth(cuts, cuts.length - 1)));
    const list = names.reduce((holder: unknown, name) => (isRecord(holder) ? holder[name] : undefined), value);
    if (!Array.isArray(list) || list.length > 0) return undefined;
    for (const [index, cut] of cuts.slice(1).entries()) {
      const piece = await parsePiece(`[${bytes.toString('utf8', nth(cuts, index) + 1, cut)}]`);
      if (Array.isArray(piece)) for (const entry of piece) list.push(entry);
    }
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
