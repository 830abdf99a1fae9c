import type { Fault } from '../emulator/faults.ts';
import { type Clock, clockStartingAt } from '../lib/clock.ts';
import { SettingsError } from '../settings/settings.ts';

/** What the emulated world is made of. */
export interface WorldOptions {
  readonly seed: number;
  /** Absent: the clock of the machine. */
  readonly clock?: Clock;
  readonly faults: readonly Fault[];
}

/** Flags of the emulated world, in addition to the settings. */
export const worldFlags = {
  seed: { type: 'string', words: 'Seed of the emulated world (default 1)' },
  clock: { type: 'string', words: 'Instant at which the clock starts, ISO (default now)' },
  fault: { type: 'string', multiple: true, words: 'Fault to inject, kind[:operation[:times]]; may be repeated' },
} as const;

export interface WorldFlags {
  seed?: string | undefined;
  clock?: string | undefined;
  fault?: string[] | undefined;
}

/** Checks the flags; throws a `SettingsError` that says what is expected. */
export async function readWorldOptions({ seed = '1', clock, fault = [] }: WorldFlags): Promise<WorldOptions> {
  if (!/^\d{1,9}$/.test(seed)) throw new SettingsError(`--seed "${seed}" is wrong: expected a whole number, such as 7`);
  const startMs = clock === undefined ? undefined : Date.parse(clock);
  if (Number.isNaN(startMs))
    throw new SettingsError(`--clock "${clock}" is wrong: expected an ISO date-time, such as 2026-11-20T10:00:00Z`);
  const world = { seed: Number(seed), ...(startMs !== undefined && { clock: clockStartingAt(startMs) }) };
  if (fault.length === 0) return { ...world, faults: [] };
  const { parseFault } = await import('../emulator/faults.ts');
  try {
    return { ...world, faults: fault.map(parseFault) };
  } catch (error) {
    throw new SettingsError(`--fault: ${error instanceof Error ? error.message : String(error)}`);
  }
}
