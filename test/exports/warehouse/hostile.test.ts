import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import { projectName } from '../../../src/exports/warehouse/project-warehouse.ts';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing } from '../../support/clickhouse/start.ts';
import { openOffline } from '../convert/converted-runs.ts';
import { asked, dayRun, type LoadedProject, openLoadedProject, sessionRow } from './loaded-project.ts';

/** Statements that try to leave what they may read, by what they try. */
const ATTACKS: Readonly<Record<string, readonly string[]>> = {
  'read files, addresses and other servers': [
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT file('/etc/passwd')",
    "SELECT * FROM url('http://127.0.0.1:9/', 'LineAsString')",
    "SELECT * FROM s3('https://127.0.0.1/x', 'CSV')",
    "SELECT * FROM remote('127.0.0.1', 'other', 'secrets')",
    "SELECT * FROM clusterAllReplicas('default', 'other', 'secrets')",
    "SELECT * FROM mysql('127.0.0.1:3306', 'a', 'b', 'c', 'd')",
    "SELECT * FROM executable('id', 'TSV', 'x String')",
    "SELECT (SELECT line FROM file('/etc/passwd', 'LineAsString', 'line String') LIMIT 1)",
    "WITH file('/etc/passwd') AS text SELECT text",
  ],
  'read other tables': [
    'SELECT * FROM other.secrets',
    'SELECT * FROM `other`.`secrets`',
    'SELECT * FROM `other.secrets`',
    'SELECT 1 FROM sessions WHERE user_id IN other.secrets',
    'SELECT user_id IN analytics.export_loads FROM sessions',
    'SELECT * FROM analytics.export_sessions',
    'SELECT * FROM export_sessions',
    'WITH export_sessions AS (SELECT 1) SELECT * FROM (SELECT * FROM analytics.export_sessions)',
    "SELECT * FROM merge('other', '.*')",
    'SELECT * FROM system.tables',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM view(SELECT * FROM other.secrets)',
    "SELECT dictGet('other.d', 'a', 1)",
    "SELECT joinGet('other.secrets', 'secret', 1)",
    "SELECT hasColumnInTable('other', 'secrets', 'secret')",
    'SELECT (user_id AS `a\n      Subquery (children 1)`) IN other.secrets FROM sessions',
    'SELECT * FROM {x:Identifier}',
  ],
  'change what they may': [
    'SELECT * FROM sessions SETTINGS additional_table_filters = {}',
    'SELECT * FROM (SELECT * FROM sessions SETTINGS readonly = 0)',
    'SELECT 1 SETTINGS max_execution_time = 0',
    'SET readonly = 0',
    'SET ROLE everything',
    'SELECT 1; DROP TABLE analytics.export_sessions',
    'SELECT 1) SETTINGS readonly = 0 --',
    'SELECT * FROM (SELECT 1) ) UNION ALL (SELECT secret FROM other.secrets',
  ],
  write: [
    'DROP TABLE analytics.export_sessions',
    'INSERT INTO analytics.export_sessions SELECT * FROM analytics.export_sessions',
    'ALTER TABLE analytics.export_sessions DELETE WHERE 1',
    'CREATE TABLE analytics.mine (a Int8) ENGINE = Memory',
    'CREATE TEMPORARY TABLE mine (a Int8)',
    "SELECT 1 INTO OUTFILE '/tmp/out'",
    'SELECT 1 FORMAT CSV',
    'TRUNCATE TABLE analytics.export_loads',
    'SYSTEM SHUTDOWN',
    'KILL QUERY WHERE 1',
  ],
  'see the server, or keep it busy': [
    'SELECT currentUser()',
    'SELECT hostName()',
    "SELECT getSetting('additional_table_filters')",
    "SELECT getMacro('replica')",
    'SELECT sleep(3)',
    'SELECT sleepEachRow(1) FROM sessions',
    'SELECT * APPLY(sleep) FROM sessions',
    'SELECT version()',
    'EXPLAIN SELECT 1',
    'SHOW GRANTS',
    'SELECT throwIf(1)',
    'SELECT addressToLine(1)',
  ],
};
/** Under load each of many requests takes its time. */
const LONG_MS = 90_000;
const statements = Object.values(ATTACKS).flat();

describe.skipIf(missing)(`hostile statements to the warehouse${missing ? ` (${missing})` : ''}`, () => {
  const clickHouse = sharedClickHouse();
  let mine: LoadedProject;
  let other: LoadedProject;
  beforeAll(async () => {
    if (missing !== undefined) return;
    mine = await openLoadedProject(clickHouse(), dayRun(501, 10, [sessionRow(10, 1), sessionRow(10, 2)]));
    other = await openLoadedProject(clickHouse(), dayRun(901, 10, [sessionRow(10, 3, { browser_name: 'of another project' })]));
  });
  afterAll(async () => {
    await mine?.close();
    await other?.close();
  });

  it('are refused before they run, all of them, and nothing is changed', { tags: 'nightly', timeout: LONG_MS }, async () => {
    expect(statements.length).toBeGreaterThanOrEqual(40);
    const state = () =>
      clickHouse().query("SELECT name, total_rows FROM system.tables WHERE database IN ('analytics', 'other') ORDER BY name");
    const before = await state();
    for (const sql of statements) {
      await clickHouse().seen();
      const error = await asked(mine.workspace, sql).then(
        (answer) => new Error(`${sql} answered ${JSON.stringify(answer)}`),
        (reason: unknown) => reason,
      );
      expect(error, `${sql}: ${String(error)}`).toBeInstanceOf(ApiError);
      expect(error, sql).toMatchObject({ kind: 'invalid' });
      const ran = (await clickHouse().seen()).filter(({ user, sql: text = '' }) => user === 'reader' && !text.startsWith('EXPLAIN AST'));
      expect(ran, sql).toEqual([]);
    }
    expect(await state()).toEqual(before);
  });

  it('that pass the check all the same are refused by the rights of the reader, and see their own project alone', async () => {
    const { warehouse, authUrl } = mine;
    const project = projectName(authUrl, 1201);
    const own = {
      filters: { 'analytics.export_sessions': `_project = '${project}'`, 'analytics.export_loads': `_project = '${project}'` },
    };
    const read = (sql: string) => warehouse.reader.rows(sql, own);
    expect(await clickHouse().query('SELECT count() FROM analytics.export_sessions')).toEqual([[3]]);
    expect(await read('SELECT count() AS n FROM analytics.export_sessions')).toEqual([{ n: '2' }]);
    expect(await read('SELECT DISTINCT _project AS p FROM analytics.export_loads')).toEqual([{ p: project }]);
    for (const sql of [
      'SELECT * FROM other.secrets',
      "SELECT * FROM file('/etc/passwd', 'LineAsString')",
      "SELECT * FROM url('http://127.0.0.1:9', CSV)",
    ])
      await expect(read(sql), sql).rejects.toThrow('ClickHouse refuses the user reader');
    for (const sql of ['DROP TABLE analytics.export_loads', 'ALTER TABLE analytics.export_sessions DELETE WHERE 1'])
      await expect(warehouse.reader.command(sql, { settings: { readonly: '2' } }), sql).rejects.toThrow(/readonly|refuses/);
  });

  it('see no other project, by any name', async () => {
    expect((await asked(mine.workspace, 'SELECT DISTINCT browser_name FROM sessions ORDER BY 1')).rows.flat()).not.toContain(
      'of another project',
    );
    await expect(asked(mine.workspace, 'SELECT 1', { jobIds: [31, 77] })).rejects.toThrow('nothing of job 77');
    expect((await asked(other.workspace, 'SELECT browser_name FROM sessions')).rows).toEqual([['of another project']]);
  });

  it('of a caller whom the platform refuses the project are not answered', async () => {
    const refuse = () => Promise.reject(new ApiError('forbidden', 'The credential does not reach project 1201.'));
    const { warehouse, authUrl, dir } = mine;
    const stranger = openOffline(`${dir}/stranger`, { keepSource: true, warehouse, authUrl, askKept: refuse, principal: 'stranger' });
    await expect(asked(stranger, 'SELECT count(*) FROM sessions')).rejects.toThrow('does not reach project 1201');
    await stranger.close();
    const colleague = openOffline(`${dir}/colleague`, {
      keepSource: true,
      warehouse,
      authUrl,
      principal: 'colleague',
    });
    expect((await asked(colleague, 'SELECT count(*) AS n FROM sessions')).rows).toEqual([[2]]);
    await colleague.close();
  });
});
