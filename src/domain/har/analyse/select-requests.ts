import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ApiError } from '../../../api/errors.ts';
import type { HarEntry, ResourceType } from '../read/har-model.ts';
import { sanitiseUrl } from '../sanitise/sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';

/** Which requests are meant; all conditions hold together. */
export interface RequestFilter {
  /** Part of the address as it is shown: sanitised; `…` stands for anything. */
  readonly url?: string | undefined;
  readonly type?: ResourceType | undefined;
  /** A registrable domain or a host; hosts below it count too. */
  readonly domain?: string | undefined;
  /** A status, or a class of them: `404`, `4xx`. */
  readonly status?: string | number | undefined;
  readonly minDurationMs?: number | undefined;
  /** Transferred bytes, those of the content where the former are unknown. */
  readonly minBytes?: number | undefined;
}

type Condition = (entry: HarEntry) => boolean;

/** True where nothing is asked for. */
export function isEmptyFilter(filter: RequestFilter): boolean {
  return conditionsOf(filter).length === 0;
}

/** The requests that fit, in order of start. */
export function filterRequests(entries: readonly HarEntry[], filter: RequestFilter): readonly HarEntry[] {
  const conditions = conditionsOf(filter);
  return conditions.length === 0 ? entries : entries.filter((entry) => conditions.every((holds) => holds(entry)));
}

/** Cheap conditions first: sanitising an address costs more than all others together. */
function conditionsOf({ url, type, domain, status, minDurationMs, minBytes }: RequestFilter): Condition[] {
  return [
    ...(type === undefined ? [] : [(entry: HarEntry) => entry.type === type]),
    ...(status === undefined ? [] : [hasStatus(String(status))]),
    ...(minDurationMs === undefined ? [] : [(entry: HarEntry) => (entry.durationMs ?? -1) >= minDurationMs]),
    ...(minBytes === undefined ? [] : [(entry: HarEntry) => (weightOf(entry) ?? -1) >= minBytes]),
    ...(domain === undefined ? [] : [isBelow(domain)]),
    ...(url === undefined ? [] : [holdsText(url)]),
  ];
}

function hasStatus(status: string): Condition {
  const classOf = /^([1-5])xx$/i.exec(status)?.[1];
  if (classOf === undefined) return (entry) => entry.status === Number(status);
  return (entry) => Math.floor(entry.status / 100) === Number(classOf);
}

function isBelow(domain: string): Condition {
  const name = domain.toLowerCase();
  const below = `.${name}`;
  return ({ host, domain: registrable }) => host !== null && (host === name || registrable === name || host.endsWith(below));
}

function holdsText(text: string): Condition {
  const pieces = text
    .toLowerCase()
    .split(/…|\.\.\./)
    .filter((piece) => piece !== '');
  return ({ url }) => {
    const address = sanitiseUrl(url).toLowerCase();
    let from = 0;
    for (const piece of pieces) {
      const at = address.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return true;
  };
}

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

function cursorAt(position: number, list: unknown): string {
  return Buffer.from(`${position}.${markOf(list)}`).toString('base64url');
}

function positionOf(cursor: string, list: unknown, length: number): number {
  const [, position, mark] = /^(\d{1,9})\.([0-9a-f]{8})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (mark !== undefined && mark === markOf(list) && Number(position) < length) return Number(position);
  const fault = mark === undefined ? 'was not given by an answer' : 'belongs to a call with other arguments';
  throw new ApiError('invalid', `cursor ${fault}: repeat the call that gave it with the same arguments, only cursor and limit may differ.`);
}

/** Short mark by which a cursor knows its list. */
function markOf(list: unknown): string {
  return createHash('sha256').update(JSON.stringify(list)).digest('hex').slice(0, 8);
}
