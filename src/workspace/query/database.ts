import type { DuckDBConnection } from '@duckdb/node-api';
import type { Query } from './protocol.ts';
import { literals } from './sql-text.ts';

/** Opens a database in memory that reads the given files and nothing else, writes nothing, and whose settings are locked. */
export async function openDatabase({
  viewSql,
  files,
  memoryBytes,
  threads,
}: Pick<Query, 'viewSql' | 'files' | 'memoryBytes' | 'threads'>): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('./duckdb.ts');
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryBytes}B`,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(viewSql);
  // Files by name: a directory that is allowed could be written to.
  await connection.run(`SET allowed_paths = ${literals(files)}`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return connection;
}
