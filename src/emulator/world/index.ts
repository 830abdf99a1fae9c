import { createExports, type ExportWorld } from './exports/index.ts';
import type { Origin } from './origin.ts';
import { createSessions, type SessionWorld } from './sessions/index.ts';
import { createSpeed, type SpeedWorld } from './speed/index.ts';

/** The whole emulated platform's data; what clients create lives in it too, so each emulator has its own. */
export interface World {
  readonly origin: Origin;
  readonly sessions: SessionWorld;
  readonly speed: SpeedWorld;
  readonly exports: ExportWorld;
}

/** Makes the world at no cost: its data are computed when they are asked for. */
export function createWorld(origin: Origin): World {
  const sessions = createSessions(origin);
  return { origin, sessions, speed: createSpeed(origin), exports: createExports(origin, sessions) };
}
