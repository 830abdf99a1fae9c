import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { daysIn, hullOf, type Interval, intersect, lengthOf, subtract, union } from '../../src/lib/intervals.ts';

const LAST = 24;
/** Small whole numbers, so that intervals meet, overlap and are empty often. */
const some = fc.array(
  fc.tuple(fc.nat(LAST), fc.nat(LAST)).map(([startMs, endMs]) => ({ startMs, endMs })),
  { maxLength: 6 },
);
const holds = (intervals: readonly Interval[], ms: number) => intervals.some(({ startMs, endMs }) => startMs <= ms && ms < endMs);
const instants = Array.from({ length: LAST + 1 }, (_, ms) => ms);

it('hold an instant where the plain rule says so, in order and apart', () => {
  fc.assert(
    fc.property(some, some, (a, b) => {
      const found: readonly (readonly [Interval[], (ms: number) => boolean])[] = [
        [union(a), (ms) => holds(a, ms)],
        [intersect(a, b), (ms) => holds(a, ms) && holds(b, ms)],
        [subtract(a, b), (ms) => holds(a, ms) && !holds(b, ms)],
      ];
      for (const [intervals, isIn] of found) {
        expect(instants.filter((ms) => holds(intervals, ms))).toEqual(instants.filter(isIn));
        const edges = intervals.flatMap(({ startMs, endMs }) => [startMs, endMs]);
        expect(edges).toEqual([...new Set(edges)].toSorted((x, y) => x - y));
        expect(lengthOf(intervals)).toBe(instants.filter(isIn).length);
      }
      const inside = instants.filter((ms) => holds(a, ms));
      expect(hullOf(a)).toEqual(inside.length === 0 ? undefined : { startMs: inside[0], endMs: (inside.at(-1) ?? 0) + 1 });
    }),
  );
});

it('hold whole days, or parts of them; what is not known holds none', () => {
  const days = [
    { startMs: DAY_MS / 2, endMs: 3 * DAY_MS },
    { startMs: 5 * DAY_MS, endMs: 5 * DAY_MS + 1 },
  ];
  expect([...daysIn(days)]).toEqual([1, 2]);
  expect([...daysIn(days, 'touched')]).toEqual([0, 1, 2, 5]);
  expect(
    union([
      { startMs: Number.NaN, endMs: 5 },
      { startMs: 1, endMs: Number.NaN },
    ]),
  ).toEqual([]);
});
