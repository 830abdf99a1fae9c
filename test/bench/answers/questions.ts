import type { ToolName } from '../../../src/lib/tool-name.ts';

/** A tool and its arguments; texts in braces are dates of the world, or names that an earlier answer gave (`worldNames`). */
export type Call = readonly [tool: ToolName, args: Readonly<Record<string, unknown>>];

/** A question of an analyst, an engineer or a data engineer, and the calls that answer it. */
export interface Question {
  readonly number: number;
  readonly asked: string;
  readonly calls: readonly Call[];
}

const LAST_WEEK = { startDate: 'last_week', endDate: 'last_week' };
const LAST_MONTH = { startDate: 'last_month', endDate: 'last_month' };
const WEEK_TILL_YESTERDAY = { startDate: '-7d', endDate: 'yesterday' };
const APP = { projectId: '1202' };
const CHECKOUTS = ['Checkout – desktop', 'Checkout – mobile'];

const metrics: readonly Question[] = [
  {
    number: 1,
    asked: 'Why did our conversion rate drop last week?',
    calls: [['compare_metrics', { metrics: ['conversionRate'], ...LAST_WEEK }]],
  },
  {
    number: 2,
    asked: 'On which day did the drop start?',
    calls: [['compare_metrics', { metrics: ['conversionRate'], ...WEEK_TILL_YESTERDAY }]],
  },
  {
    number: 3,
    asked: 'Is the drop on mobile only?',
    calls: [['compare_metrics', { metrics: ['conversionRate'], by: 'device', ...WEEK_TILL_YESTERDAY }]],
  },
  {
    number: 4,
    asked: 'Is it traffic mix or a real rate change?',
    calls: [['compare_metrics', { metrics: ['conversionRate'], ...LAST_WEEK }]],
  },
  {
    number: 5,
    asked: 'Why is revenue down this week: fewer visits, lower conversion or a smaller basket?',
    calls: [['compare_metrics', { metrics: ['revenueSum'], startDate: 'this_week', endDate: 'yesterday' }]],
  },
  {
    number: 6,
    asked: 'Compare conversion on desktop, mobile and tablet for last month.',
    calls: [['query_metrics', { metrics: ['conversionRate'], breakdown: ['device'], ...LAST_MONTH }]],
  },
  {
    number: 7,
    asked: 'New against returning visitors: conversion, revenue, time on site?',
    calls: [
      [
        'query_metrics',
        {
          metrics: ['conversionRate', 'revenueSum', 'sessionTimeAverage'],
          compareSegments: ['New visitors', 'Returning visitors'],
          ...LAST_MONTH,
        },
      ],
    ],
  },
  {
    number: 8,
    asked: 'Give me the weekly KPI report with the change from the week before.',
    calls: [['compare_metrics', { metrics: ['all'], ...LAST_WEEK, explain: false }]],
  },
  {
    number: 9,
    asked: 'Show monthly visits for the past 12 months.',
    calls: [['query_metrics', { metrics: ['visits'], breakdown: ['month'], startDate: '-12mo', endDate: 'last_month' }]],
  },
  {
    number: 10,
    asked: 'What is the average conversion rate over six months?',
    calls: [['query_metrics', { metrics: ['conversionRate'], startDate: '-6mo', endDate: 'yesterday' }]],
  },
  {
    number: 11,
    asked: 'Compare this week with the same week last year.',
    calls: [
      ['compare_metrics', { metrics: ['visits'], startDate: 'this_week', endDate: 'yesterday', baseline: 'previous_year', explain: false }],
    ],
  },
  { number: 12, asked: "Is today's data complete?", calls: [['query_metrics', { metrics: ['visits'], startDate: 'today', endDate: 'today' }]] },
  {
    number: 13,
    asked: 'What is the tap rate of "Add to cart" on the product screen?',
    calls: [['query_metrics', { metrics: ['tapRate'], zoneIds: ['Product screen / Add to cart'], ...LAST_WEEK, ...APP }]],
  },
  {
    number: 14,
    asked: 'Which zones of the home screen bring most revenue per tap?',
    calls: [['query_metrics', { metrics: ['revenuePerTap'], zoneIds: ['Home'], orderBy: 'revenuePerTap', ...LAST_WEEK, ...APP }]],
  },
];

const speed: readonly Question[] = [
  { number: 15, asked: 'Did the site get slower since last month?', calls: [['analyze_scenario', { startDate: '{month_start}' }]] },
  {
    number: 16,
    asked: 'Which step of the checkout is slowest?',
    calls: [['analyze_scenario', { scenarioIds: CHECKOUTS, view: 'levels', orderBy: 'largestContentfulPaint' }]],
  },
  {
    number: 17,
    asked: 'Which scenarios break our budget (LCP 2.5 s, TBT 200 ms, CLS 0.1, 2.6 MB)?',
    calls: [
      [
        'check_speed_budgets',
        {
          budgets: [
            { metric: 'largestContentfulPaint', limit: 2_500 },
            { metric: 'totalBlockingTime', limit: 200 },
            { metric: 'cumulativeLayoutShift', limit: 0.1 },
            { metric: 'weight', limit: 2_600_000 },
          ],
        },
      ],
    ],
  },
  {
    number: 18,
    asked: "Did Tuesday's release make the checkout slower?",
    calls: [['analyze_scenario', { scenarioIds: CHECKOUTS, startDate: '{tuesday}' }]],
  },
  {
    number: 19,
    asked: 'What loads on this page, and what weighs the most?',
    calls: [['analyze_har', { scenarioId: 'Home – desktop', step: '1' }]],
  },
  {
    number: 20,
    asked: 'Which third parties cost us most?',
    calls: [['analyze_har', { scenarioId: 'Checkout – mobile', step: '1', view: 'third_parties' }]],
  },
  {
    number: 21,
    asked: "Mark today's release on all checkout scenarios.",
    calls: [['create_speed_event', { key: 'release-today', text: 'Release', date: 'now', scenarios: CHECKOUTS }]],
  },
];

const exports_: readonly Question[] = [
  {
    number: 22,
    asked: 'Set up a daily JSONL session export with browser, device, revenue and our custom variable "plan".',
    calls: [
      [
        'plan_export',
        { fields: ['browser', 'device', 'revenue', 'custom variable "plan"'], scope: 'sessions', format: 'JSONL', frequency: 'daily' },
      ],
    ],
  },
  { number: 23, asked: 'List the export jobs and tell me which ones ran successfully.', calls: [['list_export_jobs', {}]] },
  { number: 24, asked: 'Download everything new since yesterday.', calls: [['sync_exports', { since: 'yesterday', waitSeconds: 40 }]] },
  {
    number: 25,
    asked: 'Which days are missing in the daily session export? Backfill them.',
    calls: [['find_export_gaps', { jobId: 'Daily sessions' }]],
  },
  {
    number: 26,
    asked: 'Revenue by browser for last week, from the export.',
    calls: [
      [
        'query_export',
        {
          sql:
            'SELECT browser_name, sum(session_transactions_revenue) AS revenue FROM sessions ' +
            "WHERE session_time >= '{last_monday}' AND session_time < '{this_monday}' GROUP BY ALL ORDER BY revenue DESC",
        },
      ],
    ],
  },
  {
    number: 27,
    asked: 'Sessions with rage clicks on checkout pages, by page, from the views export.',
    calls: [
      [
        'query_export',
        {
          sql:
            'SELECT path, count(DISTINCT session_id) AS sessions FROM views ' +
            "WHERE path LIKE '/checkout%' AND rage_click_all_targets_ind GROUP BY ALL ORDER BY sessions DESC",
        },
      ],
    ],
  },
  { number: 28, asked: 'What can this credential reach?', calls: [['get_credential', {}]] },
];

const since: readonly Question[] = [
  { number: 29, asked: 'What should I know about the last four weeks? Anything that changed?', calls: [['find_changes', {}]] },
  {
    number: 30,
    asked: 'Which weekday converts best this quarter? What share of visits and of revenue is mobile?',
    calls: [
      [
        'query_metrics',
        { metrics: ['conversionRate'], breakdown: ['weekday'], orderBy: 'conversionRate', startDate: '{quarter_start}', endDate: 'yesterday' },
      ],
      [
        'query_metrics',
        { metrics: ['visits', 'revenueSum'], breakdown: ['device'], shares: true, startDate: '{quarter_start}', endDate: 'yesterday' },
      ],
    ],
  },
  { number: 31, asked: 'Which days were outliers in the last two months, and why?', calls: [['find_changes', { days: 61 }]] },
  {
    number: 32,
    asked: 'Did anything get slower this month? (the whole site)',
    calls: [['find_changes', { include: ['speed'], startDate: '{month_start}', endDate: 'yesterday' }]],
  },
  {
    number: 33,
    asked: 'Views by path on mobile, with their median duration, from the exports.',
    calls: [
      [
        'query_export',
        {
          sql:
            'SELECT v.path, count(*) AS views, median(v.view_duration_msec) AS median_ms FROM views v ' +
            'JOIN sessions s USING (session_id) WHERE s.device_id = 2 GROUP BY ALL ORDER BY views DESC LIMIT 10',
        },
      ],
    ],
  },
  {
    number: 34,
    asked: 'Which export files expire tomorrow? Is there an equal job already?',
    calls: [
      ['list_successful_export_runs', { expiresBefore: '{day_after_tomorrow}' }],
      ['plan_export', { fields: ['browser', 'device', 'revenue'], scope: 'sessions', format: 'JSONL', frequency: 'daily' }],
    ],
  },
  {
    number: 35,
    asked: 'Paid search against all visitors: conversion over the last four full weeks.',
    calls: [
      [
        'query_metrics',
        {
          metrics: ['conversionRate'],
          compareSegments: ['Paid search', 'all visitors'],
          startDate: '{four_weeks_start}',
          endDate: '{last_sunday}',
        },
      ],
    ],
  },
];

const decisions: readonly Question[] = [
  {
    number: 36,
    asked: "Was Black Friday normal for us, and against last year? Which of the last ten weeks weren't?",
    calls: [
      ['query_metrics', { metrics: ['visits', 'revenueSum'], expected: true, startDate: '{black_friday}', endDate: '{black_friday}' }],
      ['query_metrics', { metrics: ['visits'], expected: true, breakdown: ['week'], startDate: '{ten_weeks_start}', endDate: '{last_sunday}' }],
    ],
  },
  {
    number: 37,
    asked: 'How many visits will we have next week?',
    calls: [['query_metrics', { metrics: ['visits'], expected: true, startDate: '{next_monday}', endDate: '{next_sunday}' }]],
  },
  {
    number: 38,
    asked: 'Is this drop real, or is our tracking broken?',
    calls: [['compare_metrics', { metrics: ['visits', 'conversionCount'], ...WEEK_TILL_YESTERDAY }]],
  },
  {
    number: 39,
    asked: 'What did the mobile problem cost us until yesterday?',
    calls: [['compare_metrics', { metrics: ['conversionRate'], devices: ['mobile'], startDate: '-14d', endDate: 'yesterday' }]],
  },
  {
    number: 40,
    asked: 'How long must we wait to see a change of 5 %?',
    calls: [['compare_metrics', { metrics: ['conversionRate'], detect: 5, ...WEEK_TILL_YESTERDAY }]],
  },
  {
    number: 41,
    asked: 'Where do we lose buyers between cart and payment, on phones?',
    calls: [['analyze_funnel', { steps: ['/cart', '/checkout/address', '/checkout/payment', 'purchase'], devices: ['mobile'] }]],
  },
  {
    number: 42,
    asked: 'Who comes back within a week, by campaign page they entered on?',
    calls: [['analyze_retention', { breakdown: 'entry_page' }]],
  },
  {
    number: 43,
    asked: 'Which JavaScript error costs us most? Do slow product pages cost sales?',
    calls: [
      ['measure_impact', { conditions: [{ what: 'js_error' }] }],
      ['measure_impact', { conditions: [{ what: 'slow_page', pages: ['/p/*'] }] }],
    ],
  },
  { number: 44, asked: 'What do people do after a search that finds nothing?', calls: [['analyze_paths', { from: '/search/no-results' }]] },
  {
    number: 45,
    asked: 'Did variant B of the checkout win?',
    calls: [['measure_impact', { conditions: [{ what: 'variable', name: 'custom_var_3' }] }]],
  },
  {
    number: 46,
    asked: "Which exports are healthy, and what is about to expire that we don't have yet?",
    calls: [
      ['list_export_jobs', {}],
      ['list_successful_export_runs', { expiresBefore: '{in_three_days}' }],
    ],
  },
  { number: 47, asked: 'Write me the report of last week.', calls: [['compare_metrics', { ...LAST_WEEK }]] },
];

const engineers: readonly Question[] = [
  {
    number: 48,
    asked: 'Did anything get slower or faster in the last full month: which page, step, metric, from what to what, since when, why?',
    calls: [['analyze_scenario', { ...LAST_MONTH }]],
  },
  {
    number: 49,
    asked: 'Current LCP, TBT and CLS of each scenario and step (7-day median), worst first.',
    calls: [
      [
        'analyze_scenario',
        { view: 'levels', metrics: ['largestContentfulPaint', 'totalBlockingTime', 'cumulativeLayoutShift'], orderBy: 'largestContentfulPaint' },
      ],
    ],
  },
  {
    number: 50,
    asked: 'What changed on the page when the worst slow-down began: hosts, requests, bytes, what blocks rendering?',
    calls: [['compare_hars', { scenarioId: '{slow_scenario}', step: '{slow_step}' }]],
  },
  {
    number: 51,
    asked: 'Is checkout on mobile fine (performance, failures, stability)?',
    calls: [['analyze_scenario', { scenarioIds: ['Checkout – mobile'] }]],
  },
  {
    number: 52,
    asked: 'Which scenario was bad for a while and is fine again, from when to when?',
    calls: [['analyze_scenario', { startDate: '-30d' }]],
  },
  { number: 53, asked: 'Does any scenario creep up slowly?', calls: [['analyze_scenario', { startDate: '-45d' }]] },
  {
    number: 54,
    asked: 'Which third parties cost us most on the home page, by bytes and by blocking time?',
    calls: [['analyze_har', { scenarioId: 'Home – desktop', step: '1', view: 'third_parties' }]],
  },
  {
    number: 55,
    asked: 'What would you fix first on the product page for mobile? Three findings with numbers.',
    calls: [['analyze_har', { scenarioId: 'Product page – mobile', step: 'Product' }]],
  },
  {
    number: 56,
    asked: 'Which runs failed in the last 7 days: scenario, how many of how many, at which step or action, and since when?',
    calls: [['analyze_scenario', { view: 'failures' }]],
  },
  {
    number: 57,
    asked: 'Put a marker "checkout v3 rollout" at yesterday 18:00 on all checkout scenarios, show it, remove it.',
    calls: [
      ['create_speed_event', { key: 'checkout-v3', text: 'checkout v3 rollout', date: '{yesterday}T18:00:00Z', scenarios: CHECKOUTS }],
      ['list_speed_events', { key: 'checkout-v3' }],
      ['delete_speed_event', { key: 'checkout-v3', confirm: true }],
    ],
  },
  { number: 58, asked: 'Has TTFB changed anywhere?', calls: [['analyze_scenario', { metrics: ['timeToFirstByte'] }]] },
  {
    number: 59,
    asked: 'The slowest and the fastest run of a scenario last week: what differs?',
    calls: [['analyze_scenario', { scenarioIds: ['Checkout – desktop'], view: 'runs', ...LAST_WEEK }]],
  },
  {
    number: 60,
    asked: 'Are images served in modern formats and sizes? The biggest, with bytes.',
    calls: [['analyze_har', { scenarioId: 'Home – desktop', step: '1', type: 'image', orderBy: 'bytes', limit: 5 }]],
  },
  {
    number: 61,
    asked: 'Is it slower at night or on weekends?',
    calls: [['analyze_scenario', { scenarioIds: ['Checkout – desktop'], breakdown: 'weekend', view: 'levels', startDate: '-28d' }]],
  },
  {
    number: 62,
    asked: 'What is the Lighthouse score of the home page?',
    calls: [['analyze_scenario', { scenarioIds: ['Home – desktop'], view: 'levels', metrics: ['lighthouse score'] }]],
  },
  {
    number: 63,
    asked: 'Layout shift of the product page by week: did it change?',
    calls: [
      [
        'analyze_scenario',
        { scenarioIds: ['Product page – mobile'], breakdown: 'week', view: 'levels', metrics: ['cumulativeLayoutShift'], startDate: '-28d' },
      ],
    ],
  },
  {
    number: 64,
    asked: '"The deploy of the 28th broke checkout": true?',
    calls: [['analyze_scenario', { scenarioIds: CHECKOUTS, startDate: '{last_28th}' }]],
  },
  {
    number: 65,
    asked: 'Draw me the trend.',
    calls: [['query_metrics', { metrics: ['visits'], breakdown: ['day'], startDate: '-28d', endDate: 'yesterday', chart: true }]],
  },
];

const notHere: readonly Question[] = [
  {
    number: 66,
    asked: 'Show me the heatmap of the home page.',
    calls: [['query_metrics', { metrics: ['heatmap'], ...LAST_WEEK }]],
  },
  {
    number: 67,
    asked: 'What do real users measure as LCP?',
    calls: [['query_metrics', { metrics: ['LCP'], ...LAST_WEEK }]],
  },
  {
    number: 68,
    asked: 'How many unique users did we have last week (no export downloaded)?',
    calls: [['query_metrics', { metrics: ['unique users'], ...LAST_WEEK }]],
  },
];

/** What users ask, by number. */
export const questions: readonly Question[] = [
  ...metrics,
  ...speed,
  ...exports_,
  ...since,
  ...decisions,
  ...engineers,
  ...notHere,
];
