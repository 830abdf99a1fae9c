import { createHash } from 'node:crypto';
import { ApiError } from '../api/errors.ts';

/** An interval of a list: what is shown, of how many, and how to go on. */
export interface PagePlace {
  /** Items that match in all. */
  readonly matched: number;
  /** Positions of the first and last shown item, from 1; both 0 where nothing matches. */
  readonly from: number;
  readonly to: number;
  /** Gives the next page; left out on the last one. */
  readonly cursor?: string;
}

/** The wanted page of a list. */
export interface PageRequest {
  /** All that the list depends on; a cursor of another list is refused. */
  readonly list: unknown;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** One page of a list, and its place. Throws an `ApiError` of kind `invalid` for a cursor of another list. */
export function pageOf<Item>(items: readonly Item[], { list, cursor, limit }: PageRequest): { items: readonly Item[]; page: PagePlace } {
  const start = cursor === undefined ? 0 : positionOf(cursor, list, items.length);
  const shown = items.slice(start, start + limit);
  return { items: shown, page: placeOf(items.length, start, shown.length, list) };
}

/** The position after the first `shown` items of a page, where not all are delivered; the next page begins there. */
export function cutPage({ matched, from }: PagePlace, shown: number, list: unknown): PagePlace {
  return placeOf(matched, Math.max(from, 1) - 1, shown, list);
}

function placeOf(matched: number, start: number, shown: number, list: unknown): PagePlace {
  const end = start + shown;
  return { matched, from: shown === 0 ? 0 : start + 1, to: shown === 0 ? 0 : end, ...(end < matched && { cursor: cursorAt(end, list) }) };
}

/** The cursor of a position in this list. */
export function cursorAt(position: number, list: unknown): string {
  return Buffer.from(`${position}.${markOf(list)}`).toString('base64url');
}

function wrongCursor(fault: string): ApiError {
  return new ApiError(
    'invalid',
    `cursor ${fault}: repeat the call that gave it with the same arguments, only cursor and limit may differ.`,
  );
}

/** Position and mark of a cursor; throws an `ApiError` of kind `invalid` for any other text. */
function partsOfCursor(cursor: string): { position: number; mark: string } {
  const [, position, mark] = /^(\d{1,9})\.([0-9a-f]{8})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (mark === undefined) throw wrongCursor('was not given by an answer');
  return { position: Number(position), mark };
}

/** The position that a cursor of this list stands for; throws an `ApiError` of kind `invalid` for another one. */
export function positionOf(cursor: string, list: unknown, length: number): number {
  const { position, mark } = partsOfCursor(cursor);
  if (mark === markOf(list) && position < length) return position;
  throw wrongCursor('belongs to a call with other arguments');
}

/** Short mark by which a cursor knows its list. */
function markOf(list: unknown): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('hex').slice(0, 8);
}
