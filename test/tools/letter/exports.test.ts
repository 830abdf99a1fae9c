import { describe, expect, it } from 'vitest';
import { allPages } from '../../../src/api/all-pages.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { connected } from './deployments.ts';

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
