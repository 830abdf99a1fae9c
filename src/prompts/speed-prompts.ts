import { callText, definePrompt } from '../tooling/prompt.ts';
import { date, event, scenario, step } from './arguments.ts';

/** Explains why a page is slow. */
export const explainSlowPage = definePrompt({
  name: 'explain_slow_page',
  title: 'Explain a slow page',
  description: 'Explains why one step of a scenario is slow: whether it became so, server or front end, which requests, since which event.',
  tools: ['analyze_scenario', 'get_step_report', 'analyze_har', 'compare_hars'],
  arguments: {
    scenario: { description: 'Scenario, id or name', required: true, complete: scenario },
    step: { description: 'Step of the scenario, name or number; left out: the slowest', complete: step },
  },
  text: (
    given,
  ) => `Explain why ${given.step === undefined ? 'the slowest step' : `the step "${given.step}"`} of the scenario "${given.scenario}" \
is slow.

1. ${callText('analyze_scenario', { scenarioIds: [given.scenario], step: given.step })}: did it change, since which report, near which \
event; share of TTFB in LCP (server or front end). "Steady" and "unstable" mean that it is as slow as ever: then explain the level, not a \
change. Its examples hold the stepResultId of a run before and of one after.
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

/** Compares the time before and after a release. */
export const reviewRelease = definePrompt({
  name: 'review_release',
  title: 'Review a release',
  description: 'Says what a release did to speed: every scenario after it against the time before, with the requests that changed.',
  tools: ['list_speed_events', 'analyze_scenario', 'compare_hars'],
  arguments: {
    event: { description: 'Key of the speed event that marks the release', complete: event },
    date: { description: 'Date of the release, where there is no event', complete: date },
  },
  text: (given) => `Review what ${subject(given)} did to the speed of the scenarios.

1. ${moment(given)}
2. ${callText('analyze_scenario', { startDate: '<release>', baselineStartDate: '<7 days before>' })}: all scenarios, one line each.
3. The same with scenarioIds for each other one that is slower or faster. A change belongs to the release only if it begins with it: look \
at the first report from which it holds, and at the other events near.
4. For the largest change: \
${callText('compare_hars', { before: '<stepResultId of the example before>', after: '<stepResultId of the example after>' })}.

Answer in this form:
- The verdict in one sentence: harmless, slower, faster, or not enough runs yet (how many there are).
- A table: scenario, step, metric, median before, median after, change, verdict.
- What was added, removed or grew, with bytes and domains.
- Recommendation: keep, watch until when, mend (what), or roll back.

Say how many runs lie on each side, and name other events of the same hours.`,
});
