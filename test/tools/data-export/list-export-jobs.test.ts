import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it('lists jobs, newest first', async () => {
  const answer = await call('list_export_jobs', { limit: 4 });
  expect(answer.structured['jobs']).toEqual(await ask('listExportJobs', { limit: 4 }));
  expect(whole(answer)).toMatchSnapshot();
});

it('shows the range of once jobs, and which of the completed ones have no files', { tags: 'nightly' }, async () => {
  const { structured, text } = await call('list_export_jobs', { frequency: 'once', limit: 100 });
  const once = structured['once'] as { jobId: number; from?: string; to?: string; hasFiles?: boolean }[];
  const runs = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((page) => ask('listSuccessfulExportRuns', { limit: 100, page })));
  const jobs = await ask('listExportJobs', { frequency: 'once', limit: 100 });
  const expected = jobs.map(({ jobId, state }) => {
    const own = runs.flat().find((run) => run.jobId === jobId);
    return [jobId, state === 'COMPLETED' ? own !== undefined : undefined, own && [Date.parse(own.from ?? ''), Date.parse(own.to ?? '')]];
  });
  const shown = once.map(({ jobId, hasFiles, from = '', to = '' }) => [
    jobId,
    hasFiles,
    hasFiles ? [Date.parse(from), Date.parse(to)] : undefined,
  ]);
  expect(shown).toEqual(expected);
  const failed = once.find(({ hasFiles }) => hasFiles === false);
  expect(text).toMatch(new RegExp(`^${failed?.jobId}\\t.*\\tfalse\\t–$`, 'm'));
});

it('shows the range of a once job that a plan made, while it runs', { tags: 'nightly' }, async () => {
  const plan = await call('plan_export', { fields: ['session_id'], name: 'Two days', startDate: '2026-10-01', endDate: '2026-10-02' });
  const made = await call('apply_export_plan', { planId: plan.structured['planId'], confirm: true });
  const [{ jobId } = { jobId: 0 }] = made.structured['jobs'] as { jobId: number }[];
  platform().clock.jump(35_000);
  const { structured } = await call('list_export_jobs', { frequency: 'once', limit: 5 });
  expect((structured['jobs'] as { state: string }[])[0]).toMatchObject({ jobId, state: 'COMPUTING' });
  expect(structured['once']).toContainEqual({ jobId, from: '2026-10-01T00:00:00.000Z', to: '2026-10-03T00:00:00.000Z' });
});

it('counts as missing what find_export_gaps calls failed or missing', { tags: 'nightly' }, async () => {
  const { structured } = await call('list_export_jobs', { frequency: 'daily', state: 'active', limit: 100 });
  const health = structured['health'] as { jobId: number; missing: number }[];
  expect(health.some(({ missing }) => missing > 0)).toBe(true);
  for (const { jobId, missing } of health) {
    const start = new Date(platform().clock.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    const gaps = await call('find_export_gaps', { jobId, startDate: start });
    const rows = gaps.structured['rows'] as [string, number, string, string][];
    const lost = rows.filter(([, , status]) => status === 'failed' || status === 'missing').reduce((sum, [, days]) => sum + days, 0);
    expect(missing, String(jobId)).toBe(lost);
  }
});

it('counts the jobs of a filter, not those of the page', async () => {
  const { structured } = await call('list_export_jobs', { frequency: 'daily', limit: 1 });
  expect(structured['total']).toBe((await ask('listExportJobs', { frequency: 'daily', limit: 100 })).length);
});
