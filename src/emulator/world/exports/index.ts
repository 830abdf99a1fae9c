import type { Project } from '../../projects.ts';
import type { Origin } from '../origin.ts';
import type { SessionWorld } from '../sessions/index.ts';
import { createEnrichments, type Enrichments } from './enrichments.ts';
import { type Addresses, createAddresses, createFiles, type ExportFiles } from './files.ts';
import type { ExportJob, JobDraft } from './schedule.ts';
import { DAILY_JOB_NAME, missingDay, seededJobs } from './seeded-jobs.ts';

/** Exports of one emulator: jobs, the files of their runs, and enrichments received. */
export interface ExportWorld {
  readonly origin: Origin;
  /** Jobs of the project that exist at `nowMs`, oldest first. */
  jobs(project: Project, nowMs: number): ExportJob[];
  /** Keeps a new job and gives it the next id. */
  add(draft: JobDraft): ExportJob;
  readonly files: ExportFiles;
  readonly addresses: Addresses;
  readonly enrichments: Enrichments;
}

/** Makes the exports that go with these sessions; nothing is computed before it is asked for. */
export function createExports(origin: Origin, sessions: SessionWorld): ExportWorld {
  let known: ExportJob[] | undefined;
  const all = (): ExportJob[] => {
    known ??= seededJobs(origin);
    return known;
  };
  return {
    origin,
    jobs: (project, nowMs) => all().filter(({ projectId, createdMs }) => projectId === project.id && createdMs <= nowMs),
    add(draft) {
      const job = { ...draft, jobId: Math.max(...all().map(({ jobId }) => jobId)) + 1 };
      all().push(job);
      return job;
    },
    files: createFiles(origin, sessions),
    addresses: createAddresses(origin),
    enrichments: createEnrichments(sessions),
  };
}

/** What the seed placed among the exports: the daily job of the shop and the UTC day that it lacks. */
export function exportStories(origin: Origin): { missing: { jobName: string; dayNumber: number } } {
  return { missing: { jobName: DAILY_JOB_NAME, dayNumber: missingDay(origin) } };
}
