/**
 * Statements that try to leave the sandbox, by what they try; `outside` is a directory with the file secret.txt, `own` a file of the data.
 */
export function attacks({ outside, own }: { outside: string; own: string }): Record<string, string[]> {
  const secret = `${outside}/secret.txt`;
  return {
    'read files': [
      `SELECT * FROM read_text('${secret}')`,
      `SELECT * FROM read_blob('${secret}')`,
      `SELECT * FROM read_csv('${secret}')`,
      `SELECT * FROM read_json('${secret}')`,
      `SELECT * FROM sniff_csv('${secret}')`,
      `SELECT * FROM glob('${outside}/*')`,
      `SELECT * FROM '${secret}'`,
      `SELECT * FROM read_text('../../../../../../../../etc/passwd')`,
      `SELECT * FROM read_text('${outside}/link.txt')`,
      `SELECT * FROM read_text('file://${secret}')`,
      `SELECT * FROM read_text(['${own}', '${secret}'])`,
      `SELECT (SELECT content FROM read_text('${secret}')) FROM data`,
      `WITH data AS (SELECT * FROM read_text('${secret}')) SELECT * FROM data`,
      `SELECT * FROM query('SELECT * FROM read_text(''${secret}'')')`,
      `SELECT * FROM query_table('${secret}')`,
      `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(''${secret}'')'))`,
      `DESCRIBE SELECT * FROM read_csv('${secret}')`,
      `SUMMARIZE '${secret}'`,
      `FROM (PIVOT (SELECT * FROM read_text('${secret}')) ON filename USING count(*))`,
    ],
    'write files': [
      `COPY (SELECT 1) TO '${outside}/new.csv'`,
      `COPY data TO '${own}'`,
      `IMPORT DATABASE '${outside}'`,
      `ATTACH '${outside}/new.db' AS other`,
      `CREATE TABLE copied AS SELECT * FROM data`,
      `DROP VIEW data`,
      `WITH gone AS (DELETE FROM data RETURNING *) SELECT * FROM gone`,
      `SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = '${outside}/log')`,
      `CALL enable_logging(storage = 'file', storage_path = '${outside}/log')`,
      `EXPLAIN ANALYZE SELECT 1`,
    ],
    'reach the network or load code': [
      `SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')`,
      `SELECT * FROM 'https://example.com/x.json'`,
      'INSTALL httpfs',
      'LOAD httpfs',
    ],
    'see or change settings': [
      "PRAGMA memory_limit = '100GB'",
      'SET lock_configuration = false',
      'SET enable_external_access = true',
      "SELECT current_setting('allowed_paths')",
      'SELECT * FROM duckdb_settings()',
      'SELECT * FROM duckdb_secrets()',
      'SELECT * FROM duckdb_views',
      'SELECT * FROM sqlite_master',
      // Names that a statement gives to its own parts open no table of the engine.
      'WITH pg_settings AS (SELECT 1) SELECT * FROM pg_catalog.pg_settings',
      'WITH duckdb_views AS (SELECT 1) SELECT sql FROM main.duckdb_views',
      'SELECT b.sql FROM (WITH duckdb_views AS (SELECT 1) SELECT 1) a, duckdb_views b',
      'WITH tables AS (SELECT 1) SELECT * FROM information_schema.tables',
      'SELECT * FROM pragma_database_size()',
      'CREATE SECRET s (TYPE s3)',
      "SELECT list_transform([1], lambda x: current_setting('allowed_paths'))",
      'SELECT sleep_ms(60000)',
    ],
    'run another kind of statement, several, or none': [
      'SELECT 1; SELECT 2',
      `SELECT 1; COPY (SELECT 1) TO '${outside}/new.csv'`,
      `SELECT 1;/* */COPY (SELECT 1) TO '${outside}/new.csv'--`,
      'PIVOT data ON browser_name USING count(*)',
      'BEGIN TRANSACTION',
      'CHECKPOINT',
      'SELECT 1 \u0000 FROM data',
      '',
    ],
  };
}

/** Statements that would take all memory or all time. */
export const bombs = [
  'SELECT range(2000000000)',
  'SELECT md5(repeat(user_id, 500000000)) FROM data',
  "SELECT lpad('x', 1500000000, 'y') || lpad('x', 1500000000, 'z')",
  'WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r',
  "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))",
];

/** Statements that may break a parser or what reads its answer; whether they are answered does not matter. */
export const strange = [
  `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)}`,
  `SELECT ${'1+'.repeat(50_000)}1`,
  `SELECT ${'NOT '.repeat(20_000)}true`,
  `SELECT '${'x'.repeat(1_000_000)}'`,
  'SELECT \uD800 FROM data',
];

/** Functions that show settings, paths, other statements or the inside of the engine, act on it, or only take time. */
const INNER_SCALARS = `
  json_serialize_plan json_serialize_sql json_deserialize_sql getenv current_setting getvariable current_query current_query_id
  current_transaction_id current_connection_id current_database current_catalog current_schema current_schemas current_role current_user
  session_user user version in_search_path nextval currval write_log parse_duckdb_log_message sleep_ms pg_sleep setseed txid_current
  pg_typeof pg_conf_load_time pg_postmaster_start_time pg_get_viewdef pg_get_constraintdef pg_get_expr pg_table_is_visible pg_has_role
  has_table_privilege has_schema_privilege has_database_privilege obj_description col_description shobj_description format_type
  inet_client_addr inet_client_port inet_server_addr inet_server_port get_block_size stats vector_type create_sort_key cast_to_type
  constant_or_null finalize combine __internal_decompress_string __internal_compress_string_ubigint variant_bytes_to_variant
  replace_type get_type remap_struct st_asbinary st_geomfromwkb icu_sort_key write_file load_extension system shell eval
`;
const INNER_TABLES = `
  duckdb_settings duckdb_secrets duckdb_views duckdb_tables duckdb_columns duckdb_databases duckdb_dependencies duckdb_extensions
  duckdb_external_file_cache duckdb_functions duckdb_indexes duckdb_keywords duckdb_log_contexts duckdb_logs duckdb_memory
  duckdb_optimizers duckdb_prepared_statements duckdb_schemas duckdb_secret_types duckdb_sequences duckdb_table_sample
  duckdb_temporary_files duckdb_types duckdb_variables duckdb_constraints duckdb_connection_count duckdb_approx_database_count
  duckdb_coordinate_systems duckdb_logs_parsed duckdb_profiling_settings pragma_database_size pragma_metadata_info pragma_platform
  pragma_show pragma_storage_info pragma_table_info pragma_user_agent pragma_version pragma_collations which_secret sql_auto_complete
  check_peg_parser enable_peg_parser enable_profiling disable_profiling enable_logging disable_logging truncate_duckdb_logs checkpoint
  force_checkpoint glob read_text read_blob read_csv read_csv_auto read_json read_json_auto read_json_objects read_ndjson
  read_ndjson_auto read_ndjson_objects read_parquet parquet_scan parquet_metadata parquet_file_metadata parquet_full_metadata
  parquet_kv_metadata parquet_schema parquet_bloom_probe read_duckdb sniff_csv seq_scan arrow_scan arrow_scan_dumb summary query
  query_table test_all_types test_vector_types json_execute_serialized_sql pg_timezone_names icu_calendar_names
`;
const ENGINE_TABLES = `
  duckdb_settings duckdb_tables duckdb_views pg_catalog.pg_settings pg_catalog.pg_class pg_settings pg_tables sqlite_master
  sqlite_schema information_schema.tables information_schema.columns information_schema.schemata system.main.duckdb_settings
  temp.main.sqlite_master main.duckdb_views
`;
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Statements that ask the engine about itself, each function and table in a place of its own kind. */
export const inquiries: readonly string[] = [
  ...words(INNER_SCALARS).flatMap((name, index) => {
    const call = [`${name}()`, `${name}('x')`, `main.${name}('x')`, `${name.toUpperCase()}('x', 1)`][index % 4] ?? name;
    const places = [
      `SELECT ${call}`,
      `SELECT list_transform([1], lambda x: ${call})`,
      `SELECT count(*) FILTER (${call} IS NULL) FROM data`,
      `WITH a AS (SELECT ${call} AS v) SELECT v FROM a`,
      `SELECT 1 FROM data ORDER BY ${call}`,
      `SELECT CASE WHEN (SELECT ${call}) IS NULL THEN 1 END FROM data`,
    ];
    return [places[index % 6] ?? '', places[(index + 1) % 6] ?? ''];
  }),
  ...words(INNER_TABLES).map(
    (name, index) =>
      [
        `SELECT * FROM ${name}()`,
        `SELECT (SELECT count(*) FROM ${name}('x')) FROM data`,
        `SELECT * FROM data, ${name}('x')`,
        `WITH data AS (SELECT * FROM ${name}()) SELECT * FROM data`,
      ][index % 4] ?? '',
  ),
  ...words(ENGINE_TABLES).map((name) => `SELECT * FROM ${name}`),
  `SELECT json_serialize_plan('SELECT * FROM data')`,
  `SELECT 'memory_limit'.current_setting()`,
  `SELECT system.main.current_setting('temp_directory')`,
  `SELECT x FROM (VALUES ('data')) t(x) WHERE json_serialize_plan('FROM ' || x) IS NOT NULL`,
];
