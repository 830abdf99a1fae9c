import { setImmediate as afterOthers } from 'node:timers/promises';
import pLimit from 'p-limit';
import { addTo, countOf } from './tally.ts';

/** Runs `task` for each item, at most `limit` at a time; resolves when all have ended, each result in the place of its item. */
export function mapConcurrent<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const semaphore = pLimit(limit);
  return Promise.allSettled(items.map((item) => semaphore(task, item)));
}

/** Between the parts of a long computation: lets other calls run first. Throws the reason of an aborted signal. */
export async function yieldTurn(signal: AbortSignal): Promise<void> {
  await afterOthers();
  signal.throwIfAborted();
}

/** Resolves when `work` has ended or the time is over, whichever comes first; rejects where `signal` ends the wait. */
export async function endOrTime(
  work: Promise<unknown>,
  wait: (signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const time = wait(AbortSignal.any([signal, enough.signal]));
  try {
    await Promise.race([time, work]);
  } finally {
    enough.abort();
    time.catch(() => undefined);
  }
}

/** How many pieces of work may begin in one turn of the event loop. */
export interface TurnLimits {
  /** After a short turn. Fewer would cost throughput. */
  readonly atOnce: number;
  /** A turn that took longer is followed by one with a single beginning. */
  readonly shortMs: number;
  /** In ms, from any beginning. */
  readonly now: () => number;
}

/**
 * Lets few pieces of work begin in each turn of the event loop, for the holders in turn: what has begun would otherwise wait at each of its
 * steps for everything that came meanwhile. The function resolves when it is the turn of this holder, at once where fewer have begun.
 */
export function createTurns({ atOnce, shortMs, now }: TurnLimits): (holder: string) => Promise<void> {
  const waiting = new Map<string, (() => void)[]>();
  let [begun, allowed, sinceMs] = [0, atOnce, 0];

  function beginNext(): boolean {
    const [next] = waiting;
    if (!next) return false;
    const [holder, line] = next;
    waiting.delete(holder);
    const begin = line.shift();
    if (line.length > 0) waiting.set(holder, line);
    begin?.();
    return true;
  }

  function startTurn(): void {
    sinceMs = now();
    setImmediate(passOn);
  }

  function passOn(): void {
    allowed = now() - sinceMs <= shortMs ? atOnce : 1;
    begun = 0;
    while (begun < allowed && beginNext()) begun += 1;
    if (begun > 0) startTurn();
  }

  return (holder) =>
    new Promise((begin) => {
      if (begun >= allowed) {
        const line = waiting.get(holder);
        if (line) line.push(begin);
        else waiting.set(holder, [begin]);
        return;
      }
      if (begun === 0) startTurn();
      begun += 1;
      begin();
    });
}

/** Runs tasks in turn; `holder` says for whom. */
export type FairSemaphore = <T>(holder: string, task: () => Promise<T>) => Promise<T>;

interface Waiting {
  readonly holder: string;
  readonly begin: () => void;
}

/**
 * Lets at most `atOnce` tasks run at a time and at most half of them for one holder, so that the other half is free when somebody
 * else comes. Of those that wait the holder with the fewest running tasks is next, then the one whose last turn lies longest back.
 */
export function createFairSemaphore(atOnce: number): FairSemaphore {
  const most = Math.max(1, Math.floor(atOnce / 2));
  const running = new Map<string, number>();
  const lastTurn = new Map<string, number>();
  let waiting: Waiting[] = [];
  let [inFlight, turns] = [0, 0];
  const runningOf = (holder: string) => countOf(running, holder);

  function beginNext(): void {
    while (inFlight < atOnce) {
      const free = waiting.filter(({ holder }) => runningOf(holder) < most);
      const [next] = free.toSorted(
        (a, b) => runningOf(a.holder) - runningOf(b.holder) || (lastTurn.get(a.holder) ?? 0) - (lastTurn.get(b.holder) ?? 0),
      );
      if (!next) return;
      waiting = waiting.filter((each) => each !== next);
      inFlight += 1;
      turns += 1;
      addTo(running, next.holder);
      lastTurn.set(next.holder, turns);
      next.begin();
    }
  }

  function end(holder: string): void {
    inFlight -= 1;
    const left = addTo(running, holder, -1);
    if (left <= 0) running.delete(holder);
    // A holder without tasks is forgotten, so that the list does not grow with all who ever came.
    if (left === 0 && !waiting.some((each) => each.holder === holder)) lastTurn.delete(holder);
    beginNext();
  }

  return async (holder, task) => {
    await new Promise<void>((begin) => {
      waiting.push({ holder, begin });
      beginNext();
    });
    try {
      return await task();
    } finally {
      end(holder);
    }
  };
}
