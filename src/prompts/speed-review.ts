import { callText, definePrompt } from '../mcp/prompt.ts';

export default definePrompt({
  name: 'speed_review',
  title: 'Weekly speed review',
  description: 'Reviews all scenarios of the project: what became slower or faster this week, what fails, what to do first.',
  arguments: {},
  tools: ['check_speed_budgets', 'analyze_scenario', 'list_speed_events', 'analyze_har'],
  text: () => `Review the speed of all scenarios over the last 7 days, against the 30 days before.

1. ${callText('check_speed_budgets')}: which scenarios, steps and metrics break a limit.
2. For each scenario, one after the other: ${callText('analyze_scenario', { scenarioId: '<id>', startDate: '-7d' })}. Keep the verdicts "slower" and "faster", and every failing action; leave "within noise" and "not enough data" out of the findings.
3. ${callText('list_speed_events', { dateFrom: '-7d' })}: which event lies just before a change begins. An event near a change is a suspect, not a proof.
4. For the worst slower step: ${callText('analyze_har', { scenarioStepResultId: '<stepResultId>', view: 'problems' })} of its latest run.

Answer in this form:
- One sentence: is the site faster, slower or unchanged this week.
- A table, worst first: scenario, step, metric, before, after, change, since when, suspect.
- What fails: scenario, action, how often.
- Budgets broken, with the margin.
- At most three things to do, each with the number it should move.
- What could not be judged, and why.

Name medians and numbers of runs. These are lab runs: do not speak of what visitors saw.`,
});
