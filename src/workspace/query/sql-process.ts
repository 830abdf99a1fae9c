import { fork, type Serializable } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createFairSemaphore, type FairSemaphore } from '../../lib/concurrency.ts';
import { shippedFile } from '../../lib/shipped.ts';
import { createSpillDirectory } from '../store/spill.ts';
import type {
  Cell,
  Converted,
  ConvertTask,
  Failure,
  Machine,
  Message,
  PieceTask,
  QueryTask,
  Readable,
  ResolveTask,
  ResultColumn,
  SessionStatement,
  Task,
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

/** A process at work on a task. */
interface Peer<T> {
  /** Tells it more. */
  readonly tell: (message: Serializable) => void;
  /** Gives it the whole time anew. */
  readonly renew: () => void;
  /** Ends it with a result. */
  readonly finish: (result: T) => void;
}

/** Is called with each message of a process, and returns the result once it is there. */
type Listener<T> = (message: Message, peer: Peer<T>) => T | undefined;

/** Runs a task when its turn comes. */
async function perform<T>(
  task: Task,
  machine: Machine,
  { inTurn, onMessage, ...options }: SqlOptions & { inTurn: FairSemaphore; onMessage: Listener<T> },
): Promise<T> {
  const startedMs = performance.now();
  return inTurn(options.holder, async () => {
    options.signal?.throwIfAborted();
    const leftMs = options.timeoutMs - (performance.now() - startedMs);
    if (leftMs <= 0) throw new SqlError('busy');
    // Without it, queries that fit into memory still work.
    const spill = await createSpillDirectory(options.directory).catch(() => undefined);
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
  onMessage: Listener<T>,
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
    const onTime = (): void => finish(() => reject(new SqlError('time')));
    let timer = setTimeout(onTime, timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    const peer: Peer<T> = {
      tell: (message) => child.send(message, (error) => error && broken(error.message)),
      finish: (result) => finish(() => resolve(result)),
      renew() {
        clearTimeout(timer);
        timer = setTimeout(onTime, timeoutMs);
      },
    };
    child.on('message', (message: Message) => {
      if (message.kind === 'ready') isReady = true;
      if (message.kind === 'failure') return finish(() => reject(new SqlError(message.reason, message.message)));
      const result = onMessage(message, peer);
      if (result !== undefined) peer.finish(result);
    });
    child.on('error', (error) => broken(error.message));
    // Only now is its memory free for the next.
    child.on('close', (code, by) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (!outcome) broken(isReady ? '' : `its process ended with ${by ?? `code ${code}`}`);
      outcome?.();
    });
    peer.tell({ task, machine });
  });
}

/** Collects the messages of a statement; gives its result once it is there. */
function collector(): (message: Message) => SqlResult | undefined {
  let columns: readonly ResultColumn[] = [];
  const rows: (readonly Cell[])[] = [];
  return (message) => {
    if (message.kind === 'columns') columns = message.columns;
    else if (message.kind === 'rows') for (const row of message.rows) rows.push(row);
    return message.kind === 'end' ? { columns, rows, more: message.more } : undefined;
  };
}

/** Runs one statement over its views in a process that ends with it; throws a `SqlError`, or the reason of the signal. */
export function runSql(request: SqlRequest, options: SqlOptions): Promise<SqlResult> {
  return perform({ kind: 'query', ...request }, queryMachine(), { ...options, inTurn: queriesInTurn, onMessage: collector() });
}

/** Statements in one process: what one of them keeps the later ones may read, and it is started once. */
export interface SqlSession {
  /** Runs a statement when those before it have ended; throws as `runSql` does, and from then on always. */
  readonly run: (statement: SessionStatement) => Promise<SqlResult>;
  /** Ends the process. */
  readonly close: () => Promise<void>;
}

/** Opens a session, which waits for its turn and starts at its first statement; each has the time of a query. */
export function openSql(readable: Readable, options: SqlOptions): SqlSession {
  const waiting: { readonly collect: ReturnType<typeof collector>; readonly settle: (result: Promise<SqlResult>) => void }[] = [];
  const unsent: SessionStatement[] = [];
  let peer: Peer<'closed'> | undefined;
  let conversation: Promise<'closed'> | undefined;
  let isClosed = false;
  const onMessage: Listener<'closed'> = (message, speaker) => {
    if (isClosed) return 'closed';
    if (message.kind === 'ready') {
      peer = speaker;
      for (const statement of unsent.splice(0)) speaker.tell(statement);
      return undefined;
    }
    const result = waiting[0]?.collect(message);
    if (!result) return undefined;
    speaker.renew();
    waiting.shift()?.settle(Promise.resolve(result));
    return undefined;
  };
  const begin = () => {
    const begun = perform<'closed'>({ kind: 'session', ...readable }, queryMachine(), { ...options, inTurn: queriesInTurn, onMessage });
    begun.catch((error: unknown) => {
      for (const { settle } of waiting.splice(0)) settle(Promise.reject(error instanceof Error ? error : new Error(String(error))));
    });
    return begun;
  };
  return {
    async run(statement) {
      conversation ??= begin();
      const result = new Promise<SqlResult>((settle) => waiting.push({ collect: collector(), settle }));
      if (peer) peer.tell(statement);
      else unsent.push(statement);
      return Promise.race([result, conversation.then(() => result)]);
    },
    async close() {
      isClosed = true;
      peer?.finish('closed');
      await conversation?.catch(() => undefined);
    },
  };
}

/** Runs a task that writes, telling of each of its answers; throws as `runSql` does. */
function write<T>(
  task: ConvertTask | ResolveTask | PieceTask,
  { onDone, ...options }: SqlOptions & { readonly onDone: (done: T) => void },
  doneBy: (message: Message) => T | undefined,
): Promise<boolean> {
  const machine = {
    memoryBytes: CONVERSION_MEMORY_BYTES,
    slackBytes: CONVERSION_SLACK_BYTES,
    threads: Math.min(2, availableParallelism()),
  };
  const onMessage: Listener<boolean> = (message, peer) => {
    const done = doneBy(message);
    if (done !== undefined) {
      onDone(done);
      peer.renew();
    }
    return message.kind === 'end' || undefined;
  };
  return perform(task, machine, { ...options, inTurn: conversionsInTurn, onMessage });
}

const rowsIn = (message: Message) => (message.kind === 'written' ? message.rows : undefined);

/** Makes tables of runs in their order. */
export function convertRuns(runs: ConvertTask['runs'], options: SqlOptions & { readonly onDone: (converted: Converted) => void }) {
  return write({ kind: 'convert', runs }, options, (message) => (message.kind === 'converted' ? message.converted : undefined));
}

/** Finds the rows of runs that later ones hold too, in their order: how many each has. */
export function resolveRuns(runs: ResolveTask['runs'], options: SqlOptions & { readonly onDone: (rows: number) => void }) {
  return write({ kind: 'resolve', runs }, options, rowsIn);
}

/** Writes a part of a table, and gives the number of its rows. */
export async function writePiece(task: Omit<PieceTask, 'kind'>, options: SqlOptions): Promise<number> {
  let rows = 0;
  await write({ kind: 'piece', ...task }, { ...options, onDone: (count) => (rows = count) }, rowsIn);
  return rows;
}
