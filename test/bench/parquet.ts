import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { conversionsIn, convertWaiting } from '../../src/exports/convert/conversions.ts';
import { dataViewOf } from '../../src/exports/query/data-view.ts';
import { runSql } from '../../src/exports/query/sql-process.ts';
import { type RunManifest, readManifest, runDirectory } from '../../src/exports/store/manifest.ts';
import { times } from '../support/times.ts';
import { runsOf, visitFiles } from './journeys/visit-files.ts';
import { median, printedBy, type Row, timed } from './measure.ts';
import { childrenOf, memoryOf } from './process-figures.ts';

const PARTS = 8;
const ROWS_A_WRITE = 5_000;
const browsers = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet', null];

/** Two of three sessions are a visitor's first here. */
const SESSIONS_A_VISITOR = 1.5;

/** The id of a visitor: a hash of 64 bits, as the platform has it (the finish of SplitMix64). */
function userId(visitor: number): bigint {
  let mixed = BigInt.asUintN(64, BigInt(visitor) * 0x9e3779b97f4a7c15n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
}

/** One session as the platform writes it. */
function line(index: number): string {
  const draw = Math.imul(index, 2_654_435_761) >>> 0;
  const cents = draw % 17 === 0 ? draw % 20_000 : 0;
  const day = String(1 + (draw % 20)).padStart(2, '0');
  const members = [
    `"project_id":1201,"user_id":${userId(1 + Math.floor(index / SESSIONS_A_VISITOR))},"session_id":${20_776_000_000 + index}`,
    `"session_number":${1 + (draw % 9)},"session_time":"2026-11-${day}T08:14:03.000Z","session_number_of_views":${1 + (draw % 14)}`,
    `"session_duration_msec":${draw % 900_000},"session_number_of_transactions":${cents > 0 ? 1 : 0}`,
    `"session_transactions_revenue_cents":${cents},"device_id":${draw % 5},"country_code":"DE"`,
    `"browser_name":${JSON.stringify(browsers[draw % 6])},"custom_var_1":"plus"`,
  ];
  return `{${members.join(',')}}\n`;
}

/** Those that the platform names; a custom variable has a name of its own. */
const fields = Object.keys(JSON.parse(line(0)))
  .filter((name) => !name.startsWith('custom_var'))
  .map((fieldName) => ({ fieldName }));

/** A downloaded run of so many sessions as JSONL.gz in eight parts; written once, kept for the next time. */
async function writeSessions(rows: number): Promise<{ directory: string; run: RunManifest }> {
  const directory = join(tmpdir(), `query-bench-hashed-${rows}`);
  const names = times(PARTS, (part) => `part-${part}.jsonl.gz`);
  if (!existsSync(directory)) {
    const staged = `${directory}-${process.pid}`;
    mkdirSync(staged);
    try {
      for (const [part, name] of names.entries()) await writePart(join(staged, name), (rows * part) / PARTS, (rows * (part + 1)) / PARTS);
      renameSync(staged, directory);
    } finally {
      rmSync(staged, { recursive: true, force: true });
    }
  }
  const files = names.map((name) => ({ name, bytes: statSync(join(directory, name)).size, sha256: '', gzip: true }));
  const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z', exportedAt: '2026-11-21T02:00:00.000Z' };
  const about = { version: 1 as const, jobId: 1, jobName: 'Sessions', runId: 1, scope: 'sessions', format: 'JSONL' };
  return { directory, run: { ...about, ...range, downloadedAt: range.exportedAt, fields, files } };
}

async function writePart(path: string, from: number, to: number): Promise<void> {
  const gzip = createGzip({ level: 3 });
  const out = gzip.pipe(createWriteStream(path));
  for (let at = Math.floor(from); at < to; at += ROWS_A_WRITE) {
    const count = Math.min(ROWS_A_WRITE, Math.floor(to) - at);
    if (!gzip.write(times(count, (index) => line(at + index)).join(''))) await once(gzip, 'drain');
  }
  gzip.end();
  await once(out, 'finish');
}

const SESSIONS = 5_000_000;
/** About 100 million views in several exports. */
const VISITS = { sessions: 20_000_000, days: 5 };
const ROUNDS = 5;
/** Where the first run of the script leaves its bundle. */
const PLAIN = 'node_modules/.cache/scripts/test-bench-parquet-process.mjs';

/** How long a task takes, and the most memory of the processes that it starts. */
async function watched<T>(task: () => Promise<T>): Promise<{ ms: number; peakMb: number; result: T }> {
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, ...childrenOf(process.pid).map((child) => memoryOf(child).peakMb));
  }, 50);
  const startedMs = performance.now();
  const result = await task();
  const ms = performance.now() - startedMs;
  clearInterval(watch);
  return { ms, peakMb, result };
}

/** All that a call of `query_export` does over converted runs. */
async function product(runs: readonly RunManifest[], projectDir: string, sql: string) {
  const options = { directory: projectDir, holder: 'bench', timeoutMs: 600_000 };
  const { name, setup, files } = dataViewOf(runs);
  return (await runSql({ views: [name], setup: [setup()], files, sql, maxRows: 1000, maxChars: 1e6 }, options)).rows;
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
  convertWaiting([run], { projectDir, holder: 'bench', keepSource: true, signal });
  const { ms, peakMb } = await watched(() => Promise.all(conversionsIn(projectDir)));
  const converted = await readManifest(projectDir, run);
  if (converted?.table?.rows !== SESSIONS) throw new Error('The run was not converted.');
  return { projectDir, directory, run: converted, ms, peakMb };
}

const millions = (rows: number) => `${Math.round(rows / 1e6)} M`;
const load = () => `load ${(loadavg()[0] ?? 0).toFixed(1)}`;

/** Conversion, and group-bys over what it writes, each with the start of its process. */
export async function benchParquet(): Promise<Row[]> {
  const { projectDir, directory, run, ms, peakMb } = await convertedSessions();
  const rows: Row[] = [
    {
      what: `conversion of ${millions(SESSIONS)} sessions from JSONL.gz into Parquet, checked`,
      measured: `${Math.round(SESSIONS / (ms / 1000)).toLocaleString('en')} rows/s, ${peakMb.toFixed(0)} MB (${load()})`,
      aim: '≥ 500,000 rows/s, ≤ 600 MB',
    },
  ];
  try {
    const columns = 'SELECT browser_name, count(*), sum(session_transactions_revenue_cents)';
    const path = join(directory, run.table?.name ?? '');
    printedBy('parquet-process', path, columns);
    const [own, plain]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      // One right after the other, so that what else the machine does meets both.
      plain.push(await plainMs(path, columns));
      own.push(await timed(() => product([run], projectDir, `${columns} FROM data GROUP BY ALL ORDER BY ALL`)));
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
  const large = await visitFiles(VISITS);
  const runs = await runsOf(large, 'views', VISITS);
  const sql = 'SELECT path, session_number, count(*) AS n, avg(fully_loaded) AS ms FROM data GROUP BY ALL ORDER BY n DESC LIMIT 100';
  const turns = [];
  for (let turn = 0; turn < 3; turn += 1) turns.push(await watched(() => product(runs, large, sql)));
  const rowsOf = (each: readonly RunManifest[]) => each.reduce((sum, { table }) => sum + (table?.rows ?? 0), 0);
  const queryMs = median(turns.map((turn) => turn.ms));
  rows.push({
    what: `query_export: ${millions(rowsOf(runs))} views of ${runs[0]?.table?.columns.length} columns by path and number of the visit`,
    measured: `${(queryMs / 1000).toFixed(2)} s, ${Math.max(...turns.map((turn) => turn.peakMb)).toFixed(0)} MB (${load()})`,
    aim: '≤ 3 s, ≤ 1 GiB',
  });
  return rows;
}
