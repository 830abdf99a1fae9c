import type { DuckDBConnection } from '@duckdb/node-api';
import { convertRun, resolveOverlap, writePiece } from './convert/write-table.ts';
import { cellOf, checkStatement, openDatabase, TaskFailure } from './query/database.ts';
import type {
  Cell,
  ConvertTask,
  Failure,
  Machine,
  Message,
  PieceTask,
  Readable,
  ResolveTask,
  SessionStatement,
  SessionTask,
  Statement,
  Task,
} from './query/protocol.ts';
import { identifier } from './query/view-sql.ts';

/** How often the memory of the process is looked at: some functions of DuckDB take memory that its own limit does not see. */
const WATCH_MS = 20;
/** Rows that go out together. */
const ROWS_A_MESSAGE = 2_000;

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
    if (error instanceof TaskFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new TaskFailure(/^Out of Memory|bad_alloc|bad allocation/i.test(message) ? 'memory' : reason, message);
  }
}

/** Opens the data of statements. */
async function open(readable: Readable, machine: Machine): Promise<DuckDBConnection> {
  const connection = await attempt('data', () => openDatabase({ ...readable, ...machine }));
  await say({ kind: 'ready' });
  return connection;
}

/** Answers the statements of a session in their order; it ends with the process alone. */
async function converse(session: SessionTask, machine: Machine): Promise<never> {
  const known = [...session.views];
  const opened = open(session, machine);
  let last: Promise<unknown> = opened;
  return new Promise((_, reject) => {
    opened.catch(reject);
    process.on('message', (statement: SessionStatement) => {
      last = last.then(async () => respond(await opened, statement, known));
      last.catch(reject);
    });
  });
}

async function respond(connection: DuckDBConnection, statement: SessionStatement, known: string[]): Promise<void> {
  const { keptAs, sql } = statement;
  if (keptAs === undefined) return answer(connection, known, statement);
  await attempt('sql', () => checkStatement(connection, sql, known));
  await attempt('sql', () => connection.run(`CREATE TABLE ${identifier(keptAs)} AS ${sql}`));
  known.push(keptAs);
  return say({ kind: 'end', more: false });
}

async function answer(connection: DuckDBConnection, views: readonly string[], query: Statement): Promise<void> {
  await attempt('sql', () => checkStatement(connection, query.sql, views));
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

/** Writes in the directory of the process; tells of each file. */
async function write(task: ConvertTask | ResolveTask | PieceTask, machine: Machine): Promise<void> {
  if (task.kind === 'convert') {
    await say({ kind: 'ready' });
    for (const each of task.runs) await say({ kind: 'converted', converted: await convertRun(each, machine) });
  } else {
    const runs = task.kind === 'piece' ? [{ ...task, later: [] }] : task.runs;
    const files = runs.flatMap(({ file, later, target }) => [file, ...later, target]);
    const setup = ['SET preserve_insertion_order = false'];
    const connection = await attempt('data', () => openDatabase({ ...machine, setup, files: [...new Set(files)] }));
    await say({ kind: 'ready' });
    const writes =
      task.kind === 'piece' ? [() => writePiece(connection, task)] : task.runs.map((run) => () => resolveOverlap(connection, run));
    for (const each of writes) await say({ kind: 'written', rows: await attempt('data', each) });
  }
  return say({ kind: 'end', more: false });
}

async function perform(task: Task, machine: Machine): Promise<void> {
  await attempt('missing package', () => import('./query/duckdb.ts'));
  if (task.kind === 'session') return converse(task, machine);
  if (task.kind === 'query') return answer(await open(task, machine), task.views, task);
  return write(task, machine);
}

process.once('message', ({ task, machine }: { task: Task; machine: Machine }) => {
  const largestBytes = machine.memoryBytes + machine.slackBytes;
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < largestBytes) return;
    clearInterval(watch);
    void say({ kind: 'failure', reason: 'memory', message: 'the process took more memory than it may' }).then(end);
  }, WATCH_MS);
  perform(task, machine)
    .catch((error: unknown) => {
      const { reason = 'sql', message } = error as Partial<TaskFailure> & Error; // all that is thrown is an error
      return say({ kind: 'failure', reason, message });
    })
    .finally(end);
});
// Without its parent process the answer is of no use.
process.once('disconnect', end);
