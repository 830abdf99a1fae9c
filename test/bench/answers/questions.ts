import type { Call, Question } from './question.ts';

const LAST_WEEK = { startDate: 'last_week', endDate: 'last_week' };
const LAST_MONTH = { startDate: 'last_month', endDate: 'last_month' };
const WEEK_TILL_YESTERDAY = { startDate: '-7d', endDate: 'yesterday' };
const APP = { projectId: '1202' };
const CHECKOUTS = ['Checkout – desktop', 'Checkout – mobile'];

const ASKED: Readonly<Record<number, readonly [asked: string, ...Call[]]>> = {
  1: ['Why did our conversion rate drop last week?', ['compare_metrics', { metrics: ['conversionRate'], ...LAST_WEEK }]],
  2: ['On which day did the drop start?', ['compare_metrics', { metrics: ['conversionRate'], ...WEEK_TILL_YESTERDAY }]],
  3: ['Is the drop on mobile only?', ['compare_metrics', { metrics: ['conversionRate'], by: 'device', ...WEEK_TILL_YESTERDAY }]],
  4: ['Is it traffic mix or a real rate change?', ['compare_metrics', { metrics: ['conversionRate'], ...LAST_WEEK }]],
  5: [
    'Why is revenue down this week: fewer visits, lower conversion or a smaller basket?',
    ['compare_metrics', { metrics: ['revenueSum'], startDate: 'this_week', endDate: 'yesterday' }],
  ],
  6: [
    'Compare conversion on desktop, mobile and tablet for last month.',
    ['query_metrics', { metrics: ['conversionRate'], breakdown: ['device'], ...LAST_MONTH }],
  ],
  7: [
    'New against returning visitors: conversion, revenue, time on site?',
    [
      'query_metrics',
      {
        metrics: ['conversionRate', 'revenueSum', 'sessionTimeAverage'],
        compareSegments: ['New visitors', 'Returning visitors'],
        ...LAST_MONTH,
      },
    ],
  ],
  8: [
    'Give me the weekly KPI report with the change from the week before.',
    ['compare_metrics', { metrics: ['all'], ...LAST_WEEK, explain: false }],
  ],
  9: [
    'Show monthly visits for the past 12 months.',
    ['query_metrics', { metrics: ['visits'], breakdown: ['month'], startDate: '-12mo', endDate: 'last_month' }],
  ],
  10: [
    'What is the average conversion rate over six months?',
    ['query_metrics', { metrics: ['conversionRate'], startDate: '-6mo', endDate: 'yesterday' }],
  ],
  11: [
    'Compare this week with the same week last year.',
    ['compare_metrics', { metrics: ['visits'], startDate: 'this_week', endDate: 'yesterday', baseline: 'previous_year', explain: false }],
  ],
  12: ["Is today's data complete?", ['query_metrics', { metrics: ['visits'], startDate: 'today', endDate: 'today' }]],
  13: [
    'What is the tap rate of "Add to cart" on the product screen?',
    ['query_metrics', { metrics: ['tapRate'], zoneIds: ['Product screen / Add to cart'], ...LAST_WEEK, ...APP }],
  ],
  14: [
    'Which zones of the home screen bring most revenue per tap?',
    ['query_metrics', { metrics: ['revenuePerTap'], zoneIds: ['Home'], orderBy: 'revenuePerTap', ...LAST_WEEK, ...APP }],
  ],
  15: ['Did the site get slower since last month?', ['analyze_scenario', { startDate: '{month_start}' }]],
  16: [
    'Which step of the checkout is slowest?',
    ['analyze_scenario', { scenarioIds: CHECKOUTS, view: 'levels', orderBy: 'largestContentfulPaint' }],
  ],
  17: [
    'Which scenarios break our budget (LCP 2.5 s, TBT 200 ms, CLS 0.1, 2.6 MB)?',
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
  18: ["Did Tuesday's release make the checkout slower?", ['analyze_scenario', { scenarioIds: CHECKOUTS, startDate: '{tuesday}' }]],
  19: ['What loads on this page, and what weighs the most?', ['analyze_har', { scenarioId: 'Home – desktop', step: '1' }]],
  20: ['Which third parties cost us most?', ['analyze_har', { scenarioId: 'Checkout – mobile', step: '1', view: 'third_parties' }]],
  21: [
    "Mark today's release on all checkout scenarios.",
    ['create_speed_event', { key: 'release-today', text: 'Release', date: 'now', scenarios: CHECKOUTS }],
  ],
  22: [
    'Set up a daily JSONL session export with browser, device, revenue and our custom variable "plan".',
    [
      'plan_export',
      { fields: ['browser', 'device', 'revenue', 'custom variable "plan"'], scope: 'sessions', format: 'JSONL', frequency: 'daily' },
    ],
  ],
  23: ['List the export jobs and tell me which ones ran successfully.', ['list_export_jobs', {}]],
  24: ['Download everything new since yesterday.', ['sync_exports', { since: 'yesterday', waitSeconds: 40 }]],
  25: ['Which days are missing in the daily session export? Backfill them.', ['find_export_gaps', { jobId: 'Daily sessions' }]],
  26: [
    'Revenue by browser for last week, from the export.',
    [
      'query_export',
      {
        sql:
          'SELECT browser_name, sum(session_transactions_revenue) AS revenue FROM sessions ' +
          "WHERE session_time >= '{last_monday}' AND session_time < '{this_monday}' GROUP BY ALL ORDER BY revenue DESC",
      },
    ],
  ],
  27: [
    'Sessions with rage clicks on checkout pages, by page, from the views export.',
    [
      'query_export',
      {
        sql:
          'SELECT path, count(DISTINCT session_id) AS sessions FROM views ' +
          "WHERE path LIKE '/checkout%' AND rage_click_all_targets_ind GROUP BY ALL ORDER BY sessions DESC",
      },
    ],
  ],
  28: ['What can this credential reach?', ['get_credential', {}]],
  29: ['What should I know about the last four weeks? Anything that changed?', ['find_changes', {}]],
  30: [
    'Which weekday converts best this quarter? What share of visits and of revenue is mobile?',
    [
      'query_metrics',
      {
        metrics: ['conversionRate'],
        breakdown: ['weekday'],
        orderBy: 'conversionRate',
        startDate: '{quarter_start}',
        endDate: 'yesterday',
      },
    ],
    [
      'query_metrics',
      { metrics: ['visits', 'revenueSum'], breakdown: ['device'], shares: true, startDate: '{quarter_start}', endDate: 'yesterday' },
    ],
  ],
  31: ['Which days were outliers in the last two months, and why?', ['find_changes', { days: 61 }]],
  32: [
    'Did anything get slower this month? (the whole site)',
    ['find_changes', { include: ['speed'], startDate: '{month_start}', endDate: 'yesterday' }],
  ],
  33: [
    'Views by path on mobile, with their median duration, from the exports.',
    [
      'query_export',
      {
        sql:
          'SELECT v.path, count(*) AS views, median(v.view_duration_msec) AS median_ms FROM views v ' +
          'JOIN sessions s USING (session_id) WHERE s.device_id = 2 GROUP BY ALL ORDER BY views DESC LIMIT 10',
      },
    ],
  ],
  34: [
    'Which export files expire tomorrow? Is there an equal job already?',
    ['list_successful_export_runs', { expiresBefore: '{day_after_tomorrow}' }],
    ['plan_export', { fields: ['browser', 'device', 'revenue'], scope: 'sessions', format: 'JSONL', frequency: 'daily' }],
  ],
  35: [
    'Paid search against all visitors: conversion over the last four full weeks.',
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
  // Questions that end in a decision.
  36: [
    "Was Black Friday normal for us, and against last year? Which of the last ten weeks weren't?",
    ['query_metrics', { metrics: ['visits', 'revenueSum'], expected: true, startDate: '{black_friday}', endDate: '{black_friday}' }],
    [
      'query_metrics',
      { metrics: ['visits'], expected: true, breakdown: ['week'], startDate: '{ten_weeks_start}', endDate: '{last_sunday}' },
    ],
  ],
  37: [
    'How many visits will we have next week?',
    ['query_metrics', { metrics: ['visits'], expected: true, startDate: '{next_monday}', endDate: '{next_sunday}' }],
  ],
  38: [
    'Is this drop real, or is our tracking broken?',
    ['compare_metrics', { metrics: ['visits', 'conversionCount'], ...WEEK_TILL_YESTERDAY }],
  ],
  39: [
    'What did the mobile problem cost us until yesterday?',
    ['compare_metrics', { metrics: ['conversionRate'], devices: ['mobile'], startDate: '-14d', endDate: 'yesterday' }],
  ],
  40: [
    'How long must we wait to see a change of 5 %?',
    ['compare_metrics', { metrics: ['conversionRate'], detect: 5, ...WEEK_TILL_YESTERDAY }],
  ],
  41: [
    'Where do we lose buyers between cart and payment, on phones?',
    ['analyze_funnel', { steps: ['/cart', '/checkout/address', '/checkout/payment', 'purchase'], devices: ['mobile'] }],
  ],
  42: ['Who comes back within a week, by campaign page they entered on?', ['analyze_retention', { breakdown: 'entry_page' }]],
  43: [
    'Which JavaScript error costs us most? Do slow product pages cost sales?',
    ['measure_impact', { conditions: [{ what: 'js_error' }] }],
    ['measure_impact', { conditions: [{ what: 'slow_page', pages: ['/p/*'] }] }],
  ],
  44: ['What do people do after a search that finds nothing?', ['analyze_paths', { from: '/search/no-results' }]],
  45: ['Did variant B of the checkout win?', ['measure_impact', { conditions: [{ what: 'variable', name: 'custom_var_3' }] }]],
  46: [
    "Which exports are healthy, and what is about to expire that we don't have yet?",
    ['list_export_jobs', {}],
    ['list_successful_export_runs', { expiresBefore: '{in_three_days}' }],
  ],
  47: ['Write me the report of last week.', ['compare_metrics', { ...LAST_WEEK }]],
  // Questions about speed, as engineers ask them.
  48: [
    'Did anything get slower or faster in the last full month: which page, step, metric, from what to what, since when, why?',
    ['analyze_scenario', { ...LAST_MONTH }],
  ],
  49: [
    'Current LCP, TBT and CLS of each scenario and step (7-day median), worst first.',
    [
      'analyze_scenario',
      {
        view: 'levels',
        metrics: ['largestContentfulPaint', 'totalBlockingTime', 'cumulativeLayoutShift'],
        orderBy: 'largestContentfulPaint',
      },
    ],
  ],
  50: [
    'What changed on the page when the worst slow-down began: hosts, requests, bytes, what blocks rendering?',
    ['compare_hars', { scenarioId: '{slow_scenario}', step: '{slow_step}' }],
  ],
  51: ['Is checkout on mobile fine (performance, failures, stability)?', ['analyze_scenario', { scenarioIds: ['Checkout – mobile'] }]],
  52: ['Which scenario was bad for a while and is fine again, from when to when?', ['analyze_scenario', { startDate: '-30d' }]],
  53: ['Does any scenario creep up slowly?', ['analyze_scenario', { startDate: '-45d' }]],
  54: [
    'Which third parties cost us most on the home page, by bytes and by blocking time?',
    ['analyze_har', { scenarioId: 'Home – desktop', step: '1', view: 'third_parties' }],
  ],
  55: [
    'What would you fix first on the product page for mobile? Three findings with numbers.',
    ['analyze_har', { scenarioId: 'Product page – mobile', step: 'Product' }],
  ],
  56: [
    'Which runs failed in the last 7 days: scenario, how many of how many, at which step or action, and since when?',
    ['analyze_scenario', { view: 'failures' }],
  ],
  57: [
    'Put a marker "checkout v3 rollout" at yesterday 18:00 on all checkout scenarios, show it, remove it.',
    ['create_speed_event', { key: 'checkout-v3', text: 'checkout v3 rollout', date: '{yesterday}T18:00:00Z', scenarios: CHECKOUTS }],
    ['list_speed_events', { key: 'checkout-v3' }],
    ['delete_speed_event', { key: 'checkout-v3', confirm: true }],
  ],
  58: ['Has TTFB changed anywhere?', ['analyze_scenario', { metrics: ['timeToFirstByte'] }]],
  59: [
    'The slowest and the fastest run of a scenario last week: what differs?',
    ['analyze_scenario', { scenarioIds: ['Checkout – desktop'], view: 'runs', ...LAST_WEEK }],
  ],
  60: [
    'Are images served in modern formats and sizes? The biggest, with bytes.',
    ['analyze_har', { scenarioId: 'Home – desktop', step: '1', type: 'image', orderBy: 'bytes', limit: 5 }],
  ],
  61: [
    'Is it slower at night or on weekends?',
    ['analyze_scenario', { scenarioIds: ['Checkout – desktop'], breakdown: 'weekend', view: 'levels', startDate: '-28d' }],
  ],
  62: [
    'What is the Lighthouse score of the home page?',
    ['analyze_scenario', { scenarioIds: ['Home – desktop'], view: 'levels', metrics: ['lighthouse score'] }],
  ],
  63: [
    'Layout shift of the product page by week: did it change?',
    [
      'analyze_scenario',
      {
        scenarioIds: ['Product page – mobile'],
        breakdown: 'week',
        view: 'levels',
        metrics: ['cumulativeLayoutShift'],
        startDate: '-28d',
      },
    ],
  ],
  64: ['"The deploy of the 28th broke checkout": true?', ['analyze_scenario', { scenarioIds: CHECKOUTS, startDate: '{last_28th}' }]],
  65: [
    'Draw me the trend.',
    ['query_metrics', { metrics: ['visits'], breakdown: ['day'], startDate: '-28d', endDate: 'yesterday', chart: true }],
  ],
  // Questions that this interface does not answer.
  66: ['Show me the heatmap of the home page.', ['query_metrics', { metrics: ['heatmap'], ...LAST_WEEK }]],
  67: ['What do real users measure as LCP?', ['query_metrics', { metrics: ['LCP'], ...LAST_WEEK }]],
  68: [
    'How many unique users did we have last week (no export downloaded)?',
    ['query_metrics', { metrics: ['unique users'], ...LAST_WEEK }],
  ],
};

/** What users ask, by number. */
export const questions = Object.entries(ASKED).map(([number, [asked, ...calls]]): Question => ({ number: Number(number), asked, calls }));
