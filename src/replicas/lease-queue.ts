/** A call that waits for a lease. */
export interface Waiting {
  /** Whether nobody waits longer in its lane. */
  readonly isFirst: () => boolean;
  /** From here on it hears of leases that come free. */
  arm(): void;
  /** Ends when it has heard of one since it was armed, when it is time to ask again, or with the signal. */
  chance(): Promise<void>;
  /** Gives up its place, once. */
  leave(): void;
}

/** The calls of one replica that wait, by place and lane; who came first is woken first, and alone asks without being woken. */
export interface LeaseQueue {
  join(place: string, lane: string, signal: AbortSignal): Waiting;
  /** Wakes the first of each lane that has not been woken yet. */
  wake(place: string): void;
  wakeAll(): void;
}

interface Waiter {
  readonly lane: string;
  woken: boolean;
  readonly wake: () => void;
}

/** Who is first asks again after this long, a quarter more or less. */
export const ASK_MS = 100;

export function createLeaseQueue(): LeaseQueue {
  const lines = new Map<string, Waiter[]>();

  function wake(place: string): void {
    const woken = new Set<string>();
    for (const waiter of lines.get(place) ?? []) {
      if (waiter.woken || woken.has(waiter.lane)) continue;
      woken.add(waiter.lane);
      waiter.wake();
    }
  }

  return {
    join(place, lane, signal) {
      const line = lines.get(place) ?? [];
      lines.set(place, line);
      let end: () => void = () => undefined;
      const waiter: Waiter = {
        lane,
        woken: false,
        wake: () => {
          waiter.woken = true;
          end();
        },
      };
      line.push(waiter);
      signal.addEventListener('abort', waiter.wake, { once: true });
      const isFirst = () => line.find((each) => each.lane === lane) === waiter;
      return {
        isFirst,
        arm() {
          waiter.woken = false;
        },
        async chance() {
          for (let isTime = false; !waiter.woken && !(isTime && isFirst()); isTime = true) {
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, ASK_MS * (0.75 + Math.random() / 2)).unref();
              end = () => {
                clearTimeout(timer);
                resolve();
              };
            });
          }
        },
        leave() {
          signal.removeEventListener('abort', waiter.wake);
          const index = line.indexOf(waiter);
          if (index >= 0) line.splice(index, 1);
          if (line.length === 0 && lines.get(place) === line) lines.delete(place);
        },
      };
    },
    wake,
    wakeAll() {
      for (const line of lines.values()) for (const waiter of line) waiter.wake();
    },
  };
}
