import type { Cell, ResultColumn, Statement } from '../query/protocol.ts';
import { SqlError, type SqlResult } from '../query/sql-process.ts';
import { checkTree } from './check-tree.ts';
import { type Connection, StatementError, type WarehouseAccess } from './connection.ts';
import { LEDGER, quoted, tableOf, text } from './schema.ts';
import type { WarehouseView } from './warehouse-view.ts';

/** One statement over views of the warehouse. */
export interface WarehouseStatement extends Statement {
  readonly views: readonly WarehouseView[];
  /** Scopes of the project, whose tables are shown in part. */
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_MEMORY_BYTES = 4 * 1024 ** 3;
const MAX_READ_ROWS = 4_000_000_000;
const MAX_READ_BYTES = 400e9;
const MAX_RESULT_BYTES = 64 * 1024 ** 2;

/** As SQL has it, and as DuckDB answers. */
const SET_OPERATIONS = { union_default_mode: 'DISTINCT', intersect_default_mode: 'DISTINCT', except_default_mode: 'DISTINCT' } as const;

/** Of whatever table a statement reads, the server shows it the rows of this project alone. */
function filtersFor({ scopes }: WarehouseStatement, { database }: WarehouseAccess, project: string): Record<string, string> {
  const tables = [LEDGER, ...['sessions', 'views', ...scopes].map(tableOf)];
  return Object.fromEntries(tables.map((table) => [`${database}.${table}`, `_project = ${text(project)}`]));
}

/** Limits that the server enforces: it only reads, within a time and a number of rows, and stops when the connection closes. */
function settingsFor({ maxRows, timeoutMs }: WarehouseStatement) {
  return {
    allow_ddl: 0,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    max_memory_usage: String(MAX_MEMORY_BYTES),
    max_bytes_before_external_group_by: String(MAX_MEMORY_BYTES / 2),
    max_bytes_before_external_sort: String(MAX_MEMORY_BYTES / 2),
    max_rows_to_read: String(MAX_READ_ROWS),
    max_bytes_to_read: String(MAX_READ_BYTES),
    max_result_rows: String(maxRows + 1),
    max_result_bytes: String(MAX_RESULT_BYTES),
    result_overflow_mode: 'break',
    cancel_http_readonly_queries_on_client_close: 1,
    // A failure in the middle has its own status, not the end of half a result.
    wait_end_of_query: 1,
    join_use_nulls: 1,
    ...SET_OPERATIONS,
    cast_keep_nullable: 1,
    // The statement stands inside of another, which keeps its order.
    query_plan_remove_redundant_sorting: 0,
    use_skip_indexes_if_final: 1,
    use_skip_indexes_if_final_exact_mode: '1',
    output_format_json_quote_decimals: 1,
    output_format_json_quote_denormals: 1,
    output_format_decimal_trailing_zeros: 1,
    readonly: '2',
  } as const;
}

const CODES: Readonly<Record<number, 'time' | 'memory' | 'busy'>> = {
  159: 'time',
  160: 'time',
  202: 'busy',
  241: 'memory',
};

function sqlError(error: unknown): unknown {
  if (!(error instanceof StatementError)) return error;
  return new SqlError(CODES[error.code] ?? 'sql', error.message);
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^U?Int(8|16|32|64)$/, 'BIGINT'],
  [/^U?Int(128|256)$/, 'HUGEINT'],
  [/^B?Float\d+$/, 'DOUBLE'],
  [/^Bool$/, 'BOOLEAN'],
  [/^Date(32)?$/, 'DATE'],
  [/^DateTime/, 'TIMESTAMP'],
];

/** A type of ClickHouse as DuckDB names it. */
function commonTypeName(type: string): string {
  const bare = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  if (bare !== undefined) return commonTypeName(bare);
  const item = /^Array\((.*)\)$/.exec(type)?.[1];
  if (item !== undefined) return `${commonTypeName(item)}[]`;
  if (type.startsWith('Decimal(')) return type.replace(/^Decimal/, 'DECIMAL');
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'VARCHAR';
}

/** A value as the other engine writes it: whole numbers as numbers where they are exact, instants without an empty fraction. */
function cellOf(value: unknown, type: string): Cell {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => cellOf(item, type.endsWith('[]') ? type.slice(0, -2) : ''));
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cellOf(inner, '')]));
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'BIGINT' || type === 'HUGEINT') return Number.isSafeInteger(Number(written)) ? Number(written) : written;
  return type === 'TIMESTAMP' ? written.replace(/\.?0+$/, (end) => (end.startsWith('.') ? '' : end)).replace(/(\.\d*?)0+$/, '$1') : written;
}

/** Throws where the statement is more than one SELECT over the views. */
async function check({ sql, views, signal }: WarehouseStatement, bare: string, reader: Connection): Promise<void> {
  if (sql.includes('\0')) throw new SqlError('refused', 'a statement holds no NUL character.');
  // A format behind the statement would be taken for a part of it.
  const lines = await reader.plainLines(`EXPLAIN AST ${bare}`, { settings: { readonly: '2', ...SET_OPERATIONS }, signal });
  const refusal = checkTree(
    lines,
    sql,
    views.map(({ name }) => name),
  );
  if (refusal !== undefined) throw new SqlError('refused', refusal);
}

/** Runs one statement as the reader; throws a `SqlError`, an `ApiError`, or the reason of the signal. */
export async function runStatement(
  statement: WarehouseStatement,
  { access, reader, project }: { readonly access: WarehouseAccess; readonly reader: Connection; readonly project: string },
): Promise<SqlResult> {
  const { sql, views, maxRows, maxChars, signal } = statement;
  const bare = sql.replace(/[\s;]+$/, '');
  try {
    await check(statement, bare, reader);
    const parts = views.map(({ name, select }) => `${quoted(name)} AS (${select})`);
    let header: string[] | undefined;
    let columns: ResultColumn[] | undefined;
    const rows: Cell[][] = [];
    let chars = 0;
    let more = false;
    const receive = (line: unknown[]): boolean => {
      if (!header) header = line.map(String);
      else if (!columns) columns = line.map((type, index) => ({ name: header?.[index] ?? '', type: commonTypeName(String(type)) }));
      else {
        const row = line.map((value, index) => cellOf(value, columns?.[index]?.type ?? ''));
        chars += JSON.stringify(row).length;
        more = rows.length === maxRows || chars > maxChars;
        if (!more) rows.push(row);
      }
      return more;
    };
    // The line break ends a comment at the end of the statement.
    await reader.lines(`WITH ${parts.join(', ')} SELECT * FROM (\n${bare}\n)`, receive, {
      settings: settingsFor(statement),
      filters: filtersFor(statement, access, project),
      signal,
    });
    return { columns: columns ?? [], rows, more };
  } catch (error) {
    throw sqlError(error);
  }
}
