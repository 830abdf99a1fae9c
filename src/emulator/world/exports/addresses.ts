import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Origin } from '../origin.ts';
import type { Run } from './schedule.ts';

/** Signs the addresses of files and tells whether one is genuine. */
export interface Addresses {
  /** Path and query below the store's address; the same for the life of the file. */
  sign(run: Run, partId: number, expiresMs: number): string;
  /** Whether this path was signed with this expiry. */
  genuine(path: string, expires: string, signature: string): boolean;
}

const PATH = /^\/exports\/(\d+)\/(\d+)\/(\d+)\/part-(\d+)\./;

/** Ids in the path of a file, where it is one. */
export function idsOf(path: string): { projectId: number; jobId: number; runId: number; partId: number } | undefined {
  const [projectId, jobId, runId, partId] = (PATH.exec(path) ?? []).slice(1).map(Number);
  if (projectId === undefined || jobId === undefined || runId === undefined || partId === undefined) return undefined;
  return { projectId, jobId, runId, partId };
}

export function createAddresses({ seed }: Origin): Addresses {
  const secret = createHash('sha256').update(`file store ${seed}`).digest();
  const signatureOf = (path: string, expires: string): Buffer => createHmac('sha256', secret).update(`${path}\n${expires}`).digest();
  return {
    sign({ job, runId }, partId, expiresMs) {
      const path = `/exports/${job.projectId}/${job.jobId}/${runId}/part-${String(partId).padStart(5, '0')}.${job.format.toLowerCase()}.gz`;
      const expires = String(Math.floor(expiresMs / 1000));
      return `${path}?expires=${expires}&signature=${signatureOf(path, expires).toString('hex')}`;
    },
    genuine(path, expires, signature) {
      const given = Buffer.from(signature, 'hex');
      const expected = signatureOf(path, expires);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
