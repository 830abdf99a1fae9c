/** @module-tag nightly */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunManifest } from '../../../src/exports/store/manifest.ts';
import { openAssistant } from '../../support/assistant.ts';
import { START, sharedPlatform } from '../../support/emulator.ts';
import { startServer } from '../../support/stdio.ts';
import { scratchDirectory, sha256 } from './store-stub.ts';

const platform = sharedPlatform();

/** Addresses of the files that the store was asked for, without what signs them. */
const asked = () =>
  platform()
    .requests.filter(({ operation }) => operation === 'download')
    .map(({ url }) => url.replace(/\?.*/, ''));

/** The built server on the emulator, with a data directory that others may share. */
async function openServer(dataDir: string) {
  const { authUrl, credentials } = platform();
  const { clientId, clientSecret } = credentials.shop;
  const server = await startServer(['--clock', START], {
    WEB_ANALYTICS_AUTH_URL: authUrl,
    WEB_ANALYTICS_CLIENT_ID: clientId,
    WEB_ANALYTICS_CLIENT_SECRET: clientSecret,
    WEB_ANALYTICS_DATA_DIR: dataDir,
    // What is looked at are the files as they were fetched.
    WEB_ANALYTICS_KEEP_SOURCE: 'true',
  });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  const client = new Client({ name: 'test', version: '0.0.0' });
  await client.connect(server.transport());
  return {
    server,
    call: async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>,
  };
}

function wholeRun(directory: string): string[] {
  const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as RunManifest;
  for (const { name, sha256: sum } of manifest.files) expect(sha256(readFileSync(join(directory, name)))).toBe(sum);
  // A conversion may be under way beside the parts, in files of its own.
  const names = readdirSync(directory).filter((name) => !/^(lock\.|spill-|table|rows)/.test(name));
  expect(names.toSorted()).toEqual(['manifest.json', ...manifest.files.map(({ name }) => name)]);
  return manifest.files.map(({ name }) => name);
}

describe('the built server', () => {
  const RUN = { jobId: 3132, runId: 313200290 };

  it('beside another on the same directory: each file is fetched by one of them, and both have it', async () => {
    const dataDir = scratchDirectory();
    const servers = await Promise.all([openServer(dataDir), openServer(dataDir)]);
    platform().faults.add({ kind: 'slow', operation: 'download', delayMs: 50 });
    platform().requests.length = 0;
    const answers = await Promise.all(servers.map(({ call }) => call('download_export_run', RUN)));
    for (const answer of answers) expect(answer).toMatchObject({ state: 'complete', rowCount: 163 });
    expect(asked().toSorted()).toEqual([...new Set(asked())].toSorted());
    wholeRun(String(answers[0]?.['directory']));
    await Promise.all(servers.map(({ server }) => server.stop()));
  });
});

it('a full disk is said with what helps, removes nothing that is complete, and is survived', async (context) => {
  const dataDir = join(scratchDirectory(), 'small');
  mkdirSync(dataDir);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', dataDir], { stdio: 'ignore' });
  } catch {
    context.skip('This user may not mount a small disk.');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', dataDir], { stdio: 'ignore' }));
  const assistant = await openAssistant(platform(), { dataDir });
  const small = await assistant.call('download_export_run', { jobId: 'Hourly sessions' });
  expect(small.structured).toMatchObject({ state: 'complete' });
  const large = await assistant.call('download_export_run', { jobId: 'Daily views' });
  expect(large).toMatchObject({ isError: true, text: expect.stringMatching(/^The disk of .* is full\. Make room with purge_workspace/) });
  const rows = (await assistant.call('list_workspace')).structured['rows'] as unknown[][];
  expect(rows.map(([, job, , , runs]) => [job, runs])).toEqual(expect.arrayContaining([['Hourly sessions', 1]]));
  expect(rows).toHaveLength(2);
  expect((await assistant.call('purge_workspace', { confirm: true })).structured).toMatchObject({ removedRuns: 1, removedUnfinished: 1 });
  expect((await assistant.call('download_export_run', { jobId: 'Hourly sessions' })).structured).toMatchObject({ state: 'complete' });
  await assistant.close();
});

it('a session that ends in the middle of a download leaves no lock, and the next one goes on', async () => {
  const dataDir = scratchDirectory();
  const slow = platform().faults.add({ kind: 'slow', operation: 'download' });
  const first = await openAssistant(platform(), { dataDir });
  await first.call('download_export_run', { jobId: 'Hourly sessions', waitSeconds: 0 });
  await slow.reached(3);
  await first.close();
  expect(readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('lock.'))).toEqual([]);
  slow.remove();
  slow.release();
  const second = await openAssistant(platform(), { dataDir });
  expect(await second.call('list_workspace')).toMatchObject({
    text: expect.stringMatching(/Unfinished runs go on where they were\. download_export_run with jobId 3132/),
  });
  const done = await second.call('download_export_run', { jobId: 'Hourly sessions' });
  expect(wholeRun(String(done.structured['directory']))).toHaveLength(3);
  await second.close();
});

it('a session that ends while many runs wait for their turn asks the platform for none of them', async () => {
  const own = await openAssistant(platform());
  const slow = platform().faults.add({ kind: 'slow', operation: 'getExportRun' });
  const { structured } = await own.call('sync_exports', { waitSeconds: 0 });
  expect(structured['answer']).toMatch(/^0 of \d{3} new runs downloaded, \d{3} under way/);
  await slow.reached(3);
  await own.close();
  slow.remove();
  slow.release();
  expect(platform().requests.filter(({ operation }) => operation === 'getExportRun').length).toBeLessThan(10);
});
