import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReadCache, type ReadCache } from '../../src/api/read-cache.ts';
import { bigSize } from '../../src/emulator/world/size.ts';
import { type Assistant, openAssistant } from '../support/assistant.ts';
import { openPlatform, type Platform } from '../support/emulator.ts';
import { refusal } from './support.ts';

/** The account of the bench, scaled so that it is quick: more page groups than are looked into at once, and 40 pages of runs. */
const size = {
  ...bigSize,
  projects: 12,
  scenarios: 30,
  segments: 60,
  goals: 30,
  mappings: 9,
  pageGroupsAMapping: 40,
  zonings: 12,
  zonesAZoning: 8,
  jobs: 220,
  latencyMs: 0,
};

let platform: Platform;
let reads: ReadCache;
let first: Assistant;
let second: Assistant;

beforeAll(async () => {
  platform = await openPlatform({ size });
  reads = createReadCache({ clock: platform.clock });
  first = await openAssistant(platform, { reads });
  second = await openAssistant(platform, { reads });
});

afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await platform.close();
});

const sent = (operation: string) => platform.requests.filter((request) => request.operation === operation).length;

it('what happened lately reads the runs of the jobs that ran lately a plan of days past looks for files among jobs with its columns', {
  tags: 'nightly',
}, async () => {
  platform.clock.jump(11 * 60_000);
  platform.requests.length = 0;
  const plan = { fields: ['session_id', 'device_id'], name: 'Past days', startDate: '-3d', endDate: 'yesterday' };
  expect(await first.call('plan_export', plan)).toMatchObject({ isError: false });
  expect(sent('listSuccessfulExportRuns')).toBeLessThan(30);
});

it('a name of a zoning is found before all page groups were looked into, which is said', async () => {
  platform.requests.length = 0;
  const { structured, text } = await first.call('list_zones', { zoningId: 'Redesign Nordlicht 001' });
  expect((structured['zones'] as unknown[]).length).toBe(size.zonesAZoning);
  expect(text).toMatch(/= 9000000, found among the zonings of \d+ of \d+ page groups; others may bear that name/);
  expect(sent('listZonings')).toBeLessThan(100);
});

it('a name that none bears is refused once everything was looked into, with the closest', { tags: 'nightly' }, async () => {
  const { isError, text } = await first.call('list_zones', { zoningId: 'Redesign Nordlicht 999' });
  expect({ isError, text }).toEqual(refusal('there is no zoning "Redesign Nordlicht 999"'));
  expect(text).toContain('Redesign Nordlicht');
});

describe('a write is seen by the next read', () => {
  const body = { format: 'JSONL', frequency: { value: 'daily' }, fields: [{ fieldName: 'session_id' }], deviceLabel: 'all' };
  const idOf = async (assistant: Assistant, name: string) =>
    ((await assistant.call('get_export_job', { jobId: name })).structured['job'] as { jobId: number } | undefined)?.jobId;

  it('of another session of the same caller, by a name that was another job before', async () => {
    const before = await idOf(second, 'Daily view');
    const { structured } = await first.call('create_export_job', { ...body, name: 'Daily view', confirm: true });
    const made = structured['jobId'];
    expect(made).not.toBe(before);
    expect(await idOf(second, 'Daily view')).toBe(made);
    expect(await idOf(first, 'Daily view')).toBe(made);
  });
});
