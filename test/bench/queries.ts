import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { dataViewOf } from '../../src/workspace/query/data-view.ts';
import type { RunManifest } from '../../src/workspace/store/manifest.ts';
import { median, type Row } from './measure.ts';
import { writeSessions } from './query-files.ts';
import type { PlainRun } from './query-process.ts';

const ROWS = 5_000_000;
const ROUNDS = 3;
/** The bundle of the benchmark lies elsewhere. */
const SCRIPT = resolve('dist/sql-process.js');
const SQL = 'SELECT browser_name, count(*), sum(session_transactions_revenue_cents) FROM data GROUP BY ALL ORDER BY ALL';

function plain(paths: readonly string[]): PlainRun {
  const output = execFileSync(process.execPath, ['.ci/run-script.mjs', 'test/bench/query-process.ts', ...paths], { encoding: 'utf8' });
  return JSON.parse(output) as PlainRun;
}

/** All that a call does, from the look into the files to the rows: the process of the query is started and ended within it. */
async function product(runs: readonly RunManifest[], directory: string): Promise<PlainRun> {
  const { lookInto, runSql } = await import('../../src/workspace/query/sql-process.ts');
  const options = { directory, holder: 'bench', timeoutMs: 600_000, script: SCRIPT };
  const started = performance.now();
  const { name, setup, files } = await dataViewOf(runs, {
    directory,
    pathOf: (_run, file) => join(directory, file.name),
    look: (wanted) => lookInto({ files: wanted }, options),
  });
  const request = { views: [name], setup: [setup], files, sql: SQL, maxRows: 100, maxChars: 1e6 };
  const { rows } = await runSql(request, options);
  return { ms: performance.now() - started, rows };
}

/** A group-by of `query_export` over 5 million sessions in JSONL.gz, over the same question to plain DuckDB. */
export async function benchQueries(): Promise<Row[]> {
  const { directory, paths, run } = await writeSessions(ROWS);
  const ratios: number[] = [];
  const times: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    // One right after the other, so that what else the machine does meets both.
    const [without, own] = [plain(paths), await product([run], directory)];
    if (JSON.stringify(numbers(without.rows)) !== JSON.stringify(numbers(own.rows))) throw new Error('The two answers differ.');
    ratios.push(own.ms / without.ms);
    times.push(without.ms);
  }
  // The same files as two runs of the same days: what keys cost where runs overlap.
  const half = run.files.length / 2;
  const [early, late] = [
    { ...run, files: run.files.slice(0, half) },
    { ...run, runId: 2, exportedAt: '2026-11-22T02:00:00.000Z', files: run.files.slice(half) },
  ];
  const overlapping = await product([early, late], directory);
  return [
    {
      what: 'query_export: group-by over 5 million sessions in JSONL.gz, over plain DuckDB',
      measured: `${median(ratios).toFixed(2)} × (of ${median(times).toFixed(0)} ms)`,
      aim: '≤ 1.3 ×',
    },
    {
      what: 'the same where runs overlap, each row with its key',
      measured: `${(overlapping.ms / median(times)).toFixed(2)} ×`,
      aim: '',
    },
  ];
}

/** Rows without the difference between a number and its text. */
function numbers(rows: unknown): string[][] {
  return (rows as unknown[][]).map((row) => row.map(String)); // both give rows of cells
}
