import { randomUUID } from 'node:crypto';

/** A record of the ledger that belongs to one attempt; each attempt has a generation of its own, which is kept as a text. */
export type Generation =
  | {
      /** `deleting`: rows of an earlier export are deleted first. */
      readonly phase: 'deleting' | 'loading';
      /** Stays where a load goes on, so that pieces that were sent twice are recognised. */
      readonly load: string;
      /** File that the rows come from. */
      readonly table: string;
    }
  /** The run is being removed: no load goes on from it. */
  | { readonly phase: 'removing' }
  /** Removed at an instant in ms, or written by another version. */
  | { readonly phase: 'none' };

const REMOVING = 'removing/';

/** A new generation as the ledger keeps it: `<load>/<attempt>/<phase>/<table>`, or `removing/<attempt>`. */
export function generationText(generation: Exclude<Generation, { phase: 'none' }>): string {
  if (generation.phase === 'removing') return `${REMOVING}${randomUUID()}`;
  return `${generation.load}/${randomUUID()}/${generation.phase}/${generation.table}`;
}

/** Reads a generation that the ledger keeps. */
export function readGeneration(text: string): Generation {
  if (text.startsWith(REMOVING)) return { phase: 'removing' };
  const [, load, phase, table] = /^([^/]+)\/[^/]+\/(deleting|loading)\/(.*)$/s.exec(text) ?? [];
  if (load === undefined || table === undefined || (phase !== 'deleting' && phase !== 'loading')) return { phase: 'none' };
  return { phase, load, table };
}
