import { once } from 'node:events';
import type { WarehouseAccess } from '../../../src/exports/warehouse/connection.ts';
import { openWarehouse } from '../../../src/exports/warehouse/warehouse.ts';
import { openOffline } from '../convert/converted-runs.ts';

/** What a process that loads is given. */
export interface LoadOrder {
  readonly dir: string;
  readonly authUrl: string;
  readonly access: WarehouseAccess;
  readonly pieceRows: number;
}

// Loads what lies converted in a directory as the server does, once it is given a line, and ends by itself; with 1 where a load failed.
const { dir, authUrl, access, pieceRows } = JSON.parse(process.argv[2] ?? '') as LoadOrder;
const warehouse = openWarehouse(access, pieceRows);
const workspace = openOffline(dir, { keepSource: true, warehouse, authUrl });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const runs = await workspace.runs();
await workspace.converted();
const failures = runs.flatMap((run) => workspace.warehouse?.failure(run) ?? []);
await workspace.close();
await warehouse.close();
process.stderr.write(failures.join('\n'));
process.exit(failures.length > 0 ? 1 : 0);
