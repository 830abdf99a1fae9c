import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Project } from '../../projects.ts';
import { projects } from '../../projects.ts';
import type { Origin } from '../origin.ts';
import { hash } from '../random.ts';
import type { SessionWorld } from '../sessions/index.ts';
import { csv, jsonLines } from './formats.ts';
import type { Run } from './schedule.ts';
import { selectionOf } from './selection.ts';
import { sessionRow } from './session-row.ts';
import { scopeNamed } from './table.ts';
import { dynamicVariablesOf } from './variables.ts';

const pack = promisify(gzip);
/** Packed bytes that are kept in memory. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** Sessions written before other requests get their turn. */
const SESSIONS_A_TURN = 1000;

/** One file of a run: gzip bytes and a strong entity tag; the same run and part always give the same. */
export interface Part {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The files of runs, written when asked for. */
export interface ExportFiles {
  /** Number of parts: 2 to 4, fewer only where there are fewer sessions, and one empty file where there is none. */
  count(run: Run): number;
  /** `partId` counts from 1. */
  part(run: Run, partId: number): Promise<Part>;
}

function projectWithId(id: number): Project {
  const project = projects.find((candidate) => candidate.id === id);
  if (!project) throw new RangeError(`No project ${id}.`);
  return project;
}

export function createFiles(origin: Origin, sessions: SessionWorld): ExportFiles {
  const written = new LRUCache<string, Part, { run: Run; partId: number }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
    fetchMethod: async (_key, _stale, { context }) => write(context.run, context.partId),
  });

  function partCount(run: Run, rows: number): number {
    return Math.max(1, Math.min(rows, 2 + (hash(origin.seed, run.runId) % 3)));
  }

  async function write(run: Run, partId: number): Promise<Part> {
    const { job } = run;
    const project = projectWithId(job.projectId);
    const table = scopeNamed(job.scope)?.table(job.fields, dynamicVariablesOf(project, origin.startMs));
    if (!table) throw new RangeError(`No scope ${job.scope}.`);
    const writer = job.format === 'CSV' ? csv(table.names) : jsonLines(table.names);
    const chosen = selectionOf(sessions, run);
    const count = partCount(run, chosen.length);
    const border = (parts: number): number => Math.floor((parts * chosen.length) / count);
    const [from, to] = [border(partId - 1), border(partId)];
    const chunks = [Buffer.from(writer.head)];
    for (let at = from; at < to; at += SESSIONS_A_TURN) {
      const rows = chosen
        .slice(at, Math.min(to, at + SESSIONS_A_TURN))
        .flatMap(({ day, index }) => table.rowsOf(sessionRow(project, day, index)));
      chunks.push(Buffer.from(rows.map(writer.line).join('')));
      await turn();
    }
    const bytes = await pack(Buffer.concat(chunks), { level: 3 });
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
  }

  const counts = new Map<number, number>();

  return {
    count(run) {
      // Lists of runs ask for it again and again, and each time every session of the run would be looked at.
      const count = counts.get(run.runId) ?? partCount(run, selectionOf(sessions, run).length);
      counts.set(run.runId, count);
      return count;
    },
    async part(run, partId) {
      const part = await written.fetch(`${run.runId}/${partId}`, { context: { run, partId } });
      if (!part) throw new Error(`Part ${partId} of run ${run.runId} could not be written.`);
      return part;
    },
  };
}
