import { expect, it } from 'vitest';
import { placeless } from '../../support/placeless.ts';
import { records, useTools, whole } from '../support.ts';

const { assistant, call } = useTools();

it('says what to do while nothing is there', async () => {
  const answer = await call('list_workspace');
  expect(answer.structured).toMatchObject({ usedBytes: 0, quotaBytes: 1_000_000_000, rows: [] });
  expect(answer.text).toContain('sync_exports downloads all new runs');
});

it('lists runs, range, rows and bytes of each job, the largest first', async () => {
  await call('sync_exports', { jobIds: ['Daily views', 'Daily sessions'], since: '-1d' });
  const answer = await call('list_workspace');
  expect(placeless(whole(answer))).toMatchSnapshot();
  const bytes = records(answer).map((row) => Number(row['bytes']));
  expect(bytes).toEqual(bytes.toSorted((a, b) => b - a));
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(Number(answer.structured['usedBytes']));
  expect(records(await call('list_workspace', { jobIds: ['Daily views'] })).map(({ job }) => job)).toEqual(['Daily views']);
  const read = JSON.parse(await assistant().read(String(answer.structured['uri']))) as { jobs: { job: string; runs: { uri: string }[] }[] };
  expect(read.jobs.flatMap(({ runs }) => runs)).toHaveLength(4);
  for (const { uri } of read.jobs.flatMap(({ runs }) => runs)) expect(await assistant().read(uri)).toContain('"sha256"');
});
