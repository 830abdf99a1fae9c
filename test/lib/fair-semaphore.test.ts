import { describe, expect, it } from 'vitest';
import { createFairSemaphore } from '../../src/lib/concurrency.ts';

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

describe('fair turns', () => {
  it('leave half of the places to others, however many tasks one has', async () => {
    const { begun, start, settled } = tasks(4);
    for (let index = 0; index < 12; index += 1) void start('greedy');
    await settled();
    expect(begun).toEqual(['greedy', 'greedy']);
    void start('other');
    await settled();
    expect(begun).toEqual(['greedy', 'greedy', 'other']);
  });

  it('go to the holder with the fewest running tasks, then to the one that waited longest', async () => {
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

  it('go on after a task that failed', async () => {
    const inTurn = createFairSemaphore(1);
    await expect(inTurn('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await inTurn('b', async () => 7)).toBe(7);
  });
});
