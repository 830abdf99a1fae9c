import { gunzipSync } from 'node:zlib';
import { parse } from 'lossless-json';
import { exportHandlers } from '../../src/emulator/handlers/data-export.ts';
import { Refusal } from '../../src/emulator/responses.ts';
import { createStore } from '../../src/emulator/start-emulator.ts';
import type { JobInput } from '../../src/emulator/world/exports/schedule.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import type { MovablePlace } from './place.ts';

/** From the creation of a once job to its files. */
export const DONE_MS = 2 * MINUTE_MS;

/** A once job over these days, all sessions as JSONL with the fields named, unless `more` says otherwise. */
export function onceJob(from: string, to: string, more: Partial<JobInput> = {}): JobInput {
  return {
    name: 'A job',
    format: 'JSONL',
    scope: 'sessions',
    frequency: { value: 'once', dateRange: { from, to } },
    fields: [{ fieldName: 'session_id' }],
    deviceLabel: 'all',
    ...more,
  };
}

/** Fields without alias. */
export function fieldsNamed(...names: string[]): JobInput['fields'] {
  return names.map((fieldName) => ({ fieldName }));
}

/** Every part of a run, unpacked, fetched from the file store by its address. */
export async function partsOf(place: MovablePlace, jobId: number, runId: number): Promise<string[]> {
  const store = createStore(place.world, { now: () => place.nowMs });
  const { files } = await exportHandlers.getExportRun({ jobId, runId }, place);
  const bodies = [];
  for (const { url, fileSize } of files ?? []) {
    const response = await store.request(url);
    if (response.status !== 200) throw new Error(`The store answers ${response.status}: ${await response.text()}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (bytes.length !== fileSize) throw new Error(`fileSize ${fileSize}, but ${bytes.length} bytes arrive`);
    bodies.push(gunzipSync(bytes).toString('utf8'));
  }
  return bodies;
}

/** Creates the job, lets the clock run until it is done, and returns the text of its files. */
export async function exported(place: MovablePlace, input: JobInput): Promise<string[]> {
  const { jobId } = await exportHandlers.createExportJob(input, place);
  place.nowMs += DONE_MS;
  const [run] = await exportHandlers.listExportRuns({ jobId: Number(jobId) }, place);
  return partsOf(place, Number(jobId), Number(run?.jobRunId));
}

/** The rows of JSONL parts; integers beyond 2^53 are bigint. */
export function rowsOf(parts: readonly string[]): Record<string, unknown>[] {
  const lines = parts.join('').split('\n').slice(0, -1);
  return lines.map((line) => parse(line, undefined, numberOf) as Record<string, unknown>);
}

function numberOf(text: string): number | bigint {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

/** Sum of one column. */
export function sumOf(rows: readonly Record<string, unknown>[], name: string): number {
  return rows.reduce((sum, row) => sum + Number(row[name]), 0);
}

/** The refusal that a handler answers with; fails where it answers. */
export async function refusalOf(run: () => unknown): Promise<Refusal> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
}
