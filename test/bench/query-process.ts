import { DuckDBInstance } from '@duckdb/node-api';
import { literals } from '../../src/workspace/query/view-sql.ts';

/** What one run of this process tells. */
export interface PlainRun {
  readonly ms: number;
  readonly rows: unknown;
}

// Run by the benchmark: the same question to DuckDB as it comes, its start not counted.
const [, , ...paths] = process.argv;
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const started = performance.now();
const sql =
  `SELECT browser_name, count(*), sum(session_transactions_revenue_cents) FROM read_json(${literals(paths)}) GROUP BY ALL ` +
  `ORDER BY ALL`;
const rows = (await connection.runAndReadAll(sql)).getRowsJson();
const run: PlainRun = { ms: performance.now() - started, rows };
process.stdout.write(JSON.stringify(run));
