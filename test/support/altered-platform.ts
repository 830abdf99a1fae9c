import { afterAll, beforeAll } from 'vitest';
import type { Platform } from './emulator.ts';
import { type Changes, forwardTo, type JsonService } from './json-service.ts';

/** A platform whose answers go through a proxy that changes payloads on their way. */
export interface AlteredPlatform {
  /** The platform behind the proxy, for an assistant to connect to. */
  readonly platform: () => Platform;
  /** From now on; undefined: answers pass as they are. */
  readonly alterBy: (alter: Changes['alter']) => void;
}

/** A proxy in front of a file's platform, started before its tests and stopped after them. */
export function alteredPlatform(inner: () => Platform): AlteredPlatform {
  let alter: Changes['alter'];
  let proxy: JsonService | undefined;
  beforeAll(async () => {
    proxy = await forwardTo(() => inner().authUrl, { alter: (payload, target) => (alter ? alter(payload, target) : payload) });
  });
  afterAll(() => proxy?.close());
  return {
    platform: () => ({ ...inner(), authUrl: proxy?.url ?? '' }),
    alterBy: (next) => {
      alter = next;
    },
  };
}
