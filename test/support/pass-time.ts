import type { ManualClock } from './clock.ts';

/** Pauses between attempts are shorter; deadlines, and what looks for idle sessions, sleep longer. */
const LONGEST_PAUSE_MS = 20_000;

/**
 * Ends each pause that something makes until the promise has settled. The clock moves only then: time that ran on while an answer is on
 * its way would reach deadlines, and end sessions that are idle, after as many minutes as the machine is slow. What takes real time and
 * is over within the pause, such as a closed connection that the other side has to notice, is awaited with `firstDone`.
 */
export async function whileTimePasses<T>(clock: ManualClock, promise: Promise<T>, firstDone?: () => Promise<void>): Promise<T> {
  const over = new AbortController();
  const settled = promise.then(
    () => over.abort(),
    () => over.abort(),
  );
  while (!over.signal.aborted) {
    const pauseMs = await Promise.race([settled, clock.nextSleep(LONGEST_PAUSE_MS)]);
    if (pauseMs === undefined || over.signal.aborted) continue;
    await firstDone?.();
    await clock.advance(pauseMs);
  }
  return promise;
}
