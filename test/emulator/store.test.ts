import { assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportHandlers } from '../../src/emulator/handlers/data-export.ts';
import { createStore } from '../../src/emulator/start-emulator.ts';
import { DONE_MS, onceJob } from './export-place.ts';
import { placeOf } from './place.ts';

/** A store, and one file in it. */
async function storeWithFile(seed = 1) {
  const place = placeOf(undefined, seed);
  const { jobId } = await exportHandlers.createExportJob(onceJob('2026-11-18', '2026-11-19'), place);
  place.nowMs += DONE_MS;
  const [run] = await exportHandlers.listExportRuns({ jobId: Number(jobId) }, place);
  const { files } = await exportHandlers.getExportRun({ jobId: Number(jobId), runId: Number(run?.jobRunId) }, place);
  const [file] = files ?? [];
  if (!file) throw new Error('no file');
  return { store: createStore(place.world, { now: () => place.nowMs }), file, url: file.url };
}

const { store, file, url } = await storeWithFile();
const get = (headers: Record<string, string> = {}, method = 'GET') => store.request(url, { method, headers });

async function bytesOf(response: Response | Promise<Response>): Promise<Buffer> {
  return Buffer.from(await (await response).arrayBuffer());
}

const whole = await bytesOf(get());

describe('file store', () => {
  test('delivers gzip bytes as they are, with length and tag', async () => {
    const response = await get();
    const bytes = await bytesOf(response);
    expect(response.status).toBe(200);
    expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'content-length': String(file.fileSize),
      'content-type': 'application/octet-stream',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    });
  });

  test('gives the same bytes and tag in another process of the same seed', async () => {
    const same = await storeWithFile();
    const [mine, theirs] = [await get(), await same.store.request(url)];
    expect(theirs.headers.get('etag')).toBe(mine.headers.get('etag'));
    expect(await bytesOf(theirs)).toEqual(whole);
    expect((await (await storeWithFile(2)).store.request(url)).status).toBe(403);
  });

  test('answers HEAD with the same headers and no body, whatever range is asked', async () => {
    const response = await get({ range: 'bytes=0-9' }, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(file.fileSize)]);
    expect(await bytesOf(response)).toHaveLength(0);
  });

  test('refuses an Authorization header, even with a good signature', async () => {
    const response = await get({ authorization: 'Bearer abc' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Only one auth mechanism allowed');
  });

  test.each<[string, (at: URL) => void]>([
    ['no signature', (at) => at.searchParams.delete('signature')],
    ['another signature', (at) => at.searchParams.set('signature', 'ab'.repeat(32))],
    ['a later expiry', (at) => at.searchParams.set('expires', String(Number(at.searchParams.get('expires')) + 1))],
    ['no expiry', (at) => at.searchParams.delete('expires')],
    ['another part', (at) => Object.assign(at, { pathname: at.pathname.replace('part-00001', 'part-00002') })],
    ['another project', (at) => Object.assign(at, { pathname: at.pathname.replace('/1201/', '/1202/') })],
  ])('refuses an address with %s', async (_, change) => {
    const changed = new URL(url);
    change(changed);
    const response = await store.request(changed.href);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('SignatureDoesNotMatch');
  });

  test('knows nothing else', async () => {
    expect((await store.request('/')).status).toBe(404);
    expect((await store.request('/exports/1201')).status).toBe(403);
  });
});

test.each([
  ['bytes=0-0', 206, 0, 1],
  ['bytes=10-19', 206, 10, 20],
  ['bytes=10-', 206, 10, undefined],
  ['bytes=-5', 206, -5, undefined],
  ['bytes=-99999999', 206, 0, undefined],
  ['bytes=0-99999999', 206, 0, undefined],
  ['bytes=5-4', 200, 0, undefined],
  ['bytes=0-1,4-5', 200, 0, undefined],
  ['lines=0-1', 200, 0, undefined],
  ['bytes=-', 200, 0, undefined],
])('ranges %s is answered with %i', async (range, status, from, to) => {
  const response = await get({ range });
  expect(response.status).toBe(status);
  const part = await bytesOf(response);
  expect(part).toEqual(whole.subarray(from, to));
  expect(response.headers.get('content-length')).toBe(String(part.length));
  const first = from < 0 ? whole.length + from : from;
  expect(response.headers.get('content-range')).toBe(status === 206 ? `bytes ${first}-${first + part.length - 1}/${whole.length}` : null);
});

test.each(['bytes=99999999-', 'bytes=-0'])('ranges %s lies outside', async (range) => {
  const response = await get({ range });
  expect([response.status, response.headers.get('content-range')]).toEqual([416, `bytes */${file.fileSize}`]);
});

test('ranges If-Range resumes the same file and starts another one again', async () => {
  const etag = (await store.request(url)).headers.get('etag') ?? '';
  const status = async (ifRange: string) => (await get({ range: 'bytes=100-', 'if-range': ifRange })).status;
  expect(await status(etag)).toBe(206);
  expect(await status('"other"')).toBe(200);
  expect(await status('Fri, 20 Nov 2026 10:00:00 GMT')).toBe(200);
});

test('ranges pieces of any size make up the file', async () => {
  await assert(
    asyncProperty(integer({ min: 500, max: whole.length + 10 }), async (size) => {
      const pieces = [];
      for (let at = 0; at < whole.length; at += size) {
        pieces.push(await bytesOf(store.request(url, { headers: { range: `bytes=${at}-${at + size - 1}` } })));
      }
      expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    }),
    { numRuns: 15 },
  );
});
