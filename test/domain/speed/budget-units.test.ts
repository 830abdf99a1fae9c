import { expect, test } from 'vitest';
import { inOwnUnits } from '../../../src/domain/speed/budget-units.ts';

/** The limits as they are kept, with what was said of them. */
function read(given: readonly { readonly metric: string; readonly limit: number }[]) {
  const notes: string[] = [];
  const limits = inOwnUnits(given, (sentence) => notes.push(sentence))?.map(({ limit }) => limit);
  return { limits, notes };
}
const limitOf = (metric: string, limit: number) => read([{ metric, limit }]).limits?.[0];

test('limits in seconds, kB and MB are taken as such where ms and bytes make no sense, and said', () => {
  const given = [
    { metric: 'largestContentfulPaint', limit: 2.5 },
    { metric: 'totalBlockingTime', limit: 0.2 },
    { metric: 'weight', limit: 2.6 },
    { metric: 'weight', limit: 900 },
  ];
  const { limits, notes } = read(given);
  expect(limits).toEqual([2_500, 200, 2_600_000, 900_000]);
  expect(notes).toHaveLength(4);
  expect(notes[2]).toMatch(/^limit 2\.6 of weight = 2\.6.MB: /);
});

test.each([
  ['weight', 1600, 1_600_000],
  ['weight', 9_500, 9_500_000],
  ['firstByte', 0.8, 800],
  ['firstByte', 3, 3_000],
  ['speedIndex', 4, 4_000],
])('a limit of %s of %d is converted with a note', (metric, limit, own) => {
  const { limits, notes } = read([{ metric, limit }]);
  expect(limits).toEqual([own]);
  expect(notes[0]).toContain(`limit ${limit} of ${metric} = `);
});

test.each([
  ['cumulativeLayoutShift', 10, /: it has no unit and hardly ever exceeds 1; good is up to 0\.1\. Which limit is\?$/],
  ['cumulativeLayoutShift', 25, /^budgets: a limit of 25 for cumulativeLayoutShift cannot be meant: /],
  ['largestContentfulPaint', 2_500_000, /hardly ever exceeds 10.min; good is up to 2\.5.s/],
  ['largestContentfulPaint', 0, /no page keeps it; good is up to/],
  ['weight', 1.6e9, /hardly ever exceeds 1.GB/],
])('a limit of %s of %d is asked back', (metric, limit, words) => {
  expect(() => read([{ metric, limit }])).toThrow(words);
});

test('limits that may be meant as they are stay so', () => {
  expect(limitOf('largestContentfulPaint', 2_500)).toBe(2_500);
  expect(limitOf('totalBlockingTime', 10)).toBe(10);
  expect(limitOf('totalBlockingTime', 0)).toBe(0);
  expect(limitOf('firstByte', 50)).toBe(50);
  expect(limitOf('cumulativeLayoutShift', 0.1)).toBe(0.1);
  expect(limitOf('request', 60)).toBe(60);
  expect(limitOf('weight', 300_000)).toBe(300_000);
  expect(read([{ metric: 'weight', limit: 300_000 }]).notes).toEqual([]);
});
