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

/** A SELECT whose rows become a Parquet file. */
export interface Piece {
  readonly select: string;
  readonly target: string;
}

/** The next work of a process; `keptAs`: rows stay there as a table of this name, which later statements may read, and none are given. */
export type ProcessStep =
  | ({ readonly kind: 'select'; readonly keptAs?: string } & Statement)
  | ({ readonly kind: 'convert' } & Conversion)
  | ({ readonly kind: 'write' } & Piece);

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

/** The end of a step: of a SELECT whether there are more rows, of a file the number of its rows. */
export interface StepEnd {
  readonly more?: boolean;
  readonly written?: number;
  readonly converted?: Converted;
}

/** Messages of the process: that the engine is there; of each SELECT the columns, and rows as often as needed; the end of each step. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'columns'; readonly columns: readonly ResultColumn[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly Cell[])[] }
  | ({ readonly kind: 'end' } & StepEnd)
  | { readonly kind: 'failure'; readonly reason: Failure; readonly message: string };
