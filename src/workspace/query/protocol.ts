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

/** A file as it was downloaded; decompressed only in a separate process. */
export interface SourceFile {
  /** Relative to the directory of the process. */
  readonly path: string;
  readonly gzip: boolean;
  readonly format: 'JSONL' | 'CSV';
}

/** A look at the beginnings of files. */
export interface LookTask {
  readonly kind: 'look';
  readonly files: readonly SourceFile[];
  /** Also gives the text of this many bytes at most. */
  readonly headBytes?: number;
}

/** Writes rows into one Parquet file and checks what it wrote. */
export interface ConvertTask {
  readonly kind: 'convert';
  /** A SELECT of all rows with their columns. */
  readonly select: string;
  readonly files: readonly string[];
  readonly target: string;
  /** Names of the columns that rows are sorted by. */
  readonly order: readonly string[];
  /** Expression of the day of a row, which comes first in the order. */
  readonly day?: string;
  /** Amounts of a row, as expressions of whole numbers, whose sums are compared with those of the source. */
  readonly amounts: readonly string[];
  /** Columns of text that may hold numbers alone: all their values are looked at. */
  readonly texts: readonly string[];
  /** Columns that identify a row, of which only the last is kept; none where rows cannot be told apart. */
  readonly identity: readonly string[];
}

/** The written file. */
export interface Written {
  readonly rows: number;
  /** The columns of text whose values are all numbers, and which; only of a conversion. */
  readonly numbers?: Readonly<Record<string, 'BIGINT' | 'DOUBLE'>>;
}

/** Finds the rows of one Parquet file that later exports hold too, and writes their numbers. */
export interface ResolveTask {
  readonly kind: 'resolve';
  readonly file: string;
  readonly later: readonly string[];
  readonly keys: readonly string[];
  /** Keys that some of the files hold as text and others as numbers. */
  readonly textKeys: readonly string[];
  readonly target: string;
}

/** Writes a part of the rows of one Parquet file as another. */
export interface PieceTask {
  readonly kind: 'piece';
  readonly select: string;
  readonly file: string;
  readonly target: string;
}

/** The task that a process is started for; it ends with it. */
export type Task = QueryTask | SessionTask | LookTask | ConvertTask | ResolveTask | PieceTask;

/** A value as JSON holds it: decimals, instants and integers beyond 2^53 as text, lists as arrays, structs as objects. */
export type Cell = string | number | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
}

/** The beginning of a file: its column names and some values. */
export interface Beginning {
  /** In the order of the file; those of JSON in the order of their appearance. */
  readonly names: readonly string[];
  /** Values of the first rows by column, in the order of the names. */
  readonly samples: readonly (readonly unknown[])[];
  /** No row, as far as the beginning shows. */
  readonly isEmpty: boolean;
  /** Text of the beginning, where it was asked for; `cut` where more follows. */
  readonly head?: { readonly text: string; readonly cut: boolean };
}

/** Why there is no result. */
export type Failure = 'missing package' | 'refused' | 'data' | 'sql' | 'memory' | 'mismatch';

/**
 * Messages of the process: that the engine is there; then, of each query, the columns, rows as often as needed, an end; of the others one
 * answer.
 */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'columns'; readonly columns: readonly ResultColumn[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'end'; readonly more: boolean }
  | { readonly kind: 'looks'; readonly looks: readonly Beginning[] }
  | ({ readonly kind: 'written' } & Written)
  | { readonly kind: 'failure'; readonly reason: Failure; readonly message: string };
