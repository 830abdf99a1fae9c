import type * as z from 'zod';
import type { successfulRun } from '../../api/operations/records.ts';
import { addTo } from '../../lib/tally.ts';

type Run = z.output<typeof successfulRun>;

/** When the files of a run are deleted where they live so long, ISO in UTC; undefined where the platform does not say when it completed. */
export function filesUntil({ completionTime }: Pick<Run, 'completionTime'>, fileLifeMs: number): string | undefined {
  const goneMs = Date.parse(completionTime ?? '') + fileLifeMs;
  return Number.isNaN(goneMs) ? undefined : new Date(goneMs).toISOString();
}

/** Jobs that a sentence names before it counts the rest. */
const MOST_JOBS = 4;

/**
 * How many runs lose their files before a day, by job, and how many are here: `33 runs lose their files before 2026-11-27: 31 of "Hourly
 * sessions", 2 of "Daily views". In the workspace already: 2, not yet: 31.`
 */
export function expiringWords(runs: readonly Run[], before: string, isHere: (run: Run) => boolean): string {
  if (runs.length === 0) return `No run loses its files before ${before}, as far as the life of files is known.`;
  const jobs = new Map<string, number>();
  for (const { name, jobId } of runs) {
    const job = name ? `"${name}"` : String(jobId);
    addTo(jobs, job);
  }
  const most = [...jobs].toSorted(([, a], [, b]) => b - a);
  const named = most.slice(0, MOST_JOBS).map(([job, count]) => `${count} of ${job}`);
  const others = most.length > MOST_JOBS ? [`others of ${most.length - MOST_JOBS} jobs`] : [];
  const here = runs.filter(isHere).length;
  const lose = runs.length === 1 ? '1 run loses its' : `${runs.length} runs lose their`;
  const files = `${lose} files before ${before}: ${[...named, ...others].join(', ')}.`;
  return `${files} In the workspace already: ${here}, not yet: ${runs.length - here}.`;
}
