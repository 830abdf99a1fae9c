import type * as z from 'zod';
import type { successfulRun } from '../../api/operations/records.ts';

type Run = z.output<typeof successfulRun>;

/** When the files of a run are deleted where they live so long, ISO in UTC; undefined where the platform does not say when it completed. */
export function filesUntil({ completionTime }: Pick<Run, 'completionTime'>, fileLifeMs: number): string | undefined {
  const goneMs = Date.parse(completionTime ?? '') + fileLifeMs;
  return Number.isNaN(goneMs) ? undefined : new Date(goneMs).toISOString();
}
