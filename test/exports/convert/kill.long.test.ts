import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { seeded } from '../../bench/verdicts/random.ts';
import { bundledScript } from '../../support/bundled-script.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { scratchDirectory } from '../download/store-stub.ts';
import { openOffline, queried, writeRun } from './converted-runs.ts';

const KILLS = sampleSize({ full: 50, short: 2 });
const RUNS = 4;
const ROWS = 3_000;
/** A conversion of all runs takes some seconds; most kills fall into it. */
const LONGEST_LIFE_MS = 1_500;

/** After the first table; on a fast machine a table takes a tenth of a second. */
const SHORT_LIFE_MS = 100;

/** Runs that are tables; a list of all runs would convert the others. */
async function convertedRuns(workspace: ReturnType<typeof openOffline>): Promise<number> {
  const runs = await Promise.all(times(RUNS, (run) => workspace.find({ jobId: 31, runId: 501 + run })));
  return runs.filter((run) => run?.table).length;
}

/** Resolves when one more run is converted than at the call, or the process has ended. */
async function convertsFurther(workspace: ReturnType<typeof openOffline>, child: ChildProcess): Promise<void> {
  const before = await convertedRuns(workspace);
  while (child.exitCode === null && (await convertedRuns(workspace)) <= before) await delay(20);
}

const sessions = (run: number) =>
  times(ROWS, (index) => {
    // Each run repeats the last third of the one before.
    const id = run * Math.floor((ROWS * 2) / 3) + index;
    const user = 7_000_000_000_000_000_000n + BigInt(id);
    return `{"project_id":1,"user_id":${user},"session_id":${id},"session_transactions_revenue_cents":${id}}\n`;
  }).join('');

it('a server that is killed at random moments of its conversions loses no row and doubles none', async () => {
  const script = bundledScript('test/exports/convert/convert-process.ts', scratchDirectory());
  const random = seeded(7).uniform;
  const fields = ['project_id', 'user_id', 'session_id', 'session_transactions_revenue_cents'];
  const sql = 'SELECT count(*), count(DISTINCT session_id), sum(session_transactions_revenue_cents) FROM data';
  let [killed, inTheMiddle] = [0, 0];
  // Where one directory is converted before all kills have been, another one follows.
  while (killed < KILLS) {
    const dir = scratchDirectory();
    const plain = openOffline(dir);
    for (let run = 0; run < RUNS; run += 1) {
      const exportedAt = `2026-11-20T0${run}:00:00.000Z`;
      writeRun(plain, { runId: 501 + run, exportedAt, fields, files: [sessions(run), ''] });
    }
    const ids = (RUNS - 1) * Math.floor((ROWS * 2) / 3) + ROWS;
    const truth = [[ids, ids, (ids * (ids - 1)) / 2]];
    const seen: unknown[] = [];
    let isDone = false;
    while (!isDone && killed < KILLS) {
      const child = spawn(process.execPath, [script, dir], { stdio: ['ignore', 'ignore', 'inherit'], env: {} });
      const ended = once(child, 'exit');
      // Every second one at a random moment after it has converted something, whatever else the machine does.
      if (killed % 2 === 1) await Promise.race([convertsFurther(plain, child), ended]);
      await Promise.race([delay(random() * (killed % 2 === 1 ? SHORT_LIFE_MS : LONGEST_LIFE_MS)), ended]);
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await ended;
        killed += 1;
      } else isDone = true;
      const converted = await convertedRuns(plain);
      if (converted > 0 && converted < RUNS) inTheMiddle += 1;
      if (killed % 5 !== 0) continue;
      const copy = scratchDirectory();
      cpSync(dir, copy, { recursive: true });
      seen.push((await queried(openOffline(copy), sql)).rows);
    }
    expect(seen).toEqual(seen.map(() => truth));
    const last = openOffline(dir);
    await last.runs();
    await last.converted();
    const after = await queried(last, sql);
    expect(after.rows).toEqual(truth);
    expect(after.setup).not.toMatch(/read_json|"session_id" = /);
    // What the killed ones left is tidied away by the next opening.
    await openOffline(dir).runs();
    for (const { jobId, runId, table } of await last.runs()) {
      const names = ['manifest.json', table?.name, table?.superseded?.file?.name].filter((name) => name !== undefined);
      expect(readdirSync(last.directoryOf({ jobId, runId })).toSorted()).toEqual(names.toSorted());
    }
    await last.close();
  }
  expect(inTheMiddle).toBeGreaterThan(KILLS / 5);
}, 240_000);
