import { metricsHandlers } from './handlers/metrics.ts';
import { shop } from './projects.ts';
import type { World } from './world/index.ts';

const DAY_MS = 86_400_000;
/** Days that are computed, and how often: enough for the runtime to compile the loops that a long range runs through. */
const DAYS = 10;
const ROUNDS = 3;

/** Spends some 50 ms on old days, so that the first long range of a process meets compiled code. */
export async function warmUp(world: World): Promise<void> {
  const nowMs = world.origin.startMs;
  const range = { startDate: new Date(nowMs - 200 * DAY_MS).toISOString(), endDate: new Date(nowMs - (200 - DAYS) * DAY_MS).toISOString() };
  for (let round = 0; round < ROUNDS; round += 1) {
    await metricsHandlers.getSiteMetrics(range, { world, project: shop, storeUrl: '', nowMs });
  }
}
