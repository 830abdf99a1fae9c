import { mapConcurrent } from '../../lib/concurrency.ts';
import { type RunManifest, readManifest, runsIn } from './manifest.ts';

/** Runs that have a directory, and their manifests where they are complete. Few are read at a time, because each takes an open file. */
export async function storedRuns(projectDir: string, jobId?: number) {
  const ids = await runsIn(projectDir, jobId);
  const read = await mapConcurrent(ids, 16, async (id) => ({ id, manifest: await readManifest(projectDir, id) }));
  return read.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

/** Those that are complete. */
export function complete(runs: Awaited<ReturnType<typeof storedRuns>>): RunManifest[] {
  return runs.flatMap(({ manifest }) => manifest ?? []);
}
