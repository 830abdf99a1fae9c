import { type Project, shop } from '../../src/emulator/credentials.ts';
import { REFERENCE } from '../../src/emulator/deployment.ts';
import type { Place } from '../../src/emulator/handler.ts';
import { createWorld } from '../../src/emulator/world/index.ts';

export const START_MS = Date.parse('2026-11-20T10:00:00.000Z');

/** What a handler is given, with a present that a test may move. */
export type MovablePlace = Place & { nowMs: number };

/** A fresh world as seen by one project; no server. */
export function placeOf(project: Project = shop, seed = 1, startMs = START_MS): MovablePlace {
  return { world: createWorld({ seed, startMs }), project, storeUrl: 'http://store.test', nowMs: startMs, deployment: REFERENCE };
}
