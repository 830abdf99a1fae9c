import { Hono } from 'hono';
import { FILE_LIFE_MS } from '../api/params.ts';
import type { Clock } from '../lib/clock.ts';
import { projects } from './projects.ts';
import { idsOf, type Part } from './world/exports/files.ts';
import { runState, runWithId } from './world/exports/schedule.ts';
import type { World } from './world/index.ts';

/** A refusal as object stores give it. */
function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return new Response(body, { status, headers: { 'content-type': 'application/xml', ...headers } });
}

/** First and last byte that a `Range` of one part asks for; undefined where it is to be ignored, null where it lies outside. */
function rangeOf(header: string | undefined, size: number): readonly [number, number] | null | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return Number(last) === 0 || size === 0 ? null : [Math.max(0, size - Number(last)), size - 1];
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return Number(first) >= size ? null : [Number(first), Math.min(size - 1, last === '' ? size - 1 : Number(last))];
}

/** The whole part, or the bytes that the headers ask for. */
function answer({ bytes, etag }: Part, range: string | undefined, ifRange: string | undefined): Response {
  const headers = { 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream', etag };
  const wanted = ifRange === undefined || ifRange.trim() === etag ? rangeOf(range, bytes.length) : undefined;
  if (wanted === null) {
    return refusal(416, 'InvalidRange', 'The requested range lies outside the file.', { 'content-range': `bytes */${bytes.length}` });
  }
  if (!wanted) return new Response(new Uint8Array(bytes), { headers: { ...headers, 'content-length': String(bytes.length) } });
  const [first, last] = wanted;
  const part = new Uint8Array(bytes.subarray(first, last + 1));
  const contentRange = `bytes ${first}-${last}/${bytes.length}`;
  return new Response(part, { status: 206, headers: { ...headers, 'content-range': contentRange, 'content-length': String(part.length) } });
}

/** The file store: delivers parts by their signed address alone, as long as they live. */
export function createStore({ exports }: Pick<World, 'exports'>, clock: Pick<Clock, 'now'>): Hono {
  const store = new Hono();
  store.get('/exports/*', async (context) => {
    if (context.req.header('authorization') !== undefined) {
      return refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed: the signature of the address or the Authorization header.');
    }
    const { path } = context.req;
    const { expires = '', signature = '' } = context.req.query();
    if (!exports.addresses.genuine(path, expires, signature)) return refusal(403, 'SignatureDoesNotMatch', 'The signature does not match.');
    const nowMs = clock.now();
    if (nowMs >= Number(expires) * 1000) return refusal(403, 'AccessDenied', 'Request has expired.');
    const ids = idsOf(path);
    const project = projects.find(({ id }) => id === ids?.projectId);
    const job = project && exports.jobs(project, nowMs).find(({ jobId }) => jobId === ids?.jobId);
    const run = job && ids && runWithId(job, ids.runId, nowMs);
    if (!run || runState(run, nowMs) !== 'SUCCESS' || nowMs >= run.endMs + FILE_LIFE_MS) return refusal(404, 'NoSuchKey', 'No such file.');
    const part = await exports.files.part(run, ids.partId);
    return answer(part, context.req.method === 'HEAD' ? undefined : context.req.header('range'), context.req.header('if-range'));
  });
  store.notFound(() => refusal(404, 'NoSuchKey', 'No such file.'));
  return store;
}
