import { MAX_PAGE_SIZE } from './params.ts';

/** Rows of a page that may be the last; one with a few less may have lost rows that could not be used. */
const SHORT_PAGE = 0.9 * MAX_PAGE_SIZE;

/**
 * All rows of a list that comes in pages, each once, in the order in which they came. Goes on until a page is short or brings nothing
 * new: the interface states neither how many there are nor whether pages count from 0 or 1, so page 1 may be the first again.
 */
export async function allPages<Row>(
  read: (paging: { limit: number; page?: number }) => Promise<readonly Row[]>,
  idOf: (row: Row) => number | string | null | undefined,
): Promise<Row[]> {
  const rows = new Map<number | string, Row>();
  for (let page = 0; ; page += 1) {
    const found = await read({ limit: MAX_PAGE_SIZE, ...(page > 0 && { page }) });
    const known = rows.size;
    for (const row of found) {
      const key = idOf(row) ?? JSON.stringify(row);
      if (!rows.has(key)) rows.set(key, row);
    }
    if (found.length < SHORT_PAGE || (rows.size === known && page > 1)) return [...rows.values()];
  }
}

/** The input for the page before, where it is for one of several: without a number it is the first, whether that is 0 or 1. */
export function pageBefore(input: Record<string, unknown>): Record<string, unknown> | undefined {
  const { page, ...first } = input;
  if (typeof page !== 'number') return undefined;
  return page > 1 ? { ...input, page: page - 1 } : first;
}
