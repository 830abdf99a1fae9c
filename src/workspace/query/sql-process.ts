import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createFairSemaphore, type FairSemaphore } from '../../lib/concurrency.ts';
import { shippedFile } from '../../lib/shipped.ts';
import { createSpillDirectory } from '../store/spill.ts';
import type {
  Beginning,
  Cell,
  ConvertTask,
  Failure,
  LookTask,
  Machine,
  Message,
  PieceTask,
  QueryTask,
  ResolveTask,
  ResultColumn,
  Task,
  Written,
} from './protocol.ts';

/** The bundled process of a task; a separate one, because some functions of DuckDB ignore interrupts and the memory limit. */
const SCRIPT = fileURLToPath(shippedFile('sql-process.js'));
const MAX_MEMORY_BYTES = 1024 ** 3;
/** Memory outside the limit: Node itself, the library, and the buffers of the file readers. */
const MAX_SLACK_BYTES = 640 * 1024 ** 2;
const MAX_THREADS = 4;
/** Bytes that a query may spill. */
const MAX_SPILL_BYTES = 4 * 1024 ** 3;
/** Queries of this server at a time, half of them for one principal; others wait. */
const QUERIES_AT_ONCE = 4;
/** A conversion stays below 600 MB. */
const CONVERSION_MEMORY_BYTES = 256 * 1024 ** 2;
const CONVERSION_SLACK_BYTES = 344 * 1024 ** 2;
const CONVERSIONS_AT_ONCE = 2;
/** A look reads a few MB of each file. */
const LOOK_MEMORY_BYTES = 512 * 1024 ** 2;

/** A query without its kind. */
export type SqlRequest = Omit<QueryTask, 'kind'>;

/** The columns and rows of a statement. */
export interface SqlResult {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly Cell[])[];
  /** There are more rows than were asked for. */
  readonly more: boolean;
}

/** `start`: the process or its engine could not be started, which is not the fault of a statement. */
type Reason = Failure | 'busy' | 'time' | 'crash' | 'start';

/** A task without a result; `message` is what DuckDB says, empty for `busy`, `time` and most crashes. */
export class SqlError extends Error {
  override name = 'SqlError';
  readonly reason: Reason;
  constructor(reason: Reason, message = '') {
    super(message);
    this.reason = reason;
  }
}

/** Surroundings and limits of a statement. */
export interface SqlOptions {
  /** Directory that the paths of the files are relative to, and that holds what is spilled. */
  readonly directory: string;
  /** For whom it runs: holders take turns. */
  readonly holder: string;
  /** The time in the queue included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The bundled process, for callers that are bundled elsewhere. */
  readonly script?: string;
}

const queriesInTurn = createFairSemaphore(QUERIES_AT_ONCE);
const conversionsInTurn = createFairSemaphore(CONVERSIONS_AT_ONCE);

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

/** The limits of a query here: a container may have less than its machine. */
function queryMachine(): Machine {
  // Without a limit the second number is larger than any memory.
  const machineBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return {
    memoryBytes: Math.min(MAX_MEMORY_BYTES, Math.floor(machineBytes / 8)),
    slackBytes: Math.min(MAX_SLACK_BYTES, 160 * 1024 ** 2 + Math.floor(machineBytes / 8)),
    threads: Math.min(MAX_THREADS, availableParallelism()),
  };
}

/** Runs a task when its turn comes; `onMessage` is called with each message of the process and returns the result once it is there. */
async function perform<T>(
  task: Task,
  machine: Machine,
  { inTurn, onMessage, ...options }: SqlOptions & { inTurn: FairSemaphore; onMessage: (message: Message) => T | undefined },
): Promise<T> {
  const startedMs = performance.now();
  return inTurn(options.holder, async () => {
    options.signal?.throwIfAborted();
    const leftMs = options.timeoutMs - (performance.now() - startedMs);
    if (leftMs <= 0) throw new SqlError('busy');
    // Without it, queries that fit into memory still work.
    const spill = task.kind === 'look' ? undefined : await createSpillDirectory(options.directory).catch(() => undefined);
    try {
      const given = spill ? { ...machine, spill: { directory: spill.directory, maxBytes: MAX_SPILL_BYTES } } : machine;
      return await converse(task, given, { ...options, timeoutMs: leftMs }, onMessage);
    } finally {
      await spill?.remove();
    }
  });
}

function converse<T>(
  task: Task,
  machine: Machine,
  { directory, timeoutMs, signal, script = SCRIPT }: SqlOptions,
  onMessage: (message: Message) => T | undefined,
): Promise<T> {
  // The caller may have cancelled while its directory was made: a signal that has aborted calls no new listener.
  if (signal?.aborted) return Promise.reject(abortReason(signal));
  if (!existsSync(script)) return Promise.reject(new SqlError('start', 'the file sql-process.js of this installation is missing'));
  return new Promise((resolve, reject) => {
    const child = startProcess(script, directory);
    let isReady = false;
    let outcome: (() => void) | undefined;
    const finish = (result: () => void): void => {
      outcome ??= result;
      child.kill('SIGKILL');
    };
    const broken = (message: string) => finish(() => reject(new SqlError(isReady ? 'crash' : 'start', message)));
    const onAbort = (): void => finish(() => reject(abortReason(signal)));
    const timer = setTimeout(() => finish(() => reject(new SqlError('time'))), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('message', (message: Message) => {
      if (message.kind === 'ready') isReady = true;
      else if (message.kind === 'failure') finish(() => reject(new SqlError(message.reason, message.message)));
      else {
        const result = onMessage(message);
        if (result !== undefined) finish(() => resolve(result));
      }
    });
    child.on('error', (error) => broken(error.message));
    // Only now is its memory free for the next.
    child.on('close', (code, by) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (!outcome) broken(isReady ? '' : `its process ended with ${by ?? `code ${code}`}`);
      outcome?.();
    });
    child.send({ task, machine }, (error) => error && broken(error.message));
  });
}

/** Runs one statement over its views in a process that ends with it; throws a `SqlError`, or the reason of the signal. */
export function runSql(request: SqlRequest, options: SqlOptions): Promise<SqlResult> {
  let columns: readonly ResultColumn[] = [];
  const rows: (readonly Cell[])[] = [];
  const onMessage = (message: Message): SqlResult | undefined => {
    if (message.kind === 'columns') columns = message.columns;
    else if (message.kind === 'rows') for (const row of message.rows) rows.push(row);
    return message.kind === 'end' ? { columns, rows, more: message.more } : undefined;
  };
  return perform({ kind: 'query', ...request }, queryMachine(), { ...options, inTurn: queriesInTurn, onMessage });
}

/** Looks at the beginnings of downloaded files, in their order; throws as `runSql` does. */
export function lookInto(request: Omit<LookTask, 'kind'>, options: SqlOptions): Promise<readonly Beginning[]> {
  const machine = { memoryBytes: LOOK_MEMORY_BYTES, slackBytes: 0, threads: 1 };
  const onMessage = (message: Message) => (message.kind === 'looks' ? message.looks : undefined);
  return perform({ kind: 'look', ...request }, machine, { ...options, inTurn: queriesInTurn, onMessage });
}

/** Writes a table; throws as `runSql` does. */
export function writeTable(task: ConvertTask | ResolveTask | PieceTask, options: SqlOptions): Promise<Written> {
  const machine = {
    memoryBytes: CONVERSION_MEMORY_BYTES,
    slackBytes: CONVERSION_SLACK_BYTES,
    threads: Math.min(2, availableParallelism()),
  };
  const onMessage = (message: Message) => (message.kind === 'written' ? message : undefined);
  return perform(task, machine, { ...options, inTurn: conversionsInTurn, onMessage });
}
