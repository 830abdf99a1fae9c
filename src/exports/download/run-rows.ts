import { allPages, mayGoOn } from '../../api/all-pages.ts';
import type { Ask } from '../../api/client.ts';
import { ApiError, orUndefined } from '../../api/errors.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { getExportRun, listExportRuns, listSuccessfulExportRuns } from '../../api/operations/data-export.ts';
import { FILE_LIFE_MS, MAX_PAGE_SIZE } from '../../api/params.ts';
import { DAY_MS, isoTime } from '../../lib/clock.ts';
import { expiriesOf } from '../files-until.ts';

/** A successful run as the platform lists it, by job, the newest job first. */
export type RunRow = PayloadOf<typeof listSuccessfulExportRuns>[number];

/** All successful runs of the project. */
export async function allRunRows(ask: Ask): Promise<RunRow[]> {
  return allPages(
    (paging) => ask(listSuccessfulExportRuns, paging),
    ({ jobRunId }) => jobRunId,
  );
}

/** All runs of a job, in whatever state. */
export function allRunsOf(jobId: number, ask: Ask) {
  return allPages(
    (paging) => ask(listExportRuns, { jobId, ...paging }),
    ({ jobRunId }) => jobRunId,
  );
}

/** No list has more pages. */
const LAST_PAGE = 8_192;

/** Thrown where the list is in another order than the reference says, or does not go by pages. */
class Unordered extends Error {}

/** A page of the list; the first is asked for without a number and counts as 0, whether the platform counts from 0 or from 1. */
interface RowsPage {
  readonly at: number;
  readonly rows: readonly RunRow[];
}

const jobOf = (row: RunRow | undefined): number => Number(row?.jobId ?? Number.NEGATIVE_INFINITY);
const newest = ({ rows }: RowsPage) => jobOf(rows[0]);
const oldest = ({ rows }: RowsPage) => jobOf(rows.at(-1));

function isBehind(page: RowsPage, before: RowsPage): boolean {
  if (page.at === 1 || page.rows.length === 0) return newest(page) <= newest(before);
  return newest(page) <= oldest(before) && page.rows[0]?.jobRunId !== before.rows[0]?.jobRunId;
}

/** The page behind another one; none behind the last, which a platform may refuse. Its runs come by job, the newest job first. */
async function pageAt(ask: Ask, at: number, before?: RowsPage): Promise<RowsPage> {
  try {
    const page = { at, rows: await ask(listSuccessfulExportRuns, { limit: MAX_PAGE_SIZE, ...(at > 0 && { page: at }) }) };
    const ids = page.rows.map(({ jobId }) => jobId);
    const isMixed = ids.some((id, index) => typeof id !== 'number' || id > Number(ids[index - 1] ?? Number.POSITIVE_INFINITY));
    if (isMixed || (before && !isBehind(page, before))) throw new Unordered();
    return page;
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.kind === 'invalid' || error.kind === 'missing');
    if (isRefused && at > 1) return { at, rows: [] };
    throw error;
  }
}

/** The pages between two on which runs of these jobs may lie. */
async function pagesBetween(low: RowsPage, high: RowsPage, ids: readonly number[], ask: Ask): Promise<RowsPage[]> {
  const own = ids.filter((id) => id <= oldest(low) && id >= newest(high));
  if (high.at - low.at < 2 || own.length === 0 || !mayGoOn(low.rows)) return [];
  const middle = await pageAt(ask, (low.at + high.at) >> 1, low);
  if (newest(high) > oldest(middle) && middle.rows.length > 0) throw new Unordered();
  const [before, after] = await Promise.all([pagesBetween(low, middle, own, ask), pagesBetween(middle, high, own, ask)]);
  return [...before, middle, ...after];
}

/**
 * The successful runs of some jobs, in the order of the list. The list is in the order of jobs, so its pages are searched: few are read for
 * few jobs, and for many at most all.
 */
export async function runRowsOf(jobIds: readonly number[], ask: Ask): Promise<RunRow[]> {
  const wanted = new Set(jobIds);
  if (wanted.size === 0) return [];
  const ids = [...wanted];
  const isWanted = ({ jobId }: RunRow) => typeof jobId === 'number' && wanted.has(jobId);
  try {
    let last = await pageAt(ask, 0);
    const pages = [last];
    while (mayGoOn(last.rows) && ids.some((id) => id <= oldest(last))) {
      if (last.at >= LAST_PAGE) throw new Unordered();
      const next = await pageAt(ask, Math.max(1, last.at * 2), last);
      pages.push(...(await pagesBetween(last, next, ids, ask)), next);
      last = next;
    }
    // RowsPage 1 may be the first again.
    const rows = pages.flatMap((page) => page.rows.filter(isWanted));
    return [...new Map(rows.map((row) => [row.jobRunId, row])).values()];
  } catch (error) {
    if (!(error instanceof Unordered)) throw error;
    return (await allRunRows(ask)).filter(isWanted);
  }
}

/** A run that produced files, with instants as ISO in UTC; empty texts where the platform says nothing. */
export type SuccessfulRun = ReturnType<typeof asSuccessful>[number];

/** The same instant in UTC; empty where there is none. */
export function utc(instant: string | null | undefined): string {
  const ms = Date.parse(instant ?? '');
  return Number.isNaN(ms) ? '' : isoTime(ms);
}

/** Records of successful runs as runs, the latest completed first; one whose ids exceed 2^53 cannot be asked for and is left out. */
export function asSuccessful(rows: readonly RunRow[]) {
  const runs = rows.flatMap(({ jobId, jobRunId: runId, name, from, to, completionTime, format, scope }) => {
    if (typeof jobId !== 'number' || typeof runId !== 'number') return [];
    const texts = { name: name ?? '', format: format ?? '', scope: scope ?? '' };
    return { jobId, runId, ...texts, from: utc(from), to: utc(to), completedAt: utc(completionTime) };
  });
  return runs.toSorted((a, b) => (a.completedAt < b.completedAt ? 1 : -1));
}

/** The successful runs of some jobs, or of all, the latest completed first. */
export async function successfulRuns(ask: Ask, jobIds?: readonly number[]): Promise<SuccessfulRun[]> {
  return asSuccessful(jobIds ? await runRowsOf(jobIds, ask) : await allRunRows(ask));
}

/** How long the platform keeps the files of a run. */
export interface FileLife {
  readonly ms: number;
  /** True where a run said it by its `expirationDate`; else it is what deployments usually keep. */
  readonly isKnown: boolean;
}

/** A question that only improves a guess may delay an answer by this long. */
const LONGEST_MS = 3_000;
const USUAL: FileLife = { ms: FILE_LIFE_MS, isKnown: false };

/** The life of files by the `expirationDate` of the run that completed last: one request decides for all older ones. */
export async function learnFileLife(ask: Ask, runs: readonly SuccessfulRun[]): Promise<FileLife> {
  const latest = runs.find(({ completedAt }) => completedAt !== '');
  if (!latest) return USUAL;
  const { jobId, runId } = latest;
  const run = await ask(getExportRun, { jobId, runId }, { withinMs: LONGEST_MS }).catch(orUndefined);
  const ends = expiriesOf(run ?? {});
  const ms = Math.min(...ends) - Date.parse(latest.completedAt);
  return ends.length > 0 && ms > 0 ? { ms, isKnown: true } : USUAL;
}

/** How long files are kept and how that is known: `3 days after completion (expirationDate of the latest run)`. */
export function lifeWords({ ms, isKnown }: FileLife): string {
  const days = Math.round((10 * ms) / DAY_MS) / 10;
  const source = isKnown ? 'expirationDate of the latest run' : 'inferred: no run says it';
  return `${days} ${days === 1 ? 'day' : 'days'} after completion (${source})`;
}
