import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import { isRecord } from '../../lib/is-record.ts';
import type { Cell, Failure, Machine } from './sql-process.ts';
import { literal, literals, viewWords } from './view-sql.ts';

/** Functions of ClickHouse as macros of DuckDB, so that one statement runs on both engines; each computes from its arguments alone. */
const CLICKHOUSE_MACROS = [
  'assumeNotNull(a) AS a',
  'toNullable(a) AS a',
  'toInt64(a) AS CAST(a AS BIGINT)',
  'toUInt64(a) AS CAST(a AS UBIGINT)',
  'toString(a) AS CAST(a AS VARCHAR)',
  'intDiv(a, b) AS a // b',
  'bitAnd(a, b) AS a & b',
  'cityHash64(a) AS hash(a), (a, b) AS hash(a, b), (a, b, c, d) AS hash(a, b, c, d)',
  'toUnixTimestamp64Milli(a) AS epoch_ms(a)',
  'fromUnixTimestamp64Milli(a) AS make_timestamp(a * 1000)',
  'startsWith(a, b) AS starts_with(a, b)',
  "replaceRegexpAll(a, b, c) AS regexp_replace(a, b, c, 'g')",
  'tuple(a, b) AS row(a, b)',
  'tupleElement(a, b) AS struct_extract(a, b)',
  'groupArray(a) AS list(a)',
  'groupArrayArray(a) AS flatten(list(a))',
  'arraySort(a) AS array_sort(a)',
  'arrayConcat(a, b) AS array_concat(a, b)',
  'arrayDistinct(a) AS array_distinct(a)',
  "arraySum(a) AS array_aggregate(a, 'sum')",
  "arrayMax(a) AS array_aggregate(a, 'max')",
  'has(a, b) AS array_contains(a, b)',
];

/**
 * The functions of DuckDB that a statement may call, in lower case: those that compute from their arguments alone. What is not named
 * here shows settings, paths or other statements, acts on the engine, keeps others waiting, or belongs to its inside.
 */
const NAMES = `
  + - * / // % ** ^ ^@ & && | || ~ << >> <@ @> @ <-> <=> ! !__postfix -> ->> ~~ !~~ ~~* !~~* ~~~ like_escape ilike_escape
  not_like_escape not_ilike_escape add subtract multiply divide mod fmod fdiv pow power xor any_value approx_count_distinct
  approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null arg_min_nulls_last argmax argmin
  avg bit_and bit_or bit_xor bitstring_agg bool_and bool_or corr count count_if count_star countif covar_pop covar_samp entropy favg
  first fsum geomean geometric_mean group_concat histogram histogram_exact kahan_sum kurtosis kurtosis_pop last list listagg mad max
  max_by mean median min min_by mode product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2
  regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile sem skewness stddev stddev_pop stddev_samp string_agg sum sum_no_overflow
  sumkahan var_pop var_samp variance wavg weighted_avg grouping grouping_id cume_dist dense_rank fill first_value lag last_value lead
  nth_value ntile percent_rank rank rank_dense row_number abs acos acosh asin asinh atan atan2 atanh bit_count cbrt ceil ceiling cos
  cosh cot degrees equi_width_bins even exp factorial floor gamma gcd greatest greatest_common_divisor isfinite isinf isnan lcm least
  least_common_multiple lgamma ln log log10 log2 nextafter pi radians random round round_even roundbankers sign signbit sin sinh sqrt
  tan tanh trunc age century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname
  dayofmonth dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era hour isodow isoyear julian last_day
  make_date make_time make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz microsecond millennium millisecond minute
  month monthname nanosecond normalized_interval quarter second strftime strptime time_bucket timezone timezone_hour timezone_minute
  to_centuries to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
  to_timestamp to_weeks to_years try_strptime week weekday weekofyear year yearweek current_date current_localtime
  current_localtimestamp now today transaction_timestamp ascii bar base64 bin bit_length bit_position bitstring char_length
  character_length chr concat concat_ws contains damerau_levenshtein decode editdist3 encode ends_with format format_bytes
  formatreadabledecimalsize formatreadablesize from_base64 from_binary from_hex hamming hash hex instr jaccard jaro_similarity
  jaro_winkler_similarity lcase left left_grapheme len length length_grapheme levenshtein lower lpad ltrim md5 md5_number
  md5_number_lower md5_number_upper mismatches nfc_normalize octet_length ord parse_dirname parse_dirpath parse_filename
  parse_formatted_bytes parse_path pg_size_pretty position prefix printf regexp_escape regexp_extract regexp_extract_all
  regexp_full_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table repeat replace reverse right
  right_grapheme rpad rtrim sha1 sha256 split split_part starts_with str_split str_split_regex string_split string_split_regex
  string_to_array strip_accents strlen strpos substr substring substring_grapheme suffix to_base to_base64 to_binary to_hex translate
  trim ucase unbin unhex unicode upper url_decode url_encode apply aggregate cardinality element_at filter flatten generate_series
  grade_up map map_concat map_contains map_contains_entry map_contains_value map_entries map_extract map_extract_value map_from_entries
  map_keys map_values range reduce unnest unpivot_list row struct_concat struct_contains struct_extract struct_extract_at struct_has
  struct_indexof struct_insert struct_keys struct_pack struct_position struct_update struct_values union_extract union_tag union_value
  enum_code enum_first enum_last enum_range from_json from_json_strict json json_array json_array_length json_contains json_exists
  json_extract json_extract_path json_extract_path_text json_extract_string json_group_array json_group_object json_group_structure
  json_keys json_merge_patch json_object json_pretty json_quote json_structure json_transform json_transform_strict json_type
  json_valid json_value row_to_json to_json coalesce error if ifnull nullif typeof alias can_cast_implicitly gen_random_uuid uuid
  uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version is_histogram_other_bin`;

/** The functions of lists, each with a name for lists and one for arrays. */
const OF_LISTS = `
  agg aggr aggregate any_value append apply approx_count_distinct avg bit_and bit_or bit_xor bool_and bool_or cat concat contains
  cosine_distance cosine_similarity count cross_product distance distinct dot_product element entropy extract filter first grade_up has
  has_all has_any histogram indexof inner_product intersect kurtosis kurtosis_pop last length mad max median min mode
  negative_dot_product negative_inner_product pack pop_back pop_front position prepend product push_back push_front reduce resize
  reverse reverse_sort select sem skewness slice sort stddev_pop stddev_samp string_agg sum to_json to_string to_string_comma_default
  transform unique value var_pop var_samp where zip`;

const words = (text: string) => text.trim().split(/\s+/);

/** Functions that a statement may call. */
const allowedFunctions: ReadonlySet<string> = new Set([
  ...CLICKHOUSE_MACROS.map((macro) => macro.replace(/\(.*/, '').toLowerCase()),
  ...words(NAMES),
  ...words(OF_LISTS).flatMap((name) => ['list', 'array'].map((kind) => `${kind}_${name}`)),
]);

/** Functions that make rows from their arguments alone, and may be used as a table. */
const rowFunctions: ReadonlySet<string> = new Set(['range', 'generate_series', 'unnest', 'repeat_row', 'json_each', 'json_tree']);

/** Tables of the engine, which a name that the statement gives must not open. */
const ENGINE_TABLES = /^(duckdb|pg|pragma|sqlite)_/i;

type Node = Readonly<Record<string, unknown>>;

/** Names of common table expressions, and of the views that the statement may read. */
export interface Known {
  readonly own: ReadonlySet<string>;
  readonly views: readonly string[];
}

/** Whether a table is a part of the statement or a view: only views have a schema. */
function isKnown({ catalog_name: catalog, schema_name: schema, table_name: table }: Node, { own, views }: Known): boolean {
  const name = String(table).toLowerCase();
  const place = [catalog, schema].filter((part) => typeof part === 'string' && part !== '').join('.');
  if (views.includes(name) && /^((memory\.)?main)?$/i.test(place)) return true;
  return place === '' && own.has(name) && !ENGINE_TABLES.test(name);
}

function visit(value: unknown, see: (node: Node) => void): void {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (isRecord(next)) see(next);
    // One by one: a list may have more members than a call takes arguments.
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) open.push(member);
  }
}

/** Names that the statement gives to its own parts: `WITH name AS …`. */
function ownNames(tree: unknown): Set<string> {
  const names = new Set<string>();
  visit(tree, (node) => {
    const map = isRecord(node['cte_map']) ? node['cte_map']['map'] : undefined;
    for (const entry of Array.isArray(map) ? map : []) if (isRecord(entry)) names.add(String(entry['key']).toLowerCase());
  });
  return names;
}

/** The statements of an SQL text as `json_serialize_sql` gives them, which knows no other kind than SELECT. */
interface Serialised {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly unknown[];
}

/** Why one node of the statement is not allowed. */
function faultOf(node: Node, known: Known): string | undefined {
  const { type, table_name: table, function_name: name, function: call, schema, query } = node;
  if (type === 'TABLE_FUNCTION' && isRecord(call) && !rowFunctions.has(String(call['function_name']).toLowerCase()))
    return (
      `${String(call['function_name'])} cannot be read from; the data are the ${known.views.length === 1 ? 'view' : 'views'} ` +
      `${known.views.join(', ')}.`
    );
  if (type === 'BASE_TABLE' && !isKnown(node, known)) return `there is no table "${String(table)}"; ${viewWords(known.views)}.`;
  // A description of a view or a query contains that query; the other statements list the engine's own objects.
  if (type === 'SHOW_REF' && !isRecord(query)) return 'call without sql to see what there is.';
  if (typeof name !== 'string') return undefined;
  const isPlain = schema === undefined || schema === '' || schema === 'main';
  return isPlain && (allowedFunctions.has(name.toLowerCase()) || rowFunctions.has(name.toLowerCase()))
    ? undefined
    : `the function ${name} is not available here.`;
}

/** Why a statement may not run, in a sentence; undefined where it reads from the views alone. */
function refusalOf(serialised: string, views: readonly string[]): string | undefined {
  const { error, error_type, error_message, statements = [] }: Serialised = JSON.parse(serialised);
  if (error && error_type !== 'parser')
    return 'only a single SELECT statement runs here (no COPY, ATTACH, PRAGMA, SET, EXPLAIN; a PIVOT names its values with IN).';
  if (error) return `this is not valid SQL: ${error_message ?? 'it cannot be read'}.`;
  if (statements.length !== 1) return `exactly one statement is expected, found ${statements.length}.`;
  const known = { own: ownNames(statements), views };
  let refusal: string | undefined;
  visit(statements, (node) => {
    refusal ??= faultOf(node, known);
  });
  return refusal;
}

/** Members that the classes of DuckDB share, each in its own way. */
interface Composite {
  readonly items?: readonly DuckDBValue[];
  readonly entries?: Readonly<Record<string, DuckDBValue>> | readonly { readonly key: DuckDBValue; readonly value: DuckDBValue }[];
  readonly value?: DuckDBValue;
}

/** A value of DuckDB as exact JSON: what a number cannot hold becomes text. */
export function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  const { items, entries }: Composite = value as Composite; // one of the classes, distinguished by their members
  if (items) return items.map(cellOf);
  if (Array.isArray(entries)) return entries.map(({ key, value: inner }) => ({ key: cellOf(key), value: cellOf(inner) }));
  if (entries) return Object.fromEntries(Object.entries(entries).map(([name, inner]) => [name, cellOf(inner)]));
  return value.toString();
}

/** Files that a database may open, and its resources. */
interface DatabaseOptions extends Pick<Machine, 'memoryBytes' | 'threads' | 'spill'> {
  readonly files: readonly string[];
  /** Statements that run before the settings are locked. */
  readonly setup: readonly string[];
}

/** Opens a database in memory that opens the given files and nothing else, and whose settings are locked. */
export async function openDatabase({ setup, files, memoryBytes, threads, spill }: DatabaseOptions): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('./duckdb.ts');
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${memoryBytes}B`,
    temp_directory: spill?.directory ?? '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  if (spill) await connection.run(`SET max_temp_directory_size = ${literal(`${spill.maxBytes}B`)}`);
  await connection.run(CLICKHOUSE_MACROS.map((macro) => `CREATE MACRO ${macro};`).join(' '));
  for (const statement of setup) await connection.run(statement);
  // Files by name: a directory that is allowed could be written to.
  await connection.run(`SET allowed_paths = ${literals(files)}`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
  return connection;
}

/** All rows of a statement of this server. */
export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRows();
}

/** Ends the task with its reason. */
export class TaskFailure extends Error {
  readonly reason: Failure;
  constructor(reason: Failure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws where the statement is more than one SELECT over the views. */
export async function checkStatement(connection: DuckDBConnection, sql: string, views: readonly string[]): Promise<void> {
  // DuckDB would run only the part before it, which is not the statement that was checked.
  if (sql.includes('\0')) throw new TaskFailure('refused', 'a statement holds no NUL character.');
  const serialise = await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
  serialise.bindVarchar(1, sql);
  const [row] = await (await serialise.run()).getRows();
  const refusal = refusalOf(String(row?.[0]), views);
  if (refusal !== undefined) throw new TaskFailure('refused', refusal);
}
