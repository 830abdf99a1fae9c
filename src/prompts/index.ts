import { DAY_MS, isoTime } from '../lib/clock.ts';
import { nameOf } from '../metrics/metric-names.ts';
import { fold, type NameKind, pathOf } from '../names/match-name.ts';
import { objectsOf, recentReports } from '../resources/variables.ts';
import { type Completer, type CompletionContext, callText, definePrompt } from '../tooling/resource.ts';

/** Events that are proposed; older ones are typed. */
const EVENT_DAYS = 60;
const LIFE_MS = 60_000;

/** Names of one kind of objects, found by id too; tools take names. */
function objects(kind: NameKind): Completer {
  return async (context) => (await objectsOf(context, kind)).map((each) => ({ value: pathOf(each), words: String(each.id) }));
}

/** Names of the project's scenarios. */
const scenario = objects('scenario');

/** Names of the steps in the latest report of the scenario that is filled in. */
const step: Completer = async (context) => {
  const given = context.filled['scenario'] ?? '';
  const scenarios = await objectsOf(context, 'scenario');
  const chosen = scenarios.find((each) => String(each.id) === given.trim() || fold(pathOf(each)) === fold(given));
  if (!chosen) return [];
  const { steps } = await recentReports(context, chosen.id);
  return steps.map(({ name }, index) => ({ value: name, words: `step ${index + 1}` }));
};

async function recentEvents({ session, projectId, ask }: CompletionContext) {
  return session.names.remember(`${await projectId()} recent events`, LIFE_MS, async () => {
    const { listSpeedEvents } = await import('../api/operations/speed-analysis.ts');
    const dateFrom = isoTime(session.options.clock.now() - EVENT_DAYS * DAY_MS);
    return (await ask(listSpeedEvents, { dateFrom })).events;
  });
}

/** Keys of the events of the last 60 days, found by their text too. */
const event: Completer = async (context) => (await recentEvents(context)).map(({ key, text }) => ({ value: key, words: text ?? '' }));

/** Days of the events of the last 60 days, found by their text too, and the days that come to mind. */
const date: Completer = async (context) => {
  const days = (await recentEvents(context)).map(({ date: at, text }) => ({ value: (at ?? '').slice(0, 10), words: text ?? '' }));
  return [...days.filter(({ value }) => value !== ''), { value: 'yesterday' }, { value: '-7d' }];
};

/** Names of the project's segments. */
const segment = objects('segment');
/** Names of the project's goals. */
const goal = objects('goal');
/** Metrics of the site, found by what a person calls them too. */
const metric: Completer = async () => {
  const { siteMetricNames } = await import('../metrics/metric-definitions.ts');
  return siteMetricNames.map((name) => ({ value: name, words: nameOf(name) }));
};
/** Periods that come to mind. */
const period: Completer = () =>
  ['last_week', 'this_week', 'last_month', 'this_month', '-7d', '-28d', 'yesterday'].map((value) => ({ value }));

/** The bounds of a period as a person writes it: one date, a number of days up to yesterday, or two dates with "to" between them. */
function boundsOf(text = 'last_week'): { startDate: string; endDate: string } {
  const [startDate = '', endDate] = text.split(/ to | – | … /).map((each) => each.trim());
  return { startDate, endDate: endDate ?? (startDate.startsWith('-') ? 'yesterday' : startDate) };
}

/** Names of the project's export jobs. */
const exportJob = objects('export job');

/** Usual wishes, with the project's own custom variables. */
const exportWish: Completer = async ({ session, projectId, ask }) => {
  const { listCustomVariables } = await import('../api/operations/data-export.ts');
  const variables = await session.names.remembered(await projectId(), ask)(listCustomVariables, {});
  const keys = variables.flatMap(({ key }) => (key ? [key] : []));
  return [
    { value: 'daily JSONL session export with browser, device and revenue' },
    ...keys.map((key) => ({ value: `daily JSONL session export with browser, device, revenue and custom variable "${key}"`, words: key })),
    { value: 'hourly session export with device, views, transactions and revenue' },
    { value: 'once, page views of last week with path, rage clicks and errors' },
  ];
};

/** Reviews the speed of all scenarios of the week. */
const speedReview = definePrompt({
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
const weeklyKpiReport = definePrompt({
  name: 'weekly_kpi_report',
  title: 'Weekly KPI report',
  description: 'Reports all metrics of a week against the week before and the year before: what changed significantly, and why.',
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

/** Explains a change of a metric. */
const explainChange = definePrompt({
  name: 'explain_change',
  title: 'Explain a change',
  description:
    'Explains why a metric moved: whether the change is significant, since when, on which device, in which segment, by mix or by rate.',
  tools: ['compare_metrics', 'query_metrics'],
  arguments: {
    metric: { description: 'Metric; left out: conversionRate', complete: metric },
    period: { description: 'Period in which it moved; left out: last_week', complete: period },
    segment: { description: 'Segment to look at, id or name; left out: all visits', complete: segment },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  text({ metric: chosen = 'conversionRate', period: when, segment: name, goal: goalId }) {
    const selection = name === undefined ? {} : { segmentIds: [name] };
    const about = { metrics: [chosen], ...boundsOf(when), ...selection, goalId };
    const days = {
      metrics: [chosen],
      ...(when === undefined ? boundsOf('-28d') : boundsOf(when)),
      ...selection,
      breakdown: ['day', 'device'],
      chart: true,
    };
    const goals = goalId === undefined || !chosen.startsWith('conversion') ? {} : { goalIds: [goalId] };
    return `Explain the change of ${chosen} in the period ${when ?? 'last_week'}${name === undefined ? '' : ` in the segment "${name}"`}.

1. ${callText('compare_metrics', { ...about, chart: true })}: is it significant, since which day, which device, mix or rate, which events \
are near.
2. Where the answer names one device, the same with devices set to it: which segments within it moved. Where all moved alike, no device is \
the cause. Where traffic mix accounts for most, ask for visits instead: which segment brought the visits.
3. ${callText('query_metrics', { ...days, ...goals })}: does the day hold, is it over, was it there before?

"Within noise" is an answer: say so, say how large a change would have to be, and stop unless one device stands out alone.

Answer in this form:
- Where the change is, in one sentence, with the share of the change that it accounts for; or that all moved alike.
- Since which day, and how sure (the other days that are possible).
- By device: own rate and traffic mix in points, with the remainder.
- The segments that stand out; they overlap, so never add them up.
- Suspects: events near the day. Near is no proof.
- What would confirm it, and what this interface cannot answer.`;
  },
});

/** Compares two segments. */
const segmentComparison = definePrompt({
  name: 'segment_comparison',
  title: 'Compare two segments',
  description: 'Compares two segments: how they differ significantly, whether devices are the reason, and whether it has always been so.',
  tools: ['compare_metrics', 'query_metrics'],
  arguments: {
    segment: { description: 'First segment, id or name', required: true, complete: segment },
    other: { description: 'Segment to compare it with, id or name', required: true, complete: segment },
    period: { description: 'Period; left out: last_month', complete: period },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  text({ segment: first, other, period: when = 'last_month', goal: goalId }) {
    const compareSegments = [first, other];
    const goals = goalId === undefined ? {} : { goalIds: [goalId] };
    const rates = { metrics: ['conversionRate', 'visits'], compareSegments, ...goals };
    const weeks = { ...rates, metrics: ['conversionRate'], startDate: '-12w', endDate: 'yesterday', breakdown: ['week'], chart: true };
    return `Compare the segments "${first}" and "${other}" in the period ${when}.

1. ${callText('compare_metrics', { metrics: ['all'], ...boundsOf(when), by: 'segment', compareSegments, goalId })}: each metric of both, \
and whether they differ significantly.
2. ${callText('query_metrics', { ...rates, ...boundsOf(when), breakdown: ['device'] })}: does the difference hold on each device, or do \
the segments only use other devices?
3. ${callText('query_metrics', weeks)}: has it always been so, does it grow or shrink?

Answer in this form:
- One sentence: who converts better, by how many points, significant or not.
- A table: metric, ${first}, ${other}, difference, verdict.
- By device: where the difference lies, and how much of it is only another share of devices.
- Over time: steady, growing or shrinking.
- What to do or test next, at most two things.

Segments may overlap: one visit can count in both, so never add them up. A difference between segments is no effect of being in one.`;
  },
});

/** Explains why a page is slow. */
const explainSlowPage = definePrompt({
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
const reviewRelease = definePrompt({
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

/** Steps of a shop, as a form to fill in. */
const STEPS = ['<product pages, such as /p/*>', '<cart>', '<checkout>', 'purchase'];

/** Finds where buyers are lost, what it costs, and what to do first. */
const whereBuyersAreLost = definePrompt({
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

/** Sets up an export, with the user's consent before it is created. */
const setUpExport = definePrompt({
  name: 'set_up_export',
  title: 'Set up an export',
  description: 'Turns a request in plain words into a checked export plan, shows it, and creates the jobs once you agree.',
  tools: ['plan_export', 'apply_export_plan', 'list_exportable_fields', 'list_custom_variables', 'download_export_run'],
  arguments: {
    description: { description: 'What to export, how often, with which fields', required: true, complete: exportWish },
  },
  text: ({ description }) => `Set up this data export: ${description}.

1. Take from it the fields, the frequency (daily, hourly, or once with a range), the format, device and segment. Where frequency or range \
is open, ask; leave the rest to the defaults.
2. ${callText('plan_export', { fields: ['<field in plain words>'], frequency: 'daily' })}, or hourly, or once with startDate and endDate. \
A word that fits several fields is refused with its candidates: choose by their meaning, or ask. \
${callText('list_exportable_fields', { scope: 'sessions' })} and ${callText('list_custom_variables')} show all there is.
3. Look at existing: where an equal job runs, say so and stop unless a second one is wanted.
4. Show the plan and ask. A recurring job can be changed or deleted only in the console.
5. ${callText('apply_export_plan', { planId: '<planId>' })}; after a failure call it again with the same planId.
6. For a once export: ${callText('download_export_run', { jobId: '<jobId>' })}.

Answer in this form:
- One sentence: what is exported, how often, from when on, and the job ids.
- A table: word of the wish, field, meaning, unit.
- What the data will not hold, and what was assumed.
- How the files are fetched, and until when (their expirationDate).`,
});

/** Finds gaps of an export and fills them. */
const backfillGaps = definePrompt({
  name: 'backfill_gaps',
  title: 'Backfill the gaps of an export',
  description: 'Finds the days or hours that an export job lacks, says why, fills them with once jobs, and fetches the files.',
  tools: ['find_export_gaps', 'apply_export_plan', 'download_export_run', 'sync_exports'],
  arguments: {
    job: { description: 'Export job, id or name', required: true, complete: exportJob },
  },
  text: ({ job }) => `Find the gaps of the export job "${job}" and fill them.

1. ${callText('find_export_gaps', { jobId: job })}: which days or hours have no data, and why. "Empty" is no gap; "running" and "filling" \
will be there soon.
2. Say what would be filled and with how many jobs. Expired days have a plan of their own (expiredPlanId): ask whether these files are \
still needed: they may have been fetched by other means.
3. Once the user agrees: ${callText('apply_export_plan', { planId: '<planId>' })}. If it breaks off, call it again with the same planId: \
it creates only the rest.
4. For each job that it names: ${callText('download_export_run', { jobId: '<jobId>' })}, again until the files are there. Where older runs \
are still at the platform: ${callText('sync_exports', { jobIds: [job] })}, before they expire too.
5. ${callText('find_export_gaps', { jobId: job })} again: nothing may be left.

Answer in this form:
- One sentence: how much was missing, why, and whether it is filled.
- A table: range, status, cause, backfill job.
- Which columns or filters the backfill could not take over, word for word from the notes.
- What to watch: why runs failed is not shown by the interface; the console shows it.`,
});

/** Says where exported data lie and how they reach other tools. */
const whereExportsGo = definePrompt({
  name: 'where_do_my_exports_go',
  title: 'Where do my exports go',
  description:
    'Says where the files of your exports lie, which are here, which are about to be deleted, and how they reach a warehouse or Power BI.',
  tools: ['list_export_jobs', 'list_workspace', 'list_successful_export_runs', 'sync_exports'],
  arguments: {},
  text: () => `Say where the exports of this project go.

1. ${callText('list_export_jobs')}: which jobs run, and how they do.
2. ${callText('list_workspace')}: which of their runs lie on the disk of this server, and in its warehouse where it has one.
3. ${callText('list_successful_export_runs', { expiresBefore: '+2d' })}: which files the platform deletes next, and whether they are here.
4. Read the resource analytics://reference/where-exports-go for the ways on: workspace, ClickHouse by this server, other warehouses, \
Power BI.

Answer in this form:
- One sentence: where the data lie now, and since which day.
- A table: job, how it does, runs here, files that go within two days and are not here.
- The way to where the user wants them, with the settings by name. Ask where that is, if it was not said.
- Offer ${callText('sync_exports')} where files would be lost; do not fetch without being asked.`,
});

/** All prompts, in the order in which they are listed. */
export const prompts = [
  speedReview,
  explainSlowPage,
  reviewRelease,
  weeklyKpiReport,
  explainChange,
  segmentComparison,
  whereBuyersAreLost,
  setUpExport,
  backfillGaps,
  whereExportsGo,
];
