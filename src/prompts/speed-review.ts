import { callText, definePrompt } from '../tooling/prompt.ts';

export default definePrompt({
  name: 'speed_review',
  title: 'Weekly speed review',
  description: 'Reviews all scenarios of the project: what became slower or faster this week, what fails, what to do first.',
  arguments: {},
  tools: ['list_scenarios', 'check_speed_budgets', 'analyze_scenario', 'compare_hars'],
  text: () => `Review the speed of all scenarios over the last 7 days, against the 30 days before.

1. ${callText('check_speed_budgets')}: which scenarios, steps and metrics break a limit.
2. ${callText('list_scenarios')}, then for each, one after the other: \
${callText('analyze_scenario', { scenarioId: '<id>', startDate: '-7d' })}. Keep the verdicts "slower" and "faster", since when they hold, \
the events near, and every failing action; leave "within noise" and "not enough data" out of the findings. An event near a change is a \
suspect, not a proof.
3. For the worst change: \
${callText('compare_hars', { before: '<stepResultId of the example before>', after: '<stepResultId of the example after>' })}: \
which requests came, went or grew.

Answer in this form:
- One sentence: is the site faster, slower or unchanged this week.
- A table, worst first: scenario, step, metric, before, after, change, since when, suspect.
- What fails: scenario, action, how often.
- Budgets broken, with the margin.
- At most three things to do, each with the number it should move.
- What could not be judged, and why.

Name medians and numbers of runs. These are lab runs: do not speak of what visitors saw.`,
});
