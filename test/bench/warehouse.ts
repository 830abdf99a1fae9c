import { resolve } from 'node:path';
import { type RunManifest, runDirectory } from '../../src/exports/store/manifest.ts';
import { ledgerOf } from '../../src/exports/warehouse/ledger.ts';
import { loadRun } from '../../src/exports/warehouse/project-warehouse.ts';
import { openWarehouse } from '../../src/exports/warehouse/warehouse.ts';
import { missing, startClickHouse } from '../support/clickhouse/start.ts';
import { runsOf, visitFiles } from './journeys/visit-files.ts';
import { type Row, timed } from './measure.ts';

const ROWS = 2_000_000;
const PROJECT = 'bench/1';
const script = resolve('dist/sql-process.js');

/** How fast a run is loaded through HTTP, and what it costs that overlapping runs count once. */
export async function benchWarehouse(): Promise<Row[]> {
  if (missing !== undefined) throw new Error(`The benchmark of the warehouse ${missing}.`);
  const size = { sessions: ROWS, days: 1 };
  const projectDir = await visitFiles(size);
  const [run] = await runsOf(projectDir, 'sessions', size);
  if (!run) throw new Error('There is no run.');
  const directory = runDirectory(projectDir, run);
  const clickHouse = await startClickHouse();
  const warehouse = openWarehouse(clickHouse.access);
  try {
    const { access, loader, reader } = warehouse;
    const { signal } = new AbortController();
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
    const load = (more: Partial<RunManifest> = {}) => timed(() => loadRun({ ...run, ...more }, { ...context, report: () => undefined }));
    const firstMs = await load();
    const group = (from: string) =>
      `SELECT browser_name, count() AS n, sum(session_transactions_revenue_cents) AS c FROM ${from} GROUP BY 1`;
    const plainMs = await timed(() => reader.rows(group('export_sessions')));
    const onceMs = await timed(() => reader.rows(group('export_sessions FINAL')));
    // The same day again, exported later.
    await load({ runId: run.runId + 1, exportedAt: '2026-12-01T02:00:00.000Z' });
    const twiceMs = await timed(() => reader.rows(group('export_sessions FINAL')));
    const latestMs = await timed(() =>
      reader.rows(
        `SELECT b AS browser_name, count() AS n, sum(c) AS c FROM (SELECT argMax(browser_name, _version) AS b,
         argMax(session_transactions_revenue_cents, _version) AS c FROM export_sessions GROUP BY _key) GROUP BY 1`,
      ),
    );
    return [
      {
        what: `load of ${ROWS / 1e6} M sessions of ${run.table?.columns.length} columns through HTTP`,
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
  }
}
