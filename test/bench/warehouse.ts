import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writePiece } from '../../src/workspace/query/sql-process.ts';
import type { RunManifest, RunTable } from '../../src/workspace/store/manifest.ts';
import { ledgerOf } from '../../src/workspace/warehouse/ledger.ts';
import { loadRun } from '../../src/workspace/warehouse/project-warehouse.ts';
import { openWarehouse } from '../../src/workspace/warehouse/warehouse.ts';
import { missing, startClickHouse } from '../support/clickhouse/start.ts';
import { type Row, timed } from './measure.ts';
import { storedColumnOf } from './query-files.ts';

const ROWS = 2_000_000;
const PROJECT = 'bench/1';
const script = resolve('dist/sql-process.js');

/** Sessions of a day, ids above 2^53. */
const SELECT = `SELECT 1201 AS project_id, 18446744073709000000::UBIGINT + (i % 400000)::UBIGINT AS user_id,
  9007199254740993 + i AS session_id, TIMESTAMP '2026-11-10' + INTERVAL (i % 86400) SECOND AS session_time,
  ['Chrome', 'Safari', 'Firefox'][1 + i % 3] AS browser_name, ['DE', 'FR', 'ES', 'JP'][1 + i % 4] AS country_code,
  i % 3 AS device_id, 1 + i % 9 AS session_number, 1 + i % 20 AS session_number_of_views, i % 7 = 0 AS is_excludable,
  CASE WHEN i % 20 = 0 THEN 1000 + i % 9000 ELSE 0 END AS session_transactions_revenue_cents, '/p/' || i % 500 AS path,
  (i % 101) / 4 AS scroll_rate FROM range(${ROWS}) r(i)`;
const TYPES = {
  project_id: 'BIGINT',
  user_id: 'VARCHAR',
  session_id: 'VARCHAR',
  session_time: 'TIMESTAMP',
  browser_name: 'VARCHAR',
  country_code: 'VARCHAR',
  device_id: 'BIGINT',
  session_number: 'BIGINT',
  session_number_of_views: 'BIGINT',
  is_excludable: 'BOOLEAN',
  session_transactions_revenue_cents: 'BIGINT',
  path: 'VARCHAR',
  scroll_rate: 'DOUBLE',
} as const;

function runOf(runId: number, exportedAt: string): RunManifest {
  const entries = Object.entries(TYPES);
  const columns = entries.map(([name, type]) => storedColumnOf(name, type)) as RunTable['columns']; // as conversions write them
  const range = { from: '2026-11-10T00:00:00.000Z', to: '2026-11-11T00:00:00.000Z' };
  const job = { version: 1 as const, jobId: 31, jobName: 'Sessions', scope: 'sessions', format: 'JSONL', fields: [], files: [] };
  return { ...job, ...range, runId, exportedAt, downloadedAt: exportedAt, table: { name: 'table.parquet', bytes: 0, rows: ROWS, columns } };
}

/** How fast a run is loaded through HTTP, and what it costs that overlapping runs count once. */
export async function benchWarehouse(): Promise<Row[]> {
  if (missing !== undefined) throw new Error(`The benchmark of the warehouse ${missing}.`);
  const directory = await mkdtemp(join(tmpdir(), 'bench-warehouse-'));
  const clickHouse = await startClickHouse();
  const warehouse = openWarehouse(clickHouse.access);
  try {
    const { access, loader, reader } = warehouse;
    const { signal } = new AbortController();
    await writePiece({ select: SELECT, file: 'none', target: 'table.parquet' }, { directory, holder: 'bench', timeoutMs: 600_000, script });
    const context = {
      access,
      loader,
      ledger: ledgerOf(access, loader, PROJECT),
      project: PROJECT,
      directory,
      holder: 'bench',
      signal,
      script,
    };
    const load = (run: RunManifest) => timed(() => loadRun(run, { ...context, report: () => undefined }));
    const firstMs = await load(runOf(501, '2026-11-11T02:00:00.000Z'));
    const group = (from: string) =>
      `SELECT browser_name, count() AS n, sum(session_transactions_revenue_cents) AS c FROM ${from} GROUP BY 1`;
    const plainMs = await timed(() => reader.rows(group('export_sessions')));
    const onceMs = await timed(() => reader.rows(group('export_sessions FINAL')));
    await load(runOf(502, '2026-11-12T02:00:00.000Z'));
    const twiceMs = await timed(() => reader.rows(group('export_sessions FINAL')));
    const latestMs = await timed(() =>
      reader.rows(
        `SELECT b AS browser_name, count() AS n, sum(c) AS c FROM (SELECT argMax(browser_name, _version) AS b,
         argMax(session_transactions_revenue_cents, _version) AS c FROM export_sessions GROUP BY _key) GROUP BY 1`,
      ),
    );
    return [
      {
        what: `load of ${ROWS / 1e6} M sessions of 13 columns through HTTP`,
        measured: `${Math.round(ROWS / (firstMs / 1000)).toLocaleString('en')} rows/s`,
        aim: '≥ 200,000 rows/s',
      },
      { what: 'group-by without FINAL', measured: `${plainMs.toFixed(0)} ms`, aim: '' },
      { what: 'group-by with FINAL, one run', measured: `${onceMs.toFixed(0)} ms`, aim: '' },
      { what: 'group-by with FINAL, two runs of the same day', measured: `${twiceMs.toFixed(0)} ms`, aim: '' },
      { what: 'the same by argMax instead of FINAL', measured: `${latestMs.toFixed(0)} ms`, aim: '' },
    ];
  } finally {
    await warehouse.close();
    await clickHouse.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
