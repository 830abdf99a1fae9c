import { ApiError } from '../api/errors.ts';
import { SettingsError } from '../settings/settings.ts';

/**
 * One check. `absent` is not a fault: an optional part is not installed, or a scope of a family that few use is not granted; `off`: the
 * settings leave it out.
 */
export interface Check {
  readonly name: string;
  readonly state: 'good' | 'fault' | 'absent' | 'off';
  /** The finding, with the remedy where something is wrong. */
  readonly words: string;
}

/** A check that found what it should. */
export function good(name: string, words: string): Check {
  return { name, state: 'good', words };
}

/** A check that found something to mend. */
export function fault(name: string, words: string): Check {
  return { name, state: 'fault', words };
}

/** The checks of a look: each fault that it finds, or why the settings or the platform do not allow it; else that all is fine. */
export async function checksOf(name: string, fine: string, look: () => Promise<readonly string[]>): Promise<Check[]> {
  const faults = await look().catch((error: unknown) => {
    if (error instanceof SettingsError || error instanceof ApiError) return [error.message];
    throw error;
  });
  return faults.length === 0 ? [good(name, fine)] : faults.map((words) => fault(name, words));
}
