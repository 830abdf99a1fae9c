import { expect, it } from 'vitest';
import { openAssistant } from '../../support/assistant.ts';
import { refusal, useTools } from '../support.ts';

const { ask, call, platform } = useTools();

/** Names of the jobs that are called so. */
async function jobsCalled(name: string): Promise<unknown[]> {
  return (await ask('listExportJobs', { limit: 100 })).filter((job) => job.name === name);
}

it('a recurring job is created beside an equal one only on request, and the preview names the equal one', async () => {
  const fields = ['session_id', 'browser'];
  const plans = [];
  for (let index = 0; index < 2; index += 1) plans.push(await call('plan_export', { fields, name: 'Twice', frequency: 'daily' }));
  const [first, second] = plans.map(({ structured }) => ({ planId: structured['planId'], confirm: true }));
  expect(await call('apply_export_plan', first)).toMatchObject({ isError: false });
  const equal = refusal(/^An equal job exists: \d+ "Twice"\. .*allowDuplicate: true creates it all the same\. Nothing was created\./);
  expect(await call('apply_export_plan', second)).toMatchObject(equal);
  const third = await call('plan_export', { fields, name: 'Thrice', frequency: 'daily' });
  expect(third.text).toContain('An equal job exists');
  const planId = third.structured['planId'];
  expect(await call('apply_export_plan', { planId, confirm: true })).toMatchObject(equal);
  expect(await jobsCalled('Thrice')).toEqual([]);
  const preview = await call('apply_export_plan', { planId, allowDuplicate: true });
  expect(preview.structured).toMatchObject({ status: 'preview', request: { warning: expect.stringContaining('"Twice"') } });
  expect(await call('apply_export_plan', { planId, allowDuplicate: true, confirm: true })).toMatchObject({ isError: false });
  expect(await jobsCalled('Thrice')).toHaveLength(1);
  // Its own job is no reason to refuse what is done already.
  expect(await call('apply_export_plan', { planId, confirm: true })).toMatchObject({ isError: false });
});

it('a job that somebody else created a moment after the plan was made is seen, whatever is kept', async () => {
  const quick = await openAssistant(platform(), { thinksMs: 0 });
  const wanted = { fields: ['session_id', 'country'], name: 'Both', frequency: 'daily' };
  const mine = await quick.call('plan_export', wanted);
  const theirs = await call('plan_export', wanted);
  expect(await call('apply_export_plan', { planId: theirs.structured['planId'], confirm: true })).toMatchObject({ isError: false });
  const applied = await quick.call('apply_export_plan', { planId: mine.structured['planId'], confirm: true });
  expect(applied).toMatchObject(refusal(/^An equal job exists: \d+ "Both"/));
  expect(await jobsCalled('Both')).toHaveLength(1);
  await quick.close();
});
