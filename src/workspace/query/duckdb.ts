/** What is used of DuckDB; importing it fails where the optional package is not installed. */
export { DuckDBInstance } from '@duckdb/node-api';
