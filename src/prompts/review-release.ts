import { callText, definePrompt } from '../tooling/prompt.ts';
import { date, event } from './arguments.ts';

function subject({ event: key, date: day }: { event?: string | undefined; date?: string | undefined }): string {
  if (key !== undefined) return `the event "${key}"`;
  return day === undefined ? 'the latest event' : `the release of ${day}`;
}

/** How to get the moment of the release. */
function moment({ event: key, date: day }: { event?: string | undefined; date?: string | undefined }): string {
  if (key !== undefined) return `${callText('list_speed_events', { key })}: the moment of the release.`;
  if (day !== undefined) return `The release was at ${day}. ${callText('list_speed_events', { dateFrom: day })}: what else happened then.`;
  return `${callText('list_speed_events', { dateFrom: '-30d' })}: take the latest event; say which it is.`;
}

export default definePrompt({
  name: 'review_release',
  title: 'Review a release',
  description: 'Says what a release did to speed: every scenario after it against the time before, with the requests that changed.',
  arguments: {
    event: { description: 'Key of the speed event that marks the release', complete: event },
    date: { description: 'Date of the release, where there is no event', complete: date },
  },
  tools: ['list_speed_events', 'list_scenarios', 'analyze_scenario', 'compare_hars'],
  text: (given) => `Review what ${subject(given)} did to the speed of the scenarios.

1. ${moment(given)}
2. ${callText('list_scenarios')}: all scenarios.
3. For each, one after the other: \
${callText('analyze_scenario', { scenarioId: '<id>', startDate: '<release>', baselineStartDate: '<7 days before>' })}. A change belongs \
to the release only if it begins with it: look at the first report from which it holds, and at the other events near.
4. For the largest change: \
${callText('compare_hars', { before: '<stepResultId of the example before>', after: '<stepResultId of the example after>' })}.

Answer in this form:
- The verdict in one sentence: harmless, slower, faster, or not enough runs yet (how many there are).
- A table: scenario, step, metric, median before, median after, change, verdict.
- What was added, removed or grew, with bytes and domains.
- Recommendation: keep, watch until when, mend (what), or roll back.

Say how many runs lie on each side, and name other events of the same hours.`,
});
