import { DAY_MS } from '../lib/clock.ts';
import { shop } from './credentials.ts';
import { metricsHandlers } from './handlers/metrics.ts';
import type { World } from './world/index.ts';

export { type Fault, parseFault } from './faults.ts';
export { type Emulator, startEmulator } from './start-emulator.ts';

/** Old days that are computed: enough for the runtime to compile the loops that a long range runs through. */
const DAYS = 60;
const DAYS_AT_ONCE = 20;

/** Spends some 100 ms on old days, so that the first long range of a process meets compiled code. */
export async function warmUp(world: World): Promise<void> {
  // The first buffer that is ever detached makes V8 drop all code compiled over typed arrays; else the first answered request would do it.
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
  const nowMs = world.origin.startMs;
  const isoOf = (daysAgo: number) => new Date(nowMs - daysAgo * DAY_MS).toISOString();
  // Other days each time: those that were computed stay in memory, and reading them compiles only half of the way.
  for (let daysAgo = 300; daysAgo > 300 - DAYS; daysAgo -= DAYS_AT_ONCE) {
    const range = { startDate: isoOf(daysAgo), endDate: isoOf(daysAgo - DAYS_AT_ONCE) };
    await metricsHandlers.getSiteMetrics(range, { world, project: shop, storeUrl: '', nowMs });
  }
}
