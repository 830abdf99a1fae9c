import { join } from 'node:path';
import { type Owner, plansDirectory, projectDirectory, runDirectory } from './layout.ts';
import type { RunFile, RunManifest } from './manifest.ts';
import { type RunId, readManifest, runsIn } from './read-manifests.ts';

/** The downloaded exports of one project of one principal; directories are made when something is written. */
export interface ProjectWorkspace {
  readonly projectId: number;
  /** Directory of the project. */
  readonly dir: string;
  /** Directory of its export plans; may not be there yet. */
  readonly plansDir: string;
  /** Complete runs of a job, or of all: by `from`, then by `exportedAt`. */
  runs(jobId?: number): Promise<RunManifest[]>;
  /** Absolute path of a file of a run. */
  pathOf(run: RunId, file: Pick<RunFile, 'name'>): string;
}

/** Opens the part of the data directory that belongs to this owner; nothing is written. */
export function openProjectWorkspace(owner: Owner): ProjectWorkspace {
  const dir = projectDirectory(owner);
  return {
    projectId: owner.projectId,
    dir,
    plansDir: plansDirectory(dir),
    async runs(jobId) {
      const found: RunManifest[] = [];
      for (const id of await runsIn(dir, jobId)) {
        const manifest = await readManifest(dir, id);
        if (manifest) found.push(manifest);
      }
      return found.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from) || Date.parse(a.exportedAt) - Date.parse(b.exportedAt));
    },
    pathOf: (run, { name }) => join(runDirectory(dir, run), name),
  };
}
