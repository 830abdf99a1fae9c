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

/** Pages that one round of the search reads at once, where it has fewer gaps to look into. */
const PAGES_A_ROUND = 7;
/** No list has more pages. */
const LAST_PAGE = 8_192;

/** Thrown where the list is in another order than the reference says, or does not go by pages. */
class Unordered extends Error {}

/** Pages of the list by number; the first is asked for without one and counts as 0, whether the platform counts from 0 or from 1. */
type Pages = Map<number, readonly RunRow[]>;

const newest = (rows: readonly RunRow[]): number => Number(rows[0]?.jobId ?? Number.NEGATIVE_INFINITY);
const oldest = (rows: readonly RunRow[]): number => Number(rows.at(-1)?.jobId ?? Number.NEGATIVE_INFINITY);

/** The page with this number; none behind the last, which a platform may refuse. Its runs come by job, the newest job first. */
async function pageAt(ask: Ask, page: number): Promise<readonly RunRow[]> {
  try {
    const rows = await ask(listSuccessfulExportRuns, { limit: MAX_PAGE_SIZE, ...(page > 0 && { page }) });
    const ids = rows.map(({ jobId }) => jobId);
    if (ids.some((id, at) => typeof id !== 'number' || id > Number(ids[at - 1] ?? Number.POSITIVE_INFINITY))) throw new Unordered();
    return rows;
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.kind === 'invalid' || error.kind === 'missing');
    if (isRefused && page > 1) return [];
    throw error;
  }
}

async function readPages(ask: Ask, numbers: readonly number[], pages: Pages): Promise<void> {
  const reading = numbers.map(async (page) => [page, await pageAt(ask, page)] as const);
  await Promise.allSettled(reading);
  for (const [page, rows] of await Promise.all(reading)) pages.set(page, rows);
  const read = inTurn(pages);
  const isOdd = ([page, rows]: readonly [number, readonly RunRow[]], at: number) => {
    const before = read[at - 1]?.[1];
    if (!before || rows.length === 0) return false;
    return page === 1 ? newest(rows) > newest(before) : newest(rows) > oldest(before) || rows[0]?.jobRunId === before[0]?.jobRunId;
  };
  // Pages that do not go down do not follow the numbers asked for.
  if (read.some(isOdd)) throw new Unordered();
}

const inTurn = (pages: Pages) => [...pages].toSorted(([a], [b]) => a - b);

/** Evenly spread whole numbers between two, both left out. */
function between(low: number, high: number, most: number): number[] {
  const count = Math.min(most, high - low - 1);
  return [...new Set(Array.from({ length: count }, (_, at) => low + Math.round(((at + 1) * (high - low)) / (count + 1))))];
}

/** The pages that the next round reads: between those known, where runs of wanted jobs may lie, and behind the last one. */
function nextPages(pages: Pages, ids: readonly number[]): number[] {
  const known = inTurn(pages);
  const gaps = known.flatMap(([low, rows], at) => {
    const [high, after] = known[at + 1] ?? [low + 1, []];
    const isWanted = high - low > 1 && mayGoOn(rows) && ids.some((id) => id <= oldest(rows) && id >= newest(after));
    return isWanted ? [[low, high] as const] : [];
  });
  const [last, rows] = known.at(-1) ?? [0, []];
  const behind = mayGoOn(rows) && ids.some((id) => id <= oldest(rows)) ? [2, 4, 8].map((times) => Math.max(1, last) * times) : [];
  if (behind.some((page) => page > LAST_PAGE)) throw new Unordered();
  const most = Math.max(1, Math.floor(PAGES_A_ROUND / Math.max(1, gaps.length)));
  return [...gaps.flatMap(([low, high]) => between(low, high, most)), ...behind];
}

/**
 * The successful runs of some jobs, in the order of the list. The list is in the order of jobs, so its pages are searched: few are read for
 * few jobs, and for many at most all.
 */
export async function runRowsOf(jobIds: readonly number[], ask: Ask): Promise<RunRow[]> {
  const wanted = new Set(jobIds);
  if (wanted.size === 0) return [];
  const isWanted = ({ jobId }: RunRow) => typeof jobId === 'number' && wanted.has(jobId);
  const pages: Pages = new Map();
  try {
    for (let next = [0]; next.length > 0; next = nextPages(pages, [...wanted])) await readPages(ask, next, pages);
  } catch (error) {
    if (!(error instanceof Unordered)) throw error;
    return (await allRunRows(ask)).filter(isWanted);
  }
  const rows = inTurn(pages).flatMap(([, each]) => each);
  // Page 1 may be the first again.
  return [...new Map(rows.filter(isWanted).map((row) => [row.jobRunId, row])).values()];
}
