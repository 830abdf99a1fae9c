import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { projectDirectory, runDirectory } from '../../../src/exports/store/manifest.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { bundledScript } from '../../support/bundled-script.ts';
import { START, withPlatform } from '../../support/emulator.ts';
import { sampleSize } from '../../support/sample-size.ts';
import type { DownloadOrder } from './download-process.ts';
import { scratchDirectory, sha256 } from './store-stub.ts';

const KILLS = sampleSize({ full: 50, short: 3 });
/** A process is killed after a random number of requests for files, in half of the rounds a finished part, and a random time. */
const MOST_REQUESTS = 5;
const LONGEST_WAIT_MS = 50;

it('a server that is killed at random moments leaves whole files or resumable parts, and nothing is fetched twice', async () => {
  const script = bundledScript('test/exports/download/download-process.ts', scratchDirectory());
  const dir = scratchDirectory();
  const random = seeded(11).uniform;
  await withPlatform(async (platform) => {
    const { authUrl, credentials, faults, requests } = platform;
    const listed = await platform.ask('listSuccessfulExportRuns', { limit: 100 }, await platform.token('shop'));
    const alive = listed.filter(({ completionTime }) => Date.parse(completionTime ?? '') > platform.clock.now() - 5 * DAY_MS);
    const runs = alive.map(({ jobId, jobRunId, from, to, completionTime }) => ({
      jobId: Number(jobId),
      runId: Number(jobRunId),
      name: '',
      format: 'JSONL',
      scope: 'sessions',
      from: from ?? '',
      to: to ?? '',
      completedAt: completionTime ?? '',
    }));
    // Each download takes its time, and half of them are cut.
    for (let index = 0; index < 400; index += 1) {
      const isCut = random() < 0.5;
      faults.add({
        operation: 'download',
        times: 1,
        ...(isCut ? { kind: 'cut-download', afterBytes: Math.floor(random() * 2_000) } : { kind: 'slow', delayMs: 8 + random() * 12 }),
      });
    }

    const start = (wanted: DownloadOrder['runs']) => {
      const order: DownloadOrder = { dir, authUrl, credential: credentials.shop, startIso: START, runs: wanted };
      return spawn(process.execPath, [script, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
    };
    const project = projectDirectory({ dir, principal: 'local', authUrl, projectId: 1201 });
    const directoryOf = (run: DownloadOrder['runs'][number]) => runDirectory(project, run);
    /** Parts in their place, with how often each had been asked for by then. */
    const completeAt = new Map<string, number>();
    const asked = (part: string) => requests.filter(({ operation, url }) => operation === 'download' && url.includes(part)).length;
    const partsOf = (run: DownloadOrder['runs'][number] | undefined) =>
      run && existsSync(directoryOf(run)) ? readdirSync(directoryOf(run)).filter((each) => each.endsWith('.gz')) : [];
    const look = () => {
      for (const run of runs) {
        for (const name of partsOf(run)) {
          const part = `/${run.jobId}/${run.runId}/${name}`;
          if (!completeAt.has(part)) completeAt.set(part, asked(part));
        }
      }
    };

    let at = 0;
    let killed = 0;
    while (killed < KILLS) {
      const child = start(runs.slice(at, at + 1));
      const ended = once(child, 'exit');
      const target = asked('/exports/') + Math.floor(random() * MOST_REQUESTS);
      await Promise.race([once(child.stdout, 'data'), ended]);
      // Half of the rounds see a part come to its place first, however slow the machine is.
      const parts = partsOf(runs[at]).length + (random() < 0.5 ? 1 : 0);
      const isDue = () => asked('/exports/') >= target && partsOf(runs[at]).length >= parts;
      while (!isDue() && child.exitCode === null) await delay(1);
      await Promise.race([delay(random() * LONGEST_WAIT_MS), ended]);
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await ended;
        killed += 1;
      } else at += 1;
      look();
    }
    // Some came to their end, so that what is complete was there to be fetched twice.
    expect(completeAt.size).toBeGreaterThan(KILLS / 5);

    const started = runs.slice(0, at + 1);
    faults.clear();
    const last = start(started);
    expect(await once(last, 'exit')).toEqual([0, null]);
    const fetched = [...completeAt].filter(([part, count]) => asked(part) !== count);
    expect(fetched).toEqual([]);
    for (const run of started) {
      const manifest = JSON.parse(readFileSync(join(directoryOf(run), 'manifest.json'), 'utf8')) as {
        files: { name: string; sha256: string }[];
      };
      expect(readdirSync(directoryOf(run)).toSorted()).toEqual(['manifest.json', ...manifest.files.map(({ name }) => name)]);
      const { files = [] } = await platform.ask('getExportRun', { jobId: run.jobId, runId: run.runId }, await platform.token('shop'));
      for (const [index, file] of manifest.files.entries()) {
        const truth = Buffer.from(await (await fetch(files?.[index]?.url ?? '')).arrayBuffer());
        const found = readFileSync(join(directoryOf(run), file.name));
        expect([file.name, sha256(found), file.sha256]).toEqual([file.name, sha256(truth), sha256(truth)]);
      }
    }
  });
}, 120_000);
