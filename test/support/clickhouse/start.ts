import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { WarehouseAccess } from '../../../src/exports/warehouse/connection.ts';

const PACKAGE = resolve('node_modules/.cache/clickhouse/package');

/** Why ClickHouse cannot run here; undefined where it can. */
export const missing = existsSync(join(PACKAGE, 'chdb_node.node')) ? undefined : 'needs ClickHouse, which .ci/run fetches on Linux x64';

/** What one request was, as the server saw it. */
export interface Seen {
  readonly user?: string;
  readonly sql?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly end?: string;
}

/** Faults of the server; each call sets them anew. */
export interface Faults {
  /** Insertions that are refused. */
  readonly failInserts?: number;
  /** Insertions after which the process dies, the rows stored and not confirmed. */
  readonly dieAfterInserts?: number;
  /** Bytes of an answer after which the connection ends. */
  readonly cutAfterBytes?: number;
}

/** ClickHouse in a process of its own, behind its HTTP interface. */
export interface TestClickHouse {
  readonly access: WarehouseAccess;
  /** Any statement with all rights; rows of JSON values. */
  query(sql: string): Promise<unknown[][]>;
  /** The requests since the last call. */
  seen(): Promise<Seen[]>;
  fail(faults: Faults): Promise<void>;
  /** Starts it again on the same data, where it has died. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function startEngine(folder: string) {
  const child = spawn(process.execPath, [resolve('test/support/clickhouse/engine.mjs'), PACKAGE, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  });
  const [port] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('The process of ClickHouse ended at its start.'))),
  ]);
  return { child, address: `http://127.0.0.1:${String(port)}` };
}

/** Starts ClickHouse with an empty database; the caller stops it. */
export async function startClickHouse(): Promise<TestClickHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'clickhouse-'));
  let engine = await startEngine(folder);
  const ask = async (body: object) => {
    const answer = await fetch(`${engine.address}/fixture`, { method: 'POST', body: JSON.stringify(body) });
    const words = await answer.text();
    if (!answer.ok) throw new Error(words);
    return words;
  };
  const stopEngine = async () => {
    if (engine.child.exitCode !== null || engine.child.signalCode !== null) return;
    engine.child.kill('SIGKILL');
    await once(engine.child, 'exit');
  };
  return {
    get access() {
      return {
        address: engine.address,
        database: 'analytics',
        engine: 'ReplacingMergeTree' as const,
        loader: { user: 'loader', password: 'load-secret' },
        reader: { user: 'reader', password: 'read-secret' },
      };
    },
    async query(sql) {
      const lines = (await ask({ sql })).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as unknown[]);
    },
    seen: async () => JSON.parse(await ask({})) as Seen[],
    async fail(faults) {
      await ask({ faults });
    },
    async restart() {
      await stopEngine();
      engine = await startEngine(folder);
    },
    async stop() {
      await stopEngine();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
