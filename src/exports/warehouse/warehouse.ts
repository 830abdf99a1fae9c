import { ApiError } from '../../api/errors.ts';
import type { RunId } from '../store/manifest.ts';
import { connect, type WarehouseAccess } from './connection.ts';
import { createLedger, LEDGER, quoted, text } from './schema.ts';

/** A load of this process that is under way. */
export interface Load extends RunId {
  readonly rows: number;
  readonly totalRows: number;
}

/** The loads of a project in this process. */
export interface LoadState {
  /** Loads under way or waiting for their turn, by run. */
  readonly running: Map<string, { load: Load; result: Promise<void> }>;
  /** Runs that are known to be loaded, so that they are not looked up again. */
  readonly done: Set<string>;
  readonly failures: Map<string, string>;
  readonly listeners: Set<() => void>;
}

/** Opens the warehouse; nothing is sent before it is used. */
export function openWarehouse(access: WarehouseAccess, pieceRows?: number) {
  const loader = connect(access, access.loader);
  const reader = connect(access, access.reader);
  return {
    access,
    loader,
    reader,
    /** Rows that are sent at a time; left out: as many as a server holds well. */
    pieceRows,
    /** Loads of this process, by project. */
    states: new Map<string, LoadState>(),
    async close(): Promise<void> {
      await Promise.all([loader.close(), reader.close()]);
    },
  };
}

/** ClickHouse as the settings name it, shared by all callers of a process. */
export type Warehouse = ReturnType<typeof openWarehouse>;

/** Faults of the users of a warehouse, in sentences; empty where loads and statements work and the reader may only read. */
export async function warehouseFaults({ access, loader, reader }: Warehouse): Promise<string[]> {
  const { database } = access;
  const faults: string[] = [];
  await createLedger(access, loader);
  const { user } = access.reader;
  const [setting] = await reader.rows("SELECT value FROM system.settings WHERE name = 'readonly'");
  if (setting?.['value'] !== '2')
    faults.push(`${user} has readonly = ${String(setting?.['value'])}: ALTER USER ${user} SETTINGS readonly = 2`);
  await reader.rows(`SELECT count() AS runs FROM ${quoted(database)}.${quoted(LEDGER)}`);
  const own = ['system', 'INFORMATION_SCHEMA', 'information_schema', database].map(text).join(', ');
  const others = await reader.rows(`SELECT DISTINCT database FROM system.tables WHERE database NOT IN (${own}) ORDER BY database LIMIT 3`);
  const names = others.map((row) => String(row['database']));
  if (names.length > 0) faults.push(`${user} may read other databases too (${names.join(', ')}): grant SELECT ON ${database}.* alone`);
  const reaches = await reader.rows("SELECT 1 FROM url('http://127.0.0.1:9/', 'LineAsString') LIMIT 0").then(
    () => true,
    (error: unknown) => !(error instanceof ApiError && error.kind === 'settings'),
  );
  if (reaches) faults.push(`${user} may read from addresses by table functions: REVOKE SOURCES ON *.* FROM ${user}`);
  return faults;
}
