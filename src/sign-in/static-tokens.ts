import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type AccessScope, accessScopes, createBearerSignIn, type Principal, type SignIn, type TokenFault } from './principal.ts';
import { createPrivateFile, type PrivateFile, PrivateFileError } from './private-file.ts';

/**
 * A token as it is kept. Its digest is SHA-256 without salt or stretching: the token has 256 random bits, so it cannot be guessed or looked
 * up by its digest. A slow digest would only make each request slow.
 */
const storedToken = z.strictObject({
  name: z.string(),
  sha256: z.string().regex(/^[\w-]{43}$/),
  scopes: z.array(z.enum(accessScopes)),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
});
const tokensFile = z.strictObject({ version: z.literal(1), tokens: z.array(storedToken) });
/** A static token as its file stores it: a hash, never the token. */
export type StoredToken = z.output<typeof storedToken>;
/** The file of static tokens. */
export type TokensFile = PrivateFile<z.output<typeof tokensFile>>;

/** Allowed names of static tokens. */
export const TOKEN_NAME = /^[\w.@+-]{1,100}$/;
/** Lets scanners of leaked secrets recognise the token. */
const PREFIX = 'wam_';
const TOKEN_BYTES = 32;
const RETRY_SECONDS = 30;

/** The identity of the holder of the token of this name; never that of a subject, which begins with an address. */
export function tokenPrincipalId(name: string): string {
  return `token:${name}`;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The file of static tokens. */
export function openTokensFile(path: string, log: Log): TokensFile {
  return createPrivateFile({ path, kind: 'tokens', schema: tokensFile, empty: { version: 1, tokens: [] }, log });
}

/** A new token, which is shown once, and the entry that is stored for it. */
export function makeToken({
  name,
  scopes,
  nowMs,
  expiresAtMs,
}: {
  name: string;
  scopes: readonly AccessScope[];
  nowMs: number;
  expiresAtMs?: number | undefined;
}): { token: string; stored: StoredToken } {
  const token = `${PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const stored = {
    name,
    sha256: digestOf(token).toString('base64url'),
    scopes: [...scopes],
    createdAt: isoTime(nowMs),
    ...(expiresAtMs !== undefined && { expiresAt: isoTime(expiresAtMs) }),
  };
  return { token, stored };
}

/** Accepts callers with a token of the file; a token that is removed there stops working with the next request. */
export function createStaticSignIn({ file, clock, log }: { file: TokensFile; clock: Clock; log: Log }): SignIn {
  let logged: string | undefined;

  /** Compares digests in constant time, so that the time reveals nothing about the stored digests. */
  function matching(tokens: readonly StoredToken[], token: string): StoredToken | undefined {
    const digest = digestOf(token);
    return tokens.find(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'base64url'), digest));
  }

  async function storedTokens(): Promise<readonly StoredToken[] | undefined> {
    try {
      const { tokens } = await file.read();
      logged = undefined;
      return tokens;
    } catch (error) {
      if (!(error instanceof PrivateFileError)) throw error;
      if (logged !== error.message) log('error', `Sign-in is not possible. ${error.message}`);
      logged = error.message;
      return undefined;
    }
  }

  async function verify(token: string): Promise<Principal | TokenFault> {
    const tokens = await storedTokens();
    if (!tokens) return { words: 'Tokens cannot be checked at present. Report it to the operator.', retryAfterSeconds: RETRY_SECONDS };
    const found = matching(tokens, token);
    if (!found) return { words: 'The token is not known here. Ask the operator for a new one.' };
    const expiresAtMs = found.expiresAt === undefined ? undefined : Date.parse(found.expiresAt);
    if (expiresAtMs !== undefined && expiresAtMs <= clock.now()) return { words: 'The token has expired. Ask the operator for a new one.' };
    return { id: tokenPrincipalId(found.name), scopes: new Set(found.scopes), ...(expiresAtMs !== undefined && { expiresAtMs }) };
  }

  return {
    fault: async () => ((await storedTokens()) ? undefined : 'The file of tokens cannot be used.'),
    ...createBearerSignIn(undefined, verify),
  };
}
