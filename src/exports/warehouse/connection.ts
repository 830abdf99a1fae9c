import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient, ClickHouseSettings, SettingsMap } from '@clickhouse/client';
import { ApiError } from '../../api/errors.ts';

/** Engines of the tables. */
type WarehouseEngine = 'ReplacingMergeTree' | 'ReplicatedReplacingMergeTree';

/** Where ClickHouse is, and as whom it is asked. */
export interface WarehouseAccess {
  /** Scheme, host and port. */
  readonly address: string;
  readonly database: string;
  readonly engine: WarehouseEngine;
  /** Makes tables, loads and deletes. */
  readonly loader: { readonly user: string; readonly password?: string | undefined };
  /** Runs statements; may only read. */
  readonly reader: { readonly user: string; readonly password?: string | undefined };
}

/** How a statement is run. */
interface RunOptions {
  readonly settings?: ClickHouseSettings;
  /** Conditions on the rows of tables, by `database.table`, which the server adds to whatever reads them. */
  readonly filters?: Readonly<Record<string, string>>;
  readonly parameters?: Record<string, unknown>;
  readonly signal?: AbortSignal | undefined;
}

/** A refusal by ClickHouse; `code` is its number of the error. */
export class StatementError extends Error {
  override name = 'StatementError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const REQUEST_TIMEOUT_MS = 120_000;
const CONNECTIONS = 8;
/** Wrong user or password, too few rights. */
const REFUSALS: ReadonlySet<number> = new Set([192, 193, 194, 497, 516]);
const MAX_MESSAGE = 500;

/** A message of ClickHouse without its version and its stack. */
function shortened(message: string): string {
  return message
    .replace(/\s*\(version [^)]*\)/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE);
}

/** The fault, for those who mend it: a statement that was refused, rights that are missing, a server that is away. */
function warehouseError(error: unknown, user: string, address: string): Error {
  if (error instanceof ApiError || error instanceof StatementError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown }; // the package throws errors of several classes
  const said = shortened(String(message ?? error));
  const number = Number(code);
  if (Number.isInteger(number) && REFUSALS.has(number))
    return new ApiError('settings', `ClickHouse refuses the user ${user}: ${said} docs/warehouse.md lists users and grants.`);
  if (Number.isInteger(number)) return new StatementError(number, said);
  const reason = typeof code === 'string' ? code : said;
  const words = reason === '' ? '' : ` (${reason})`;
  return new ApiError('down', `The warehouse at ${address} does not answer${words}.`, { transient: true, cause: error });
}

type Access = Pick<WarehouseAccess, 'address' | 'database'> & WarehouseAccess['reader'];

/** Loads the package and makes its client; `mapOf` makes a setting that is a map. */
async function openClient({ address, database, user, password = '' }: Access) {
  // As one object, because a bundle exports a CommonJS package only so.
  const { default: clickhouse } = await import('@clickhouse/client');
  const { createClient, ClickHouseLogLevel, SettingsMap: Settings } = clickhouse;
  const client: ClickHouseClient = createClient({
    url: address,
    username: user,
    password,
    database,
    application: 'web-analytics-mcp',
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: CONNECTIONS,
    // Its log would hold statements.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1, session_timezone: 'UTC' },
  });
  return { client, mapOf: (record: Record<string, string>): SettingsMap => Settings.from(record) };
}

/** The options of a statement as the package takes them. */
function optionsOf({ settings, filters = {}, parameters, signal }: RunOptions, mapOf: (record: Record<string, string>) => SettingsMap) {
  // The package puts quotes around what it is given, and no more.
  const escaped = Object.entries(filters).map(([table, condition]) => [table, condition.replaceAll('\\', '\\\\').replaceAll("'", "\\'")]);
  return {
    clickhouse_settings: { ...settings, ...(escaped.length > 0 && { additional_table_filters: mapOf(Object.fromEntries(escaped)) }) },
    ...(parameters && { query_params: parameters }),
    ...(signal && { abort_signal: signal }),
  };
}

/** Connects as one of the two users; the package is loaded with the first statement, and nothing is sent before. */
export function connect(place: Pick<WarehouseAccess, 'address' | 'database'>, as: WarehouseAccess['reader']) {
  let opening: ReturnType<typeof openClient> | undefined;

  async function guarded<T>(
    run: RunOptions,
    task: (client: ClickHouseClient, options: ReturnType<typeof optionsOf>) => Promise<T>,
  ): Promise<T> {
    const { signal } = run;
    signal?.throwIfAborted();
    try {
      opening ??= openClient({ ...place, ...as });
      const { client, mapOf } = await opening;
      return await task(client, optionsOf(run, mapOf));
    } catch (error) {
      signal?.throwIfAborted();
      throw warehouseError(error, as.user, place.address);
    }
  }

  return {
    /** All rows as objects; 64-bit integers are text. */
    rows: (sql: string, run: RunOptions = {}) =>
      guarded(run, async (open, options) => {
        const answer = await open.query({ query: sql, format: 'JSONEachRow', ...options });
        return answer.json<Record<string, unknown>>();
      }),
    /** Lines of JSONCompactEachRowWithNamesAndTypes, until the receiver returns true. */
    lines: (sql: string, receive: (line: unknown[]) => boolean, run: RunOptions = {}) =>
      guarded(run, async (open, options) => {
        const answer = await open.query({ query: sql, format: 'JSONCompactEachRowWithNamesAndTypes', ...options });
        const close = () => answer.close();
        // Once rows have begun to come, the package looks at the signal no more.
        run.signal?.addEventListener('abort', close, { once: true });
        try {
          for await (const rows of answer.stream<unknown[]>()) for (const row of rows) if (receive(row.json())) return;
          run.signal?.throwIfAborted();
        } finally {
          run.signal?.removeEventListener('abort', close);
          close();
        }
      }),
    /** The lines of an answer that names no format, as text with escaped line breaks. */
    plainLines: (sql: string, run: RunOptions = {}) =>
      guarded(run, async (open, options) => {
        const { stream } = await open.exec({ query: sql, ...options });
        return (await text(stream)).trimEnd().split('\n');
      }),
    command: (sql: string, run: RunOptions = {}) =>
      guarded(run, async (open, options) => {
        await open.command({ query: sql, ...options });
      }),
    /** Sends a Parquet file. */
    insert: (table: string, columns: readonly string[], file: Readable, run: RunOptions = {}) =>
      guarded(run, async (open, options) => {
        const [first = '', ...rest] = columns;
        await open.insert({ table, columns: [first, ...rest], values: file, format: 'Parquet', ...options });
      }),
    async close(): Promise<void> {
      await (await opening?.catch(() => undefined))?.client.close();
    },
  };
}

/** One user's way to ClickHouse; each call throws an `ApiError`, a `StatementError`, or the reason of its signal. */
export type Connection = ReturnType<typeof connect>;
