import { callText, definePrompt } from '../tooling/prompt.ts';
import { boundsOf, goal, period, segment } from './arguments.ts';

/** Reviews the speed of all scenarios of the week. */
export const speedReview = definePrompt({
  name: 'speed_review',
  title: 'Weekly speed review',
  description: 'Reviews all scenarios of the project: what became slower or faster this week, what fails, what to do first.',
  tools: ['check_speed_budgets', 'analyze_scenario', 'compare_hars'],
  arguments: {},
  text: () => `Review the speed of all scenarios over the last 7 days, against the 30 days before.

1. ${callText('check_speed_budgets')}: which scenarios, steps and metrics break a limit.
2. ${callText('analyze_scenario', { startDate: '-7d' })}: all scenarios, one line each. For each further one that is slower, faster or \
drifting: ${callText('analyze_scenario', { scenarioIds: ['<id>'], startDate: '-7d' })}. Keep since when, the levels before and since, the \
events near, and every failing action; what "was slower" and is back goes last; leave "steady" and "not enough data" out of the findings. \
An event near a change is a suspect, not a proof.
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

/** Reports the metrics of the week. */
export const weeklyKpiReport = definePrompt({
  name: 'weekly_kpi_report',
  title: 'Weekly KPI report',
  description: 'Reports all metrics of a week against the week before and the year before: what changed beyond noise, and why.',
  tools: ['compare_metrics', 'find_changes'],
  arguments: {
    week: { description: 'Week or other period; left out: last_week', complete: period },
    segment: { description: 'Segment to report on, id or name; left out: all visits', complete: segment },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  text({ week, segment: name, goal: goalId }) {
    const about = { ...boundsOf(week), ...(name !== undefined && { segmentIds: [name] }), goalId };
    return `Write the KPI report of the period ${week ?? 'last_week'}${name === undefined ? '' : ` for the segment "${name}"`}.

1. ${callText('compare_metrics', { metrics: ['all'], ...about, explain: false })}: every metric against the period before, each with its \
verdict.
2. ${callText('compare_metrics', { ...about, chart: true })}: what explains the main change: device, segment, traffic mix or a real change \
of the rate; since which day; events near it.
3. ${callText('compare_metrics', { ...about, baseline: 'previous_year', explain: false })}: the same against the year before, weekdays \
aligned. Leave it out where that lies outside retention.
4. ${callText('find_changes', { ...(name !== undefined && { segmentIds: [name] }), ...(goalId !== undefined && { goalIds: [goalId] }) })}: \
what changed in the last four weeks by device, segment and goal, as far as it lies in the period or goes on in it.

Answer in this form:
- One sentence: the week in a nutshell, with the one number that matters.
- A table: metric, this period, period before, change, verdict. Only "up" and "down" are changes; the rest is "within noise".
- Why the main change happened, with mix, rate and their share of it, and since which day.
- Against the year before: one sentence.
- What else changed, a line each.
- At most three things to look at next.
- What is provisional, missing or cannot be judged.

Take values, changes and verdicts from the answers; never average or add rates.`;
  },
});
