/** What one query needs; a process is started for each and ends with it. */
export interface Query {
  /** Creates the view `data`. */
  readonly viewSql: string;
  /** The only files that may be read, relative to the directory of the process. */
  readonly files: readonly string[];
  readonly sql: string;
  readonly maxRows: number;
  /** Most characters of all rows together, as JSON. */
  readonly maxChars: number;
  /** What DuckDB may take; the process may take `slackBytes` more before it ends itself. */
  readonly memoryBytes: number;
  readonly slackBytes: number;
  readonly threads: number;
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

/** What the process says, in this order: that the database is open, the columns, rows as often as needed, an end. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'columns'; readonly columns: readonly ResultColumn[] }
  | { readonly kind: 'rows'; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'end'; readonly more: boolean }
  | { readonly kind: 'failure'; readonly reason: Failure; readonly message: string };
