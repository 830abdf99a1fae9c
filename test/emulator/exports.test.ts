import { expect, test } from 'vitest';
import { app, content, shop } from '../../src/emulator/credentials.ts';
import { exportHandlers as exports } from '../../src/emulator/handlers/data-export.ts';
import type { JobInput } from '../../src/emulator/world/exports/schedule.ts';
import { storiesOf } from '../../src/emulator/world/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { someOf } from '../support/sample-size.ts';
import { fieldsNamed, onceJob, partsOf, refusalOf } from './export-place.ts';
import { type MovablePlace, placeOf, START_MS } from './place.ts';

async function jobNamed(place: MovablePlace, name: string) {
  const job = (await exports.listExportJobs({ limit: 100 }, place)).find((candidate) => candidate.name === name);
  if (!job) throw new Error(`no job ${name}`);
  return { ...job, jobId: Number(job.jobId) };
}

test('list of jobs comes in pages of 25, newest first, without repetition or gap', async () => {
  const place = placeOf();
  const [first, second] = [await exports.listExportJobs({}, place), await exports.listExportJobs({ page: 2 }, place)];
  const ids = [...first, ...second].map(({ jobId }) => Number(jobId));
  expect(first).toHaveLength(25);
  expect(ids).toEqual((await exports.listExportJobs({ limit: 100 }, place)).map(({ jobId }) => jobId));
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
  expect(ids.length).toBeGreaterThanOrEqual(30);
  expect(await exports.listExportJobs({ page: 3 }, place)).toEqual([]);
  expect(await exports.listExportJobs({ page: 1 }, place)).toEqual(first);
  expect((await refusalOf(() => exports.listExportJobs({ page: 0 }, place))).message).toBe('page: pages begin at 1');
  expect((await exports.listExportJobs({ order: 'ASC', limit: 100 }, place)).map(({ jobId }) => jobId)).toEqual(ids.toReversed());
});

test('list of jobs shows every state, and the jobs of a filter alone', async () => {
  const place = placeOf();
  for (const state of ['active', 'computing', 'completed', 'suspended']) {
    const jobs = await exports.listExportJobs({ state, limit: 100 }, place);
    expect(new Set(jobs.map((job) => job.state))).toEqual(new Set([state.toUpperCase()]));
  }
  const found = await exports.listExportJobs({ format: 'CSV', frequency: 'daily', scope: 'views' }, place);
  expect(found.map(({ name }) => name)).toEqual(['Daily views']);
});

test('list of jobs belongs to one project', async () => {
  const ids = [];
  for (const project of [shop, app, content]) {
    const jobs = await exports.listExportJobs({ limit: 100 }, placeOf(project));
    expect(jobs.length).toBeGreaterThan(1);
    for (const { projectIds } of jobs) expect(projectIds).toEqual([project.id]);
    ids.push(...jobs.map(({ jobId }) => jobId));
  }
  expect(new Set(ids).size).toBe(ids.length);
  const { jobId } = await jobNamed(placeOf(app), 'Daily app sessions');
  expect((await refusalOf(() => exports.getExportJob({ jobId }, placeOf(shop)))).status).toBe(404);
});

test('a once job goes from queued to completed as the clock moves', { tags: 'nightly' }, async () => {
  const place = placeOf();
  const { jobId } = await exports.createExportJob(onceJob('2026-11-18', '2026-11-19'), place);
  const seen = [];
  for (const seconds of [0, 10, 30, 75, 119, 120]) {
    place.nowMs = START_MS + seconds * 1000;
    const job = await exports.getExportJob({ jobId: Number(jobId) }, place);
    const [run] = await exports.listExportRuns({ jobId: Number(jobId) }, place);
    const { files } = await exports.getExportRun({ jobId: Number(jobId), runId: Number(run?.jobRunId) }, place);
    seen.push([seconds, job.state, run?.state, run?.completionRate, run?.endDate, job.nextFrom, job.lastRunTime, (files ?? []).length > 0]);
  }
  const [from, started, ended] = ['2026-11-18T00:00:00.000Z', '2026-11-20T10:00:30.000Z', '2026-11-20T10:02:00.000Z'];
  expect(seen).toEqual([
    [0, 'ACTIVE', 'CREATED', 0, null, from, null, false],
    [10, 'ACTIVE', 'RUNNABLE', 0, null, from, null, false],
    [30, 'COMPUTING', 'RUNNING', 0, null, null, started, false],
    [75, 'COMPUTING', 'RUNNING', 50, null, null, started, false],
    [119, 'COMPUTING', 'RUNNING', 98, null, null, started, false],
    [120, 'COMPLETED', 'SUCCESS', 100, ended, null, started, true],
  ]);
});

test('a once job gets the next id, the default scope and its device', async () => {
  const place = placeOf();
  const [newest] = await exports.listExportJobs({ limit: 1 }, place);
  const { scope: _, ...input } = onceJob('2026-11-18', '2026-11-19', { deviceLabel: 'tablet' });
  const { jobId } = await exports.createExportJob(input, place);
  expect(jobId).toBe(Number(newest?.jobId) + 1);
  expect(await exports.getExportJob({ jobId: Number(jobId) }, place)).toMatchObject({ scope: 'sessions', filters: { deviceId: 3 } });
  const other = { ...place, project: app };
  const again = await exports.createExportJob(input, other);
  expect(again.jobId).toBe(Number(jobId) + 1);
  expect(await exports.getExportJob({ jobId: Number(again.jobId) }, other)).toMatchObject({ filters: { deviceId: 5 } });
});

test.each<[string, Partial<JobInput>, RegExp]>([
  ['an unknown scope', { scope: 'clicks' }, /scope: "clicks"/],
  ['a field of another scope', { fields: fieldsNamed('path') }, /fields\[0\]\.fieldName: scope sessions has no field "path"/],
  ['an alias instead of a name', { fields: fieldsNamed('session_start') }, /no field "session_start"/],
  ['an unknown key', { fields: [{ fieldName: 'dynamic_var', dynamicVarKey: 'colour' }] }, /dynamicVarKey: "colour"/],
  ['an unknown segment', { segmentId: '418205' }, /segmentId: project 1201 has no segment 418205/],
  ['a segment of another project', { segmentId: 518020 }, /segmentId/],
  ['two columns of one name', { fields: [{ fieldName: 'city' }, { fieldName: 'language', aliasName: 'city' }] }, /two columns/],
  [
    'a range before retention',
    { frequency: { value: 'once', dateRange: { from: '2025-10-20T23:59:59Z', to: '2025-10-22' } } },
    /data retention, which begins 2025-10-21/,
  ],
])('a once job is refused for %s', async (_, change, words) => {
  const place = placeOf();
  const refusal = await refusalOf(() => exports.createExportJob(onceJob('2026-11-18', '2026-11-19', change), place));
  expect([refusal.status, refusal.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
  expect(refusal.message).toMatch(words);
  expect((await exports.listExportJobs({ limit: 1 }, place))[0]?.name).toBe('Sessions of yesterday');
  expect(await exports.createExportJob(onceJob('2025-10-21', '2025-10-22'), place)).toHaveProperty('jobId');
});

test('recurring jobs an hourly job runs 12 minutes after the hour for the hour before', async () => {
  const place = placeOf();
  const input = { ...onceJob('2026-11-18', '2026-11-19'), frequency: { value: 'hourly' as const } };
  const { jobId } = await exports.createExportJob(input, place);
  expect(await exports.listExportRuns({ jobId: Number(jobId) }, place)).toEqual([]);
  expect(await exports.getExportJob({ jobId: Number(jobId) }, place)).toMatchObject({
    state: 'ACTIVE',
    lastRunTime: null,
    nextRunTime: '2026-11-20T10:12:00.000Z',
    nextFrom: '2026-11-20T09:00:00.000Z',
    nextTo: '2026-11-20T10:00:00.000Z',
  });
  place.nowMs += 3 * HOUR_MS;
  expect(await exports.listExportRuns({ jobId: Number(jobId), order: 'ASC' }, place)).toMatchObject([
    { startDate: '2026-11-20T10:12:00.000Z', state: 'SUCCESS' },
    { startDate: '2026-11-20T11:12:00.000Z', state: 'SUCCESS' },
    { startDate: '2026-11-20T12:12:00.000Z', state: 'SUCCESS' },
  ]);
});

test('recurring jobs a suspended job keeps its runs and gets no more', async () => {
  const place = placeOf();
  const before = await jobNamed(place, 'Daily sessions mobile');
  const runs = await exports.listExportRuns({ jobId: before.jobId, limit: 100 }, place);
  place.nowMs += 5 * DAY_MS;
  expect(await jobNamed(place, 'Daily sessions mobile')).toEqual(before);
  expect(await exports.listExportRuns({ jobId: before.jobId, limit: 100 }, place)).toEqual(runs);
  expect(runs).toHaveLength(90);
  expect(before).toMatchObject({ state: 'SUSPENDED', nextRunTime: null, nextFrom: null });
});

test('runs come in pages and by state, and files only with success', async () => {
  const place = placeOf();
  const { jobId } = await jobNamed(place, 'Hourly sessions');
  const first = await exports.listExportRuns({ jobId }, place);
  const second = await exports.listExportRuns({ jobId, page: 2 }, place);
  expect([first.length, second.length]).toEqual([25, 25]);
  expect(Number(first.at(-1)?.jobRunId) - Number(second[0]?.jobRunId)).toBe(1);
  expect(await exports.listExportRuns({ jobId, state: 'running' }, place)).toEqual([]);
  expect((await refusalOf(() => exports.getExportRun({ jobId, runId: 1 }, place))).status).toBe(404);
  expect((await refusalOf(() => exports.listExportRuns({ jobId: 1 }, place))).status).toBe(404);
});

test('runs of two jobs never share an id, and none is from the future', async () => {
  const place = placeOf();
  const runs = [];
  for (const { jobId } of await exports.listExportJobs({ limit: 100 }, place))
    runs.push(...(await exports.listExportRuns({ jobId: Number(jobId), limit: 100 }, place)));
  expect(new Set(runs.map(({ jobRunId }) => jobRunId)).size).toBe(runs.length);
  expect(Math.max(...runs.flatMap(({ endDate }) => (endDate ? [Date.parse(endDate)] : [])))).toBeLessThanOrEqual(START_MS);
});

test('runs that succeeded are listed by job and age, with the number of their files', { tags: 'nightly' }, async () => {
  const place = placeOf();
  const runs = await exports.listSuccessfulExportRuns({ limit: 100 }, place);
  const keys = runs.map(({ jobId, jobRunId }) => [Number(jobId), Number(jobRunId)] as const);
  expect(keys).toEqual(keys.toSorted((a, b) => b[0] - a[0] || b[1] - a[1]));
  expect(await exports.listSuccessfulExportRuns({}, place)).toEqual(runs.slice(0, 25));
  for (const { jobId, jobRunId, nbOfFiles } of runs.slice(0, 4)) {
    const { files } = await exports.getExportRun({ jobId: Number(jobId), runId: Number(jobRunId) }, place);
    expect(files).toHaveLength(Number(nbOfFiles));
    expect(nbOfFiles).toBeGreaterThanOrEqual(2);
    expect(nbOfFiles).toBeLessThanOrEqual(4);
  }
});

test.each([
  ['sessions', 'session_transactions_revenue_cents'],
  ['views', 'rage_click_all_targets_ind'],
])('fields and variables scope %s has its fields, of which two have a parameter', async (scope, name) => {
  const fields = await exports.listExportableFields({ scope }, placeOf());
  expect(new Set(fields.map((field) => field.name)).size).toBe(fields.length);
  expect(fields.map((field) => field.name)).toContain(name);
  expect(fields.filter(({ description, example }) => !description || !example)).toEqual([]);
  expect(fields.flatMap(({ parameters }) => parameters)).toEqual(['customVarPosition', 'dynamicVarKey']);
});

test.each(['clicks', 'Sessions', 'toString'])('fields and variables scope %s is refused', async (scope) => {
  const refusal = await refusalOf(() => exports.listExportableFields({ scope }, placeOf()));
  expect([refusal.status, refusal.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
  expect(refusal.message).toContain('sessions, views');
});

/** All runs of a job, and those of the list of successful ones. */
async function runsOf(place: MovablePlace, name: string) {
  const { jobId } = await jobNamed(place, name);
  const runs = [];
  const covered: number[] = [];
  const listed = new Set<unknown>();
  for (let page = 1; page <= 8; page += 1) {
    runs.push(...(await exports.listExportRuns({ jobId, limit: 100, page }, place)));
    const successful = (await exports.listSuccessfulExportRuns({ limit: 100, page }, place)).filter((run) => run.jobId === jobId);
    for (const { jobRunId, from } of successful) {
      listed.add(jobRunId);
      covered.push(Date.parse(String(from)));
    }
  }
  const unlisted = runs.filter(({ state, jobRunId }) => state === 'SUCCESS' && !listed.has(jobRunId));
  return { jobId, runs, covered, unlisted };
}

test.each(someOf([1, 2, 3, 4, 5], 1))(
  'seed %i: a run that failed, was never started or found nothing covers no range, and no other run is without one',
  async (seed) => {
    const place = placeOf(undefined, seed);
    const { exportIncidents } = storiesOf({ seed, startMs: START_MS });
    for (const [name, incidents] of Object.entries(exportIncidents)) {
      const { jobId, runs, covered, unlisted } = await runsOf(place, name);
      const periodMs = name === 'Hourly sessions' ? HOUR_MS : DAY_MS;
      const count = (kind: string) => incidents.filter((incident) => incident.kind === kind).length;
      const spanned = (Math.max(...covered) - Math.min(...covered)) / periodMs + 1;
      expect(incidents.filter(({ fromMs }) => covered.includes(fromMs))).toEqual([]);
      expect(covered).toHaveLength(spanned - incidents.length);
      expect(runs).toHaveLength(spanned - count('missing'));
      expect(runs.filter(({ state }) => state === 'FAILURE')).toHaveLength(count('failed'));
      expect(unlisted).toHaveLength(count('empty'));
      // A header at most.
      for (const { jobRunId } of unlisted)
        expect((await partsOf(place, jobId, Number(jobRunId))).join('').trim().split('\n')).toHaveLength(1);
    }
  },
);
