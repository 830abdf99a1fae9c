import type { DuckDBConnection } from '@duckdb/node-api';
import { convertRun, writePiece } from './convert/write-table.ts';
import { cellOf, checkStatement, openDatabase, TaskFailure } from './query/database.ts';
import type { Cell, Failure, Message, Opening, ProcessStep, Statement, StepEnd } from './query/sql-process.ts';
import { identifier } from './query/view-sql.ts';
import { messageOf } from './store/disk.ts';

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
    const message = messageOf(error);
    throw new TaskFailure(/^Out of Memory|bad_alloc|bad allocation/i.test(message) ? 'memory' : reason, message);
  }
}

/** Sends the rows of a statement; gives its columns, and whether there are more rows than it may have. */
async function answer(connection: DuckDBConnection, query: Statement): Promise<StepEnd> {
  const result = await attempt('sql', () => connection.stream(query.sql));
  const types = result.columnTypes();
  const names = result.deduplicatedColumnNames();
  const columns = names.map((name, index) => ({ name, type: String(types[index]) }));
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
        return { columns, more: true };
      }
      rows.push(row);
      count += 1;
    }
    if (rows.length < ROWS_A_MESSAGE) continue;
    await say({ kind: 'rows', rows });
    rows = [];
  }
  await say({ kind: 'rows', rows });
  return { columns, more: false };
}

/** Takes steps one after the other; the database is opened by the first that needs it. */
function createWorker({ readable, machine }: Opening): (step: ProcessStep) => Promise<void> {
  const known = [...readable.views];
  let opened: Promise<DuckDBConnection> | undefined;
  return async ({ spill, ...step }) => {
    const own = { ...machine, ...(spill && { spill }) };
    if (step.kind === 'select') opened ??= attempt('data', () => openDatabase({ ...readable, ...own }));
    const connection = await opened;
    await say({ kind: 'ready' });
    if (step.kind === 'convert') return say({ kind: 'end', converted: await convertRun(step, own) });
    if (step.kind === 'write') return say({ kind: 'end', written: await attempt('data', () => writePiece(step, own)) });
    if (!connection) return undefined;
    const { keptAs, sql } = step;
    await attempt('sql', () => checkStatement(connection, sql, known));
    if (keptAs === undefined) return say({ kind: 'end', ...(await answer(connection, step)) });
    await attempt('sql', () => connection.run(`CREATE TABLE ${identifier(keptAs)} AS ${sql}`));
    known.push(keptAs);
    return say({ kind: 'end' });
  };
}

process.once('message', (opening: Opening) => {
  const { memoryBytes, slackBytes } = opening.machine;
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < memoryBytes + slackBytes) return;
    clearInterval(watch);
    void say({ kind: 'failure', reason: 'memory', message: 'the process took more memory than it may' }).then(end);
  }, WATCH_MS);
  const perform = createWorker(opening);
  let last: Promise<unknown> = attempt('missing package', () => import('./query/duckdb.ts'));
  process.on('message', (step: ProcessStep) => {
    last = last.then(() => perform(step));
    last.catch((error: unknown) => {
      const { reason = 'sql', message } = error as Partial<TaskFailure> & Error; // all that is thrown is an error
      return say({ kind: 'failure', reason, message }).finally(end);
    });
  });
});
// Without its parent process the answer is of no use.
process.once('disconnect', end);
