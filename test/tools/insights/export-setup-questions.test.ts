import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { useInterview } from '../../support/interview.ts';
import { useTools } from '../support.ts';

const { ask, assistant, call, platform } = useTools();
const answer = useInterview().ask(assistant);

interface Made {
  readonly jobId: number;
  readonly name: string;
}

describe('questions of people who set up exports', () => {
  it('23: list the export jobs and tell which ones ran successfully', { tags: 'nightly' }, async () => {
    const { structured } = await call('list_export_jobs', { limit: 100 });
    const listed = structured['jobs'] as Made[];
    expect(listed.map(({ jobId }) => jobId)).toEqual((await ask('listExportJobs', { limit: 100 })).map(({ jobId }) => jobId));
    const successful = new Set<string>();
    for (let page = 1, full = true; full; page += 1) {
      const { structured: found } = await call('list_successful_export_runs', { limit: 100, page });
      const runs = found['runs'] as Made[];
      for (const { name } of runs) successful.add(name);
      full = runs.length === 100;
    }
    const without = listed.map(({ name }) => name).filter((name) => !successful.has(name));
    expect(without).toEqual(['Sessions of yesterday', 'Views of the last days', 'Tablet sessions, failed', 'Legacy warehouse feed']);
  });

  it('22: set up a daily JSONL session export with browser, device, revenue and our custom variable "plan"', async () => {
    const question = '22. Set up a daily JSONL session export with browser, device, revenue and our custom variable "plan".';
    const job = await answer(question, async (tell) => {
      const fields = ['browser', 'device', 'revenue', 'our custom variable "plan"'];
      const { structured } = await tell('plan_export', { fields, frequency: 'daily', format: 'JSONL', scope: 'sessions' });
      const shown = await tell('apply_export_plan', { planId: structured['planId'] });
      expect(shown.structured).toMatchObject({ status: 'preview', request: { body: structured['body'] } });
      const done = await tell('apply_export_plan', { planId: structured['planId'], confirm: true });
      return (done.structured['jobs'] as Made[])[0];
    });
    const made = await ask('getExportJob', { jobId: job?.jobId });
    expect(made).toMatchObject({ state: 'ACTIVE', format: 'JSONL', scope: 'sessions', frequency: 'daily', filters: { deviceId: -1 } });
    expect(made.fields).toEqual([
      { fieldName: 'browser_name' },
      { fieldName: 'device_id' },
      { fieldName: 'session_transactions_revenue_cents' },
      { fieldName: 'custom_var', aliasName: 'plan' },
    ]);
    // A day later its first run has covered a day, with the values of the variable that was meant.
    platform().clock.jump(DAY_MS);
    const [run] = await ask('listExportRuns', { jobId: job?.jobId, state: 'SUCCESS' });
    const { files } = await ask('getExportRun', { jobId: job?.jobId, runId: run?.jobRunId });
    platform().clock.jump(-DAY_MS);
    expect(files?.length).toBeGreaterThan(0);
  });

  it('25: which days are missing in the daily session export? Backfill them', { tags: 'nightly' }, async () => {
    const { day, jobName } = platform().stories.missingExport;
    const question = '25. Which days are missing in the daily session export? Backfill them.';
    const jobs = await answer(question, async (tell) => {
      const gaps = await tell('find_export_gaps', { jobId: 'daily sessions' });
      expect(gaps.structured['answer']).toMatch(new RegExp(`^1 of 47 days of "${jobName}" has no data: ${day} \\(failed\\)\\.`));
      const done = await tell('apply_export_plan', { planId: gaps.structured['planId'], confirm: true });
      platform().clock.jump(150_000);
      const after = await tell('find_export_gaps', { jobId: jobName, startDate: day, endDate: day });
      expect(after.structured['answer']).toBe(`None of 1 day of "${jobName}" is missing.`);
      return done.structured['jobs'] as Made[];
    });
    expect(jobs.map(({ name }) => name)).toEqual([`${jobName} backfill ${day}`]);
    const [run] = await ask('listSuccessfulExportRuns', { limit: 1 });
    expect(run).toMatchObject({ jobId: jobs[0]?.jobId, from: `${day}T00:00:00.000Z`, nbOfFiles: expect.any(Number) });
  });
});
