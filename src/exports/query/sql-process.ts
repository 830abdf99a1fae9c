import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createFairSemaphore, type FairSemaphore } from '../../lib/concurrency.ts';
import { shippedFile } from '../../lib/shipped.ts';
import type { RunManifest, RunTable } from '../store/manifest.ts';
import { createSpillDirectory } from '../store/spill.ts';

/** Resources of a process, as the machine allows. */
export interface Machine {
  /** Memory limit of DuckDB; the process may take `slackBytes` more before it ends itself. */
  readonly memoryBytes: number;
  readonly slackBytes: number;
  readonly threads: number;
  /** Private directory for what does not fit into memory, which each step names; left out: nothing is spilled. */
  readonly spill?: { readonly directory: string; readonly maxBytes: number };
}

/** One SELECT, and how much of its answer is taken. */
export interface Statement {
  readonly sql: string;
  readonly maxRows: number;
  /** Most characters of all rows together, as JSON. */
  readonly maxChars: number;
}

/** The only data that statements may read. */
export interface Readable {
  /** Names of the views that the statement may read. */
  readonly views: readonly string[];
  /** Statements that create them. */
  readonly setup: readonly string[];
  /** The only files that may be read or written, relative to the directory of the process. */
  readonly files: readonly string[];
}

/** A run that becomes a table; paths are relative to the directory of the process. */
export interface Conversion {
  readonly run: RunManifest;
  readonly directory: string;
  readonly target: string;
}

/** A run as a table, checked against its source, or in the engine's words why it cannot be one. */
export type Converted = { readonly table: Omit<RunTable, 'name' | 'bytes' | 'superseded'> } | { readonly damage: string };

/** A SELECT whose rows become a Parquet file, from these files. */
export interface Piece {
  readonly select: string;
  readonly files: readonly string[];
  readonly target: string;
}

/** The next work of a process; `keptAs`: rows stay there as a table of this name, which later statements may read, and none are given. */
export type ProcessStep = Pick<Machine, 'spill'> &
  (
    | ({ readonly kind: 'select'; readonly keptAs?: string } & Statement)
    | ({ readonly kind: 'convert' } & Conversion)
    | ({ readonly kind: 'write' } & Piece)
  );

/** The first message to a process: what its statements may read and write. Steps follow, one after the other, until it is ended. */
export interface Opening {
  readonly readable: Readable;
  readonly machine: Machine;
}

/** A value as JSON holds it: decimals, instants and integers beyond 2^53 as text, lists as arrays, structs as objects. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
}

/** Why there is no result. */
export type Failure = 'missing package' | 'refused' | 'data' | 'sql' | 'memory';

/** The end of a step: of a SELECT its columns and whether there are more rows, of a file the number of its rows. */
export interface StepEnd extends Partial<Omit<SqlResult, 'rows'>> {
  readonly written?: number;
  readonly converted?: Converted;
}

/** Messages of the process: that the engine is there; rows of a SELECT as often as needed; the end of each step. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly Cell[])[] }
  | ({ readonly kind: 'end' } & StepEnd)
  | { readonly kind: 'failure'; readonly reason: Failure; readonly message: string };

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

/** One SELECT over views. */
type SqlRequest = Statement & Readable;

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

/** By its place the process that waits there for the next session, so long, and the sessions that it has had; none has more than these. */
const idle = new Map<string, { readonly child: ChildProcess; readonly sessions: number }>();
const IDLE_MS = 1_000;
const MOST_SESSIONS = 16;

/** A process that waits in this place, or a new one, and the sessions that it has had. */
function childIn(place: string, { directory, script = SCRIPT }: SqlOptions, opening: Opening) {
  const waiting = idle.get(place);
  idle.delete(place);
  if (waiting?.child.connected) {
    waiting.child.ref();
    waiting.child.channel?.ref();
    return waiting;
  }
  const child = fork(script, [], {
    cwd: directory,
    // Nothing of the server's environment, which may hold secrets; a host on Electron starts Node by this variable alone.
    env: 'electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.send(opening, () => undefined); // a process that cannot be started says so itself
  return { child, sessions: 0 };
}

/** Takes a process for so much time; `receive` gives of each message whether it ends a step, and the next one has the whole time. */
function takeProcess(leftMs: number, opening: Opening, options: SqlOptions, receive: (message: Message) => boolean) {
  const { directory, timeoutMs, signal, script = SCRIPT } = options;
  const place = JSON.stringify([script, directory, opening]);
  const { child, sessions } = childIn(place, options, opening);
  let [isReady, isOver] = [sessions > 0, false];
  let failure: Error | undefined;
  const end = (error?: Error) => {
    if (!isOver) failure = error;
    isOver = true;
    child.kill('SIGKILL');
  };
  const broken = (message: string) => end(new SqlError(isReady ? 'crash' : 'start', message));
  const onAbort = () => end(abortReason(signal));
  const onTime = () => end(new SqlError('time'));
  let timer = setTimeout(onTime, leftMs);
  const forget = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  child.on('message', (message: Message) => {
    if (message.kind === 'failure') return end(new SqlError(message.reason, message.message));
    isReady = true;
    if (!receive(message)) return;
    clearTimeout(timer);
    timer = setTimeout(onTime, timeoutMs);
  });
  child.on('error', (error) => broken(error.message));
  let [resolve, reject] = [() => {}, (_: Error) => {}];
  const ended = new Promise<void>((...own) => ([resolve, reject] = own));
  // Only now is its memory free for the next.
  child.on('close', (code, by) => {
    forget();
    if (!isOver) broken(isReady ? '' : `its process ended with ${by ?? `code ${code}`}`);
    if (failure) reject(failure);
    else resolve();
  });
  return {
    /** Resolves when it has ended because it was stopped, or waits for the next session. */
    ended,
    stop: () => end(),
    /** Lets it wait for the next session, which keeps no server from ending. */
    leave() {
      if (isOver || sessions + 1 >= MOST_SESSIONS) return end();
      forget();
      const waiting = { child, sessions: sessions + 1 };
      const isWaiting = () => idle.get(place) === waiting;
      // Whoever comes next must not get one that ends.
      const drop = () => isWaiting() && idle.delete(place) && child.kill('SIGKILL');
      idle.get(place)?.child.kill('SIGKILL');
      idle.set(place, waiting);
      for (const event of ['message', 'error', 'close']) child.removeAllListeners(event);
      child.on('error', drop).on('close', drop).unref();
      child.channel?.unref();
      setTimeout(drop, IDLE_MS).unref();
      resolve();
    },
    send: (step: ProcessStep) => child.send(step, (error) => error && broken(error.message)),
  };
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

/** A step that has not ended, and what has come of its answer. */
interface Pending {
  readonly step: ProcessStep;
  readonly rows: (readonly Cell[])[];
  readonly resolve: (end: StepEnd) => void;
}

/** Opens a session, which waits for its turn and starts with a step; each has the whole time. `isShared`: others follow in its process. */
function openProcess(inTurn: FairSemaphore, opening: Opening, options: SqlOptions, isShared = false) {
  const { directory, holder, timeoutMs, signal, script = SCRIPT } = options;
  const pending: Pending[] = [];
  let begun: Promise<void> | undefined;
  let running: ReturnType<typeof takeProcess> | undefined;
  let spilled: Pick<Machine, 'spill'> = {};
  let isClosed = false;

  /** Takes a message; gives whether it ends a step. */
  function receive(message: Message): boolean {
    const [first] = pending;
    if (message.kind === 'rows') for (const row of message.rows) first?.rows.push(row);
    if (message.kind !== 'end') return false;
    pending.shift()?.resolve(message);
    return true;
  }

  async function begin(startedMs: number): Promise<void> {
    signal?.throwIfAborted();
    const leftMs = timeoutMs - (performance.now() - startedMs);
    if (leftMs <= 0) throw new SqlError('busy');
    // Without it, queries that fit into memory still work.
    const spill = await createSpillDirectory(directory).catch(() => undefined);
    try {
      // The caller may have cancelled while its directory was made: a signal that has aborted calls no new listener.
      if (signal?.aborted) throw abortReason(signal);
      if (!existsSync(script)) throw new SqlError('start', 'the file sql-process.js of this installation is missing');
      if (isClosed) return;
      running = takeProcess(leftMs, opening, options, receive);
      if (spill) spilled = { spill: { directory: spill.directory, maxBytes: MAX_SPILL_BYTES } };
      for (const { step } of pending) running.send({ ...step, ...spilled });
      await running.ended;
    } finally {
      await spill?.remove();
    }
  }

  function ask(step: ProcessStep): Promise<SqlResult & StepEnd> {
    return new Promise((resolve, reject) => {
      const rows: Pending['rows'] = [];
      pending.push({ step, rows, resolve: (end) => resolve({ more: false, columns: [], ...end, rows }) });
      running?.send({ ...step, ...spilled });
      const startedMs = performance.now();
      begun ??= inTurn(holder, () => begin(startedMs));
      begun.catch(reject);
    });
  }

  return {
    /** Runs a statement when the steps before it have ended; throws a `SqlError` or the reason of the signal, and from then on always. */
    run: (statement: Statement & { readonly keptAs?: string }): Promise<SqlResult> => ask({ kind: 'select', ...statement }),
    /** Writes a file in the same way, and gives the number of its rows. */
    write: async (piece: Piece) => (await ask({ kind: 'write', ...piece })).written ?? 0,
    /** Makes a table of a run in the same way. */
    async convert(conversion: Conversion): Promise<Converted> {
      const { converted } = await ask({ kind: 'convert', ...conversion });
      return converted ?? { damage: 'nothing came of it' };
    },
    /** Ends the process. */
    async close(): Promise<void> {
      isClosed = true;
      if (isShared && pending.length === 0) running?.leave();
      else running?.stop();
      await begun?.catch(() => undefined);
    },
  };
}

/** A process that takes steps one after the other: what one of them keeps the later ones may read. */
export type SqlSession = ReturnType<typeof openProcess>;

/** Opens a session of queries. */
export function openSql(readable: Readable, options: SqlOptions): SqlSession {
  return openProcess(queriesInTurn, { readable, machine: queryMachine() }, options);
}

/** Runs one statement over its views in a process that ends with it; throws a `SqlError`, or the reason of the signal. */
export async function runSql({ sql, maxRows, maxChars, ...readable }: SqlRequest, options: SqlOptions): Promise<SqlResult> {
  const session = openSql(readable, options);
  try {
    return await session.run({ sql, maxRows, maxChars });
  } finally {
    await session.close();
  }
}

/** Opens a session that writes tables and files. */
export function openWriter(options: SqlOptions): SqlSession {
  const machine = {
    memoryBytes: CONVERSION_MEMORY_BYTES,
    slackBytes: CONVERSION_SLACK_BYTES,
    threads: Math.min(2, availableParallelism()),
  };
  return openProcess(conversionsInTurn, { readable: { views: [], setup: [], files: [] }, machine }, options, true);
}

/** Writes a part of a table, and gives the number of its rows. */
export async function writePiece(piece: Piece, options: SqlOptions): Promise<number> {
  const writer = openWriter(options);
  try {
    return await writer.write(piece);
  } finally {
    await writer.close();
  }
}
