import { describe, expect, test } from 'vitest';
import type { Ask } from '../../../src/api/client.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { MAX_PAGE_SIZE } from '../../../src/api/params.ts';
import { type RunRow, runRowsOf } from '../../../src/exports/download/run-rows.ts';
import { times } from '../../support/times.ts';

interface Listing {
  readonly pagesFrom?: 0 | 1;
  readonly order?: 'by job' | 'mixed';
  /** What the platform does with a page behind the last one, or with any page. */
  readonly odd?: 'refuses pages behind the last' | 'knows no pages';
}

/** The list of a project whose jobs have so many runs each, as the platform pages it. */
function listOf(runsByJob: ReadonlyMap<number, number>, { pagesFrom = 1, order = 'by job', odd }: Listing = {}) {
  const rows = [...runsByJob]
    .toSorted(([a], [b]) => b - a)
    .flatMap(([jobId, runs]) => times(runs, (run): RunRow => ({ jobId, jobRunId: jobId * 1000 + runs - run })));
  const listed = order === 'mixed' ? rows.toSorted((a, b) => (Number(a.jobRunId) % 97) - (Number(b.jobRunId) % 97)) : rows;
  const asked: (number | undefined)[] = [];
  async function answer({ limit, page }: { limit: number; page?: number }) {
    asked.push(page);
    const start = odd === 'knows no pages' ? 0 : Math.max(0, (page ?? pagesFrom) - pagesFrom) * limit;
    if (start > listed.length && odd) throw new ApiError('invalid', 'page: there is no such page');
    return listed.slice(start, start + limit);
  }
  const asking = (_operation: unknown, input: { limit: number; page?: number }) => answer(input);
  const ask = asking as unknown as Ask; // nothing but this list is asked for
  const of = (...jobIds: number[]) => rows.filter(({ jobId }) => jobIds.includes(Number(jobId)));
  return { ask, asked, of, all: listed };
}

const many = new Map(times(3_000, (at) => [5_000 + at * 3, 1 + ((at * 7) % 39)]));
const sorted = (rows: readonly RunRow[]) => rows.map(({ jobRunId }) => Number(jobRunId)).toSorted((a, b) => a - b);

describe.each([0, 1] as const)('with pages from %d', (pagesFrom) => {
  test.each([
    ['the newest', 5_000 + 2_999 * 3],
    ['the oldest', 5_000],
    ['one in the middle', 5_000 + 1_500 * 3],
    ['one that has no run', 5_001],
  ])('the runs of %s are all found, in few of 600 pages', async (_, jobId) => {
    const { ask, asked, of } = listOf(many, { pagesFrom });
    expect(sorted(await runRowsOf([jobId], ask))).toEqual(sorted(of(jobId)));
    expect(asked.length).toBeLessThanOrEqual(45);
  });

  test('a job whose runs fill several pages is read from its first to its last', async () => {
    const { ask, of } = listOf(new Map([...many, [9_000, 730]]), { pagesFrom });
    expect(of(9_000)).toHaveLength(730);
    expect(sorted(await runRowsOf([9_000], ask))).toEqual(sorted(of(9_000)));
  });

  test('a list of one page takes one request', async () => {
    const { ask, asked, of } = listOf(new Map([[3, 20]]), { pagesFrom });
    expect(sorted(await runRowsOf([3], ask))).toEqual(sorted(of(3)));
    expect(asked).toEqual([undefined]);
  });
});

test.each<Listing>([{ order: 'mixed' }, { odd: 'refuses pages behind the last' }])('%j: all pages are read instead', async (listing) => {
  const few = new Map([...many].slice(0, 100));
  const { ask, of } = listOf(few, listing);
  expect(sorted(await runRowsOf([5_150], ask))).toEqual(sorted(of(5_150)));
});

test('a platform that knows no pages is not asked for ever', async () => {
  const { ask, asked, all } = listOf(many, { odd: 'knows no pages' });
  const first = all.slice(0, MAX_PAGE_SIZE);
  const jobId = Number(first[50]?.jobId);
  expect(sorted(await runRowsOf([jobId], ask))).toEqual(sorted(first.filter((row) => row.jobId === jobId)));
  expect(asked.length).toBeLessThan(20);
  expect(await runRowsOf([5_000], ask)).toEqual([]);
});
