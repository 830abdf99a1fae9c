/** The parts of DuckDB that are used; importing it fails where the optional package is not installed. */
export { DuckDBInstance } from '@duckdb/node-api';
