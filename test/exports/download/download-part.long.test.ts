import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkspaceError } from '../../../src/exports/store/disk.ts';
import { shownHints } from '../../../src/lib/hint.ts';
import { times } from '../../support/times.ts';
import * as store from './store-stub.ts';

const rows = (count: number, salt = '') => times(count, (index) => `{"n":${index},"s":"${salt}${index * 7919}"}\n`).join('');
const PLAIN = Buffer.from(rows(4_000));
const FILE = gzipSync(PLAIN);
const OTHER = gzipSync(rows(4_000, 'x'));

/** Downloads and gives the file or the error, with what is left in the directory. */
async function outcome(bytes: Buffer, behaviours: store.Behaviour[], attempt: Partial<store.Attempt> = {}) {
  const directory = store.scratchDirectory();
  const { stub, fetchPart, url } = await store.openStore(bytes, behaviours);
  const result = await fetchPart({ directory, fileSize: bytes.length, ...attempt }).catch((error: unknown) => error);
  return { result, directory, stub, url, fetchPart };
}

describe('a part arrives whole', () => {
  const [third, half] = [Math.floor(FILE.length / 3), Math.floor(FILE.length / 2)];
  it.each<[string, store.Behaviour[], number]>([
    ['in one piece', [store.serve], 1],
    ['after a cut', [store.cutAfter(third), store.serve], 2],
    ['after cuts, each of which brings something', times(12, () => store.cutAfter(500)), 99],
    ['after 500 and 503', [store.refuse(500), store.refuse(503, { 'retry-after': '2' }), store.serve], 3],
    ['at a new address, where it expires in the middle', [store.cutAfter(half), store.refuse(403), store.serve], 3],
    ['where more was announced than there is', [store.announceMore(64), store.serve], 2],
    ['where the store knows no ranges', [store.withoutRanges(third), store.withoutRanges()], 2],
    ['where the store tells no length', [store.withoutLength], 1],
  ])('%s', async (_what, behaviours, requests) => {
    const all = behaviours.length === 12 ? [...behaviours, store.serve] : behaviours;
    const { result, directory, stub } = await outcome(FILE, all);
    expect(result).toMatchObject({ name: 'part-00001.jsonl.gz', bytes: FILE.length, sha256: store.sha256(FILE), gzip: true, rows: 4_000 });
    expect(store.isWhole(directory, result as never, FILE)).toBe(true);
    expect(stub.ranges.length).toBeLessThanOrEqual(requests);
    expect(readdirSync(directory).toSorted()).toEqual(['part-00001.json', 'part-00001.jsonl.gz']);
  });

  it('by resuming where it was cut, with the tag of the file', async () => {
    const { stub } = await outcome(FILE, [store.cutAfter(1_000), store.serve]);
    expect(stub.ranges).toEqual(['', 'bytes=1000-']);
    expect(stub.headers[1]).toMatchObject({ 'if-range': store.tagOf(FILE) });
  });

  it('as the new file, where it changes between the cut and the rest', async () => {
    const { result, directory } = await outcome(FILE, [store.cutAfter(1_000), store.changeTo(OTHER, store.serve)], { fileSize: undefined });
    expect(store.isWhole(directory, result as never, OTHER)).toBe(true);
  });

  it('from the beginning, where the store gives no tag', async () => {
    const untagged: store.Behaviour = (request, response, stub) => {
      stub.etag = undefined;
      (stub.ranges.length === 1 ? store.cutAfter(1_000) : store.serve)(request, response, stub);
    };
    const { result, stub } = await outcome(FILE, [untagged]);
    expect(result).toMatchObject({ sha256: store.sha256(FILE) });
    expect(stub.ranges).toEqual(['', '']);
  });

  it('packed or not, whatever it is called, several gzip members too, and whichever size was announced', async () => {
    expect((await outcome(FILE, [store.serve], { fileSize: PLAIN.length })).result).toMatchObject({ bytes: FILE.length });
    expect((await outcome(PLAIN, [store.serve])).result).toMatchObject({ name: 'part-00001.jsonl', gzip: false, rows: 4_000 });
    const members = Buffer.concat([gzipSync(rows(10)), gzipSync(rows(5))]);
    expect((await outcome(members, [store.serve])).result).toMatchObject({ gzip: true, rows: 15 });
    expect((await outcome(Buffer.alloc(0), [store.serve])).result).toMatchObject({ name: 'part-00001.jsonl', bytes: 0, rows: 0 });
    const csv = Buffer.from('a,b\n1,"two\nlines"\n2,"and ""quotes"""');
    expect((await outcome(csv, [store.serve], { format: 'CSV' })).result).toMatchObject({ name: 'part-00001.csv', rows: 2 });
  });
});

it('a part of very regular rows arrives whole, though it unpacks to hundreds of times its size', { tags: 'nightly' }, async () => {
  const row = { project_id: 1201, is_excludable: false, device_id: 1, country_code: 'DE', browser_name: 'Chrome', session_number: 1 };
  const plain = Buffer.from(`${JSON.stringify(row)}\n`.repeat(1_000_000));
  const packed = gzipSync(plain, { level: 9 });
  expect(plain.length / packed.length).toBeGreaterThan(250);
  const { result } = await outcome(packed, [store.serve]);
  expect(result).toMatchObject({ gzip: true, rows: 1_000_000, bytes: packed.length, sha256: store.sha256(packed) });
});

describe('a part that cannot be had is an error, and never a short file', () => {
  it.each<[string, store.Behaviour[], Partial<store.Attempt>, string, RegExp]>([
    [
      'always cut at once',
      [store.cutAfter(0)],
      {},
      'store',
      /(broke off after 0 B|broke).*Given up after 6 tries; what has arrived is kept: call again/,
    ],
    ['always 500', [store.refuse(500)], {}, 'store', /answered 500\. Given up after 6 tries/],
    ['always refused', [store.refuse(403)], {}, 'store', /refuses file 1 \(403\) at a fresh address too/],
    [
      'refused, and the run has it no more',
      [store.refuse(403)],
      { refreshed: undefined },
      'gone',
      /its expirationDate has passed\. find_export_gaps plans/,
    ],
    ['shorter than announced by the run', [store.serve], { fileSize: FILE.length + 1 }, 'damaged', /but the run announced/],
    ['longer than announced by the run', [store.serve], { fileSize: FILE.length - 1 }, 'damaged', /but the run announced/],
    ['a store that is silent', [() => undefined], { idleTimeoutMs: 20 }, 'store', /was silent for 20 ms\. Given up/],
    [
      'a changed file at every turn',
      times(9, (index) => store.changeTo(gzipSync(rows(900 + index)), store.cutAfter(700))),
      {},
      'store',
      /changes again and again/,
    ],
    [
      'a disk quota that is too small',
      [store.serve],
      { quotaBytes: 5_000 },
      'full',
      /No room for another .* Make room with purge_workspace/,
    ],
    ['an address inside, from a platform outside', [store.serve], { allowInner: false }, 'address', /leads into this machine/],
    ['redirects in a circle', [store.refuse(302, { location: '/exports/part-1' })], {}, 'store', /only redirects/],
    ['a redirect to another protocol', [store.refuse(302, { location: 'file:///etc/passwd' })], {}, 'address', /is not https/],
    [
      'a redirect with a password',
      [store.refuse(302, { location: 'https://a:b@store.example.com/' })],
      {},
      'address',
      /carries a user name/,
    ],
  ])('%s', async (_what, behaviours, attempt, kind, words) => {
    const { result, directory } = await outcome(FILE, behaviours, attempt);
    expect(result).toBeInstanceOf(WorkspaceError);
    expect(result).toMatchObject({ kind });
    expect(shownHints((result as Error).message)).toMatch(words);
    expect(readdirSync(directory).filter((name) => name.endsWith('.gz') || name.endsWith('.jsonl'))).toEqual([]);
  });

  const flipped = Buffer.from(FILE);
  flipped.writeUInt8(FILE.readUInt8(FILE.length >> 1) ^ 4, FILE.length >> 1);
  it.each([
    [
      'cut short, although every length agrees',
      FILE.subarray(0, FILE.length - 9),
      / is not a complete gzip file \(unexpected end of file\)/,
    ],
    ['with a flipped bit', flipped, /^File 1 /],
  ])('gzip %s', async (_what, bytes, words) => {
    const { result, stub } = await outcome(bytes, [store.serve]);
    expect(result).toMatchObject({ kind: 'damaged', message: expect.stringMatching(words) });
    expect(stub.ranges).toEqual(['', '']);
  });
});

describe('another process', () => {
  async function givenUp() {
    const directory = store.scratchDirectory();
    const { stub, fetchPart } = await store.openStore(FILE, [store.cutAfter(2_000), store.refuse(500)]);
    await expect(fetchPart({ directory, fileSize: FILE.length })).rejects.toThrow('Given up');
    stub.ranges.length = 0;
    return { directory, stub, fetchPart };
  }

  it('goes on where the first was', async () => {
    const { directory, stub, fetchPart } = await givenUp();
    stub.behaviours = [store.serve];
    const file = await fetchPart({ directory, fileSize: FILE.length });
    expect(store.isWhole(directory, file, FILE)).toBe(true);
    expect(stub.ranges).toEqual(['bytes=2000-']);
    expect(await fetchPart({ directory, fileSize: FILE.length })).toEqual(file);
    expect(stub.ranges).toHaveLength(1);
  });

  it('begins anew where what is there is of another file', async () => {
    const { directory, stub, fetchPart } = await givenUp();
    stub.behaviours = [store.changeTo(OTHER, store.serve)];
    expect(store.isWhole(directory, await fetchPart({ directory, fileSize: OTHER.length }), OTHER)).toBe(true);
  });
});

it('a part whose file another process cuts meanwhile is an error', async () => {
  const directory = store.scratchDirectory();
  const cutting: store.Behaviour = (request, response, stub) => {
    truncateSync(join(directory, 'part-00001.part'), 1_000);
    store.serve(request, response, stub);
  };
  const { fetchPart } = await store.openStore(FILE, [store.cutAfter(2_000), cutting]);
  await expect(fetchPart({ directory, fileSize: FILE.length })).rejects.toThrow(/another process writes it/);
});

it('whatever the store does, there is a whole file or an error', { tags: 'nightly' }, async () => {
  const step = record({
    kind: constantFrom('cut', 'more', 'noRanges', '500', '403', 'break', 'change'),
    at: integer({ min: 0, max: FILE.length }),
  });
  const behaviourOf = ({ kind, at }: { kind: string; at: number }): store.Behaviour => {
    if (kind === 'cut') return store.cutAfter(at);
    if (kind === 'more') return store.announceMore(at + 1);
    if (kind === 'noRanges') return store.withoutRanges(at);
    if (kind === 'change') return store.changeTo(at % 2 ? FILE : OTHER, store.cutAfter(at));
    return kind === 'break' ? store.breakOff : store.refuse(Number(kind));
  };
  let whole = 0;
  await assert(
    asyncProperty(array(step, { maxLength: 7 }), async (steps) => {
      const { result, stub, directory } = await outcome(FILE, [...steps.map(behaviourOf), store.serve], { fileSize: undefined });
      if (result instanceof WorkspaceError) return readdirSync(directory).every((name) => !name.endsWith('.gz'));
      whole += 1;
      return store.isWhole(directory, result as never, stub.bytes);
    }),
    { numRuns: 80, seed: 7 },
  );
  expect(whole).toBeGreaterThan(40);
});

it('a file store is asked without a credential of any kind, at the first address and at a new one', async () => {
  const { stub } = await outcome(FILE, [store.refuse(403), store.serve]);
  expect(stub.headers.length).toBe(2);
  const usual = new Set(['accept', 'accept-encoding', 'connection', 'host', 'range', 'user-agent']);
  for (const headers of stub.headers) expect(Object.keys(headers).filter((name) => !usual.has(name))).toEqual([]);
});
