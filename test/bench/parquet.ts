import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertJob } from '../../src/workspace/convert/conversions.ts';
import { dataViewOf } from '../../src/workspace/query/data-view.ts';
import { runSql, writePiece } from '../../src/workspace/query/sql-process.ts';
import { runDirectory } from '../../src/workspace/store/layout.ts';
import { type RunManifest, readManifest } from '../../src/workspace/store/manifest.ts';
import { median, type Row, timed } from './measure.ts';
import { storedColumnOf, writeSessions } from './query-files.ts';

const SESSIONS = 5_000_000;
const VIEWS = 100_000_000;
/** A month comes in several exports. */
const VIEW_RUNS = 5;
const ROUNDS = 5;
/** Where the first run of the script leaves its bundle. */
const PLAIN = 'node_modules/.cache/scripts/test-bench-parquet-process.mjs';

/** The most memory that a child of this process has taken so far, in bytes; 0 where the system does not say. */
function childPeakBytes(): number {
  const peaks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status) ? [Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024] : [];
      } catch {
        return []; // it has ended meanwhile
      }
    });
  return Math.max(0, ...peaks);
}

/** How long a task takes, and the most memory of the processes that it starts. */
async function watched<T>(task: () => Promise<T>): Promise<{ ms: number; peakBytes: number; result: T }> {
  let peakBytes = 0;
  const look = () => {
    peakBytes = Math.max(peakBytes, childPeakBytes());
  };
  const watch = existsSync('/proc/self/status') ? setInterval(look, 50) : undefined;
  const startedMs = performance.now();
  const result = await task();
  const ms = performance.now() - startedMs;
  clearInterval(watch);
  return { ms, peakBytes, result };
}

/** All that a call of `query_export` does over converted runs. */
async function product(runs: readonly RunManifest[], directory: string, sql: string) {
  const options = { directory, holder: 'bench', timeoutMs: 600_000 };
  const { name, setup, files } = dataViewOf(runs, { directory, pathOf: (_run, file) => join(directory, file.name) });
  return (await runSql({ views: [name], setup: [setup], files, sql, maxRows: 1000, maxChars: 1e6 }, options)).rows;
}

/** The same by a process of DuckDB alone, its start included. */
function plainMs(path: string, columns: string): Promise<number> {
  return timed(async () => execFileSync(process.execPath, [PLAIN, path, columns], { stdio: ['ignore', 'ignore', 'inherit'] }));
}

/** The sessions as a run of a workspace, converted by the product. */
async function convertedSessions() {
  const { directory: source, run } = await writeSessions(SESSIONS);
  const projectDir = join(tmpdir(), `parquet-bench-${process.pid}`);
  const directory = runDirectory(projectDir, run);
  mkdirSync(join(directory, '..'), { recursive: true });
  cpSync(source, directory, { recursive: true });
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(run));
  const { signal } = new AbortController();
  const { ms, peakBytes } = await watched(async () => convertJob(1, { projectDir, holder: 'bench', keepSource: true, signal }));
  const converted = await readManifest(projectDir, run);
  if (converted?.table?.rows !== SESSIONS) throw new Error('The run was not converted.');
  return { projectDir, directory, run: converted, ms, peakBytes };
}

const VIEW_COLUMNS = {
  project_id: '1201',
  user_id: 'hash(i // 7)',
  session_id: '20776000000 + i // 5',
  view_number: '1 + i % 5',
  view_time: `TIMESTAMP '2026-10-01' + INTERVAL (i * 30 * 86400 // ${VIEWS}) SECOND`,
  path: "'/p/' || (hash(i) % 2000)",
  device_name: "['mobile', 'desktop', 'tablet'][1 + (hash(i + 1) % 3)::INT]",
  browser_name: "['Chrome', 'Safari', 'Firefox', 'Edge'][1 + (hash(i // 5) % 4)::INT]",
  country_code: "['DE', 'FR', 'ES', 'JP', 'US'][1 + (hash(i // 7) % 5)::INT]",
  referrer: "CASE WHEN i % 3 = 0 THEN NULL ELSE 'https://example.com/' || hash(i) % 50 END",
  view_duration_msec: '(hash(i + 2) % 90000)::BIGINT',
  fully_loaded: '(300 + hash(i + 3) % 4000)::BIGINT',
  lcp: '(200 + hash(i + 4) % 3000)::BIGINT',
  cls: '(hash(i + 5) % 100) / 400',
  scroll_rate: '(hash(i + 6) % 401) / 4',
  number_of_clicks: '(hash(i + 7) % 12)::BIGINT',
  rage_click_all_targets_ind: 'hash(i + 8) % 40 = 0',
  errors: '(hash(i + 9) % 20 // 19)::BIGINT',
  is_last_view: 'i % 5 = 4',
  custom_var_1: "['plus', 'basic', 'none'][1 + (hash(i // 5 + 1) % 3)::INT]",
};
const TYPES: Readonly<Record<string, string>> = { cls: 'DOUBLE', scroll_rate: 'DOUBLE', view_time: 'TIMESTAMP' };
const TEXTS = /_id$|^path$|_name$|_code$|^referrer$|^custom/;

function typeOf(name: string): string {
  if (name === 'project_id') return 'BIGINT';
  if (/_ind$|^is_/.test(name)) return 'BOOLEAN';
  return TYPES[name] ?? (TEXTS.test(name) ? 'VARCHAR' : 'BIGINT');
}

/** Converted runs with so many views of a month, written by DuckDB as the conversion writes them; kept for the next time. */
async function views(): Promise<{ directory: string; runs: RunManifest[] }> {
  const directory = join(tmpdir(), `views-bench-hashed-${VIEWS}`);
  const indices = Array.from({ length: VIEW_RUNS }, (_, index) => index);
  const each = VIEWS / VIEW_RUNS;
  if (!existsSync(directory)) {
    const staged = `${directory}-${process.pid}`;
    mkdirSync(staged);
    try {
      const list = Object.entries(VIEW_COLUMNS).map(([name, value]) => `${value} AS ${name}`);
      for (const index of indices) {
        const select = `SELECT ${list.join(', ')} FROM range(${index * each}, ${(index + 1) * each}) r(i)`;
        const options = { directory: staged, holder: 'bench', timeoutMs: 900_000 };
        await writePiece({ select, file: 'none', target: `views-${index}.parquet` }, options);
      }
      renameSync(staged, directory);
    } finally {
      rmSync(staged, { recursive: true, force: true });
    }
  }
  const columns = Object.keys(VIEW_COLUMNS).map((name) => storedColumnOf(name, typeOf(name)));
  const at = (index: number) => new Date(Date.UTC(2026, 9, 1 + (index * 30) / VIEW_RUNS)).toISOString();
  const about = { version: 1, jobId: 2, jobName: 'Views', scope: 'views', format: 'JSONL', fields: [], files: [] };
  const runs = indices.map((index) => {
    const dates = { from: at(index), to: at(index + 1), exportedAt: at(index + 1), downloadedAt: at(index + 1) };
    return { ...about, runId: index + 1, ...dates, table: { name: `views-${index}.parquet`, bytes: 0, rows: each, columns } };
  });
  return { directory, runs: runs as RunManifest[] }; // types of columns are those that the conversion writes
}

const millions = (rows: number) => `${rows / 1e6} M`;
const load = () => `load ${(loadavg()[0] ?? 0).toFixed(1)}`;

/** Conversion, and group-bys over what it writes, each with the start of its process. */
export async function benchParquet(): Promise<Row[]> {
  const { projectDir, directory, run, ms, peakBytes } = await convertedSessions();
  const rows: Row[] = [
    {
      what: `conversion of ${millions(SESSIONS)} sessions from JSONL.gz into Parquet, checked`,
      measured: `${Math.round(SESSIONS / (ms / 1000)).toLocaleString('en')} rows/s, ${(peakBytes / 1e6).toFixed(0)} MB (${load()})`,
      aim: '≥ 500,000 rows/s, ≤ 600 MB',
    },
  ];
  try {
    const columns = 'SELECT browser_name, count(*), sum(session_transactions_revenue_cents)';
    const path = join(directory, run.table?.name ?? '');
    execFileSync(process.execPath, ['.ci/run-script.mjs', 'test/bench/parquet-process.ts', path, columns], { stdio: 'ignore' });
    const [own, plain]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      // One right after the other, so that what else the machine does meets both.
      plain.push(await plainMs(path, columns));
      own.push(await timed(() => product([run], directory, `${columns} FROM data GROUP BY ALL ORDER BY ALL`)));
    }
    const ratio = median(own.map((value, turn) => value / (plain[turn] ?? 1)));
    rows.push({
      what: `query_export: group-by over ${millions(SESSIONS)} sessions from Parquet, with the start of its process`,
      measured: `${median(own).toFixed(0)} ms, ${ratio.toFixed(2)} × a process of plain DuckDB (${load()})`,
      aim: '≤ 300 ms, ≤ 1.3 ×',
    });
  } finally {
    rmSync(projectDir, { recursive: true, force: true });
  }
  const large = await views();
  const sql = `SELECT path, device_name, count(*) AS n, avg(view_duration_msec) AS ms FROM data GROUP BY ALL ORDER BY n DESC LIMIT 100`;
  const turns = [];
  for (let turn = 0; turn < 3; turn += 1) turns.push(await watched(() => product(large.runs, large.directory, sql)));
  const queryMs = median(turns.map((turn) => turn.ms));
  rows.push({
    what: `query_export: ${millions(VIEWS)} views of ${Object.keys(VIEW_COLUMNS).length} columns by path and device`,
    measured: `${(queryMs / 1000).toFixed(2)} s, ${(Math.max(...turns.map((turn) => turn.peakBytes)) / 1e6).toFixed(0)} MB (${load()})`,
    aim: '≤ 3 s, ≤ 1 GiB',
  });
  return rows;
}
