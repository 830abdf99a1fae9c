import type { RunManifest, RunTable } from '../store/manifest.ts';

/** Resources of a process, as the machine allows. */
export interface Machine {
  /** Memory limit of DuckDB; the process may take `slackBytes` more before it ends itself. */
  readonly memoryBytes: number;
  readonly slackBytes: number;
  readonly threads: number;
  /** Private directory for what does not fit into memory, removed with the process; left out: nothing is spilled. */
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
  /** The only files that may be read, relative to the directory of the process. */
  readonly files: readonly string[];
}

/** One SELECT over views. */
export interface QueryTask extends Statement, Readable {
  readonly kind: 'query';
}

/** Several statements over the same views, one after the other as they come, until the process is ended. */
export interface SessionTask extends Readable {
  readonly kind: 'session';
}

/** A statement of a session; `keptAs`: its rows stay there as a table of this name, which later ones may read, and none are given. */
export interface SessionStatement extends Statement {
  readonly keptAs?: string;
}

/** Runs that become tables, one after the other; paths are relative to the directory of the process. */
export interface ConvertTask {
  readonly kind: 'convert';
  readonly runs: readonly { readonly run: RunManifest; readonly directory: string; readonly target: string }[];
}

/** A run as a table, checked against its source, or in the engine's words why it cannot be one. */
export type Converted = { readonly runId: number } & (
  | { readonly table: Omit<RunTable, 'name' | 'bytes' | 'superseded'> }
  | { readonly damage: string }
);

/** Finds the rows of Parquet files, each of one run, that later exports hold too, and writes their numbers. */
export interface ResolveTask {
  readonly kind: 'resolve';
  readonly runs: readonly {
    readonly file: string;
    readonly later: readonly string[];
    readonly keys: readonly string[];
    /** Keys that some of the files hold as text and others as numbers. */
    readonly textKeys: readonly string[];
    readonly target: string;
  }[];
}

/** Writes a part of the rows of one Parquet file as another. */
export interface PieceTask {
  readonly kind: 'piece';
  readonly select: string;
  readonly file: string;
  readonly target: string;
}

/** The task that a process is started for; it ends with it. */
export type Task = QueryTask | SessionTask | ConvertTask | ResolveTask | PieceTask;

/** A value as JSON holds it: decimals, instants and integers beyond 2^53 as text, lists as arrays, structs as objects. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
}

/** Why there is no result. */
export type Failure = 'missing package' | 'refused' | 'data' | 'sql' | 'memory' | 'mismatch';

/**
 * Messages of the process: that the engine is there; then, of each query, the columns, rows as often as needed, an end; of the others an
 * answer for each run, and an end.
 */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'columns'; readonly columns: readonly ResultColumn[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'end'; readonly more: boolean }
  | { readonly kind: 'converted'; readonly converted: Converted }
  | { readonly kind: 'written'; readonly rows: number }
  | { readonly kind: 'failure'; readonly reason: Failure; readonly message: string };
