import { describe, expect, it } from 'vitest';
import { manualClock } from './clock.ts';
import { whileTimePasses } from './pass-time.ts';

describe('the manual clock', () => {
  it('stands still until it is advanced, and ends sleeps in the order in which they fall due', async () => {
    const clock = manualClock('2026-11-20T10:00:00Z');
    const startMs = clock.now();
    const woken: [string, number][] = [];
    const sleeper = async (name: string, ms: number, again = 0) => {
      await clock.sleep(ms);
      woken.push([name, clock.now() - startMs]);
      if (again > 0) await sleeper(`${name} again`, again);
    };
    const all = [sleeper('late', 300), sleeper('early', 100, 150), sleeper('never', 1000)];
    expect(clock.sleeping).toBe(3);
    expect(await clock.nextSleep()).toBe(100);
    await clock.advance(300);
    expect(woken).toEqual([
      ['early', 100],
      ['early again', 250],
      ['late', 300],
    ]);
    expect(clock.now() - startMs).toBe(300);
    await clock.advance(700);
    await Promise.all(all);
    expect(clock.sleeping).toBe(0);
  });

  it('jumps without ending a sleep', async () => {
    const clock = manualClock('2026-11-20T10:00:00Z');
    const slept = clock.sleep(100);
    clock.jump(-3_600_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-11-20T09:00:00.000Z');
    await clock.advance(99);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    await slept;
  });

  it('tells when something goes to sleep, and ends a sleep that is aborted', async () => {
    const clock = manualClock('2026-11-20T10:00:00Z');
    const next = clock.nextSleep();
    const abort = new AbortController();
    const slept = clock.sleep(50, abort.signal).catch((error: unknown) => error);
    expect(await next).toBe(50);
    abort.abort(new Error('enough'));
    expect(await slept).toMatchObject({ message: 'enough' });
    expect(clock.sleeping).toBe(0);
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow('enough');
  });
});

it('a test that waits for an answer on its way moves the clock for pauses alone, not for what looks for idle sessions', async () => {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const startMs = clock.now();
  const over = new AbortController();
  const sweeping = (async () => {
    for (;;) await clock.sleep(60_000, over.signal);
  })().catch(() => undefined);
  const answer = (async () => {
    await clock.sleep(400);
    // As many turns as an answer takes on a machine with other work.
    for (let turns = 0; turns < 3_000; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
    await clock.sleep(800);
    return 'answer';
  })();
  expect(await whileTimePasses(clock, answer)).toBe('answer');
  expect(clock.now() - startMs).toBe(1_200);
  over.abort();
  await sweeping;
});
