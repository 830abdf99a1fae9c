import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReadCache, type ReadCache } from '../../src/api/read-cache.ts';
import { bigSize } from '../../src/emulator/world/size.ts';
import { type Assistant, openAssistant } from '../support/assistant.ts';
import { openPlatform, type Platform } from '../support/emulator.ts';

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

describe('what happened lately reads the runs of the jobs that ran lately', () => {
  it('a plan of days past looks for files among jobs with its columns', { tags: 'nightly' }, async () => {
    platform.clock.jump(11 * 60_000);
    platform.requests.length = 0;
    const plan = { fields: ['session_id', 'device_id'], name: 'Past days', startDate: '-3d', endDate: 'yesterday' };
    expect(await first.call('plan_export', plan)).toMatchObject({ isError: false });
    expect(sent('listSuccessfulExportRuns')).toBeLessThan(30);
  });
});

describe('the reports of a whole site', () => {
  const keptBy = async (input: Record<string, unknown>) => {
    const before = reads.bytes();
    expect(await first.call('check_speed_budgets', input)).toMatchObject({ isError: false });
    return reads.bytes() - before;
  };

  it('are not kept in memory, those of few scenarios are', { tags: 'nightly' }, async () => {
    const ofAll = await keptBy({});
    const ofTwo = await keptBy({ scenarioIds: ['4101', '4102'] });
    expect(ofTwo).toBeGreaterThan(1_000_000);
    expect(ofAll).toBeLessThan(ofTwo / 10);
  });
});

describe('a name', () => {
  it('of a zoning is found before all page groups were looked into, which is said', async () => {
    platform.requests.length = 0;
    const { structured, text } = await first.call('list_zones', { zoningId: 'Redesign Nordlicht 001' });
    expect((structured['zones'] as unknown[]).length).toBe(size.zonesAZoning);
    expect(text).toMatch(/= 9000000, found among the zonings of \d+ of \d+ page groups; others may bear that name/);
    expect(sent('listZonings')).toBeLessThan(100);
  });

  it('that none bears is refused once everything was looked into, with the closest', { tags: 'nightly' }, async () => {
    const { isError, text } = await first.call('list_zones', { zoningId: 'Redesign Nordlicht 999' });
    expect(isError).toBe(true);
    expect(text).toContain('there is no zoning "Redesign Nordlicht 999"');
    expect(text).toContain('Redesign Nordlicht');
  });

  it('of a project, a segment and a scenario that only a large account has', async () => {
    const week = { startDate: '-8d', endDate: 'yesterday' };
    for (const [tool, input] of [
      ['get_site_visits', { ...week, projectId: 'Fjord DE' }],
      ['get_site_visits', { ...week, segmentIds: ['Paid search DE 003'] }],
      ['list_scenario_reports', { scenarioId: 'Search – mobile SE 011', limit: 1 }],
    ] as const)
      expect(await first.call(tool, input)).toMatchObject({ isError: false });
  });
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

  it('whatever tool wrote: a job of a plan is found by its name', { tags: 'nightly' }, async () => {
    expect(await idOf(first, 'Weekly numbers of the board')).toBeUndefined();
    const plan = await first.call('plan_export', {
      fields: ['session_id', 'device_id'],
      name: 'Weekly numbers of the board',
      frequency: 'daily',
    });
    const applied = await first.call('apply_export_plan', { planId: plan.structured['planId'], confirm: true });
    expect(applied.isError).toBe(false);
    const found = await Promise.all([first, second].map((each) => idOf(each, 'Weekly numbers of the board')));
    expect(found).toEqual([expect.any(Number), found[0]]);
  });
});
