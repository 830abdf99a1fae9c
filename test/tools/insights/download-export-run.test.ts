import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import type { Platform } from '../../support/emulator.ts';
import { whileTimePasses } from '../../support/pass-time.ts';
import { useTools, whole, withTools } from '../support.ts';

const { platform, assistant, call, ask } = useTools({ keepSource: true });

interface File {
  name: string;
  bytes: number;
  rows: number;
  sha256: string;
}

it('a run without rows is complete, says that it found nothing, and is a table without rows', { tags: 'nightly' }, async () => {
  const gaps = await call('find_export_gaps', { jobId: 'Daily views' });
  const rows = gaps.structured['rows'] as [string, number, string, string][];
  const cause = rows.find(([, , status]) => status === 'suspicious')?.[3] ?? '';
  const runId = Number(/run (\d+)/.exec(cause)?.[1]);
  const answer = await call('download_export_run', { jobId: 'Daily views', runId });
  const file = { name: 'part-00001.csv.gz', rows: 0 };
  expect(answer.structured).toMatchObject({ state: 'complete', runId, rowCount: 0, files: [file] });
  expect(answer.text).toContain('The run found nothing in its range: its files hold no rows.');
  const asked = await call('query_export', { jobId: 'Daily views', sql: 'SELECT count(*) AS n FROM data' });
  expect(asked).toMatchObject({ isError: false, structured: { rows: [[0]] } });
});

it('a successful run is fetched, checked and described, and by default it is the latest', async () => {
  const answer = await call('download_export_run', { jobId: 'Daily sessions' });
  expect(whole(answer)).toMatchSnapshot();
  const { directory, files, rowCount, jobId, runId } = answer.structured as {
    directory: string;
    files: File[];
    rowCount: number;
    jobId: number;
    runId: number;
  };
  // It is becoming a table meanwhile.
  const downloaded = readdirSync(directory).filter((name) => !/^(lock\.|table-)/.test(name));
  expect(downloaded.toSorted()).toEqual(['manifest.json', ...files.map(({ name }) => name)]);
  const run = await ask('getExportRun', { jobId, runId });
  expect(files.map(({ bytes }) => bytes)).toEqual(run.files?.map(({ fileSize }) => fileSize));
  const lines = files.map(
    ({ name }) =>
      gunzipSync(readFileSync(join(directory, name)))
        .toString()
        .split('\n').length - 1,
  );
  expect(files.map((file) => file.rows)).toEqual(lines);
  expect(rowCount).toBe(lines.reduce((sum, count) => sum + count, 0));
});

it('a successful run is not fetched again, and neither is the platform asked for it', async () => {
  const first = await call('download_export_run', { jobId: 'Daily sessions' });
  platform().requests.length = 0;
  const again = await call('download_export_run', { jobId: first.structured['jobId'], runId: first.structured['runId'] });
  expect(again.structured).toMatchObject({
    state: 'complete',
    notes: ['It is already in the workspace; nothing was downloaded.', SHOP_NOTE],
  });
  expect(platform().requests.filter(({ server }) => server === 'store' || server === 'service')).toEqual([]);
});

it('a successful run can be read as a resource: manifest with sha256, columns, first rows with ids to the last digit', {
  tags: 'nightly',
}, async () => {
  const answer = await call('download_export_run', { jobId: 'Daily views' });
  const { directory } = answer.structured as { directory: string };
  const [uri = ''] = answer.links;
  const read = JSON.parse(await assistant().read(uri)) as {
    manifest: { files: File[] };
    columns: { name: string; type: string }[];
    firstRows: Record<string, unknown>[];
  };
  for (const { name, sha256 } of read.manifest.files) {
    expect(
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ).toBe(sha256);
  }
  expect(read.firstRows).toHaveLength(10);
  expect(read.columns).toEqual(expect.arrayContaining([{ name: 'user_id', type: 'VARCHAR' }]));
  const texts = read.manifest.files.map(({ name }) => gunzipSync(readFileSync(join(directory, name))).toString());
  const users = new Set(texts.flatMap((text) => text.split('\n')).map((line) => line.split(',')[1]));
  expect(read.firstRows.filter((row) => !users.has(String(row['user_id'])))).toEqual([]);
});

const WHOLE = { state: 'complete', from: '2026-11-19T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z' };
/** Resolves when the first file is asked for. */
const fetching = ({ faults }: Platform) => faults.add({ kind: 'slow', operation: 'download', delayMs: 0 }).reached();

describe('a run that the platform still computes', { tags: 'nightly' }, () => {
  it('is followed in the background, with progress, and fetched when it has succeeded', async () => {
    await withTools(async (own, other) => {
      const started = await own.call('download_export_run', { jobId: 'Sessions of yesterday', waitSeconds: 0 });
      expect(started.structured).toMatchObject({ state: 'under way', next: expect.stringContaining('Call download_export_run again') });
      // The run moves with the clock, and whoever follows it with the network: a second at a time, until it was met at work.
      for (let met = started; !/in the queue|computes it/.test(String(met.structured['progress'])); ) {
        await other.clock.advance(1_000);
        met = await own.call('download_export_run', { jobId: 3139, waitSeconds: 0 });
      }
      const heard: string[] = [];
      let follows = () => {};
      const following = new Promise<void>((resolve) => {
        follows = resolve;
      });
      const hear = ({ message = '' }) => {
        heard.push(message);
        follows();
      };
      const waiting = own.client.callTool(
        { name: 'download_export_run', arguments: { jobId: 3139, waitSeconds: 2 } },
        { onprogress: hear },
      );
      // Until then it asks for the run, for which a clock that runs ahead would leave no time.
      await following;
      const first = await whileTimePasses(other.clock, waiting);
      expect(first.structuredContent ?? first.content).toMatchObject({
        state: 'under way',
        progress: expect.stringMatching(/waits in the queue of the platform|the platform computes it, \d+ % done/),
      });
      expect(heard).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(it waits in the queue of the platform|the platform computes it, \d+ % done)$/)]),
      );
      await whileTimePasses(other.clock, fetching(other));
      expect((await own.call('download_export_run', { jobId: 3139 })).structured).toMatchObject(WHOLE);
    });
  });

  it('has the range of its row, though the list of runs was read shortly before it succeeded', async () => {
    await withTools(
      async (own, other) => {
        const fetched = fetching(other);
        await own.call('download_export_run', { jobId: 3139, waitSeconds: 0 });
        const looks = () => other.requests.filter(({ operation }) => operation === 'getExportRun').length;
        const overMs = other.clock.now() + 115_000;
        // The list is kept for 10 s: it is read shortly before the run is over, which is met in time that stands still.
        for (let met = 0; other.clock.now() < overMs || looks() === met; ) {
          await other.clock.advance(1_000);
          await delay(10);
          if (other.clock.now() === overMs - 3_000) await own.call('list_successful_export_runs', { jobIds: ['3139'] });
          if (other.clock.now() < overMs) met = looks();
        }
        await fetched;
        expect((await own.call('download_export_run', { jobId: 3139 })).structured).toMatchObject(WHOLE);
      },
      { thinksMs: 0 },
    );
  });

  it('goes on when the call is cancelled', async () => {
    await withTools(async (own, other) => {
      const cancelled = new AbortController();
      const asked = own.client.callTool({ name: 'download_export_run', arguments: { jobId: 3139 } }, { signal: cancelled.signal });
      const ended = Promise.allSettled([asked]).then(([{ status }]) => status);
      await other.clock.nextSleep();
      cancelled.abort();
      expect(await ended).toBe('rejected');
      // Nobody waits for it any more, and still its files are fetched.
      await whileTimePasses(other.clock, fetching(other));
      expect((await own.call('download_export_run', { jobId: 3139 })).structured).toMatchObject(WHOLE);
    });
  });
});
