import type { Ask } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { getZoneTapRate } from '../api/operations/metrics.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';

/**
 * Whether a zone is one of an app, which alone have metrics; no list of the interface says it, so its metrics are asked for. Undefined
 * where the answer is another one.
 */
export async function isAppZone(
  zoneId: number,
  { ask, nowMs }: { readonly ask: Ask; readonly nowMs: number },
): Promise<boolean | undefined> {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  try {
    await ask(getZoneTapRate, { zoneId, startDate: isoTime(todayMs - 2 * DAY_MS), endDate: isoTime(todayMs - DAY_MS) });
    return true;
  } catch (error) {
    return error instanceof ApiError && error.kind === 'missing' ? false : undefined;
  }
}
