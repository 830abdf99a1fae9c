import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { ownAssistant, person, SHOP_NOTE } from '../../support/assistant.ts';
import { records, useTools, whole, withTools } from '../support.ts';

const { platform, assistant, call } = useTools();

const runsOf = async () => Object.fromEntries(records(await call('list_workspace')).map(({ job, runs }) => [job, runs]));

it('a workspace in which nothing is says what to do', async () => {
  const answer = await call('list_workspace');
  expect(answer.structured).toMatchObject({ usedBytes: 0, quotaBytes: 1_000_000_000, rows: [] });
  expect(answer.text).toContain('sync_exports downloads all new runs');
});

it('runs, range, rows and bytes of each job are listed, the largest first', async () => {
  await call('sync_exports', { jobIds: ['Daily views', 'Daily sessions'], since: '-1d' });
  const answer = await call('list_workspace');
  expect(whole(answer)).toMatchSnapshot();
  const bytes = records(answer).map((row) => Number(row['bytes']));
  expect(bytes).toEqual(bytes.toSorted((a, b) => b - a));
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(Number(answer.structured['usedBytes']));
  expect(records(await call('list_workspace', { jobIds: ['Daily views'] })).map(({ job }) => job)).toEqual(['Daily views']);
  const read = JSON.parse(await assistant().read(String(answer.structured['uri']))) as { jobs: { job: string; runs: { uri: string }[] }[] };
  expect(read.jobs.flatMap(({ runs }) => runs)).toHaveLength(4);
  for (const { uri } of read.jobs.flatMap(({ runs }) => runs)) expect(await assistant().read(uri)).toContain('"sha256"');
});

it('a purge without a word of confirmation shows what would go, and removes nothing', async () => {
  const before = await runsOf();
  const answer = await call('purge_workspace', { before: '-1d' });
  expect(whole(answer)).toMatchSnapshot();
  expect(await runsOf()).toEqual(before);
  const [all, listed] = [await call('purge_workspace'), records(await call('list_workspace'))];
  const bytes = listed.reduce((sum, row) => sum + Number(row['bytes']), 0);
  expect(all.structured).toMatchObject({ request: { body: { runs: 4, bytes } } });
});

it('a purge removes the runs that are meant and no others', async () => {
  const answer = await call('purge_workspace', { jobIds: ['Daily sessions'], before: '2026-11-19', confirm: true });
  expect(answer.structured).toMatchObject({ status: 'done', removedRuns: 1 });
  expect(answer.structured['freedBytes']).toBeGreaterThan(100_000);
  expect(await runsOf()).toEqual({ 'Daily sessions': 1, 'Daily views': 2 });
  expect((await call('purge_workspace', { confirm: true })).structured).toMatchObject({ status: 'done', removedRuns: 3 });
  expect(await runsOf()).toEqual({});
  const nothing = await call('purge_workspace', { confirm: true });
  expect(nothing.structured).toMatchObject({
    status: 'done',
    removedRuns: 0,
    notes: [expect.stringContaining('Nothing to remove'), SHOP_NOTE],
  });
});

it('a purge removes what was read out of the runs too', { tags: 'nightly' }, async () => {
  await call('download_export_run', { jobId: 'Daily sessions' });
  const { uri } = (await call('query_export', { jobId: 'Daily sessions', sql: 'SELECT session_id FROM data' })).structured;
  expect(await assistant().read(String(uri))).toContain('session_id');
  await call('purge_workspace', { confirm: true });
  await expect(assistant().read(String(uri))).rejects.toThrow('call query_export again');
});

it('a purge says that some cannot be fetched again', { tags: 'nightly' }, async () => {
  await withTools(async (own, other) => {
    await own.call('download_export_run', { jobId: 'Daily sessions' });
    other.clock.jump(8 * DAY_MS);
    const answer = await own.call('purge_workspace');
    expect(answer.text).toContain(
      '1 of these runs can probably not be fetched again: they completed more than 7 days ago, and files are usually kept for 7 days.',
    );
  });
});

it('a purge keeps a run that is being fetched, and says so', { tags: 'nightly' }, async () => {
  const slow = platform().faults.add({ kind: 'slow', operation: 'download' });
  await call('download_export_run', { jobId: 'Daily views', waitSeconds: 0 });
  await slow.reached();
  const answer = await call('purge_workspace', { confirm: true });
  expect(answer.structured).toMatchObject({
    removedRuns: 0,
    kept: [{ jobId: 3130, message: expect.stringMatching(/is being written by this server; call again/) }],
  });
  slow.remove();
  slow.release();
  expect((await call('download_export_run', { jobId: 'Daily views' })).structured).toMatchObject({ state: 'complete' });
});

it('a purge asks the person where the client can ask, whatever the argument says', { tags: 'nightly' }, async () => {
  const { questions, answer: asks } = person('decline');
  const own = await ownAssistant(platform(), { answer: asks });
  await own.call('download_export_run', { jobId: 'Daily sessions' });
  const answer = await own.call('purge_workspace', { confirm: true });
  expect(answer.structured).toMatchObject({ status: 'declined' });
  expect(questions).toEqual([
    expect.stringMatching(
      /^Remove 1 downloaded run \(.*B\) from this machine for good\? .*\n"Daily sessions" \(\d+\): 1 run, .* to .*, .*B\nProject: 1201\.$/,
    ),
  ]);
  expect(records(await own.call('list_workspace'))).toHaveLength(1);
});
