import { expect, test } from 'vitest';
import { allPages, pageBefore } from '../../src/api/all-pages.ts';
import { MAX_PAGE_SIZE } from '../../src/api/params.ts';
import { times } from '../support/times.ts';

interface Row {
  readonly id: number;
  readonly page: number;
}

/** Reads a list of so many rows, whose pages count from `first`; `moved` rows slide into the page after as it is read. */
async function readAll(total: number, { first = 0, moved = 0 } = {}) {
  const asked: object[] = [];
  const rows = await allPages<Row>(
    async (paging) => {
      asked.push(paging);
      const { limit, page = first } = paging;
      const start = (Math.max(page, first) - first) * limit - (page > first ? moved : 0);
      const ids = times(Math.max(0, Math.min(limit, total - start)), (index) => start + index);
      return ids.map((id) => ({ id, page }));
    },
    ({ id }) => id,
  );
  return { asked, rows };
}

const ids = (count: number) => times(count, (id) => id);
const limit = MAX_PAGE_SIZE;

test.each([
  [0, 1],
  [1, 1],
  [0.9 * limit - 1, 1],
  // A page may be short because rows of it could not be used.
  [limit - 1, 2],
  [limit, 3],
  [limit + 1, 2],
  [2 * limit, 3],
  [2 * limit + 5, 3],
])('all pages of a list %d rows in pages from 0 take %d requests', async (total, requests) => {
  const { asked, rows } = await readAll(total);
  expect(rows.map(({ id }) => id)).toEqual(ids(total));
  expect(asked.length).toBeLessThanOrEqual(requests);
  expect(asked.slice(0, 2)).toEqual([{ limit }, { limit, page: 1 }].slice(0, asked.length));
});

test.each([limit, limit + 1, 2 * limit, 3 * limit - 1])(
  'all pages of a list %d rows in pages from 1, where page 1 is the first again',
  async (total) => {
    const { asked, rows } = await readAll(total, { first: 1 });
    expect(rows.map(({ id }) => id)).toEqual(ids(total));
    expect(asked).toEqual(times(asked.length, (page) => ({ limit, ...(page > 0 && { page }) })));
  },
);

test('all pages of a list a row that moved to another page while the list was read is there once, as it came first', async () => {
  const { rows } = await readAll(2 * limit + 5, { moved: 3 });
  expect(rows.map(({ id }) => id)).toEqual(ids(rows.length));
  expect(rows.filter(({ id }) => id >= limit - 3 && id < limit).map(({ page }) => page)).toEqual([0, 0, 0]);
});

test.each([
  [{ jobId: 5 }, undefined],
  [{ jobId: 5, page: '2' }, undefined],
  [{ jobId: 5, page: 1 }, { jobId: 5 }],
  [
    { jobId: 5, page: 2 },
    { jobId: 5, page: 1 },
  ],
  [
    { jobId: 5, page: 9 },
    { jobId: 5, page: 8 },
  ],
])('the page before %j', (input, expected) => expect(pageBefore(input)).toEqual(expected));
