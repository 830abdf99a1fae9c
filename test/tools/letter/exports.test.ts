import { describe, expect, it } from 'vitest';
import { allPages } from '../../../src/api/all-pages.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { connected } from './deployments.ts';

const recurring = {
  name: 'Another one',
  format: 'JSONL',
  frequency: { value: 'daily' },
  fields: [{ fieldName: 'session_id' }, { fieldName: 'city' }],
  deviceLabel: 'all',
};
const planned = { fields: ['session_id', 'city'], scope: 'sessions', frequency: 'daily' };

describe.each([
  ['device', 'An equal job exists: '],
  ['empty', 'A job that is perhaps equal exists: '],
  ['absent', 'A job that is perhaps equal exists: '],
] as const)('where the filters of a job hold its device, or not (%s)', (jobFilters, words) => {
  it('a recurring job beside an equal one is created only when that is confirmed apart', { tags: 'nightly' }, () =>
    connected({ jobFilters }, async ({ call }, { requests }) => {
      const created = () => requests.filter(({ operation }) => operation === 'createExportJob').length;
      await call('create_export_job', { ...recurring, confirm: true });
      const plan = await call('plan_export', planned);
      expect(plan.text).toContain(words);
      const { planId } = plan.structured;
      const refused = await call('apply_export_plan', { planId, confirm: true });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(words) });
      expect(refused.text).toContain('allowDuplicate: true creates it all the same');
      expect(created()).toBe(1);
      expect((await call('apply_export_plan', { planId, allowDuplicate: true, confirm: true })).isError).toBe(false);
      expect(created()).toBe(2);
    }),
  );

  it('the preview of create_export_job names the job that is equal, or perhaps is', { tags: 'nightly' }, () =>
    connected({ jobFilters }, async ({ call }) => {
      const first = await call('create_export_job', recurring);
      expect(first.text).not.toContain('equal');
      await call('create_export_job', { ...recurring, confirm: true });
      const second = await call('create_export_job', { ...recurring, name: 'Third' });
      expect(second.structured).toMatchObject({ status: 'preview', request: { warning: expect.stringContaining(words) } });
      const atOnce = await call('create_export_job', { ...recurring, name: 'Fourth', confirm: true });
      expect(atOnce.structured).toMatchObject({ status: 'preview', request: { warning: expect.stringContaining(words) } });
      const third = await call('create_export_job', { ...recurring, name: 'Third', confirm: true });
      expect(third.structured).toMatchObject({ status: 'done', notes: expect.arrayContaining([expect.stringContaining(words)]) });
      expect((await call('create_export_job', { ...recurring, deviceLabel: 'mobile' })).text.includes('equal')).toBe(
        jobFilters !== 'device',
      );
    }),
  );
});

describe.each([3, 7, 30])('where files live for %i days', (days) => {
  const fileLifeMs = days * DAY_MS;

  it('the life is learned from a run, by one request, and decides which files are still there', { tags: 'nightly' }, () =>
    connected({ fileLifeMs }, async ({ call }, { ask, token, requests, clock }) => {
      const jobs = await ask('listExportJobs', { limit: 100 }, await token('shop'));
      const jobId = Number(jobs.find(({ name }) => name === 'Daily views')?.jobId);
      const bearer = await token('shop');
      const runs = await allPages(
        (paging) => ask('listSuccessfulExportRuns', paging, bearer),
        ({ jobRunId }) => jobRunId,
      );
      const own = runs.filter((run) => run.jobId === jobId);
      const gone = own.filter(({ completionTime }) => Date.parse(completionTime ?? '') + fileLifeMs <= clock.now());
      requests.length = 0;
      const next = await call('list_successful_export_runs', { jobIds: [jobId], expiresBefore: '2026-11-22' });
      expect(requests.filter(({ operation }) => operation === 'getExportRun')).toHaveLength(1);
      for (const { filesUntil } of next.structured['filesUntil'] as { filesUntil: string }[]) {
        expect(Date.parse(filesUntil)).toBeGreaterThan(clock.now());
        expect(Date.parse(filesUntil)).toBeLessThan(Date.parse('2026-11-22T00:00:00.001Z'));
      }

      // Downloads that it begins go on.
      const { text, structured } = await call('sync_exports', { jobIds: [jobId], waitSeconds: 0 });
      const expired = gone.length > 0 ? `.*, ${gone.length} had expired` : '((?!expired).)*';
      expect(structured['answer']).toMatch(new RegExp(`^\\d+ of ${own.length - gone.length} new runs downloaded${expired}\\.$`));
      expect(text.includes(`deletes files ${days} days after completion (expirationDate of the latest run)`)).toBe(gone.length > 0);
    }),
  );
});

it('what no run says is taken as usual, and called inferred', () =>
  connected({}, async ({ call }, { faults }) => {
    faults.add({ kind: 'shape', operation: 'getExportRun', payload: { jobRunId: 1, state: 'SUCCESS', files: [] } });
    const { text } = await call('list_successful_export_runs', { expiresBefore: '2026-11-22' });
    expect(text).toContain('filesUntil: 7 days after completion (inferred: no run says it)');
  }));
