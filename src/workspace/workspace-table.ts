import type { RunManifest } from './manifest.ts';
import type { UnfinishedRun } from './project-workspace.ts';

/** Columns of the table, one row for each job; ranges are those of the data. */
export const WORKSPACE_COLUMNS = ['jobId', 'job', 'scope', 'format', 'runs', 'from', 'to', 'rows', 'bytes', 'unfinished'];

type Row = (string | number | null)[];

/** Bytes of the files of a run. */
export function bytesOf({ files }: Pick<RunManifest, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Rows of all runs; null where those of a file are not known. */
function rowsOf(runs: readonly RunManifest[]): number | null {
  const counts = runs.flatMap(({ files }) => files.map(({ rows }) => rows));
  return counts.reduce<number | null>((sum, rows) => (sum === null || rows === undefined ? null : sum + rows), 0);
}

/** One row a job, the largest first. */
export function workspaceTable(runs: readonly RunManifest[], unfinished: readonly UnfinishedRun[]): Row[] {
  const jobIds = [...new Set([...runs, ...unfinished].map(({ jobId }) => jobId))];
  const jobs = jobIds.map((jobId) => {
    const own = runs.filter((run) => run.jobId === jobId);
    const parts = unfinished.filter((run) => run.jobId === jobId);
    const bytes = own.reduce((sum, run) => sum + bytesOf(run), 0) + parts.reduce((sum, part) => sum + part.bytes, 0);
    const latest = own.at(-1);
    const until = own.map(({ to }) => to).toSorted().at(-1); // biome-ignore format: one thought
    const facts = [latest?.jobName ?? null, latest?.scope ?? null, latest?.format ?? null];
    const row: Row = [jobId, ...facts, own.length, own[0]?.from ?? null, until ?? null, own.length > 0 ? rowsOf(own) : null, bytes, parts.length]; // biome-ignore format: one thought
    return { row, bytes };
  });
  return jobs.toSorted((a, b) => b.bytes - a.bytes).map(({ row }) => row);
}
