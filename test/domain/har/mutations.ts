import * as fc from 'fast-check';
import { at, entry, har, type Json, type JsonObject } from './sample.ts';

/** A small file with a redirect, headers and a body, as text. */
export const BASE = JSON.stringify(
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
export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ at: fc.nat(), to: fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' })) }),
  { minLength: 1, maxLength: 6 },
);

/** Sets members anywhere in the file, deeper ones too, to anything; undefined removes them. */
export function mutate(change: Change[]): Json {
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
export function growthOf(small: () => void, large: () => void, most: number): number {
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
export const shapes: [string, (index: number, count: number) => JsonObject][] = [
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
