import { createHmac } from 'node:crypto';
import { type SealKey, seal, sealKey, unseal } from '../lib/seal.ts';

/** Makes of places and texts what Redis may hold: it can read neither. */
export interface Vault {
  /** The key in Redis of what these parts name; the same on every replica, and telling nothing of them. */
  place(...parts: readonly string[]): string;
  /** Encrypts a text for one place. */
  seal(text: string, place: string): string;
  /** The text that was sealed for this place; undefined for anything else, which then counts as absent. */
  open(sealed: unknown, place: string): string | undefined;
}

/** What is kept has another form with another number, so that replicas of two versions do not read each other. */
const FORM = '1';

/** Makes the vault of all replicas that have the same secret (32 random bytes, as `sealKey` takes them). */
export function createVault(secret: string): Vault {
  const values: SealKey = sealKey(secret, `shared cache ${FORM}`);
  const places: SealKey = sealKey(secret, `places in the shared cache ${FORM}`);
  return {
    // In braces, so that a cluster keeps what belongs to one place together.
    place: (...parts) => `web-analytics:{${createHmac('sha256', places.bytes).update(JSON.stringify(parts)).digest('base64url')}}`,
    seal: (text, place) => seal(text, values, [place]),
    open(sealed, place) {
      if (typeof sealed !== 'string') return undefined;
      try {
        return unseal(sealed, [values], [place]);
      } catch {
        return undefined;
      }
    },
  };
}
