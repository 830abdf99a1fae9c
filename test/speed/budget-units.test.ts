import { expect, test } from 'vitest';
import { inOwnUnits } from '../../src/speed/budgets.ts';

/** A limit as it is kept, with what was said of it. */
function read(metric: string, limit: number) {
  const notes: string[] = [];
  return { limit: inOwnUnits([{ metric, limit }], (sentence) => notes.push(sentence))?.[0]?.limit, notes };
}

test.each([
  ['largestContentfulPaint', 2.5, 2_500],
  ['totalBlockingTime', 0.2, 200],
  ['firstByte', 0.8, 800],
  ['firstByte', 3, 3_000],
  ['speedIndex', 4, 4_000],
  ['weight', 2.6, 2_600_000],
  ['weight', 900, 900_000],
  ['weight', 9_500, 9_500_000],
])('a limit of %s of %d, which makes no sense in ms or bytes, is converted with a note', (metric, limit, own) => {
  const { limit: kept, notes } = read(metric, limit);
  expect(kept).toBe(own);
  expect(notes).toEqual([expect.stringMatching(new RegExp(`^limit ${limit} of ${metric} = .+: taken in .+, because no page`))]);
});

test.each([
  ['cumulativeLayoutShift', 10, /: it has no unit and hardly ever exceeds 1; good is up to 0\.1\. Which limit is\?$/],
  ['cumulativeLayoutShift', 25, /^budgets: a limit of 25 for cumulativeLayoutShift cannot be meant: /],
  ['largestContentfulPaint', 2_500_000, /hardly ever exceeds 10.min; good is up to 2\.5.s/],
  ['largestContentfulPaint', 25, /no page keeps it in ms, and each does in s; good is up to/],
  ['largestContentfulPaint', 0, /no page keeps it; good is up to/],
  ['weight', 1.6e9, /hardly ever exceeds 1.GB/],
])('a limit of %s of %d is asked back', (metric, limit, words) => {
  expect(() => read(metric, limit)).toThrow(words);
});

test.each([
  ['largestContentfulPaint', 2_500],
  ['totalBlockingTime', 10],
  ['totalBlockingTime', 0],
  ['firstByte', 50],
  ['cumulativeLayoutShift', 0.1],
  ['request', 60],
  ['weight', 300_000],
])('a limit of %s of %d, which may be meant as it is, stays so', (metric, limit) => {
  expect(read(metric, limit)).toEqual({ limit, notes: [] });
});
