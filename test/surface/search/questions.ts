import type { ToolName } from '../../../src/lib/tool-name.ts';

/** A question as somebody types it, and the tools that answer it: any of them is right. */
export interface SearchQuestion {
  readonly asked: string;
  readonly tools: readonly ToolName[];
}

/** A question as somebody types it, what a model searches for it, and the tools that answer it. */
export type SearchedQuestion = readonly [asked: string, searched: string, ...tools: ToolName[]];

const of = (tools: ToolName | readonly ToolName[], ...questions: readonly string[]): SearchQuestion[] =>
  questions.map((asked) => ({ asked, tools: [tools].flat() }));

/** Our own questions by the tools that answer them. */
export const questions: readonly SearchQuestion[] = [
  ...of(
    'compare_metrics',
    'Why are we selling less than last week?',
    'Why did our conversion rate drop last week?',
    'On which day did the drop start?',
    'Is it traffic mix or a real rate change?',
    'Why is revenue down this week: fewer visits, lower conversion or a smaller basket?',
    'Compare this week with the same week last year.',
    'Is this drop real or just noise?',
    'How long must we wait to see a change of 5 %?',
    'Give me the weekly KPI report with the change from the week before.',
  ),
  ...of(['compare_metrics', 'find_changes'], 'Is the drop on mobile only?', 'What did the mobile problem cost us until yesterday?'),
  ...of(
    'find_changes',
    'What should I know about the last four weeks? Anything that changed?',
    'Which days were outliers in the last two months, and why?',
    'Did anything unusual happen in the last days?',
    'Orders fell, or is our tracking broken?',
  ),
  ...of(
    'query_metrics',
    'Which weekday sells best?',
    'Which weekday converts best this quarter?',
    'Show monthly visits for the past 12 months.',
    'What is the average conversion rate over six months?',
    'What share of visits and of revenue is mobile?',
    'How many visits will we have next week?',
    'Was Black Friday normal for us?',
    'Which of the last ten weeks were unusual?',
    'How many orders did we have in September?',
    'The five best days of the year by sales.',
    'Which zones of the home screen bring most revenue per tap?',
    'Draw me the trend of visits.',
  ),
  ...of(
    ['query_metrics', 'compare_metrics'],
    'Compare conversion on desktop, mobile and tablet for last month.',
    'New against returning visitors: conversion, revenue, time on site?',
    'Paid search against all visitors: conversion over the last four full weeks.',
  ),
  ...of(['query_metrics', 'get_site_visits'], "Is today's data complete?", 'How many visits did we have yesterday?'),
  ...of(['get_zone_tap_rate', 'query_metrics'], 'What is the tap rate of "Add to cart" on the product screen?'),
  ...of(
    'analyze_scenario',
    'Did the site get slower since last month?',
    'The last release slowed down the checkout.',
    'Did anything get slower this month, on the whole site?',
    'Which step of the checkout is slowest?',
    "Did Tuesday's release make the checkout slower?",
    'Which scenario was bad for a while and is fine again?',
    'Does any scenario creep up slowly?',
    'Which runs failed in the last 7 days, and at which step?',
    'Has TTFB changed anywhere?',
    'Is it slower at night or on weekends?',
    'Current LCP, TBT and CLS of each scenario and step, worst first.',
    'Is checkout on mobile fine: performance, failures, stability?',
    'Layout shift of the product page by week: did it change?',
    'The deploy of the 28th broke checkout: true?',
  ),
  ...of(
    'check_speed_budgets',
    'Which scenarios break our budget of LCP 2.5 s and TBT 200 ms?',
    'Are our pages within the limits for performance?',
  ),
  ...of(
    'analyze_har',
    'What loads on this page, and what weighs the most?',
    'Which third parties cost us most on the home page?',
    'What would you fix first on the product page?',
    'Are images served in modern formats and sizes?',
    'What blocks rendering of the page?',
    'Show me the waterfall of the home page.',
  ),
  ...of(
    'compare_hars',
    'What changed on the page when the slow-down began: hosts, requests, bytes?',
    'The slowest and the fastest run: what differs in their requests?',
  ),
  ...of('create_speed_event', "Mark today's release on all checkout scenarios.", 'Put a marker "checkout v3 rollout" at yesterday 18:00.'),
  ...of('delete_speed_event', 'Remove the release marker again.'),
  ...of('list_speed_events', 'When did we deploy last?'),
  ...of('list_scenarios', 'Which scenarios do we have?'),
  ...of(
    'plan_export',
    'Set up a daily JSONL session export with browser, device, revenue and our custom variable "plan".',
    'We want a file of all sessions each morning.',
    'Export last quarter with campaign and country.',
    'Is there an equal export job already?',
  ),
  ...of('list_export_jobs', 'List the export jobs and tell me which ones ran successfully.', 'Which exports are healthy?'),
  ...of(['sync_exports', 'download_export_run'], 'Download everything new since yesterday.', 'Fetch the files of the latest run.'),
  ...of('find_export_gaps', 'Which days are missing in the daily session export? Backfill them.', 'Are there holes in our exports?'),
  ...of('list_successful_export_runs', 'Which export files expire tomorrow?', 'What is about to expire that we do not have yet?'),
  ...of(
    'query_export',
    'Revenue by browser for last week, from the export.',
    'Sessions with rage clicks on checkout pages, by page, from the views export.',
    'Views by path on mobile, with their median duration, from the exports.',
    'How many unique users did we have?',
  ),
  ...of('list_workspace', 'Which exports are downloaded already?'),
  ...of('purge_workspace', 'Delete the downloaded files of last year.'),
  ...of(
    'analyze_funnel',
    'Where do we lose buyers between cart and payment, on phones?',
    'How many who see a product put it into the cart?',
    'Where do people drop out of the checkout?',
  ),
  ...of('analyze_paths', 'What do people do after a search that finds nothing?', 'Where do visitors go from the home page?'),
  ...of('analyze_retention', 'Who comes back within a week, by campaign page they entered on?', 'Do new visitors return?'),
  ...of(
    'measure_impact',
    'Which JavaScript error costs us most?',
    'Do slow product pages cost sales?',
    'Did variant B of the checkout win?',
    'What do rage clicks cost us?',
  ),
  ...of(['get_credential', 'authenticate'], 'What can this credential reach?'),
  ...of(['find_objects', 'list_segments'], 'What segments do we have for returning customers?'),
  ...of('find_objects', 'Is there a goal or segment that is called newsletter?'),
  ...of('send_enrichments', 'Attach call centre data to sessions.'),
  ...of(['list_exportable_fields', 'plan_export'], 'Which columns can be exported?'),
];
