import { allPages } from '../api/all-pages.ts';
import type { Ask } from '../api/client.ts';
import { listSuccessfulExportRuns } from '../api/operations/data-export.ts';

/** A run that produced files, with instants as ISO in UTC; empty texts where the platform says nothing. */
export interface SuccessfulRun {
  readonly jobId: number;
  readonly runId: number;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly completedAt: string;
  readonly format: string;
  readonly scope: string;
}

/** The same instant in UTC; empty where there is none. */
export function utc(instant: string | null | undefined): string {
  const ms = Date.parse(instant ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

/** All successful runs of a project, the latest completed first; one whose ids exceed 2^53 cannot be asked for and is left out. */
export async function successfulRuns(ask: Ask): Promise<SuccessfulRun[]> {
  const rows = await allPages((paging) => ask(listSuccessfulExportRuns, paging), ({ jobRunId }) => jobRunId); // biome-ignore format: one thought
  const runs = rows.flatMap(({ jobId, jobRunId, name, from, to, completionTime, format, scope }): SuccessfulRun[] => {
    if (typeof jobId !== 'number' || typeof jobRunId !== 'number') return [];
    const texts = { name: name ?? '', format: format ?? '', scope: scope ?? '' };
    return [{ jobId, runId: jobRunId, ...texts, from: utc(from), to: utc(to), completedAt: utc(completionTime) }];
  });
  return runs.toSorted((a, b) => (a.completedAt < b.completedAt ? 1 : -1));
}
