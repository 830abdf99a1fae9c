import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/lib/concurrency.ts';

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
  await Promise.all([...Array.from({ length: 6 }, () => work('ana')), work('ben'), work('eve'), work('ben')]);
  expect(begun).toEqual(['ana', 'ana', 'ben', 'eve', 'ana', 'ben', 'ana', 'ana', 'ana']);
});

test('several begin in a turn where that is allowed, and the rest in the next ones', async () => {
  const takeTurn = createTurns({ atOnce: 3, shortMs: 10, now: () => 0 });
  const begun: string[] = [];
  const all = Array.from({ length: 8 }, (_, index) => takeTurn(index % 2 === 0 ? 'ana' : 'ben').then(() => void begun.push(String(index))));
  await Promise.all(all.slice(0, 3));
  expect(begun).toEqual(['0', '1', '2']);
  const counts: number[] = [];
  while (begun.length < 8) {
    await nextTurn();
    counts.push(begun.length);
  }
  for (const [index, count] of counts.entries()) expect(count - (counts[index - 1] ?? 3)).toBeLessThanOrEqual(3);
  expect(begun).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
});

test('after a long turn only one begins, until the turns are short again', async () => {
  let nowMs = 0;
  const takeTurn = createTurns({ atOnce: 3, shortMs: 10, now: () => nowMs });
  let begun = 0;
  const all = Array.from({ length: 12 }, () => takeTurn('ana').then(() => (begun += 1)));
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
