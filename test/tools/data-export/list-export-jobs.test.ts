import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it('lists jobs, newest first', async () => {
  const answer = await call('list_export_jobs', { limit: 4 });
  expect(answer.structured['jobs']).toEqual(await ask('listExportJobs', { limit: 4 }));
  expect(whole(answer)).toMatchSnapshot();
});

it('passes filters on, the state in lower case, and notes that a full page may not be the last', async () => {
  const { structured } = await call('list_export_jobs', {
    state: 'ACTIVE',
    scope: 'sessions',
    frequency: 'hourly',
    format: 'JSONL',
    order: 'ASC',
    page: 1,
    limit: 1,
  });
  const { searchParams } = new URL(platform().requests.at(-1)?.url ?? '', 'http://platform');
  expect(Object.fromEntries(searchParams)).toEqual({
    state: 'active',
    scope: 'sessions',
    frequency: 'hourly',
    format: 'JSONL',
    order: 'ASC',
    page: '1',
    limit: '1',
  });
  expect(structured).toMatchObject({
    jobs: [{ state: 'ACTIVE', frequency: 'hourly' }],
    notes: [expect.stringContaining('A full page of 1'), SHOP_NOTE],
  });
});
