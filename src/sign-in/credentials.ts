import * as z from 'zod';
import type { Log } from '../lib/log.ts';
import { SealError, type SealKey, seal, sealKey, unseal } from '../lib/seal.ts';
import { CredentialsError, type PlatformCredential, type PlatformCredentials } from './principal.ts';
import { createPrivateFile, PrivateFileError } from './private-file.ts';

const storedCredential = z.strictObject({ principal: z.string(), changedAt: z.iso.datetime(), sealed: z.string() });
const credentialsFile = z.strictObject({ version: z.literal(1), credentials: z.array(storedCredential) });
type StoredCredential = z.output<typeof storedCredential>;

const pair = z.strictObject({ clientId: z.string(), clientSecret: z.string() });
const platformCredential = z.strictObject({
  credential: pair,
  enrichmentCredential: pair.exactOptional(),
  defaultProjectId: z.int().positive().exactOptional(),
}) satisfies z.ZodType<PlatformCredential>;

/** The public part of an entry; never the credential. */
export interface CredentialSummary {
  readonly principal: string;
  readonly changedAt: string;
  /** Left out where the entry cannot be opened. */
  readonly defaultProjectId?: number | undefined;
  readonly hasEnrichment: boolean;
  /** Why the entry cannot be opened. */
  readonly fault?: SealError['reason'];
}

/** The encrypted file of platform credentials; everything rejects with a `PrivateFileError` or `CredentialsError`. */
export interface CredentialsFile extends PlatformCredentials {
  list(): Promise<CredentialSummary[]>;
  /** Adds the entry or puts it in the place of the old one; refused where the file was made with another key. */
  put(principal: string, credential: PlatformCredential, nowMs: number): Promise<void>;
  /** False where there was none. */
  remove(principal: string): Promise<boolean>;
}

/** The context that the seal of an entry covers beside the credential: an entry opens under no other name or date. */
function contextOf({ principal, changedAt }: Pick<StoredCredential, 'principal' | 'changedAt'>): string[] {
  return ['platform credential', principal, changedAt];
}

function opened(stored: StoredCredential, key: SealKey): PlatformCredential {
  return platformCredential.parse(JSON.parse(unseal(stored.sealed, [key], contextOf(stored))));
}

const FAULTS: Readonly<Record<SealError['reason'], string>> = {
  'other key': 'it was encrypted with another key than WEB_ANALYTICS_CREDENTIALS_KEY',
  damaged: 'it was changed since it was written',
};

/** Opens the file of platform credentials with the key of the settings (32 bytes; AES-256-GCM keys are derived with HKDF). */
export function openCredentialsFile({ path, secret, log }: { path: string; secret: string; log: Log }): CredentialsFile {
  const key = sealKey(secret, 'credentials');
  const file = createPrivateFile({ path, kind: 'credentials', schema: credentialsFile, empty: { version: 1, credentials: [] }, log });

  function summary(stored: StoredCredential): CredentialSummary {
    const { principal, changedAt } = stored;
    try {
      const { defaultProjectId, enrichmentCredential } = opened(stored, key);
      return { principal, changedAt, defaultProjectId, hasEnrichment: enrichmentCredential !== undefined };
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      return { principal, changedAt, hasEnrichment: false, fault: error.reason };
    }
  }

  return {
    async versionOf({ id }) {
      const { credentials } = await file.read().catch(() => ({ credentials: [] }));
      // Each sealing has a nonce of its own, so that the tag at the end is never the same.
      return credentials.find(({ principal }) => principal === id)?.sealed.slice(-22) ?? 'none';
    },
    async credentialsOf({ id }) {
      const { credentials } = await file.read().catch((error: unknown) => {
        if (!(error instanceof PrivateFileError)) throw error;
        log('error', `No session can be opened. ${error.message}`);
        throw new CredentialsError('The credentials of this server cannot be read. Report it to its operator.');
      });
      const stored = credentials.find(({ principal }) => principal === id);
      if (!stored) {
        throw new CredentialsError(`This server has no platform credential for you. Ask its operator to add one for "${id}".`);
      }
      try {
        return opened(stored, key);
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        throw new CredentialsError(`Your platform credential cannot be used: ${FAULTS[error.reason]}. Ask the operator to add it again.`);
      }
    },
    list: async () => (await file.read()).credentials.map(summary),
    put: (principal, credential, nowMs) =>
      file.change(({ version, credentials }) => {
        const others = credentials.filter((each) => each.principal !== principal);
        if (others.some((each) => summary(each).fault === 'other key')) {
          throw new CredentialsError(`The file ${path} was encrypted with another key. Set the key it was made with, or begin a new file.`);
        }
        const place = { principal, changedAt: new Date(nowMs).toISOString() };
        const sealed = seal(JSON.stringify(credential), key, contextOf(place));
        return { version, credentials: [...others, { ...place, sealed }] };
      }),
    async remove(principal) {
      const { credentials } = await file.read();
      if (!credentials.some((each) => each.principal === principal)) return false;
      await file.change((content) => ({ ...content, credentials: content.credentials.filter((each) => each.principal !== principal) }));
      return true;
    },
  };
}
