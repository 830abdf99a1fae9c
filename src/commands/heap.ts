import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets the heap grow by this many percent over what a collection leaves, before the next one. By its own choice the engine lets it grow up
 * to four times, and a server stays as large as its busiest minute was.
 */
export function limitHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** Half of it is in use at a time. */
const LARGEST_NEW_SPACE_BYTES = 16 * 2 ** 20;

/**
 * Ends the growth of the space of new objects at 16 MB, where the engine would go on to 32. A single host asks too little for that to make
 * its calls faster, and its process stays smaller by 15 MB. The largest size itself cannot be set in a process that runs.
 */
export function limitNewSpace(): void {
  const watch = new PerformanceObserver(() => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if ((space?.space_size ?? 0) < LARGEST_NEW_SPACE_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    watch.disconnect();
  });
  watch.observe({ entryTypes: ['gc'] });
}

/** Collects and moves what is left together, so that the pages between go back to the system; stops the process for 0.1 to 0.3 s. */
export function compactHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // what the flag puts into every new context
  setFlagsFromString('--compact-on-every-full-gc');
  try {
    collect();
  } finally {
    setFlagsFromString('--no-compact-on-every-full-gc');
  }
}

/** How long no call may have begun. */
const IDLE_MS = 1_000;
/** By how much the heap must have grown since the last time. */
const WORTHWHILE_BYTES = 24 * 2 ** 20;

/** Parts of the process that the compaction of an idle heap uses. */
export interface IdleCompactionParts {
  readonly compact: () => void;
  /** Size of the heap. */
  readonly heapBytes: () => number;
}

/** By itself the engine does not compact the heap of an idle process: a server kept 1.5 times the room that its objects need. */
export function createIdleCompaction({ compact, heapBytes }: IdleCompactionParts) {
  let compactBytes = heapBytes();
  let timer: NodeJS.Timeout | undefined;

  function compactGrown(): void {
    timer = undefined;
    if (heapBytes() - compactBytes < WORTHWHILE_BYTES) return;
    compact();
    compactBytes = heapBytes();
  }

  return {
    /** Tells of a call that begins. */
    onCall: () => {
      if (timer) timer.refresh();
      else timer = setTimeout(compactGrown, IDLE_MS).unref();
    },
    close: () => clearTimeout(timer),
  };
}
