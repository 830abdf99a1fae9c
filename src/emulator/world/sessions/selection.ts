import { DAY_MS, dayNumberOf, type SessionDay, type SessionWorld } from './types.ts';

/** Which sessions of a project a metric is about: those that began from `startMs` to `endMs`, both included. */
export interface Selection {
  readonly projectId: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly device: 'all' | 'desktop' | 'mobile' | 'tablet';
  /** Segments as bits; a session must lie in all of them. */
  readonly segmentBits: number;
  /** One value for each 24 hours from `startMs` instead of one for the range. */
  readonly isDaily: boolean;
  /** The present: nothing later is read. */
  readonly nowMs: number;
}

/** A period that one value covers, both ends included. */
export interface Bucket {
  readonly startMs: number;
  readonly endMs: number;
}

/** Devices by bit of their `DeviceId`; unknown devices count in `all` alone. */
const DEVICE_BITS = { all: 0b111111, desktop: 0b000010, mobile: 0b010100, tablet: 0b101000 } as const;

/** The periods of a selection in order; the last ends with the range and may be shorter than a day. */
export function bucketsOf({ startMs, endMs, isDaily }: Selection): Bucket[] {
  if (!isDaily) return [{ startMs, endMs }];
  const count = Math.max(1, Math.ceil((endMs - startMs) / DAY_MS));
  return Array.from({ length: count }, (_, index) => ({
    startMs: startMs + index * DAY_MS,
    endMs: index === count - 1 ? endMs : startMs + (index + 1) * DAY_MS - 1,
  }));
}

/** Calls `visit` for each session of the selection with the number of its bucket. */
export function scan(world: SessionWorld, selection: Selection, visit: (day: SessionDay, index: number, bucket: number) => void): void {
  const { projectId, startMs, endMs, device, segmentBits, nowMs } = selection;
  const lastBucket = bucketsOf(selection).length - 1;
  const deviceBits = DEVICE_BITS[device];
  const lastDay = dayNumberOf(Math.min(endMs, nowMs));
  for (let dayNumber = dayNumberOf(startMs); dayNumber <= lastDay; dayNumber += 1) {
    const day = world.day(projectId, dayNumber, nowMs);
    const midnightMs = dayNumber * DAY_MS;
    for (let index = 0; index < day.count; index += 1) {
      const beganMs = midnightMs + (day.startSecond[index] ?? 0) * 1_000;
      if (beganMs < startMs || beganMs > endMs) continue;
      if (((deviceBits >> (day.deviceId[index] ?? 0)) & 1) === 0) continue;
      if (((day.segments[index] ?? 0) & segmentBits) !== segmentBits) continue;
      visit(day, index, Math.min(lastBucket, Math.floor((beganMs - startMs) / DAY_MS)));
    }
  }
}
