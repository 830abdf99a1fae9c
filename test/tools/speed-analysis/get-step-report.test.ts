import { expect, it } from 'vitest';
import { refusal, useTools, whole } from '../support.ts';

const { assistant, ask, call, platform } = useTools();

async function firstStep(): Promise<string> {
  const { steps } = (await call('get_scenario_report', { scenarioId: 4101 })).structured as { steps: { stepResultId: string }[] };
  return steps[0]?.stepResultId ?? '';
}

it('gives one step: timings, actions, errors that were a text', async () => {
  const stepId = await firstStep();
  const answer = await call('get_step_report', { stepId });
  const { step } = await ask('getStepReport', { stepId });
  expect(answer.structured).toMatchObject({
    id: stepId,
    actionsResult: step.actionsResult,
    timings: { largestContentfulPaint: step.timings?.largestContentfulPaint },
    browserError: JSON.parse(String(step.browserError)),
    unavailableResource: JSON.parse(String(step.unavailableResource)),
  });
  expect(whole(answer)).toMatchSnapshot();
  expect(JSON.parse(await assistant().read(answer.links[0] ?? ''))).toEqual(step);
});

it('says where ids come from when there is no such step', async () => {
  const answer = await call('get_step_report', { stepId: 'ffffffffffffffff' });
  expect(answer).toMatchObject(refusal('get_scenario_report lists what exists.'));
});

it('keeps every digit of what is serialised twice', async () => {
  const step = { unavailableResource: '{"requestId":12345678901234567890}', browserError: '[{"cut' };
  platform().faults.add({ kind: 'shape', operation: 'getStepReport', payload: { step } });
  // One that was not read before: what was read is kept.
  const { reports } = (await ask('listScenarioReports', { scenarioId: 4101, limit: 9 })).scenario;
  const answer = await call('get_step_report', { stepId: String(reports.at(-1)?.steps?.[0]?.stepResultId) });
  expect(answer.structured).toMatchObject({ unavailableResource: { requestId: '12345678901234567890' }, browserError: '[{"cut' });
});

it('names the tool that has a metric which a step report lacks', async () => {
  const { structured } = await call('get_step_report', { stepId: await firstStep(), metrics: ['loadTime', 'request', 'firstByte'] });
  expect(structured['timings']).toEqual({ firstByte: expect.any(Number) });
  const notes = structured['notes'];
  expect(notes).toContain('A step report has no loadTime; get_scenario_report shows loadTime of each step.');
  expect(notes).toContain('A step report has no request; get_scenario_report shows requestsCount of each step.');
});
