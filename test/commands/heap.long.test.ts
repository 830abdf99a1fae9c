import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { compactHeap, createIdleCompaction } from '../../src/commands/heap.ts';

const MB = 2 ** 20;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A heap whose size the test sets; compacting brings it to 60 MB. */
function world() {
  const heap = { bytes: 50 * MB, compacted: 0 };
  const compaction = createIdleCompaction({
    heapBytes: () => heap.bytes,
    compact() {
      heap.compacted += 1;
      heap.bytes = 60 * MB;
    },
  });
  return { heap, compaction };
}

test('a heap that grew is compacted a second after the last call, once', () => {
  const { heap, compaction } = world();
  compaction.onCall();
  heap.bytes = 100 * MB;
  vi.advanceTimersByTime(900);
  compaction.onCall();
  vi.advanceTimersByTime(900);
  expect(heap.compacted).toBe(0);
  vi.advanceTimersByTime(100);
  expect(heap).toEqual({ bytes: 60 * MB, compacted: 1 });
  vi.advanceTimersByTime(60_000);
  expect(heap.compacted).toBe(1);
});

test('it is compacted again after more work, and not where it hardly grew', () => {
  const { heap, compaction } = world();
  for (const [bytes, compacted] of [
    [73 * MB, 0],
    [74 * MB, 1],
    [83 * MB, 1],
    [84 * MB, 2],
  ] as const) {
    heap.bytes = bytes;
    compaction.onCall();
    vi.advanceTimersByTime(1_000);
    expect(heap.compacted, `at ${bytes / MB} MB`).toBe(compacted);
  }
});

test('nothing is compacted after its end', () => {
  const { heap, compaction } = world();
  heap.bytes = 200 * MB;
  compaction.onCall();
  compaction.close();
  vi.advanceTimersByTime(10_000);
  expect(heap.compacted).toBe(0);
});

test('compacting gives pages back that hold little', async () => {
  vi.useRealTimers();
  const kept: object[] = [];
  for (let index = 0; index < 3_000_000; index += 1) {
    const each = { index, list: [index] };
    if (index % 100 === 0) kept.push(each);
    // Lets the engine collect while it goes on, as a server does.
    if (index % 500_000 === 0) await delay(1);
  }
  const held = process.memoryUsage().heapTotal;
  compactHeap();
  expect(process.memoryUsage().heapTotal).toBeLessThan(held);
  expect(kept).toHaveLength(30_000);
});

test('the space of new objects ends its growth at 16 MB', { tags: 'nightly' }, () => {
  const script = ['.ci/run-script.mjs', 'test/commands/new-space-process.ts'];
  const spaceBytes = (...args: string[]) => Number(execFileSync(process.execPath, [...script, ...args], { encoding: 'utf8' }));
  expect(spaceBytes()).toBeGreaterThan(16 * MB);
  expect(spaceBytes('limited')).toBe(16 * MB);
});
