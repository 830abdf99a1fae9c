import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkStatement, openDatabase } from '../../../src/exports/query/database.ts';
import { openSql, runSql, type SqlOptions, type SqlSession } from '../../../src/exports/query/sql-process.ts';
import { someOf } from '../../support/sample-size.ts';

/**
 * Statements that try to leave the sandbox, by what they try; `outside` is a directory with the file secret.txt, `own` a file of the data.
 */
function attacks({ outside, own }: { outside: string; own: string }): Record<string, string[]> {
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
      `SELECT * FROM read_text('../../../../../etc/passwd')`,
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
const bombs = [
  'SELECT range(2000000000)',
  'SELECT md5(repeat(user_id, 500000000)) FROM data',
  "SELECT lpad('x', 1500000000, 'y') || lpad('x', 1500000000, 'z')",
  'WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r',
  "SELECT levenshtein(repeat('a', 300000), repeat('b', 300000))",
];

/** Statements that may break a parser or what reads its answer; whether they are answered does not matter. */
const strange = [
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
const inquiries: readonly string[] = [
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

const SECRET = 'the-secret-that-nobody-may-read';
const MACHINE = { memoryBytes: 2 ** 28, threads: 1 };
/** The only file that statements may read, and the view that they read it by. */
const OWN = 'table.parquet';
const readable = { views: ['data'], setup: [`CREATE VIEW data AS FROM read_parquet(['${OWN}'])`], files: [OWN] };
const limits = { maxRows: 1_000, maxChars: 4_000_000 };

const root = mkdtempSync(join(tmpdir(), 'sandbox-'));
const [directory, outside] = [join(root, 'data'), join(root, 'outside')];
const own = join(directory, OWN);

beforeAll(async () => {
  for (const path of [directory, outside]) mkdirSync(path);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  symlinkSync(join(outside, 'secret.txt'), join(outside, 'link.txt'));
  const database = await openDatabase({ ...MACHINE, setup: [], files: [own] });
  await database.run(`COPY (SELECT '7' AS user_id, 'Chrome' AS browser_name) TO '${own}'`);
  database.closeSync();
});
afterAll(() => rmSync(root, { recursive: true }));

const options = (more: Partial<SqlOptions> = {}): SqlOptions => ({ directory, holder: 'test', timeoutMs: 20_000, ...more });
const query = (sql: string, more: Partial<SqlOptions> = {}) => runSql({ ...readable, ...limits, sql }, options(more));

async function opened(setup: readonly string[], files: readonly string[] = []) {
  const database = await openDatabase({ ...MACHINE, setup, files });
  onTestFinished(() => database.closeSync());
  return database;
}

function outcomeOf(sql: string): Promise<string> {
  return query(sql).then(
    ({ rows }) => `answered: ${JSON.stringify(rows)}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const ANALYST_VIEW = `CREATE VIEW data AS SELECT 'u' || i AS user_id, i AS session_id, TIMESTAMP '2026-11-01' + to_hours(i::INTEGER) AS t,
  i * 1.5 AS revenue, ['a', 'b'] AS skus, '/p?x=' || i AS path, '{"k":1}' AS j FROM range(50) r(i)`;
const analysts = [
  "SELECT date_trunc('day', t) AS day, count(*), sum(revenue), median(revenue), quantile_cont(revenue, 0.9) FROM data GROUP BY ALL " +
    'ORDER BY day',
  'SELECT user_id, row_number() OVER (PARTITION BY user_id ORDER BY t) n, lag(revenue) OVER (ORDER BY t), sum(revenue) OVER w FROM ' +
    'data WINDOW w AS (ORDER BY t ROWS 3 PRECEDING)',
  'SELECT path, count(DISTINCT (user_id, session_id)) FROM data GROUP BY ROLLUP (path) HAVING grouping(path) = 0 OR count(*) > 1',
  "SELECT regexp_replace(path, '\\?.*', '') p, split_part(path, '?', 2), upper(left(path, 2)), path LIKE '%x%', path ILIKE 'P%', " +
    "path SIMILAR TO '/p.*' FROM data",
  'SELECT sku, count(*) FROM (SELECT unnest(skus) AS sku FROM data) GROUP BY ALL',
  'SELECT list_transform(skus, lambda x: upper(x)), list_contains(skus, $$a$$), len(skus), skus[1], skus[1:2] FROM data',
  "SELECT json_extract_string(j, '$.k'), j::JSON ->> 'k', CAST(j AS JSON) -> 'k' FROM data",
  "SELECT CASE WHEN revenue > 10 THEN 'high' ELSE 'low' END AS c, coalesce(path, '-'), nullif(path, ''), round(avg(revenue), 2) " +
    'FROM data GROUP BY ALL',
  "SELECT t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris', strftime(t, '%Y-%m'), extract(hour FROM t), dayname(t), t::DATE, t - " +
    'INTERVAL 1 DAY FROM data',
  "FROM data SELECT count(*) WHERE t BETWEEN '2026-11-01' AND now() AND session_id NOT IN (1, 2) AND user_id IS NOT NULL",
  'SELECT * EXCLUDE (j) REPLACE (revenue * 2 AS revenue) FROM data LIMIT 3 OFFSET 1',
  'SELECT COLUMNS(c -> c LIKE $$%id$$) FROM data',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r',
  'SELECT a.user_id FROM data a JOIN data b USING (session_id) WHERE EXISTS (SELECT 1 FROM data c WHERE c.session_id = a.session_id)',
  'SELECT * FROM (SELECT session_id % 3 AS m, revenue FROM data) PIVOT (sum(revenue) FOR m IN (0, 1, 2))',
  "SELECT corr(session_id, revenue), regr_slope(revenue, session_id), stddev(revenue), string_agg(path, ',' ORDER BY t), " +
    'arg_max(path, t), mode(path) FROM data',
  'SELECT floor(revenue / 10)::INTEGER * 10 AS bucket, count(*) FROM data GROUP BY 1 UNION ALL SELECT 0, count(*) FROM data',
  "SELECT DISTINCT ON (user_id) user_id, printf('%.2f', revenue), url_decode(path), md5(user_id), hash(path) FROM data ORDER BY " +
    'user_id, t DESC',
  'SELECT d.day, count(data.t) FROM generate_series(DATE $$2026-11-01$$, DATE $$2026-11-03$$, INTERVAL 1 DAY) d(day) LEFT JOIN data ' +
    'ON data.t::DATE = d.day GROUP BY ALL',
  "SELECT if(revenue > 1, 1, 0), greatest(1, 2), -revenue, NOT (revenue > 1), revenue IS DISTINCT FROM 1, {'a': path}.a, " +
    'try_cast(path AS INTEGER) FROM data',
  'SUMMARIZE data',
  'DESCRIBE data',
];

describe('the sandbox', () => {
  it('refuses every question about the engine before it runs', { tags: 'nightly' }, async () => {
    const database = await opened(['CREATE VIEW data AS SELECT 1 AS a']);
    const passed: string[] = [];
    for (const sql of inquiries)
      await checkStatement(database, sql, ['data']).then(
        () => passed.push(sql),
        () => undefined,
      );
    expect(passed).toEqual([]);
  });

  it('lets through what analysts write', async () => {
    const database = await opened([ANALYST_VIEW]);
    for (const sql of analysts) {
      await checkStatement(database, sql, ['data']);
      expect([sql, (await database.runAndReadAll(sql)).columnCount > 0]).toEqual([sql, true]);
    }
  });

  it.each(Object.keys(attacks({ outside, own })))(
    'refuses to %s, leaves no trace, and answers afterwards',
    { tags: 'nightly' },
    async (aim) => {
      const before = readFileSync(own);
      const list = someOf(attacks({ outside, own: OWN })[aim] ?? [], 4);
      for (const [index, outcome] of (await Promise.all(list.map(outcomeOf))).entries()) {
        expect([list[index], outcome]).toEqual([list[index], expect.stringMatching(/^SqlError: /)]);
        expect(outcome).not.toContain(SECRET);
      }
      expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
      expect(readFileSync(own)).toEqual(before);
      expect((await query('SELECT browser_name FROM data')).rows).toEqual([['Chrome']]);
    },
  );

  it('holds without the look at the statement too: the database itself reads and writes nothing else', { tags: 'nightly' }, async () => {
    const database = await opened([`CREATE VIEW data AS FROM read_parquet(['${own}'])`], [own]);
    // Tables and views of the engine itself hold nothing of a caller.
    for (const sql of Object.values(attacks({ outside, own: join(outside, 'own') })).flat()) {
      const text = await database.runAndReadAll(sql).then(
        (result) => JSON.stringify(result.getRowsJson()),
        () => '',
      );
      expect([sql, text.includes(SECRET)]).toEqual([sql, false]);
    }
    expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
  });

  it('survives what may break a parser', { tags: 'nightly' }, async () => {
    const outcomes = await Promise.all([...strange, 'SELECT 1'].map(outcomeOf));
    expect(outcomes.filter((outcome) => !/^(SqlError: .|answered: )/.test(outcome))).toEqual([]);
    expect(outcomes.at(-1)).toBe('answered: [[1]]');
  });

  it.each(bombs)('stops %s', { tags: 'nightly' }, async (sql) => {
    const started = performance.now();
    await expect(query(sql, { timeoutMs: 400 })).rejects.toMatchObject({
      name: 'SqlError',
      reason: expect.stringMatching(/^(time|memory)$/),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('starts nothing for a call that is cancelled between its turn and its process', async () => {
    const controller = new AbortController();
    // The look at the signal when the turn comes finds nothing, and right after it the caller goes.
    Object.assign(controller.signal, { throwIfAborted: () => controller.abort() });
    await expect(query('SELECT count(*) FROM range(1000000000000)', { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('gives as many rows as were asked for, and says that there are more', { tags: 'nightly' }, async () => {
    const most = { ...readable, ...limits, maxRows: 5_000 };
    const { rows, more } = await runSql({ ...most, sql: 'SELECT * FROM range(100000000000)' }, options());
    expect([rows.length, rows.at(-1), more]).toEqual([5000, [4999], true]);
    expect((await runSql({ ...most, sql: 'SELECT * FROM range(5000)' }, options())).more).toBe(false);
  });
});

describe('a session', () => {
  function session(more: Partial<SqlOptions> = {}): SqlSession {
    const begun = openSql(readable, options(more));
    onTestFinished(() => begun.close());
    return begun;
  }

  it('answers statements in their order, also those that come before it is ready', { tags: 'nightly' }, async () => {
    const { run } = session();
    const answers = await Promise.all([1, 2, 3].map((n) => run({ sql: `SELECT ${n} AS n FROM data`, ...limits })));
    expect(answers.map(({ rows }) => rows)).toEqual([[[1]], [[2]], [[3]]]);
  });

  it('keeps the rows of a statement for those after it alone, and only of one that may run', { tags: 'nightly' }, async () => {
    const { run } = session();
    await run({ sql: 'SELECT * FROM range(10)', keptAs: 'late', ...limits });
    const count = { sql: 'SELECT count(*) AS n FROM late', ...limits };
    expect((await run(count)).rows).toEqual([[10]]);
    await expect(session().run(count)).rejects.toMatchObject({ reason: 'refused' });
    const sql = "COPY data TO 'x.csv'";
    await expect(session().run({ sql, keptAs: 'kept', ...limits })).rejects.toMatchObject({ reason: 'refused' });
  });

  it('ends at the first statement that fails, with its reason for all that wait', async () => {
    const { run } = session();
    const statements = ['SELECT nothing FROM data', 'SELECT 1'].map((sql) => run({ sql, ...limits }));
    for (const outcome of await Promise.allSettled(statements))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'sql' } });
    await expect(run({ sql: 'SELECT 1', ...limits })).rejects.toMatchObject({ reason: 'sql' });
  });

  it('ends when its signal aborts, and when it is closed before it is ready', { tags: 'nightly' }, async () => {
    const ending = new AbortController();
    const endless = session({ signal: ending.signal }).run({ sql: 'SELECT count(*) FROM range(1000000000000)', ...limits });
    setTimeout(() => ending.abort(new Error('no longer wanted')), 50);
    await expect(endless).rejects.toThrow('no longer wanted');
    const begun = session();
    begun.run({ sql: 'SELECT 1', ...limits }).catch(() => undefined);
    await begun.close();
  });
});
