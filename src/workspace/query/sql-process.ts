import { fork } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { shippedFile } from '../../lib/shipped.ts';
import type { Cell, Failure, Message, Query, ResultColumn } from './protocol.ts';

/** The bundled process of a query; one of its own, because some functions of DuckDB neither stop when told nor keep to the memory limit. */
const SCRIPT = fileURLToPath(shippedFile('sql-process.js'));
const MAX_MEMORY_BYTES = 1024 ** 3;
/** Node itself, the library and what the readers of files hold beside the limit. */
const MAX_SLACK_BYTES = 640 * 1024 ** 2;
const MAX_THREADS = 4;
/** Queries of this server at a time; others wait. */
const AT_ONCE = 2;

/** A query without what the machine decides. */
export type SqlRequest = Omit<Query, 'memoryBytes' | 'slackBytes' | 'threads'>;

export interface SqlResult {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly Cell[])[];
  /** There are more rows than were asked for. */
  readonly more: boolean;
}

/** A query without a result; `message` is what DuckDB says, empty for `busy`, `time` and most crashes. */
export class SqlError extends Error {
  override name = 'SqlError';
  readonly reason: Failure | 'busy' | 'time' | 'crash';
  constructor(reason: Failure | 'busy' | 'time' | 'crash', message = '') {
    super(message);
    this.reason = reason;
  }
}

export interface SqlOptions {
  /** Directory that the paths of the files are relative to. */
  readonly directory: string;
  /** The time in the queue included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The bundled process, for callers that are bundled elsewhere. */
  readonly script?: string;
}

const inTurn = pLimit(AT_ONCE);

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('The query was cancelled.');
}

function startProcess(script: string, directory: string) {
  return fork(script, [], {
    cwd: directory,
    // Nothing of the server's environment, which may hold secrets; a host on Electron starts Node by this variable alone.
    env: 'electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Runs one statement over the view `data` in a process that ends with it; throws a `SqlError`, or the reason of the signal. */
export async function runSql(request: SqlRequest, options: SqlOptions): Promise<SqlResult> {
  const startedMs = performance.now();
  return inTurn(async () => {
    options.signal?.throwIfAborted();
    const leftMs = options.timeoutMs - (performance.now() - startedMs);
    if (leftMs <= 0) throw new SqlError('busy');
    return converse(request, { ...options, timeoutMs: leftMs });
  });
}

function converse(request: SqlRequest, { directory, timeoutMs, signal, script = SCRIPT }: SqlOptions): Promise<SqlResult> {
  // A container may have less than its machine; without a limit the second number is larger than any memory.
  const machineBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const query: Query = {
    ...request,
    memoryBytes: Math.min(MAX_MEMORY_BYTES, Math.floor(machineBytes / 4)),
    slackBytes: Math.min(MAX_SLACK_BYTES, 160 * 1024 ** 2 + Math.floor(machineBytes / 8)),
    threads: Math.min(MAX_THREADS, availableParallelism()),
  };
  return new Promise((resolve, reject) => {
    const child = startProcess(script, directory);
    let columns: readonly ResultColumn[] = [];
    const rows: (readonly Cell[])[] = [];
    let outcome: (() => void) | undefined;
    const finish = (result: () => void): void => {
      outcome ??= result;
      child.kill('SIGKILL');
    };
    const onAbort = (): void => finish(() => reject(abortReason(signal)));
    const timer = setTimeout(() => finish(() => reject(new SqlError('time'))), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('message', (message: Message) => {
      if (message.kind === 'columns') columns = message.columns;
      else if (message.kind === 'rows') for (const row of message.rows) rows.push(row);
      else if (message.kind === 'end') finish(() => resolve({ columns, rows, more: message.more }));
      else if (message.kind === 'failure') finish(() => reject(new SqlError(message.reason, message.message)));
    });
    child.on('error', (error) => finish(() => reject(new SqlError('crash', error.message))));
    // Only now is its memory free for the next.
    child.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      (outcome ?? (() => reject(new SqlError('crash'))))();
    });
    child.send(query, (error) => error && finish(() => reject(new SqlError('crash', error.message))));
  });
}
