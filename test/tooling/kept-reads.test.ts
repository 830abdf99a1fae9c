import { expect, it } from 'vitest';
import { openAssistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { slowStep } from '../tools/insights/step-runs.ts';

const platform = sharedPlatform();
const assistant = sharedAssistant(platform);
const countOf = (operation: string) => platform().requests.filter((request) => request.operation === operation).length;

it('a conversation about one page loads its HAR once, whichever tool or resource asks', async () => {
  const { scenarioStepResultId } = await slowStep(platform());
  const before = countOf('getStepHar');
  const { call, read } = assistant();
  // At the same time, too.
  await Promise.all([call('analyze_har', { scenarioStepResultId }), call('get_step_har', { scenarioStepResultId })]);
  for (const view of ['third_parties', 'problems', 'waterfall']) await call('analyze_har', { scenarioStepResultId, view });
  await read(`analytics://1201/steps/${scenarioStepResultId}/har`);
  await read(`analytics://1201/steps/${scenarioStepResultId}/har/summary`);
  await call('compare_hars', { before: scenarioStepResultId, after: scenarioStepResultId });
  expect(countOf('getStepHar')).toBe(before + 1);

  // Another session of other callers asks by itself.
  const other = await openAssistant(platform());
  await other.call('analyze_har', { scenarioStepResultId });
  await other.close();
  expect(countOf('getStepHar')).toBe(before + 2);
});
