import { describe, expect, it, onTestFinished } from 'vitest';
import { projectName } from '../../../src/exports/warehouse/project-warehouse.ts';
import { openWarehouse } from '../../../src/exports/warehouse/warehouse.ts';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing } from '../../support/clickhouse/start.ts';
import { openOffline, writeRun } from '../convert/converted-runs.ts';
import { asked, dayRun, loadedProject, sessionRow } from './loaded-project.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const rows = (count: number, more: object = {}) => range(count).map((number) => sessionRow(10, number, more));
const FIGURES = 'SELECT count(*) AS n, sum(session_transactions_revenue_cents) AS cents, count(DISTINCT session_id) AS ids FROM sessions';
const COUNT = 'SELECT count(*) AS n FROM sessions';

/** Each part of a load is written by a process of its own. */
const LONG_MS = 120_000;

describe.skipIf(missing)(`loads into the warehouse${missing ? ` (${missing})` : ''}`, { timeout: LONG_MS }, () => {
  const clickHouse = sharedClickHouse();

  it('keep ids and amounts exact, and add columns and types as they appear', { tags: 'nightly' }, async () => {
    const project = await loadedProject(
      clickHouse(),
      dayRun(501, 10, rows(3, { session_transactions_revenue_cents: 9_007_199_254_740_991 })),
    );
    const amounts = 'session_transactions_revenue_cents AS cents, session_transactions_revenue AS money';
    const sql = `SELECT user_id, ${amounts} FROM sessions ORDER BY session_id LIMIT 1`;
    expect((await asked(project.workspace, sql)).rows).toEqual([['18446744073709000000', 9_007_199_254_740_991, '90071992547409.91']]);
    const later = rows(2, { city: 'Kyoto', session_number_of_views: 1.5, browser_name: 'New' }).map((row, index) => ({
      ...row,
      session_id: `later-${index}`,
    }));
    await project.add(dayRun(502, 11, later));
    const both =
      'SELECT city, session_number_of_views, count(*) AS n FROM sessions GROUP BY ALL ORDER BY city NULLS FIRST, session_number_of_views';
    expect((await asked(project.workspace, both)).rows).toEqual((await asked(project.onDisk, both)).rows);
    expect((await asked(project.workspace, both)).rows).toContainEqual(['Kyoto', 1.5, 2]);
  });

  it('of jobs with other columns of one session make one row of them', { tags: 'nightly' }, async () => {
    const sessions = rows(20) as Record<string, unknown>[];
    const places = sessions.map(({ user_id, session_id, session_time }, index) => ({
      user_id,
      session_id,
      session_time,
      city: index % 2 ? 'Oslo' : null,
    }));
    const project = await loadedProject(
      clickHouse(),
      dayRun(501, 10, sessions),
      dayRun(701, 10, places, { jobId: 41, exportedAt: '2026-11-12T02:00:00.000Z' }),
    );
    const sql = 'SELECT city, device_name, count(*) AS n FROM sessions GROUP BY ALL ORDER BY city NULLS FIRST, device_name';
    const there = await asked(project.workspace, sql);
    expect(there.rows).toEqual((await asked(project.onDisk, sql)).rows);
    expect(there.rows).toHaveLength(6);
    expect((await asked(project.workspace, 'SELECT count(*) AS n FROM data', { jobId: 41 })).rows).toEqual([[20]]);
  });

  it('that failed are said and tried again; what a server did not confirm is sent anew, and lies there once', {
    tags: 'nightly',
  }, async () => {
    await clickHouse().fail({ failInserts: 1_000 });
    const { workspace, dir, authUrl } = await loadedProject(clickHouse(), dayRun(501, 10, rows(10, { session_id: undefined })));
    await expect(asked(workspace, COUNT)).rejects.toThrow('Run 501 of job 31 could not be loaded into the warehouse: Too many parts');
    await clickHouse().fail({ dieAfterInserts: 0 });
    await expect(asked(workspace, COUNT)).rejects.toThrow('does not answer');
    await clickHouse().restart();
    const warehouse = openWarehouse(clickHouse().access);
    const again = openOffline(dir, { keepSource: true, warehouse, authUrl });
    onTestFinished(() => again.close().then(() => warehouse.close()));
    expect((await asked(again, COUNT)).rows).toEqual([[10]]);
    const own = `FROM analytics.export_sessions WHERE _project = '${projectName(authUrl, 1201)}'`;
    expect(await clickHouse().query(`SELECT toUInt32(count()) ${own}`)).toEqual([[10]]);
  });

  it('that cannot follow, because the run could not be converted, are said with the reason', async () => {
    const damaged = dayRun(501, 10, rows(1), { files: ['{"session_id": 1}\n{"session_id":\n'] });
    const project = await loadedProject(clickHouse(), damaged);
    await expect(asked(project.workspace, FIGURES)).rejects.toThrow(
      /^Run 501 of job 31 could not be converted, so that it cannot be loaded into the warehouse: .{20,}/,
    );
  });

  it('that another replica has done are read here, where nothing is on the disk', { tags: 'nightly' }, async () => {
    const project = await loadedProject(
      clickHouse(),
      dayRun(501, 10, rows(30)),
      dayRun(502, 11, [], { files: [], fields: Object.keys(sessionRow(11, 1)) }),
    );
    const { warehouse, authUrl, dir } = project;
    const replica = openOffline(`${dir}/replica`, { keepSource: true, warehouse, authUrl });
    onTestFinished(() => replica.close());
    expect(await replica.runs()).toEqual([]);
    expect((await asked(replica, FIGURES)).rows).toEqual((await asked(project.onDisk, FIGURES)).rows);
    // The same run, downloaded there too, is not loaded again.
    await clickHouse().seen();
    writeRun(replica, dayRun(501, 10, rows(30)));
    await replica.runs();
    await replica.converted();
    expect((await clickHouse().seen()).filter(({ sql = '' }) => sql.includes('FORMAT Parquet'))).toEqual([]);
  });

  it('are taken back run by run: what a run that stays holds too remains, and comes back after a new download', {
    tags: 'nightly',
  }, async () => {
    const newer = { exportedAt: '2026-11-14T02:00:00.000Z', to: '2026-11-12T00:00:00.000Z' };
    const more = range(10).map((number) => sessionRow(11, number));
    const project = await loadedProject(
      clickHouse(),
      dayRun(501, 10, rows(30)),
      dayRun(502, 10, [...rows(30, { browser_name: 'Edge' }), ...more], newer),
    );
    const { workspace } = project;
    const { warehouse } = workspace;
    if (!warehouse) throw new Error('There is no warehouse.');
    expect((await asked(workspace, COUNT)).rows).toEqual([[40]]);
    const second = (await warehouse.records()).filter(({ run }) => run.runId === 502);
    await warehouse.remove(second, Date.parse('2026-11-20T10:00:00Z'));
    await workspace.remove({ jobId: 31, runId: 502 });
    expect((await asked(workspace, COUNT)).rows).toEqual([[30]]);
    expect((await warehouse.records()).map(({ run }) => run.runId)).toEqual([501]);
    await project.add({ ...dayRun(502, 10, [...rows(30), ...more], newer), exportedAt: '2026-11-21T02:00:00.000Z' });
    expect((await asked(workspace, COUNT)).rows).toEqual([[40]]);
  });
});
