import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import { HAR_VIEWS } from '../../../src/har/answer/har-answer.ts';
import type { HarQuery } from '../../../src/har/answer/har-query.ts';
import { HarError, resourceTypes } from '../../../src/har/read/har-model.ts';
import { readHar } from '../../../src/har/read/read-har.ts';
import { sanitiseHar } from '../../../src/har/sanitise/sanitise-har.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { harSchema } from '../har-schema.ts';
import { at, entry, har, type Json, type JsonObject } from '../sample.ts';
import { comparison, comparisonOf, digestOf, everything, view, viewOf } from './views.ts';

/** A small file with a redirect, headers and a body, as text. */
const BASE = JSON.stringify(
  har([
    entry({
      url: 'https://a.example/',
      response: { status: 302, redirectURL: 'https://www.a.example/' },
      entry: { _initiator: { type: 'other' } },
    }),
    entry({
      url: 'https://www.a.example/?q=1',
      startedDateTime: at(10),
      headers: { expires: '0', location: '/x', 'server-timing': 'a;dur=1' },
    }),
    entry({ url: 'https://c.example/a.js', request: { postData: { mimeType: 'a/b', text: 'x' } }, content: { text: 'x' } }),
  ]),
);

interface Change {
  at: number;
  to: unknown;
}

const ODD: unknown[] = [
  null,
  -1,
  0,
  1e308,
  9e15,
  '',
  '\uD800',
  '\u0000',
  ' \u202E',
  '%',
  '@',
  'https://',
  'data:',
  [],
  {},
  [[]],
  true,
  '2026-13-45T00:00:00Z',
  '__proto__',
  undefined,
];
/** Shorter times are as long, because they say little. */
const SHORTEST_MS = 5;

/** Up to six changes of members. */
const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ at: fc.nat(), to: fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' })) }),
  { minLength: 1, maxLength: 6 },
);

/** Sets members anywhere in the file, deeper ones too, to anything; undefined removes them. */
function mutate(change: Change[]): Json {
  const root: { [name: string]: Json } = { file: JSON.parse(BASE) };
  for (const { at: position, to } of change) {
    const places = allPlaces(root);
    const place = places[position % places.length];
    if (!place) continue;
    const value: Json | undefined = to === undefined ? undefined : JSON.parse(JSON.stringify(to) ?? 'null');
    if (Array.isArray(place.parent)) place.parent[Number(place.key)] = value ?? null;
    else if (value === undefined) Reflect.deleteProperty(place.parent, place.key);
    else place.parent[place.key] = value;
  }
  return root.file ?? null;
}

function allPlaces(value: Json, found: { parent: Json[] | JsonObject; key: string }[] = []) {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, member] of Object.entries(value)) {
    found.push({ parent: value, key });
    allPlaces(member, found);
  }
  return found;
}

/** A machine with other work needs several rounds until one of each size ran undisturbed. */
const MOST_ROUNDS = 30;

/**
 * How many times as long a task takes for a large input as for a small one, by the quickest of a few runs of each: pauses of the machine
 * only make runs longer. Runs are repeated until the ratio is below `most`, at most five times.
 */
function growthOf(small: () => void, large: () => void, most: number): number {
  const timeOf = (work: () => void) => {
    const started = performance.now();
    work();
    return performance.now() - started;
  };
  let quickest = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY };
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS && growth >= most; round += 1) {
    quickest = { small: Math.min(quickest.small, timeOf(small)), large: Math.min(quickest.large, timeOf(large)) };
    growth = quickest.large / Math.max(quickest.small, SHORTEST_MS);
  }
  return growth;
}

/** Entries that are hard in their own ways, by index and number of all. */
const shapes: [string, (index: number, count: number) => JsonObject][] = [
  ['one address', () => entry()],
  [
    'a chain of redirects',
    (index) =>
      entry({ url: `https://a.example/${index}`, startedDateTime: at(index), response: { status: 302, redirectURL: `/${index + 1}` } }),
  ],
  ['redirects to one address', () => entry({ url: 'https://a.example/', response: { status: 302, redirectURL: '/' } })],
  [
    'redirects back in time',
    (index, count) =>
      entry({ url: `https://a.example/${index % 2}`, startedDateTime: at(count - index), response: { status: 302, redirectURL: '/0' } }),
  ],
  ['a host each', (index) => entry({ url: `https://h${index}.d${index}.example/a.js` })],
];

const text = fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('a.js', 'example', '…', '.', '[removed]'));
const amount = fc.oneof(fc.nat(5000), fc.double({ min: 0, noNaN: true }));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const queries: fc.Arbitrary<HarQuery> = fc.record({
  view: optional(fc.constantFrom(...HAR_VIEWS)),
  url: optional(text),
  type: optional(fc.constantFrom(...resourceTypes)),
  domain: optional(text),
  status: optional(fc.constantFrom('0', '404', '2xx', '5XX')),
  minDurationMs: optional(amount),
  minBytes: optional(amount),
  limit: optional(fc.integer({ min: 1, max: 500 })),
  cursor: optional(fc.base64String()),
});

/** The answer as text, or the words of an error; any other error is thrown. */
function answerOf(work: () => unknown): { answer: string } | { error: string } {
  try {
    return { answer: JSON.stringify(work()) };
  } catch (error) {
    if (error instanceof HarError || error instanceof ApiError) return { error: error.message };
    throw error;
  }
}

/** What is wrong with an answer or with the words of an error. */
function fault(result: ReturnType<typeof answerOf>): string | null {
  if ('error' in result) return /^(?:[A-Z]|cursor ).{15,}\.$/.test(result.error) ? null : result.error;
  return /NaN|Infinity|undefined|\[object/.exec(result.answer)?.[0] ?? null;
}

/** The digest of a file whose copy is valid. */
function digestIn(file: unknown) {
  const read = readHar(file);
  expect(harSchema.safeParse(sanitiseHar(read)).error?.issues).toBeUndefined();
  return digestOf(read);
}

describe('a HAR with changed members', () => {
  const numRuns = sampleSize({ full: 500, short: 100 });

  it('gives every view with the rows that findings count, a valid copy and its own comparison, or a worded error', () => {
    fc.assert(
      fc.property(changes, (change) => {
        const file = mutate(change);
        expect(fault(answerOf(() => everything(file)))).toBeNull();
        const digest = answerOf(() => digestIn(file));
        expect(fault(digest)).toBeNull();
        expect(answerOf(() => digestIn(JSON.stringify(file)))).toEqual(digest);
        if ('error' in digest) return;
        const { findings = [], rows = [] } = view(file, { view: 'problems', limit: 100_000 });
        for (const { problem, requests } of findings) expect(rows.filter(([name]) => name === problem)).toHaveLength(requests);
        const { matched: _, ...changed } = comparison(file, file).counts;
        expect(Object.values(changed).filter((count) => count > 0)).toEqual([]);
      }),
      { numRuns },
    );
  });

  it('gives an answer to any question, or a worded error', { tags: 'nightly' }, () => {
    fc.assert(
      fc.property(changes, queries, (change, query) => {
        expect(fault(answerOf(() => view(mutate(change), query)))).toBeNull();
      }),
      { numRuns },
    );
  });

  it('is compared with another one in both directions, or refused with words', () => {
    fc.assert(
      fc.property(changes, changes, (one, other) => {
        expect(fault(answerOf(() => comparison(mutate(one), BASE)))).toBeNull();
        expect(fault(answerOf(() => comparison(mutate(one), mutate(other))))).toBeNull();
      }),
      { numRuns },
    );
  });
});

describe('any text', () => {
  const isJson = (file: string) => {
    try {
      JSON.parse(file);
      return true;
    } catch {
      return false;
    }
  };

  it('that is cut or stained gives a result or an error that says so', () => {
    fc.assert(
      fc.property(fc.nat(BASE.length), fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(5), (position, stain, removed) => {
        const file = BASE.slice(0, position) + stain + BASE.slice(position + removed);
        const answer = answerOf(() => digestIn(file));
        expect(fault(answer)).toBeNull();
        expect('error' in answer && answer.error.startsWith('The HAR file is not valid JSON')).toBe(!isJson(file));
      }),
      { numRuns: sampleSize({ full: 1000, short: 200 }) },
    );
  });

  it('or value gives a result or a worded error', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json(), fc.anything());
    fc.assert(
      fc.property(anything, (input) => {
        expect(fault(answerOf(() => digestIn(input)))).toBeNull();
      }),
    );
  });

  it('nested 200,000 deep is read or refused', () => {
    const depth = 200_000;
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    const said = (file: string) => Object.values(answerOf(() => digestIn(file)))[0];
    expect(said(`{"log":{"entries":[],"_x":${deep}}}`)).toContain('"requests":0');
    expect(said(`{"log":{"entries":${deep}}}`)).toMatch(/^No entry of the HAR file/);
    expect(said(`{"log":{"entries":${deep.slice(0, -depth)}`)).toMatch(/^The HAR file is not valid JSON/);
  });
});

describe('50,000 requests', () => {
  const most = sampleSize({ full: 50_000, short: 20_000 });

  it.each(shapes)('are read in every view and compared in a time that grows with their number: %s', { tags: 'nightly' }, (_shape, make) => {
    const workOf = (count: number) => {
      const file = har(Array.from({ length: count }, (_, index) => make(index, count)));
      return () => {
        const read = readHar(file);
        for (const name of HAR_VIEWS) expect(viewOf(read, { view: name }).view).toBe(name);
        expect(viewOf(read, { url: 'a.js' }).page?.matched).toBeLessThanOrEqual(count);
        expect(comparisonOf(read, { ...read, entries: read.entries.slice(1) }).counts).toMatchObject({ matched: count - 1, removed: 1 });
      };
    };
    // Ten times the entries take about ten times as long; a search in the square takes a hundred.
    expect(growthOf(workOf(most / 10), workOf(most), 40)).toBeLessThan(40);
  });
});
