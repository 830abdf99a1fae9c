import { callText, definePrompt } from '../tooling/prompt.ts';
import { boundsOf, period } from './arguments.ts';

/** Steps of a shop, as a form to fill in. */
const STEPS = ['<product pages, such as /p/*>', '<cart>', '<checkout>', 'purchase'];

/** Finds where buyers are lost, what it costs, and what to do first. */
export const whereBuyersAreLost = definePrompt({
  name: 'where_buyers_are_lost',
  title: 'Where do we lose buyers?',
  description:
    'Finds the step at which buyers leave, for whom, which errors and slow pages cost sales, whether speed explains it, and plans.',
  tools: ['list_workspace', 'analyze_paths', 'analyze_funnel', 'measure_impact', 'analyze_scenario', 'plan_export'],
  arguments: {
    period: { description: 'Days to look at; left out: the last 7 that the files cover', complete: period },
  },
  text({ period: days }) {
    const about = days === undefined ? {} : boundsOf(days);
    return `Find where this site loses buyers${days === undefined ? '' : ` in the period ${days}`}, what it costs, and what to do first.

1. ${callText('list_workspace')}: for which tools and days the files suffice. Where they do not: \
${callText('plan_export', { fields: ['journeys'], scope: 'views', frequency: 'daily' })}, show the plan, and stop.
2. ${callText('analyze_paths', { from: 'entry', ...about })}: how the pages of this site are called.
3. ${callText('analyze_funnel', { steps: STEPS, breakdown: 'device', ...about })}: the largest loss, and the groups that do worse. Once \
more with baselineStartDate and baselineEndDate: which step became worse, and since when.
4. ${callText('measure_impact', about)}: what costs sales against comparable sessions. Keep "lowers" alone; "within noise" is no cause.
5. Where a slow page lowers sales: ${callText('analyze_scenario', { startDate: '-14d' })}: is a scenario of that page slower, since when. \
A coincidence in time is a suspect, not a proof.

Answer in this form:
- One sentence: at which step most buyers are lost, and the cause that costs most, with its interval.
- The funnel as a table: step, sessions, share of those before, where they go instead.
- The causes as a table, costliest first: condition, page, lost orders and revenue with 95 % intervals.
- Whether it is new, since which day, for which group.
- At most three things to do, each with what it can win back at most.
- What could not be judged, and which days are not covered.

Leaving is no loss by itself: many only look. Costs of several rows do not add up.`;
  },
});
