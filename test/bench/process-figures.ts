import { readdirSync, readFileSync } from 'node:fs';

/** Linux tells the times of a process in hundredths of a second, whatever the machine. */
const TICK_MS = 10;

const read = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // A thread or child that ended in between.
  }
};

const threadsOf = (pid: number) => {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
};

/** The processes that a process started and that run. */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number));
}

/** Resident memory of a process, now and at its largest, MB; 0 where the system does not tell. */
export function memoryOf(pid: number): { readonly residentMb: number; readonly peakMb: number } {
  const status = read(`/proc/${pid}/status`);
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { residentMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') };
}

/**
 * Processor time in ms that a process has taken since its start, with all its threads and the processes that it started; differences of two
 * readings are what a call took. Linux only: undefined where the system does not tell, or the process is gone.
 */
export function processorMs(pid: number): number | undefined {
  // Behind the name, which may hold spaces: utime, stime, cutime and cstime are fields 14 to 17 of proc(5).
  const [user = 0, system = 0, userOfEnded = 0, systemOfEnded = 0] = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 15)
    .map(Number);
  const threads = threadsOf(pid);
  if (threads.length === 0) return undefined;
  // Exact to the microsecond, but without threads that ended; the ticks hold those too: both are lower bounds, the larger is nearer.
  const living = threads.reduce((sum, thread) => sum + Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]) / 1e6, 0);
  const ofChildren = childrenOf(pid).reduce((sum, child) => sum + (processorMs(child) ?? 0), 0);
  return Math.max((user + system) * TICK_MS, living) + (userOfEnded + systemOfEnded) * TICK_MS + ofChildren;
}
