import { decisions, engineers, notHere } from './later-questions.ts';
import type { Question } from './question.ts';

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
  {
    number: 12,
    asked: "Is today's data complete?",
    calls: [['query_metrics', { metrics: ['visits'], startDate: 'today', endDate: 'today' }]],
  },
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

/** What users ask, by number. */
export const questions: readonly Question[] = [...metrics, ...speed, ...exports_, ...since, ...decisions, ...engineers, ...notHere];
