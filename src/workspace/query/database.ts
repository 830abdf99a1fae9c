import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { CLICKHOUSE_MACROS, refusalOf } from './check-statement.ts';
import type { Cell, Failure, Machine } from './protocol.ts';
import { literal, literals } from './view-sql.ts';

/** Members that the classes of DuckDB share, each in its own way. */
interface Composite {
  readonly items?: readonly DuckDBValue[];
  readonly entries?: Readonly<Record<string, DuckDBValue>> | readonly { readonly key: DuckDBValue; readonly value: DuckDBValue }[];
  readonly value?: DuckDBValue;
}

/** A value of DuckDB as exact JSON: what a number cannot hold becomes text. */
export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  const { items, entries }: Composite = value as Composite; // one of the classes, distinguished by their members
  if (items) return items.map(cellOf);
  if (Array.isArray(entries)) return entries.map(({ key, value: inner }) => ({ key: cellOf(key), value: cellOf(inner) }));
  if (entries) return Object.fromEntries(Object.entries(entries).map(([name, inner]) => [name, cellOf(inner)]));
  return value.toString();
}

/** Files that a database may open, and its resources. */
interface DatabaseOptions extends Pick<Machine, 'memoryBytes' | 'threads' | 'spill'> {
  readonly files: readonly string[];
  /** Statements that run before the settings are locked. */
  readonly setup: readonly string[];
}

/** Opens a database in memory that opens the given files and nothing else, and whose settings are locked. */
export async function openDatabase({ setup, files, memoryBytes, threads, spill }: DatabaseOptions): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('./duckdb.ts');
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryBytes}B`,
    temp_directory: spill?.directory ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  if (spill) await connection.run(`SET max_temp_directory_size = ${literal(`${spill.maxBytes}B`)}`);
  await connection.run(CLICKHOUSE_MACROS.map((macro) => `CREATE MACRO ${macro};`).join(' '));
  for (const statement of setup) await connection.run(statement);
  // Files by name: a directory that is allowed could be written to.
  await connection.run(`SET allowed_paths = ${literals(files)}`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return connection;
}

/** All rows of a statement of this server. */
export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRows();
}

/** Ends the task with its reason. */
export class TaskFailure extends Error {
  readonly reason: Failure;
  constructor(reason: Failure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws where the statement is more than one SELECT over the views. */
export async function checkStatement(connection: DuckDBConnection, sql: string, views: readonly string[]): Promise<void> {
  // DuckDB would run only the part before it, which is not the statement that was checked.
  if (sql.includes('\0')) throw new TaskFailure('refused', 'a statement holds no NUL character.');
  const serialise = await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
  serialise.bindVarchar(1, sql);
  const [row] = await (await serialise.run()).getRows();
  const refusal = refusalOf(String(row?.[0]), views);
  if (refusal !== undefined) throw new TaskFailure('refused', refusal);
}
