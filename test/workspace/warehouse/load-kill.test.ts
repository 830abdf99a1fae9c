import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { projectName } from '../../../src/workspace/warehouse/project-warehouse.ts';
import { openWarehouse } from '../../../src/workspace/warehouse/warehouse.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { bundledScript } from '../../support/bundled-script.ts';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing, type TestClickHouse } from '../../support/clickhouse/start.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { openOffline, type RunText, writeRun } from '../convert/converted-runs.ts';
import { scratchDirectory } from '../download/store-stub.ts';
import type { LoadOrder } from './load-process.ts';
import { asked, dayRun, sessionRow } from './loaded-project.ts';

/** `LOAD_KILLS=50 LOAD_KILL_SEED=2` repeats it with more kills, at other moments. */
const KILLS = Number(process.env['LOAD_KILLS'] ?? sampleSize({ full: 10, short: 2 }));
const SEED = Number(process.env['LOAD_KILL_SEED'] ?? 5);
/** A load of all runs takes some seconds, so that most kills fall into it. */
const LONGEST_LIFE_MS = 1_200;
const PIECE_ROWS = 250;
const RUNS = 3;
const ROWS = 600;
const LONG_MS = 120_000 + KILLS * 6_000;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Overlapping runs: each holds a day and repeats the last third of the one before it; the last job has no whole key. */
function killRuns(): RunText[] {
  const keyed = range(RUNS).map((index) => {
    const again = index === 0 ? [] : range(ROWS / 3).map((number) => sessionRow(9 + index, ROWS - 1 - number, { browser_name: 'Later' }));
    const own = range(ROWS).map((number) => sessionRow(10 + index, number));
    const from = `2026-11-${9 + index}T00:00:00.000Z`.replace('-9T', '-09T');
    return dayRun(501 + index, 10 + index, [...own, ...again], { from });
  });
  const keyless = range(ROWS).map((number) => sessionRow(10, number % 50, { session_id: undefined }));
  return [...keyed, dayRun(701, 10, keyless, { jobId: 41 })];
}

const SQL =
  'SELECT count(*) AS n, sum(session_transactions_revenue_cents) AS cents, count(DISTINCT user_id) AS users, ' +
  "sum(CASE WHEN browser_name = 'Later' THEN 1 ELSE 0 END) AS later FROM data";

describe.skipIf(missing)(`processes that load into the warehouse${missing ? ` (${missing})` : ''}`, { timeout: LONG_MS }, () => {
  const clickHouse = sharedClickHouse();
  let [script, directory] = ['', ''];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'load-kill-'));
    script = bundledScript('test/workspace/warehouse/load-process.ts', directory);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** Converted runs of a project of its own in a directory, and what is asked of the disk. */
  async function prepared(authUrl: string, runs: readonly RunText[]) {
    const dir = scratchDirectory();
    const onDisk = openOffline(dir, { keepSource: true, authUrl });
    for (const run of runs) writeRun(onDisk, run);
    await onDisk.runs();
    await onDisk.converted();
    onTestFinished(() => onDisk.close());
    return { dir, onDisk };
  }

  async function start(order: Omit<LoadOrder, 'access' | 'pieceRows'>, own: TestClickHouse) {
    const whole: LoadOrder = { ...order, access: own.access, pieceRows: PIECE_ROWS };
    const child = spawn(process.execPath, [script, JSON.stringify(whole)], { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    await Promise.race([once(child.stdout, 'data'), ended]);
    return { child, ended, go: () => void child.stdin.write('\n') };
  }

  /** Another replica, which reads what is loaded and has nothing on its disk. */
  function reader(authUrl: string) {
    const warehouse = openWarehouse(clickHouse().access);
    const workspace = openOffline(scratchDirectory(), {
      keepSource: true,
      warehouse,
      authUrl,
      askKept: () => Promise.resolve([] as never),
    });
    onTestFinished(async () => {
      await workspace.close();
      await warehouse.close();
    });
    const records = async () => (await workspace.warehouse?.records()) ?? [];
    return { workspace, records };
  }

  const stored = async (authUrl: string, final: 'FINAL' | '' = '') => {
    const own = `_project = '${projectName(authUrl, 1201)}'`;
    const sql = `SELECT _job, _run, toUInt32(count()) AS n FROM analytics.export_sessions ${final} WHERE ${own} GROUP BY ALL ORDER BY ALL`;
    return clickHouse().query(sql);
  };

  it(`lose no row and double none when they are killed at ${KILLS} random moments of a load`, async () => {
    const random = seeded(SEED).uniform;
    let inTheMiddle = 0;
    for (let round = 0; inTheMiddle < KILLS; round += 1) {
      const authUrl = `http://127.0.0.1:9/kill-${round}`;
      const { dir, onDisk } = await prepared(authUrl, killRuns());
      const { workspace, records } = reader(authUrl);
      let isDone = false;
      const seen: unknown[] = [];
      while (!isDone && inTheMiddle < KILLS) {
        const { child, ended, go } = await start({ dir, authUrl }, clickHouse());
        go();
        const life = new AbortController();
        await Promise.race([delay(random() * LONGEST_LIFE_MS, undefined, { signal: life.signal }).catch(() => undefined), ended]);
        life.abort();
        if (child.exitCode === null) child.kill('SIGKILL');
        else isDone = child.exitCode === 0;
        await ended;
        // A run counts as a whole or not at all, at every moment.
        const found = await records();
        if (found.some(({ state }) => state === 'loading')) inTheMiddle += 1;
        for (const { run, rows } of found) expect(rows).toBeLessThanOrEqual(run.jobId === 41 ? ROWS : ROWS + ROWS / 3);
        const isThere = found.some(({ run, state }) => state === 'loaded' && run.jobId === 41);
        if (isThere) seen.push((await asked(workspace, SQL, { jobId: 41 })).rows[0]?.[0]);
      }
      expect(seen).toEqual(seen.map(() => ROWS));
      const last = await start({ dir, authUrl }, clickHouse());
      last.go();
      expect(await last.ended).toEqual([0, null]);
      expect((await records()).map(({ state }) => state)).toEqual(['loaded', 'loaded', 'loaded', 'loaded']);
      for (const jobId of [31, 41])
        expect((await asked(workspace, SQL, { jobId })).rows).toEqual((await asked(onDisk, SQL, { jobId })).rows);
      // No row of a run lies there twice, merged or not: the keyless ones would count.
      expect((await stored(authUrl)).at(-1)).toEqual([41, 701, ROWS]);
    }
  });

  it('of two replicas at the same instant count once, also right after, with a key or without', async () => {
    for (const round of range(sampleSize({ full: 3, short: 1 }))) {
      const authUrl = `http://127.0.0.1:9/replicas-${round}`;
      const rows = range(ROWS).map((number) => sessionRow(10, number));
      const keyless = range(ROWS).map((number) => sessionRow(10, number % 50, { session_id: undefined }));
      const runs = [dayRun(501, 10, rows), dayRun(701, 10, keyless, { jobId: 41 })];
      const [first, second] = [await prepared(authUrl, runs), await prepared(authUrl, runs)];
      const { workspace, records } = reader(authUrl);
      await clickHouse().seen();
      const both = [await start({ dir: first.dir, authUrl }, clickHouse()), await start({ dir: second.dir, authUrl }, clickHouse())];
      for (const { go } of both) go();
      expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([
        [0, null],
        [0, null],
      ]);
      expect((await records()).map(({ state, rows: count }) => [state, count])).toEqual([
        ['loaded', ROWS],
        ['loaded', ROWS],
      ]);
      for (const jobId of [31, 41])
        expect((await asked(workspace, SQL, { jobId })).rows).toEqual((await asked(first.onDisk, SQL, { jobId })).rows);
      // Not even before a merge: the other replica has sent nothing.
      expect(await stored(authUrl)).toEqual([
        [31, 501, ROWS],
        [41, 701, ROWS],
      ]);
      const sent = (await clickHouse().seen()).filter(({ sql = '' }) => sql.includes('FORMAT Parquet'));
      expect(sent).toHaveLength(2 * Math.ceil(ROWS / PIECE_ROWS));
    }
  });
});
