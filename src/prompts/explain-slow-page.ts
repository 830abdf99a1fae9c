import { callText, definePrompt } from '../tooling/prompt.ts';
import { scenario, step } from './arguments.ts';

export default definePrompt({
  name: 'explain_slow_page',
  title: 'Explain a slow page',
  description: 'Explains why one step of a scenario is slow: whether it became so, server or front end, which requests, since which event.',
  arguments: {
    scenario: { description: 'Scenario, id or name', required: true, complete: scenario },
    step: { description: 'Step of the scenario, name or number; left out: the slowest', complete: step },
  },
  tools: ['analyze_scenario', 'get_step_report', 'analyze_har', 'compare_hars'],
  text: (
    given,
  ) => `Explain why ${given.step === undefined ? 'the slowest step' : `the step "${given.step}"`} of the scenario "${given.scenario}" \
is slow.

1. ${callText('analyze_scenario', { scenarioId: given.scenario, step: given.step })}: did it change, since which report, near which event; \
share of TTFB in LCP (server or front end). "Within noise" means that it is as slow as ever: then explain the level, not a change. Its \
examples hold the stepResultId of a run before and of one after.
2. ${callText('get_step_report', { stepId: '<stepResultId after>' })}: long tasks, failing actions.
3. ${callText('analyze_har', { scenarioStepResultId: '<stepResultId after>' })}, then its views problems and third_parties where they \
matter.
4. Where it changed: ${callText('compare_hars', { before: '<stepResultId before>', after: '<stepResultId after>' })}.

Answer in this form:
- The cause in one sentence, with the number that shows it.
- Where the time goes: server, network, render blocking, scripts, third parties, each in ms or bytes.
- The requests that matter: at most five, with address, size and time.
- What to change, in order of gain, with the expected gain only where the data show it.
- What is a heuristic or unknown.`,
});
