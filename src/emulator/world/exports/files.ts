import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { type Project, projects } from '../../credentials.ts';
import { hash, type Origin } from '../random.ts';
import { deviceIds, placeAmong, type SessionDay, type SessionWorld, segmentsOf } from '../sessions/index.ts';
import { type Selection, scan, siteTotals } from '../sessions/site-totals.ts';
import type { JobInput, Run } from './schedule.ts';
import { columnName, scopeNamed } from './scopes.ts';
import { type FileCell, sessionRow } from './session-row.ts';

/** `filters.deviceId` of a job: -1 for all, else the id of the device on this kind of project. */
export function filterDeviceId({ kind }: Project, device: JobInput['deviceLabel']): number | undefined {
  return device === 'all' ? -1 : deviceIds[device].at(kind === 'app' ? -1 : 0);
}

/** The sessions that a run delivers, as they stood when it started, so that its files never change; selected as metrics select. */
function selectionOf({ job, fromMs, toMs, startMs }: Run): Selection {
  const { projectId, device, segmentId } = job;
  const segmentBits = segmentId === undefined ? 0 : 1 << placeAmong(segmentsOf(projectId), segmentId);
  return { projectId, device, segmentBits, startMs: fromMs, endMs: toMs - 1, nowMs: startMs, isDaily: false };
}

/** How rows become text: what stands before the first row, and one row with its line end. */
interface Writer {
  readonly head: string;
  readonly line: (cells: readonly FileCell[]) => string;
}

/** A cell as JSON text; a 64-bit integer keeps all its digits, unquoted. */
function jsonOf(cell: FileCell): string {
  if (typeof cell === 'bigint') return cell.toString();
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(jsonOf).join(',')}]`;
  return JSON.stringify(cell);
}

/** One JSON object a line. */
function jsonLines(names: readonly string[]): Writer {
  const keys = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return { head: '', line: (cells) => `${cells.map((cell, index) => `${keys[index] ?? ''}${jsonOf(cell)}`).join('')}}\n` };
}

/** A cell by RFC 4180; null is empty, an array its JSON text. */
function csvOf(cell: FileCell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? jsonOf(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(cells: readonly FileCell[]): string {
  return `${cells.map(csvOf).join(',')}\r\n`;
}

/** Comma-separated values by RFC 4180 with a header row. */
function csv(names: readonly string[]): Writer {
  return { head: csvLine(names), line: csvLine };
}

const PATH = /^\/exports\/(\d+)\/(\d+)\/(\d+)\/part-(\d+)\./;

/** Ids in the path of a file, where it is one. */
export function idsOf(path: string) {
  const [projectId, jobId, runId, partId] = (PATH.exec(path) ?? []).slice(1).map(Number);
  if (projectId === undefined || jobId === undefined || runId === undefined || partId === undefined) return undefined;
  return { projectId, jobId, runId, partId };
}

/** Makes signed addresses of files, which expire, and checks their signatures. */
export function createAddresses({ seed }: Origin) {
  const secret = createHash('sha256').update(`file store ${seed}`).digest();
  const signatureOf = (path: string, expires: string): Buffer => createHmac('sha256', secret).update(`${path}\n${expires}`).digest();
  return {
    /** Path and query below the store's address; the same for the life of the file. */
    sign({ job, runId }: Run, partId: number, expiresMs: number): string {
      const path = `/exports/${job.projectId}/${job.jobId}/${runId}/part-${String(partId).padStart(5, '0')}.${job.format.toLowerCase()}.gz`;
      const expires = String(Math.floor(expiresMs / 1000));
      return `${path}?expires=${expires}&signature=${signatureOf(path, expires).toString('hex')}`;
    },
    /** Whether this path was signed with this expiry. */
    genuine(path: string, expires: string, signature: string): boolean {
      const given = Buffer.from(signature, 'hex');
      const expected = signatureOf(path, expires);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

const pack = promisify(gzip);
/** Packed bytes that are kept in memory. */
const CACHE_BYTES = 64 * 1024 * 1024;
/** Sessions written before other requests get their turn. */
const SESSIONS_A_TURN = 1000;

function projectWithId(id: number): Project {
  const project = projects.find((candidate) => candidate.id === id);
  if (!project) throw new RangeError(`No project ${id}.`);
  return project;
}

/** A file that is to be written. */
interface Order {
  readonly origin: Origin;
  readonly sessions: SessionWorld;
  readonly run: Run;
  readonly partId: number;
}

/** Everything that the bytes of a file follow from. */
function keyOf({ origin, run, partId }: Order): string {
  const { job, runId, isEmpty } = run;
  return JSON.stringify([origin.seed, origin.startMs, runId, partId, isEmpty, job.scope, job.format, job.fields, selectionOf(run)]);
}

/** Number of parts of a run that delivers so many sessions. */
function partCount({ seed }: Origin, { runId }: Run, rows: number): number {
  return Math.max(1, Math.min(rows, 2 + (hash(seed, runId) % 3)));
}

/** One file of a run: gzip bytes and a strong entity tag; the same run and part always give the same. */
export type FilePart = Awaited<ReturnType<typeof write>>;

async function write({ origin, sessions, run, partId }: Order) {
  const { job } = run;
  const project = projectWithId(job.projectId);
  const rowsOf = scopeNamed(job.scope)?.reader(job.fields, origin.startMs);
  if (!rowsOf) throw new RangeError(`No scope ${job.scope}.`);
  const writer = (job.format === 'CSV' ? csv : jsonLines)(job.fields.map(columnName));
  const chosen: { day: SessionDay; index: number }[] = [];
  if (!run.isEmpty) scan(sessions, selectionOf(run), (day, index) => chosen.push({ day, index }));
  const count = partCount(origin, run, chosen.length);
  const border = (parts: number): number => Math.floor((parts * chosen.length) / count);
  const [from, to] = [border(partId - 1), border(partId)];
  const chunks = [Buffer.from(writer.head)];
  for (let at = from; at < to; at += SESSIONS_A_TURN) {
    const rows = chosen.slice(at, Math.min(to, at + SESSIONS_A_TURN)).flatMap(({ day, index }) => rowsOf(sessionRow(project, day, index)));
    chunks.push(Buffer.from(rows.map(writer.line).join('')));
    await turn();
  }
  const bytes = await pack(Buffer.concat(chunks), { level: 3 });
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` };
}

/** Files of the emulators in the process: those that begin alike write the same ones. */
const written = new LRUCache<string, FilePart, Order>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
  fetchMethod: async (_key, _stale, { context }) => write(context),
});

/** Makes the files of runs from the sessions, the same bytes at each request. */
export function createFiles(origin: Origin, sessions: SessionWorld) {
  return {
    /** Number of parts: 2 to 4, fewer only where there are fewer sessions, and one empty file where there is none. */
    count: (run: Run) => partCount(origin, run, run.isEmpty ? 0 : (siteTotals(sessions, selectionOf(run), 0)[0]?.visits ?? 0)),
    /** `partId` counts from 1. */
    async part(run: Run, partId: number) {
      const order = { origin, sessions, run, partId };
      const part = await written.fetch(keyOf(order), { context: order });
      if (!part) throw new Error(`FilePart ${partId} of run ${run.runId} could not be written.`);
      return part;
    },
  };
}
