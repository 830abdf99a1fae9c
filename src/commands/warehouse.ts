import { randomUUID } from 'node:crypto';
import { ApiError } from '../api/errors.ts';
import type { WarehouseAccess } from '../exports/warehouse/connection.ts';
import type { Warehouse } from '../exports/warehouse/warehouse.ts';
import type { Log } from '../lib/log.ts';
import type { SharedCache } from '../replicas/index.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { type Check, checksOf } from './check.ts';

/** The warehouse that the settings name; undefined where they name none, and in the demo, whose data are made up. */
function accessOf(settings: Settings): WarehouseAccess | undefined {
  const { demo, warehouseUrl, warehousePassword, warehouseReader, warehouseReaderPassword, warehouseEngine } = settings;
  if (demo || !warehouseUrl || warehouseReader === undefined) return undefined;
  const { address, database, user } = warehouseUrl;
  const reader = { user: warehouseReader, password: warehouseReaderPassword };
  return { address, database, engine: warehouseEngine, loader: { user, password: warehousePassword }, reader };
}

/** The warehouse as the settings say, opened when it is first used; undefined where exports stay on the disk alone. */
export function warehouseOf(settings: Settings) {
  const access = accessOf(settings);
  if (!access) return undefined;
  let opening: Promise<Warehouse> | undefined;
  return {
    open: () => (opening ??= import('../exports/warehouse/warehouse.ts').then(({ openWarehouse }) => openWarehouse(access))),
    close: async () => (await opening)?.close(),
  };
}

/** Whether runs can be loaded into the warehouse and its reader can only read; empty where none is set. */
export async function warehouseReport(settings: Settings): Promise<Check[]> {
  const warehouse = await warehouseOf(settings)?.open();
  if (!warehouse) return [];
  const { address, database, reader } = warehouse.access;
  const words = `${database} at ${address} can be loaded, and ${reader.user} only reads, so query_export answers from there`;
  try {
    return await checksOf('warehouse', words, async () => {
      const { warehouseFaults } = await import('../exports/warehouse/warehouse.ts');
      return (await warehouseFaults(warehouse)).map((each) => `${each}.`);
    });
  } finally {
    await warehouse.close();
  }
}

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
  if (settings.cacheUrl === undefined) return [];
  let message = 'The shared cache does not keep what is put there.';
  return checksOf('cache', 'replicas can share, sealed with the key', async () => {
    const cache = await openCache(settings, (_level, reported) => (message = reported));
    try {
      return cache && (await keeps(cache)) ? [] : [message];
    } finally {
      cache?.close();
    }
  });
}
