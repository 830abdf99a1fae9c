import { randomUUID } from 'node:crypto';
import { ApiError } from '../api/errors.ts';
import type { Log } from '../lib/log.ts';
import type { SharedCache } from '../replicas/index.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { type Check, fault, good } from './check.ts';

/**
 * The cache that replicas share, by the settings; undefined for a single process. Throws a `SettingsError` where its package is missing.
 */
export async function openCache({ cacheUrl: url, cacheKey: key }: Settings, log: Log): Promise<SharedCache | undefined> {
  if (url === undefined || key === undefined) return undefined;
  const { openSharedCache } = await import('../replicas/index.ts');
  try {
    return await openSharedCache({ url, key, log });
  } catch (error) {
    throw error instanceof ApiError ? new SettingsError(error.message) : error;
  }
}

/** Whether what is put there can be read again. */
async function keeps(cache: SharedCache): Promise<boolean> {
  const probeId = randomUUID();
  const lists = cache.listsOf({ principalId: probeId, authUrl: '', credential: { clientId: probeId, clientSecret: probeId } });
  (await lists.look('doctor'))?.write({ atMs: 0, answer: probeId });
  return (await lists.look('doctor'))?.list?.answer === probeId;
}

/** Whether replicas could share; empty where no shared cache is set. */
export async function cacheReport(settings: Settings): Promise<Check[]> {
  const name = 'cache';
  let message = 'The shared cache does not keep what is put there.';
  let cache: SharedCache | undefined;
  try {
    cache = await openCache(settings, (_level, reported) => (message = reported));
    if (!cache) return [];
    return [(await keeps(cache)) ? good(name, 'replicas can share, sealed with the key') : fault(name, message)];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [fault(name, error.message)];
  } finally {
    cache?.close();
  }
}
