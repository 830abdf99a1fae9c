import { setTimeout as delay } from 'node:timers/promises';

/** Time as the product sees it, so that the demo and the tests can choose it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the reason of `signal` as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now(), sleep };

/** A clock that reads `startMs` now and runs on at the usual speed (`--clock`). */
export function clockStartingAt(startMs: number): Clock {
  const offset = startMs - Date.now();
  return { now: () => Date.now() + offset, sleep };
}

/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;
/** Milliseconds of an hour. */
export const HOUR_MS = 60 * MINUTE_MS;
/** Milliseconds of 24 hours, which is no calendar day where clocks change. */
export const DAY_MS = 24 * HOUR_MS;

/** An instant as the interface, the files and the answers write it, `2026-11-20T08:14:03.000Z`. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** The calendar date in UTC of a day, counted from 1970, `2026-11-20`. */
export function dayText(day: number): string {
  return isoTime(day * DAY_MS).slice(0, 10);
}
