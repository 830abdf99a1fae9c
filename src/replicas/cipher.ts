import { createHmac } from 'node:crypto';
import { type SealKey, seal, sealKey, unseal } from '../lib/seal.ts';

/** Turns names and texts into what Redis may hold: it can read neither. */
export interface Cipher {
  /** The key in Redis of what these parts name; the same on every replica. */
  key(...parts: readonly string[]): string;
  /** A key on the same node of a cluster as another one. */
  subkey(key: string, name: string): string;
  /** Stands for a text where two must be compared but neither need be read; the same on every replica. */
  digest(...parts: readonly string[]): string;
  /** Encrypts a text for one key. */
  encrypt(text: string, key: string): string;
  /** The text that was encrypted for this key; undefined for anything else, which then counts as absent. */
  decrypt(encrypted: unknown, key: string): string | undefined;
}

/** Changes with the format, so that replicas of two versions do not read each other's values. */
const FORMAT = '1';

/** Makes the cipher of all replicas that have the same secret (32 random bytes, as `sealKey` takes them). */
export function createCipher(secret: string): Cipher {
  const values: SealKey = sealKey(secret, `shared cache ${FORMAT}`);
  const places: SealKey = sealKey(secret, `places in the shared cache ${FORMAT}`);
  const digest = (...parts: readonly string[]) => createHmac('sha256', places.bytes).update(JSON.stringify(parts)).digest('base64url');
  return {
    // A cluster keeps keys with the same text in braces on one node.
    key: (...parts) => `web-analytics:{${digest(...parts)}}`,
    subkey: (key, name) => `${key}${digest(name).slice(0, 12)}`,
    digest,
    encrypt: (text, key) => seal(text, values, [key]),
    decrypt(encrypted, key) {
      if (typeof encrypted !== 'string') return undefined;
      try {
        return unseal(encrypted, [values], [key]);
      } catch {
        return undefined;
      }
    },
  };
}
