import { describe, expect, it, onTestFinished } from 'vitest';
import type { WarehouseAccess } from '../../../src/exports/warehouse/connection.ts';
import { openWarehouse } from '../../../src/exports/warehouse/warehouse.ts';
import { exportsResource } from '../../../src/resources/exports.ts';
import { openAssistant, person } from '../../support/assistant.ts';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing } from '../../support/clickhouse/start.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { refusal } from '../support.ts';

/** A download, its conversion and its load, each in its turn. */
const LONG_MS = 120_000;
const PIECE_ROWS = 4_000;

describe.skipIf(missing)(`tools with a warehouse${missing ? ` (${missing})` : ''}`, { timeout: LONG_MS }, () => {
  const clickHouse = sharedClickHouse();
  const platform = sharedPlatform();

  /** An assistant on a warehouse; its person says yes, and `questions` are what that person was asked. */
  async function opened(access: Partial<WarehouseAccess> = {}, pieceRows?: number) {
    const { questions, answer } = person('accept');
    const warehouse = openWarehouse({ ...clickHouse().access, ...access }, pieceRows);
    const assistant = await openAssistant(platform(), { warehouse, answer });
    onTestFinished(async () => {
      await assistant.close();
      await warehouse.close();
    });
    return { assistant, call: assistant.call, questions };
  }

  it('download, load, query, list and purge', { tags: 'nightly' }, async () => {
    const { call, questions } = await opened();
    const { structured: synced } = await call('sync_exports', { jobIds: ['Daily sessions'], since: '-1d', waitSeconds: 40 });
    expect(synced['state']).toBe('complete');
    const { structured: jobList } = await call('list_workspace');
    const [[jobId]] = jobList['rows'] as [[number]];
    const count = () => call('query_export', { jobId, sql: 'SELECT count(*) AS n FROM data' });
    await expect.poll(async () => (await count()).isError, { timeout: 60_000 }).toBe(false);
    const { structured } = await count();
    expect(structured).toMatchObject({ dialect: 'ClickHouse', columns: ['n'] });
    const [[rows]] = structured['rows'] as [[number]];
    expect(rows).toBeGreaterThan(0);

    const { structured: there } = await call('list_workspace');
    const { database, rows: jobs } = there['warehouse'] as { database: string; rows: unknown[][] };
    expect(database).toBe(`${clickHouse().access.address}/analytics`);
    expect(jobs).toEqual([[jobId, 'Daily sessions', 'sessions', expect.any(Number), expect.any(String), expect.any(String), rows, 0]]);

    const { structured: purged, text } = await call('purge_workspace', { jobIds: [jobId], confirm: true });
    expect(purged, text).toMatchObject({ status: 'done', removedFromWarehouse: jobs[0]?.[3] });
    expect(questions.at(-1)).toContain('for all who may read this project');
    expect((await call('list_workspace')).structured['warehouse']).toMatchObject({ rows: [] });
  });

  it('report the rows that arrive, and a load that ended is news', { tags: 'nightly' }, async () => {
    const { assistant } = await opened({}, PIECE_ROWS);
    const session = { workspace: () => assistant.workspace(1201) } as never;
    const newest = () => exportsResource.newest?.({ projectId: '1201' }, { ask: async () => [] as never, session }, undefined);
    const heard: { progress: number; message?: string | undefined }[] = [];
    const args = { jobId: 'Daily views', waitSeconds: 40 };
    const { structuredContent } = await assistant.client.callTool(
      { name: 'download_export_run', arguments: args },
      { onprogress: ({ progress, message }) => void heard.push({ progress, message }) },
    );
    const { rowCount = 0, jobId, runId } = structuredContent as { rowCount?: number; jobId: number; runId: number };
    expect(heard.map(({ progress }) => progress)).toEqual([...new Set(heard.map(({ progress }) => progress))].toSorted((a, b) => a - b));
    expect(heard).toContainEqual({
      progress: expect.any(Number),
      message: expect.stringMatching(/files fetched, [\d.]+ kB of [\d.]+ kB$/),
    });
    const loaded = (count: number) => `${count.toLocaleString('en')} of ${rowCount.toLocaleString('en')} rows loaded into the warehouse`;
    expect(heard).toContainEqual({ progress: 100 * (1 + PIECE_ROWS / rowCount), message: loaded(PIECE_ROWS) });
    expect(heard.at(-1)).toEqual({ progress: 200, message: loaded(rowCount) });
    const listed = JSON.parse(await assistant.read('analytics://1201/exports')) as { warehouse: unknown[] };
    expect(listed.warehouse).toContainEqual({ jobId, runId, state: 'loaded', rows: rowCount });
    const before = await newest();
    expect(await newest()).toBe(before);
    const later = "SELECT * REPLACE (written + INTERVAL 1 SECOND AS written) FROM analytics.export_loads FINAL WHERE state = 'loaded'";
    await clickHouse().query(`INSERT INTO analytics.export_loads ${later}`);
    expect(await newest()).toBe((before ?? 0) + 1_000);
  });

  it('say that the warehouse is away, and keep what is on the disk', async () => {
    const { call } = await opened({ address: 'http://127.0.0.1:9' });
    const { structured } = await call('sync_exports', { jobIds: ['Daily sessions'], since: '-1d', waitSeconds: 40 });
    expect(structured['state']).toBe('complete');
    const listed = await call('list_workspace');
    expect(listed).toMatchObject({ isError: false, structured: { rows: [expect.arrayContaining(['Daily sessions'])] } });
    expect(listed.structured).not.toHaveProperty('warehouse');
    expect(listed.text).toContain('The warehouse at http://127.0.0.1:9 does not answer');
    const { isError, text } = await call('query_export', { sql: 'SELECT 1' });
    expect({ isError, text }).toEqual(refusal('The warehouse at http://127.0.0.1:9 does not answer'));
  });
});
