import { DuckDBInstance } from '@duckdb/node-api';

// Run by the benchmark: a question to one Parquet file by DuckDB as it comes.
const [, , path = '', columns = ''] = process.argv;
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const sql = `${columns} FROM read_parquet('${path}') GROUP BY ALL ORDER BY ALL`;
process.stdout.write(JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson()));
