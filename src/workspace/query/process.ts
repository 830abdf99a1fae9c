import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { refusalOf } from './check-statement.ts';
import type { Cell, Failure, Message, Query } from './protocol.ts';
import { literals } from './sql-text.ts';

/** What the classes of DuckDB have in common, each in its own way. */
interface Composite {
  readonly items?: readonly DuckDBValue[];
  readonly entries?: Readonly<Record<string, DuckDBValue>> | readonly { readonly key: DuckDBValue; readonly value: DuckDBValue }[];
  readonly value?: DuckDBValue;
}

/** A value of DuckDB as JSON holds it, exactly: what a number cannot hold becomes text. */
export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  const { items, entries }: Composite = value as Composite; // one of the classes, told apart by their members
  if (items) return items.map(cellOf);
  if (Array.isArray(entries)) return entries.map(({ key, value: inner }) => ({ key: cellOf(key), value: cellOf(inner) }));
  if (entries) return Object.fromEntries(Object.entries(entries).map(([name, inner]) => [name, cellOf(inner)]));
  return value.toString();
}

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

/** How often the memory of the process is looked at: some functions of DuckDB take memory that its own limit does not see. */
const WATCH_MS = 20;
/** Rows that go out together. */
const ROWS_A_MESSAGE = 2_000;

/** Ends the query with its reason. */
class QueryFailure extends Error {
  readonly reason: Failure;
  constructor(reason: Failure, message: string) {
    super(message);
    this.reason = reason;
  }
}

function say(message: Message): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** At once, whatever the threads of DuckDB are at. */
function end(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process goes on after its end.');
}

async function attempt<T>(reason: Failure, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof QueryFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new QueryFailure(/^Out of Memory|bad_alloc|bad allocation/i.test(message) ? 'memory' : reason, message);
  }
}

/** Throws where the statement is more than one SELECT over the views. */
export async function checkStatement(connection: DuckDBConnection, sql: string, views: readonly string[]): Promise<void> {
  // DuckDB would run what stands before it alone, which is not what is looked at here.
  if (sql.includes('\0')) throw new QueryFailure('refused', 'a statement holds no NUL character.');
  const serialise = await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
  serialise.bindVarchar(1, sql);
  const [row] = await (await serialise.run()).getRows();
  const refusal = refusalOf(String(row?.[0]), views);
  if (refusal !== undefined) throw new QueryFailure('refused', refusal);
}

async function answer(query: Query): Promise<void> {
  await attempt('missing package', () => import('./duckdb.ts'));
  const connection = await attempt('data', () => openDatabase(query));
  await say({ kind: 'ready' });
  await attempt('sql', () => checkStatement(connection, query.sql, ['data']));
  const result = await attempt('sql', () => connection.stream(query.sql));
  const types = result.columnTypes();
  const names = result.deduplicatedColumnNames();
  await say({ kind: 'columns', columns: names.map((name, index) => ({ name, type: String(types[index]) })) });
  let rows: Cell[][] = [];
  let [count, chars] = [0, 0];
  for (;;) {
    const chunk = await attempt('sql', () => result.fetchChunk());
    if (!chunk || chunk.rowCount === 0) break;
    for (const values of chunk.getRows()) {
      const row = values.map(cellOf);
      chars += JSON.stringify(row).length;
      if (count === query.maxRows || chars > query.maxChars) {
        await say({ kind: 'rows', rows });
        return say({ kind: 'end', more: true });
      }
      rows.push(row);
      count += 1;
    }
    if (rows.length < ROWS_A_MESSAGE) continue;
    await say({ kind: 'rows', rows });
    rows = [];
  }
  await say({ kind: 'rows', rows });
  return say({ kind: 'end', more: false });
}

process.once('message', (query: Query) => {
  const largestBytes = query.memoryBytes + query.slackBytes;
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < largestBytes) return;
    clearInterval(watch);
    void say({ kind: 'failure', reason: 'memory', message: 'the process took more memory than it may' }).then(end);
  }, WATCH_MS);
  answer(query)
    .catch((error: unknown) => {
      const { reason = 'sql', message } = error as Partial<QueryFailure> & Error; // all that is thrown is an error
      return say({ kind: 'failure', reason, message });
    })
    .finally(end);
});
// Without the one who asked nobody wants the answer.
process.once('disconnect', end);
