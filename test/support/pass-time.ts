import type { ManualClock } from './clock.ts';

/** Lets the clock run, a second at a time, until the promise has settled. */
export async function whileTimePasses<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const over = new AbortController();
  const settled = promise.then(
    () => over.abort(),
    () => over.abort(),
  );
  while (!over.signal.aborted) {
    await Promise.race([settled, clock.nextSleep()]);
    if (!over.signal.aborted) await clock.advance(1_000);
  }
  return promise;
}
