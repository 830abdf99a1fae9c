import { isRecord } from '../lib/is-record.ts';
import { nth } from '../lib/nth.ts';
import { withoutBreaks } from '../lib/strangers-text.ts';
import { JSON_BYTES, parseJson, scanJson } from './json.ts';

const { quote: QUOTE, comma: COMMA, list: LIST, opening: OPENING, braceBit: BRACE_BIT } = JSON_BYTES;

/** Shorter documents are parsed as one text. */
const LARGE_BYTES = 262_144;
/** Entries that are parsed together; a longer text would not be freed before the next large collection. */
const PIECE_BYTES = 65_536;

/** The list that takes most of a JSON document. */
interface LongList {
  /** Names of the objects around it, from the outside in, its own the last. */
  readonly names: readonly string[];
  /** Its opening bracket, a comma between two entries in each piece, its closing bracket. */
  readonly cuts: readonly number[];
}

/** Finds a list in objects alone that takes more than half of the document. */
function findLongList(pieces: readonly Buffer[], length: number): LongList | undefined {
  const names: (readonly [from: number, to: number])[] = [];
  let cuts: number[] = [];
  let depth = 0;
  let listDepth = 0;
  let nextCut = 0;
  let textStart: number | undefined;
  let found: LongList | undefined;
  scanJson(pieces, (code, place) => {
    if (code === QUOTE) {
      if (textStart !== undefined && listDepth === 0) names[depth] = [textStart, place + 1];
      textStart = textStart === undefined ? place : undefined;
    } else if (code === COMMA) {
      if (depth === listDepth && place >= nextCut) {
        cuts.push(place);
        nextCut = place + PIECE_BYTES;
      }
    } else if ((code | BRACE_BIT) === OPENING) {
      depth += 1;
      if (code === LIST && listDepth === 0) {
        listDepth = depth;
        cuts = [place];
        nextCut = place + PIECE_BYTES;
      }
    } else {
      if (depth === listDepth) {
        cuts.push(place);
        if (place - nth(cuts, 0) > length / 2) found = { names: namesIn(pieces, names.slice(1, depth)), cuts };
        listDepth = 0;
      }
      depth -= 1;
    }
    return found !== undefined;
  });
  return found;
}

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

function namesIn(pieces: readonly Buffer[], places: readonly (readonly [from: number, to: number])[]): string[] {
  return places.map(([from, to]) => String(JSON.parse(textOf(pieces, from, to))));
}

async function parsePiece(text: string): Promise<unknown> {
  return withoutBreaks(await parseJson(text), text);
}

/**
 * The value of a large JSON document most of which is one list, with every text on one line. It is read some entries at a time, because its
 * text as a whole would take as much memory again as its bytes. Undefined for every other document, valid or not.
 */
export async function parseLargeJson(pieces: readonly Buffer[]): Promise<unknown> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length < LARGE_BYTES) return undefined;
  try {
    const found = findLongList(pieces, length);
    if (!found) return undefined;
    const { names, cuts } = found;
    const around = textOf(pieces, 0, nth(cuts, 0) + 1) + textOf(pieces, nth(cuts, cuts.length - 1), length);
    const value = await parsePiece(around);
    const list = names.reduce((holder: unknown, name) => (isRecord(holder) ? holder[name] : undefined), value);
    if (!Array.isArray(list) || list.length > 0) return undefined;
    for (const [index, cut] of cuts.slice(1).entries()) {
      const entries = await parsePiece(`[${textOf(pieces, nth(cuts, index) + 1, cut)}]`);
      if (Array.isArray(entries)) for (const entry of entries) list.push(entry);
    }
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
