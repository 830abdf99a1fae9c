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
