import { once } from 'node:events';
import { ApiError } from '../api/errors.ts';
import type { Fault } from '../emulator/faults.ts';
import type { Size } from '../emulator/world/size.ts';
import { type Clock, clockStartingAt, systemClock } from '../lib/clock.ts';
import { SettingsError } from '../settings/settings.ts';

/** Options of the emulated world. */
export interface WorldOptions {
  readonly seed: number;
  /** Absent: the clock of the machine. */
  readonly clock?: Clock;
  readonly faults: readonly Fault[];
  readonly size?: Size | undefined;
}

/** Flags of the emulated world, in addition to the settings. */
export const worldFlags = {
  seed: { type: 'string', words: 'Seed of the emulated world (default 1)' },
  clock: { type: 'string', words: 'Instant at which the clock starts, ISO (default now)' },
  size: { type: 'string', words: 'Size of the emulated account: usual (default) or big, with thousands of objects and slow answers' },
  fault: { type: 'string', multiple: true, words: 'Fault to inject, kind[:operation[:times]]; may be repeated' },
} as const;

/** Flags of the emulated world, as texts. */
export interface WorldFlags {
  seed?: string | undefined;
  clock?: string | undefined;
  size?: string | undefined;
  fault?: string[] | undefined;
}

/** Checks the flags; throws a `SettingsError` that says what is expected. */
export async function readWorldOptions({ seed = '1', clock, size = 'usual', fault = [] }: WorldFlags): Promise<WorldOptions> {
  if (!/^\d{1,9}$/.test(seed)) throw new SettingsError(`--seed "${seed}" is wrong: expected a whole number, such as 7`);
  const startMs = clock === undefined ? undefined : Date.parse(clock);
  if (Number.isNaN(startMs))
    throw new SettingsError(`--clock "${clock}" is wrong: expected an ISO date-time, such as 2026-11-20T10:00:00Z`);
  if (size !== 'usual' && size !== 'big') throw new SettingsError(`--size "${size}" is wrong: expected usual or big`);
  const big = size === 'big' && { size: (await import('../emulator/world/size.ts')).bigSize };
  const world = { seed: Number(seed), ...big, ...(startMs !== undefined && { clock: clockStartingAt(startMs) }) };
  if (fault.length === 0) return { ...world, faults: [] };
  const { parseFault } = await import('../emulator/faults.ts');
  try {
    return { ...world, faults: fault.map(parseFault) };
  } catch (error) {
    throw new SettingsError(`--fault: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs the emulated platform alone until it is interrupted; prints its addresses and credentials. */
export async function emulator({ seed, clock = systemClock, faults, size }: WorldOptions, portText: string | undefined): Promise<number> {
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_533)) {
    throw new SettingsError(`--port "${portText}" is wrong: expected a port from 1 to 65532; the three after it are used too`);
  }
  const { startEmulator, warmUp } = await import('../emulator/start-emulator.ts');
  const running = await startEmulator({ clock, seed, faults, size, ...(port !== undefined && { port }) }).catch((error: unknown) => {
    throw error instanceof ApiError ? new SettingsError(`--port: ${error.message}`) : error;
  });
  await warmUp(running.world);
  const { account, enrichment } = running.credentials;
  // The credentials belong to this emulator alone and open nothing else.
  const lines = [
    `# Emulated platform, seed ${seed}; stop it with Ctrl-C. To use it:`,
    `export WEB_ANALYTICS_AUTH_URL=${running.authUrl}`,
    `export WEB_ANALYTICS_CLIENT_ID=${account.clientId}`,
    `export WEB_ANALYTICS_CLIENT_SECRET=${account.clientSecret}`,
    `export WEB_ANALYTICS_ENRICHMENT_CLIENT_ID=${enrichment.clientId}`,
    `export WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET=${enrichment.clientSecret}`,
    `export WEB_ANALYTICS_PROJECT_ID=${account.projects[0]?.id ?? ''}  # of ` +
      account.projects.map(({ id, name }) => `${id} ${name}`).join(', '),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await running.close();
  return 0;
}
