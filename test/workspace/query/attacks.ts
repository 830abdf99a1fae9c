/** Statements that try to leave the sandbox, by what they try; `outside` is a directory with the file secret.txt, `own` a file of the data. */
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
