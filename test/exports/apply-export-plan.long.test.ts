import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { openPlans } from '../../src/exports/plans.ts';
import { plansDirectory, projectDirectory } from '../../src/exports/store/manifest.ts';
import { bundledScript } from '../support/bundled-script.ts';
import { type Platform, sharedPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sampleSize } from '../support/sample-size.ts';
import { times } from '../support/times.ts';
import type { ApplyOrder } from './apply-process.ts';

const platform = sharedPlatform();
const KILLS = sampleSize({ full: 25, short: 6 });
const JOBS = 16;
/** After this time a lost request is no longer waited for. */
const SETTLED_MS = 61_000;

let bundles = '';
let script = '';
beforeAll(() => {
  bundles = mkdtempSync(join(tmpdir(), 'apply-'));
  script = bundledScript('test/exports/apply-process.ts', bundles);
  return () => rmSync(bundles, { recursive: true, force: true });
});

/** A plan of several jobs of one field on a disk of its own, and how a process is started that applies it. */
async function planned({ authUrl, credentials, clock }: Platform, name: string, fieldName: string) {
  const dir = temporaryFolder();
  const plans = openPlans(plansDirectory(projectDirectory({ dir, principal: 'local', authUrl, projectId: 1201 })), 1201);
  const bodies = times(JOBS, (index) => ({
    name: `${name} ${index}`,
    format: 'JSONL' as const,
    scope: 'sessions',
    frequency: { value: 'daily' as const },
    fields: [{ fieldName }],
    deviceLabel: 'all' as const,
  }));
  const { planId } = await plans.add({ bodies, known: [], nowMs: clock.now() });
  const start = (nowMs = clock.now()) => {
    const order: ApplyOrder = { dir, authUrl, credential: credentials.shop, planId, nowMs };
    const child = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
    return { child, ended: once(child, 'exit'), words: text(child.stdout) };
  };
  return { start, parts: async () => (await plans.read(planId))?.parts ?? [] };
}

/** Jobs of this name, oldest first. */
async function jobsCalled(name: string) {
  const { ask, token } = platform();
  const jobs = await ask('listExportJobs', { limit: 100, order: 'ASC' }, await token('shop'));
  return jobs.filter((job) => job.name?.startsWith(name)).map(({ jobId, name: called }) => ({ jobId, name: called }));
}

it(`a plan whose server is killed at ${KILLS} moments makes each job once`, { tags: 'nightly' }, async () => {
  const { start, parts } = await planned(platform(), 'Killed', 'session_id');
  const { clock, faults, requests } = platform();
  const sent = () => requests.filter(({ operation }) => operation === 'createExportJob').length;
  // The job is made at once, its answer takes its time: most kills fall between the two.
  const slow = faults.add({ kind: 'slow', operation: 'createExportJob', afterEffect: true, delayMs: 30 });
  let cut = 0;
  for (let killed = 0; killed < KILLS; killed += 1) {
    const { child, ended } = start(clock.now() + killed * SETTLED_MS);
    const before = sent();
    const isSent = () => killed % 3 === 0 || sent() > before;
    while (child.exitCode === null && !isSent()) await delay(1);
    await Promise.race([delay(killed % 3 === 0 ? 40 + 6 * killed : 2 * killed), ended]);
    child.kill('SIGKILL');
    await ended;
    if (child.signalCode === 'SIGKILL') cut += 1;
  }
  expect(cut).toBeGreaterThan(5);
  slow.remove();
  const { ended, words } = start(clock.now() + KILLS * SETTLED_MS);
  await ended;
  expect(await words).toBe('');
  const jobs = await jobsCalled('Killed');
  expect(jobs.map(({ name }) => name)).toEqual(times(JOBS, (index) => `Killed ${index}`));
  expect(sent()).toBe(JOBS);
  expect((await parts()).map(({ jobId }) => jobId)).toEqual(jobs.map(({ jobId }) => jobId));
});

it('a plan that several processes apply at once makes each job once, and is applied for all of them', async () => {
  const { start } = await planned(platform(), 'Raced', 'user_id');
  platform().faults.add({ kind: 'slow', operation: 'createExportJob', delayMs: 15 });
  const racing = times(4, () => start());
  await Promise.all(racing.map(({ ended }) => ended));
  expect(await Promise.all(racing.map(({ words }) => words))).toEqual(racing.map(() => ''));
  expect((await jobsCalled('Raced')).map(({ name }) => name)).toEqual(times(JOBS, (index) => `Raced ${index}`));
});
