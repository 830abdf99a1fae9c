import type { Platform } from './emulator.ts';

/** A call that waits ends sooner; what it does afterwards takes no time by the clock. */
const LONGEST_CALL_S = 45;
/** No sleep of a call lasts longer. */
const LONGEST_SLEEP_MS = LONGEST_CALL_S * 1_000;

/**
 * Passes as much time as a call may wait, a second at a time, from when it waits: what it does before takes none by the clock either.
 * The platform is asked between two of them, so that time passes no quicker than this machine answers: what follows a run by the clock asks
 * for it over the network.
 */
export async function passWaiting<T>({ clock, ask, token }: Platform, calling: Promise<T>): Promise<T> {
  const over = new AbortController();
  const ended = calling.finally(() => over.abort());
  ended.catch(() => undefined);
  const key = await token('shop');
  await Promise.race([ended.catch(() => undefined), clock.nextSleep(LONGEST_SLEEP_MS)]);
  for (let second = 0; second < LONGEST_CALL_S && !over.signal.aborted; second += 1) {
    await clock.advance(1_000);
    for (let asked = 0; asked < 8; asked += 1) await ask('listCustomVariables', {}, key);
  }
  return ended;
}
