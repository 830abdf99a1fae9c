import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { idOfName, MANIFEST, runDirectory } from './layout.ts';
import { type RunManifest, runManifest } from './manifest.ts';

/** A run that has a directory, complete or not. */
export interface RunId {
  readonly jobId: number;
  readonly runId: number;
}

/** Ids that directories are named after; none where there is no such directory. */
async function idsIn(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch(() => []);
  return names.map(idOfName).filter((id) => id !== undefined);
}

/** All runs that have a directory, complete or not, by job and run. */
export async function runsIn(projectDir: string, jobId?: number): Promise<RunId[]> {
  const jobs = jobId === undefined ? await idsIn(projectDir) : [jobId];
  const found: RunId[] = [];
  for (const job of jobs.toSorted((a, b) => a - b)) {
    const runs = await idsIn(join(projectDir, String(job)));
    for (const runId of runs.toSorted((a, b) => a - b)) found.push({ jobId: job, runId });
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The manifest of a run whose files are all there with their size; undefined where it is not complete. */
export async function readManifest(projectDir: string, id: RunId): Promise<RunManifest | undefined> {
  const directory = runDirectory(projectDir, id);
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => undefined);
  const manifest = text === undefined ? undefined : runManifest.safeParse(parsed(text)).data;
  if (manifest?.jobId !== id.jobId || manifest.runId !== id.runId) return undefined;
  for (const { name, bytes } of manifest.files) {
    const size = await stat(join(directory, name)).then((found) => found.size, () => undefined); // biome-ignore format: one thought
    if (size !== bytes) return undefined;
  }
  return manifest;
}
