import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import { createFairSemaphore, createTurns } from '../../src/lib/concurrency.ts';
import { times } from '../support/times.ts';

/** Tasks that run until a test ends them. */
function tasks(atOnce: number) {
  const inTurn = createFairSemaphore(atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (holder: string) =>
    inTurn(holder, () => {
      begun.push(holder);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return { begun, start, end: (index: number) => ends[index]?.(), settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

it('fair turns leave half of the places to others, however many tasks one has', async () => {
  const { begun, start, settled } = tasks(4);
  for (let index = 0; index < 12; index += 1) void start('greedy');
  await settled();
  expect(begun).toEqual(['greedy', 'greedy']);
  void start('other');
  await settled();
  expect(begun).toEqual(['greedy', 'greedy', 'other']);
});

it('fair turns go to the holder with the fewest running tasks, then to the one that waited longest', async () => {
  const { begun, start, end, settled } = tasks(2);
  for (const holder of ['a', 'b', 'a', 'a', 'c', 'b', 'd']) void start(holder);
  await settled();
  expect(begun).toEqual(['a', 'b']);
  for (let index = 0; index < 5; index += 1) {
    end(index);
    await settled();
  }
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'a', 'b', 'a']);
});

it('fair turns go on after a task that failed', async () => {
  const inTurn = createFairSemaphore(1);
  await expect(inTurn('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await inTurn('b', async () => 7)).toBe(7);
});

test('work begins at once where nothing else has begun, and otherwise once in each turn of the event loop', async () => {
  const takeTurn = createTurns({ atOnce: 1, shortMs: 10, now: () => 0 });
  const begun: string[] = [];
  const all = ['a', 'b', 'c'].map((name) => takeTurn('ana').then(() => void begun.push(name)));
  await all[0];
  expect(begun).toEqual(['a']);
  const counts: number[] = [];
  while (begun.length < 3) {
    await nextTurn();
    counts.push(begun.length);
  }
  for (const [index, count] of counts.entries()) expect(count - (counts[index - 1] ?? 1)).toBeLessThanOrEqual(1);
  await nextTurn();
  await nextTurn();
  const later = takeTurn('ana').then(() => void begun.push('d'));
  await Promise.resolve().then(() => undefined);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await later;
});

test('holders take turns, however much one of them has', async () => {
  const takeTurn = createTurns({ atOnce: 1, shortMs: 10, now: () => 0 });
  const begun: string[] = [];
  const work = (holder: string) => takeTurn(holder).then(() => void begun.push(holder));
  await Promise.all([...times(6, () => work('ana')), work('ben'), work('eve'), work('ben')]);
  expect(begun).toEqual(['ana', 'ana', 'ben', 'eve', 'ana', 'ben', 'ana', 'ana', 'ana']);
});

test('after a long turn only one begins, until the turns are short again', async () => {
  let nowMs = 0;
  const takeTurn = createTurns({ atOnce: 3, shortMs: 10, now: () => nowMs });
  let begun = 0;
  const all = times(12, () => takeTurn('ana').then(() => (begun += 1)));
  const counts: number[] = [];
  for (const tookMs of [11, 11, 10, 0, 0, 0]) {
    nowMs += tookMs;
    await nextTurn();
    await Promise.resolve();
    counts.push(begun);
  }
  await Promise.all(all);
  expect(counts).toEqual([4, 5, 8, 11, 12, 12]);
});
