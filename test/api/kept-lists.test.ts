import { describe, expect, test, vi } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { createReadCache } from '../../src/api/read-cache.ts';
import { slowStub } from '../support/slow-stub.ts';
import { openClient, openStub, payload, releaseEvent, skippingClock } from '../support/stub-platform.ts';

const { createSpeedEvent, deleteSpeedEvent, listScenarioReports, listSpeedEvents } = operations;
const { getExportJob, getExportRun, listExportableFields, listExportJobs, listExportRuns, listSuccessfulExportRuns } = operations;
const { getSiteVisits, listSegments, listZones } = operations;

describe('lists of speed analysis', () => {
  const window = { scenarioId: 1, dateFrom: '2026-01-01T00:00:00Z', dateTo: '2026-01-02T00:00:00Z' };
  const lists = payload({ scenario: { reports: [] }, scenarios: [], events: [], key: 'release' });

  async function openLists(options: Parameters<typeof openClient>[1] = {}) {
    const clock = skippingClock();
    const stub = await openStub({ answers: [lists] });
    return { clock, stub, client: openClient(stub, { clock, ...options }) };
  }

  test('that come again as they were are not read again, and those that changed are', async () => {
    const clock = skippingClock();
    const named = (name: string) => payload({ scenario: { name, reports: [] } });
    const stub = await openStub({ answers: [named('shop'), named('shop'), named('blog')] });
    const client = openClient(stub, { clock });
    const readLater = () => {
      clock.jump(10_000);
      return client.call(listScenarioReports, window);
    };
    const [first, same, changed] = [await readLater(), await readLater(), await readLater()];
    expect(stub.calls).toHaveLength(3);
    expect(same).toBe(first);
    expect(changed.scenario.name).toBe('blog');
  });

  test.each([
    ['created', () => createSpeedEvent, releaseEvent],
    ['deleted', () => deleteSpeedEvent, { key: releaseEvent.key }],
  ] as const)('are asked for again once an event was %s, also by another session of the principal', async (_, operation, input) => {
    const reads = createReadCache();
    const { stub, client } = await openLists({ reads, principalId: 'ana' });
    const other = openClient(stub, { reads, principalId: 'ana', sessionId: 'session-2' });
    const readBoth = () => Promise.all([other.call(listSpeedEvents, {}), other.call(listScenarioReports, window)]);
    await readBoth();
    await client.call(operation(), input);
    await readBoth();
    expect(stub.calls).toHaveLength(5);
  });
});

describe('reads of the other interfaces', () => {
  test('that are the same and on their way are one request, which goes on when the first caller leaves', async () => {
    const { stub, arrived, answer } = await slowStub(payload([]));
    const client = openClient(stub);
    const leaving = new AbortController();
    const first = client.call(listSuccessfulExportRuns, { limit: 100 }, { signal: leaving.signal }).catch(String);
    const second = client.call(listSuccessfulExportRuns, { limit: 100 });
    await arrived(1);
    leaving.abort(new Error('left'));
    expect(await first).toContain('left');
    answer();
    expect(await second).toEqual([]);
    expect(stub.calls).toHaveLength(1);
  });

  test.each([
    ['segments', () => listSegments, {}],
    ['zones', () => listZones, { zoningId: 1 }],
    ['export jobs', () => listExportJobs, { limit: 100 }],
    ['runs of a job', () => listExportRuns, { jobId: 1 }],
    ['exportable fields', () => listExportableFields, { scope: 'sessions' }],
  ] as const)('lists of %s are kept for ten seconds', async (_, operation, input) => {
    const clock = skippingClock();
    const stub = await openStub();
    const client = openClient(stub, { clock });
    for (const [passedMs, requests] of [
      [0, 1],
      [9_999, 1],
      [1, 2],
    ] as const) {
      clock.jump(passedMs);
      await client.call(operation(), input);
      expect(stub.calls).toHaveLength(requests);
    }
  });

  test('records of one job and run are asked for each time: somebody waits for their state', async () => {
    const stub = await openStub({ answers: [payload({ jobId: 1, jobRunId: 2 })] });
    const client = openClient(stub);
    for (let turn = 0; turn < 2; turn += 1) {
      await client.call(getExportJob, { jobId: 1 });
      await client.call(getExportRun, { jobId: 1, runId: 2 });
    }
    expect(stub.calls).toHaveLength(4);
  });

  test('what has to be fresh does not join a read on its way, whose older answer replaces nothing', async () => {
    const { stub, arrived } = await slowStub(payload([]));
    const waiting: (() => void)[] = [];
    stub.answers = [1, 2].map((jobId) => (response, request) => void waiting.push(() => payload([{ jobId }])(response, request)));
    const client = openClient(stub);
    const old = client.call(listExportJobs, {});
    await arrived(1);
    const fresh = client.call(listExportJobs, {}, { fresh: true });
    await arrived(2);
    waiting[1]?.();
    expect(await fresh).toEqual([{ jobId: 2 }]);
    waiting[0]?.();
    expect(await old).toEqual([{ jobId: 1 }]);
    expect(await client.call(listExportJobs, {})).toEqual([{ jobId: 2 }]);
    expect(stub.calls).toHaveLength(2);
  });
});

test.each([
  ['that may still change are kept for ten seconds', '2026-11-12T10:10:00.001Z', [1, 1, 2, 3, 3]],
  ['that are final are kept for ten minutes', '2026-11-12T10:00:00.000Z', [1, 1, 1, 1, 2]],
])('metrics of days %s', async (_, endDate, expected) => {
  const clock = skippingClock('2026-11-20T10:00:00.000Z');
  const stub = await openStub({ answers: [payload({ values: [] })] });
  const client = openClient(stub, { clock });
  const counts: number[] = [];
  for (const passedMs of [0, 9_999, 1, 589_999, 1]) {
    clock.jump(passedMs);
    await client.call(getSiteVisits, { startDate: '2026-10-01T00:00:00Z', endDate });
    counts.push(stub.calls.length);
  }
  expect(counts).toEqual(expected);
});

describe('what was made of answers', () => {
  const made = (value: unknown) => vi.fn<() => Promise<unknown>>(async () => value);

  test('is made once for all sessions of a principal, and anew for another principal', async () => {
    const reads = createReadCache();
    const stub = await openStub();
    const open = (principalId: string, sessionId: string) => openClient(stub, { reads, principalId, sessionId });
    const [first, second, third] = [made({ level: 1 }), made({ level: 2 }), made({ level: 3 })];
    const answer = await open('ana', '1').remember('study', first);
    expect(await open('ana', '2').remember('study', second)).toBe(answer);
    expect(Object.isFrozen(answer)).toBe(true);
    expect(await open('ben', '3').remember('study', third)).toEqual({ level: 3 });
    expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
  });
});
