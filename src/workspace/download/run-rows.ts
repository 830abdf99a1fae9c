import { allPages, mayGoOn } from '../../api/all-pages.ts';
import type { Ask } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { listSuccessfulExportRuns } from '../../api/operations/data-export.ts';
import { MAX_PAGE_SIZE } from '../../api/params.ts';

/** A successful run as the platform lists it, by job, the newest job first. */
export type RunRow = PayloadOf<typeof listSuccessfulExportRuns>[number];

/** All successful runs of the project. */
export async function allRunRows(ask: Ask): Promise<RunRow[]> {
  return allPages(
    (paging) => ask(listSuccessfulExportRuns, paging),
    ({ jobRunId }) => jobRunId,
  );
}

/** Jobs that are looked for one by one; of more, all runs from the newest to the oldest of them are read. */
const MOST_APART = 5;
/** Pages at which the search begins, until one lies behind what is looked for; no list is longer than the last. */
const FIRST_PAGES = [
  [2, 4, 8],
  [16, 32, 64, 128, 256],
  [512, 1_024, 2_048, 4_096, 8_192],
] as const;
/** Pages that one step of the search reads at once. */
const PAGES_A_STEP = 7;

/** Thrown where the list is in another order than the reference says, or does not go by pages. */
class Unordered extends Error {}

/** The page with this number, or the first; its runs come by job, the newest job first. */
async function pageAt(ask: Ask, page?: number): Promise<readonly RunRow[]> {
  const rows = await ask(listSuccessfulExportRuns, { limit: MAX_PAGE_SIZE, ...(page !== undefined && { page }) });
  const ids = rows.map(({ jobId }) => jobId);
  if (ids.some((id, at) => typeof id !== 'number' || id > Number(ids[at - 1] ?? Number.POSITIVE_INFINITY))) throw new Unordered();
  return rows;
}

const newest = (rows: readonly RunRow[]): number => Number(rows[0]?.jobId ?? Number.NEGATIVE_INFINITY);
const oldest = (rows: readonly RunRow[]): number => Number(rows.at(-1)?.jobId ?? Number.NEGATIVE_INFINITY);

interface RunsPage {
  readonly page: number;
  readonly rows: readonly RunRow[];
}

async function pagesAt(ask: Ask, numbers: readonly number[]): Promise<RunsPage[]> {
  const pages = numbers.map(async (page) => ({ page, rows: await pageAt(ask, page) }));
  await Promise.allSettled(pages);
  const read = await Promise.all(pages);
  const isOdd = ({ rows }: RunsPage, at: number) => {
    const before = read[at - 1]?.rows;
    return before && rows.length > 0 && (newest(rows) > oldest(before) || rows[0]?.jobRunId === before[0]?.jobRunId);
  };
  // Pages that do not go down do not follow the numbers asked for.
  if (read.some(isOdd)) throw new Unordered();
  return read;
}

/** Evenly spread whole numbers between two, both left out. */
function between(low: number, high: number): number[] {
  const count = Math.min(PAGES_A_STEP, high - low - 1);
  return [...new Set(Array.from({ length: count }, (_, at) => low + Math.round(((at + 1) * (high - low)) / (count + 1))))];
}

/** The last page whose runs are all of newer jobs, or 0: the wanted runs begin behind it. */
async function pageBefore(ask: Ask, jobId: number): Promise<number> {
  const bounds = { low: 0, high: Number.POSITIVE_INFINITY };
  const look = async (numbers: readonly number[]) => {
    for (const { page, rows } of await pagesAt(ask, numbers)) {
      if (rows.length > 0 && oldest(rows) > jobId) bounds.low = Math.max(bounds.low, page);
      else bounds.high = Math.min(bounds.high, page);
    }
  };
  for (const numbers of FIRST_PAGES) if (!Number.isFinite(bounds.high)) await look(numbers);
  if (!Number.isFinite(bounds.high)) throw new Unordered();
  while (bounds.high - bounds.low > 1) await look(between(bounds.low, bounds.high));
  return bounds.low;
}

/** The runs of jobs from `first` down to `last`; reads the pages where they lie, and a few to find these. */
async function rowsBetween(ask: Ask, first: number, last: number): Promise<RunRow[]> {
  const start = await pageAt(ask);
  const isEnd = (rows: readonly RunRow[]) => !mayGoOn(rows) || oldest(rows) < last;
  const rows = [...start];
  // A job may go on from the page before, and pages may count from 0 or 1.
  let page = isEnd(start) ? 0 : Math.max(1, await pageBefore(ask, first));
  for (let ended = page === 0; !ended; page += 1) {
    const found = await pageAt(ask, page);
    rows.push(...found);
    ended = isEnd(found);
  }
  const within = rows.filter(({ jobId }) => typeof jobId === 'number' && jobId <= first && jobId >= last);
  return [...new Map(within.map((row) => [row.jobRunId, row])).values()];
}

/** The successful runs of some jobs, in the order of the list; reads few pages of it, because it is in the order of jobs. */
export async function runRowsOf(jobIds: readonly number[], ask: Ask): Promise<RunRow[]> {
  const ids = [...new Set(jobIds)].toSorted((a, b) => b - a);
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isWanted = ({ jobId }: RunRow) => typeof jobId === 'number' && ids.includes(jobId);
  try {
    const ranges: readonly (readonly [number, number])[] = ids.length > MOST_APART ? [[first, last]] : ids.map((id) => [id, id]);
    const found = await Promise.all(ranges.map(([from, to]) => rowsBetween(ask, from, to)));
    return found.flat().filter(isWanted);
  } catch (error) {
    // A platform may refuse a page behind the last one.
    const isRefused = error instanceof ApiError && (error.kind === 'invalid' || error.kind === 'missing');
    if (!isRefused && !(error instanceof Unordered)) throw error;
    return (await allRunRows(ask)).filter(isWanted);
  }
}
