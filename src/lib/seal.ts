import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** A key for one purpose; `id` distinguishes keys and reveals nothing about them. */
export interface SealKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A sealed text that does not open, because of another key or because it was changed. */
export class SealError extends Error {
  override name = 'SealError';
  readonly reason: 'other key' | 'damaged';

  constructor(reason: SealError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** The length that GCM is made for; a random one may repeat after 2^32 texts, far more than one key ever seals here. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** The form in which a key is expected, for the message of a setting. */
export const SEAL_SECRET_WORDS = 'expected 32 random bytes in base64 or hex, such as `openssl rand -base64 32` prints';

/** The bytes of a secret given as base64, base64url or hex; undefined unless they are 32. */
function secretBytes(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const isHex = /^[\da-f]{64}$/i.test(trimmed);
  if (!isHex && !/^[\w+/-]{43}=?$/.test(trimmed)) return undefined;
  const bytes = Buffer.from(trimmed, isHex ? 'hex' : 'base64');
  return bytes.length === KEY_BYTES ? bytes : undefined;
}

/** True for 32 bytes in base64, base64url or hex. */
export function isSealSecret(text: string): boolean {
  return secretBytes(text) !== undefined;
}

/**
 * Derives the key of one purpose from a secret of 32 random bytes with HKDF-SHA-256, so that one secret may serve several purposes.
 * Not meant for passphrases: nothing here slows down guessing.
 */
export function sealKey(secret: string, purpose: string): SealKey {
  const bytes = secretBytes(secret);
  if (!bytes) throw new TypeError(`The key is not usable: ${SEAL_SECRET_WORDS}.`);
  const derived = (use: string, length: number) =>
    Buffer.from(hkdfSync('sha256', bytes, '', `web-analytics-mcp ${purpose} ${use}`, length));
  return { id: derived('id', 6).toString('base64url'), bytes: derived('key', KEY_BYTES) };
}

/** The data that the tag covers beside the text: the header of the sealed text and the context, which never travels with it. */
function associated(header: string, context: readonly string[]): Buffer {
  const text = JSON.stringify([header, ...context]);
  return createHash('sha256').update(text).digest();
}

/** Encrypts a text with AES-256-GCM: `v1.<key id>.<nonce, text and tag in base64url>`. It opens only with the same key and context. */
export function seal(text: string, key: SealKey, context: readonly string[]): string {
  const nonce = randomBytes(NONCE_BYTES);
  const header = `${VERSION}.${key.id}`;
  const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated(header, context));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${header}.${sealed.toString('base64url')}`;
}

/** The text that was sealed with one of these keys in this context; throws a `SealError` otherwise. */
export function unseal(sealed: string, keys: readonly SealKey[], context: readonly string[]): string {
  const [version, id, body = '', ...rest] = sealed.split('.');
  if (version !== VERSION || id === undefined || rest.length > 0) throw new SealError('damaged', 'The sealed text has another form.');
  const key = keys.find((each) => each.id === id);
  if (!key) throw new SealError('other key', 'The text was sealed with another key.');
  const bytes = Buffer.from(body, 'base64url');
  // Buffer.from skips characters that it does not know, so that the same bytes would have many spellings.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== body) throw damaged();
  const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(`${version}.${id}`, context));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    throw damaged();
  }
}

function damaged(): SealError {
  return new SealError('damaged', 'The sealed text was changed, or belongs elsewhere.');
}
