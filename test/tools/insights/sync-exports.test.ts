import { expect, it } from 'vitest';
import { records, useTools, whole, withTools } from '../support.ts';

const { platform, call, sent } = useTools();

const JOBS = { jobIds: ['Daily sessions', 'Daily views', 'Weekly sessions 2026-11-02'] };
const fetched = () => sent('download').map(({ url }) => url);

it('what is new since yesterday is fetched: every successful run that completed since, and no other', async () => {
  const answer = await call('sync_exports', { ...JOBS, since: 'yesterday' });
  expect(whole(answer)).toMatchSnapshot();
  expect(records(answer).map(({ fetched: count }) => count)).toEqual([2, 2]);
  const runs = new Set(fetched().map((url) => url.split('/').slice(0, 5).join('/')));
  expect(runs.size).toBe(4);
});

it('what is new since yesterday is not fetched twice, and what had expired is named', { tags: 'nightly' }, async () => {
  await call('sync_exports', { ...JOBS, since: 'yesterday' });
  const answer = await call('sync_exports', JOBS);
  expect(answer.structured['answer']).toMatch(/^8 new runs downloaded, 4 here before, \d+ had expired\.$/);
  expect(answer.structured['next']).toContain('find_export_gaps');
  const weekly = records(answer).find(({ jobId }) => jobId === 3133);
  expect(weekly).toMatchObject({ expired: 1, 'expired from': '2026-11-02T00:00:00.000Z', 'expired to': '2026-11-09T00:00:00.000Z' });
  platform().requests.length = 0;
  expect((await call('sync_exports', JOBS)).structured['answer']).toMatch(/^No new runs, 12 here before/);
  expect(fetched()).toEqual([]);
});

it('says of which jobs there is nothing, so that an empty answer is not taken for a job that is up to date', {
  tags: 'nightly',
}, async () => {
  const never = await call('sync_exports', { jobIds: ['Tablet sessions, failed', 987_654] });
  expect(never.text).toContain('- No successful run of job 3134, 987654; list_export_runs lists all its runs.');
  const late = await call('sync_exports', { ...JOBS, since: 'now' });
  expect(late.text).toMatch(/- No successful run since \S+Z of job 3123, 3130, 3133;/);
});

it('goes on in the background where the call ends sooner, and the next call joins it', { tags: 'nightly' }, async () => {
  await withTools(async (own, other) => {
    const slow = other.faults.add({ kind: 'slow', operation: 'download' });
    const first = await own.call('sync_exports', { ...JOBS, since: 'yesterday', waitSeconds: 0 });
    expect(first.structured).toMatchObject({
      state: 'under way',
      answer: expect.stringMatching(/^0 of 4 new runs downloaded, 4 under way/),
    });
    await slow.reached(3);
    const heard: (readonly [number, number | undefined])[] = [];
    const second = own.client.callTool(
      { name: 'sync_exports', arguments: { ...JOBS, since: 'yesterday' } },
      { onprogress: ({ progress, total }) => heard.push([progress, total]) },
    );
    slow.remove();
    slow.release();
    expect((await second).structuredContent).toMatchObject({
      state: 'complete',
      answer: expect.stringMatching(/^4 new runs downloaded/),
    });
    expect(heard.length).toBeGreaterThan(1);
    const counts = heard.map(([done]) => done);
    expect(counts).toEqual([...new Set(counts)].toSorted((x, y) => x - y));
    expect(heard.at(-1)).toEqual([4, 4]);
    const urls = other.requests.filter(({ operation }) => operation === 'download').map(({ url }) => url);
    expect(new Set(urls).size).toBe(urls.length);
  });
});

it('sends few messages of progress, however many runs there are', { tags: 'nightly' }, async () => {
  await withTools(async (own, other) => {
    const startMs = performance.now();
    let heard = 0;
    const args = { jobIds: ['Hourly sessions'], since: '-5d', waitSeconds: 5 };
    await own.client.callTool({ name: 'sync_exports', arguments: args }, { onprogress: () => void (heard += 1) });
    const seconds = (performance.now() - startMs) / 1000;
    // Twenty as they come, then one a second, and the last.
    expect(heard).toBeLessThanOrEqual(20 + seconds + 2);
    expect(other.requests.filter(({ operation }) => operation === 'download').length).toBeGreaterThan(30 + seconds);
  });
});

it('tells what failed beside what was fetched', { tags: 'nightly' }, async () => {
  await withTools(
    async (own) => {
      const answer = await own.call('sync_exports', { ...JOBS, since: '-3d' });
      expect(answer.structured).toMatchObject({ state: 'complete', answer: expect.stringMatching(/\d failed/) });
      expect(answer.text).toMatch(/No room for another .*purge_workspace or raise WEB_ANALYTICS_DATA_QUOTA_MB/);
      // While a run becomes a table, the disk holds it twice.
      await (await own.workspace(1201)).converted();
      const left = await own.call('list_workspace');
      expect(left.structured['usedBytes']).toBeLessThanOrEqual(1_000_000);
    },
    { dataQuotaMb: 1 },
  );
});
