import type { DuckDBConnection } from '@duckdb/node-api';
import { cellOf, checkStatement, openDatabase, TaskFailure } from './database.ts';
import type { Cell, ConvertTask, Failure, Machine, Message, PieceTask, QueryTask, ResolveTask, Task, Written } from './protocol.ts';
import { lookAt } from './sniff.ts';
import { convert, resolveOverlap, writePiece } from './write-table.ts';

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

async function answer(query: QueryTask, machine: Machine): Promise<void> {
  const connection = await attempt('data', () => openDatabase({ ...query, ...machine }));
  await say({ kind: 'ready' });
  await attempt('sql', () => checkStatement(connection, query.sql, query.views));
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

/** The files that a task reads. */
function filesOf(task: ConvertTask | ResolveTask | PieceTask): readonly string[] {
  if (task.kind === 'convert') return task.files;
  return task.kind === 'piece' ? [task.file] : [task.file, ...task.later];
}

async function write(connection: DuckDBConnection, task: ConvertTask | ResolveTask | PieceTask): Promise<Written> {
  if (task.kind === 'convert') return convert(connection, task);
  return { rows: await (task.kind === 'piece' ? writePiece(connection, task) : resolveOverlap(connection, task)) };
}

async function perform(task: Task, machine: Machine): Promise<void> {
  if (task.kind === 'look') {
    await say({ kind: 'ready' });
    return say({ kind: 'looks', looks: await attempt('data', () => lookAt(task)) });
  }
  await attempt('missing package', () => import('./duckdb.ts'));
  if (task.kind === 'query') return answer(task, machine);
  const setup = ['SET preserve_insertion_order = false'];
  const connection = await attempt('data', () => openDatabase({ ...machine, setup, files: [...filesOf(task), task.target] }));
  await say({ kind: 'ready' });
  return say({ kind: 'written', ...(await attempt('data', () => write(connection, task))) });
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
