import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RunManifest } from '../../../src/exports/store/manifest.ts';
import { projectName } from '../../../src/exports/warehouse/project-warehouse.ts';
import { openWarehouse } from '../../../src/exports/warehouse/warehouse.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { bundledScript } from '../../support/bundled-script.ts';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing } from '../../support/clickhouse/start.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
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
const RUNS = 2;
const ROWS = 450;
/** Of two keyed runs, of which the second repeats rows of the first, and of the keyless one. */
const PIECES = 2 + 3 + 2;
const LONG_MS = 120_000 + KILLS * 6_000;

const range = (count: number) => times(count, (index) => index);

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
  let [script, directory, converted] = ['', '', ''];
  /** What is asked of each job, and what the disk answers. */
  const truths = new Map<number, unknown>();
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'load-kill-'));
    script = bundledScript('test/exports/warehouse/load-process.ts', directory);
    const onDisk = openOffline(directory, { keepSource: true });
    for (const run of killRuns()) writeRun(onDisk, run);
    for (const jobId of [31, 41]) truths.set(jobId, (await asked(onDisk, SQL, { jobId })).rows);
    await onDisk.close();
    converted = onDisk.dir;
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** A directory of its own with the converted runs, as the project of a server; each replica names its tables otherwise. */
  function copied(authUrl: string, replica = ''): string {
    const dir = scratchDirectory();
    const project = openOffline(dir, { authUrl }).dir;
    cpSync(converted, project, { recursive: true });
    for (const path of readdirSync(project, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('manifest.json'))) {
      const [manifest, own] = [join(project, path), join(project, dirname(path))];
      const text = readFileSync(manifest, 'utf8');
      const name = (JSON.parse(text) as RunManifest).table?.name ?? '';
      renameSync(join(own, name), join(own, replica + name));
      writeFileSync(manifest, text.replace(name, replica + name));
    }
    return dir;
  }

  async function start(order: Pick<LoadOrder, 'dir' | 'authUrl'>) {
    const whole: LoadOrder = { ...order, access: clickHouse().access, pieceRows: PIECE_ROWS };
    const child = spawn(process.execPath, [script, JSON.stringify(whole)], { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    await Promise.race([once(child.stdout, 'data'), ended]);
    return { child, ended, go: () => void child.stdin.write('\n') };
  }

  /** Another replica, which reads what is loaded and has nothing on its disk. */
  function reader(authUrl: string) {
    const warehouse = openWarehouse(clickHouse().access);
    const workspace = openOffline(scratchDirectory(), { keepSource: true, warehouse, authUrl });
    onTestFinished(async () => {
      await workspace.close();
      await warehouse.close();
    });
    const records = async () => (await workspace.warehouse?.records()) ?? [];
    /** Everything is loaded, and no row of a run lies there twice, merged or not: the keyless ones would count. */
    async function checkWhole() {
      expect((await records()).map(({ state }) => state)).toEqual(times(RUNS + 1, () => 'loaded'));
      for (const [jobId, truth] of truths) expect((await asked(workspace, SQL, { jobId })).rows).toEqual(truth);
      const own = `_project = '${projectName(authUrl, 1201)}' AND _job = 41`;
      expect(await clickHouse().query(`SELECT toUInt32(count()) FROM analytics.export_sessions WHERE ${own}`)).toEqual([[ROWS]]);
    }
    return { workspace, records, checkWhole };
  }

  it(`lose no row and double none when they are killed at ${KILLS} random moments of a load`, async () => {
    const random = seeded(SEED).uniform;
    let inTheMiddle = 0;
    for (let round = 0; inTheMiddle < KILLS; round += 1) {
      const authUrl = `http://127.0.0.1:9/kill-${round}`;
      const order = { dir: copied(authUrl), authUrl };
      const { workspace, records, checkWhole } = reader(authUrl);
      let isDone = false;
      const seen: unknown[] = [];
      while (!isDone && inTheMiddle < KILLS) {
        const { child, ended, go } = await start(order);
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
      const last = await start(order);
      last.go();
      expect(await last.ended).toEqual([0, null]);
      await checkWhole();
    }
  });

  it('of two replicas at the same instant count once, also right after, with a key or without', async () => {
    for (const round of range(sampleSize({ full: 3, short: 1 }))) {
      const authUrl = `http://127.0.0.1:9/replicas-${round}`;
      await clickHouse().seen();
      const both = [await start({ dir: copied(authUrl), authUrl }), await start({ dir: copied(authUrl, 'other-'), authUrl })];
      for (const { go } of both) go();
      for (const { ended } of both) expect(await ended).toEqual([0, null]);
      // The other replica has sent nothing.
      expect((await clickHouse().seen()).filter(({ sql = '' }) => sql.includes('FORMAT Parquet'))).toHaveLength(PIECES);
      await reader(authUrl).checkWhole();
    }
  });
});
