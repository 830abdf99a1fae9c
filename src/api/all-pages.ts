import { ApiError } from './errors.ts';
import { MAX_PAGE_SIZE } from './params.ts';

/** Rows of a page that may be the last; one with a few less may have lost rows that could not be used. */
const SHORT_PAGE = 0.9 * MAX_PAGE_SIZE;

/** Most lists end within these pages, which are read one by one so that none is asked for in vain. */
const ONE_BY_ONE = 3;
/** Pages of a longer list that are asked for at once: as many calls as are in flight by default. */
const AT_ONCE = 8;

/** Reads one page of a list; without a number the first. */
export type ReadPage<Row> = (paging: { limit: number; page?: number }) => Promise<readonly Row[]>;

/** Whether the list may go on behind this page. */
export function mayGoOn(rows: readonly unknown[]): boolean {
  return rows.length >= SHORT_PAGE;
}

/** Whether a platform may say in this way that there is no such page: the list has ended before it. */
function isRefusal(reason: unknown): boolean {
  return reason instanceof ApiError && (reason.kind === 'invalid' || reason.kind === 'missing');
}

/** Pages that follow each other, all asked for at once; what fails is known when all have ended. */
async function pagesFrom<Row>(read: ReadPage<Row>, first: number, count: number): Promise<PromiseSettledResult<readonly Row[]>[]> {
  const paging = (page: number) => ({ limit: MAX_PAGE_SIZE, ...(page > 0 && { page }) });
  return Promise.allSettled(Array.from({ length: count }, async (_, at) => read(paging(first + at))));
}

/**
 * All rows of a list that comes in pages, each once, in the order in which they came. Goes on until a page is short or brings nothing
 * new: the interface states neither how many there are nor whether pages count from 0 or 1, so page 1 may be the first again. A row that
 * is new on the platform while several pages are on their way may move another past them: with `inTurn` each page is read after the one
 * before, for decisions that depend on every row.
 */
export async function allPages<Row>(
  read: ReadPage<Row>,
  idOf: (row: Row) => number | string | null | undefined,
  { inTurn = false }: { inTurn?: boolean } = {},
): Promise<Row[]> {
  const rows = new Map<number | string, Row>();
  for (let page = 0; ; ) {
    for (const answer of await pagesFrom(read, page, inTurn || page < ONE_BY_ONE ? 1 : AT_ONCE)) {
      if (answer.status === 'rejected') {
        if (page > 1 && isRefusal(answer.reason)) return [...rows.values()];
        throw answer.reason;
      }
      const isNew = addRows(rows, answer.value, idOf);
      if (!mayGoOn(answer.value) || (!isNew && page > 1)) return [...rows.values()];
      page += 1;
    }
  }
}

/** Adds the rows that are not known yet; says whether there was one. */
function addRows<Row>(
  rows: Map<number | string, Row>,
  found: readonly Row[],
  idOf: (row: Row) => number | string | null | undefined,
): boolean {
  const known = rows.size;
  for (const row of found) {
    const key = idOf(row) ?? JSON.stringify(row);
    if (!rows.has(key)) rows.set(key, row);
  }
  return rows.size > known;
}

/** The input for the page before, where it is for one of several: without a number it is the first, whether that is 0 or 1. */
export function pageBefore(input: Record<string, unknown>): Record<string, unknown> | undefined {
  const { page, ...first } = input;
  if (typeof page !== 'number') return undefined;
  return page > 1 ? { ...input, page: page - 1 } : first;
}
