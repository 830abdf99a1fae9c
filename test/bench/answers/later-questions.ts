import type { Question } from './question.ts';

const LAST_WEEK = { startDate: 'last_week', endDate: 'last_week' };
const LAST_MONTH = { startDate: 'last_month', endDate: 'last_month' };
const WEEK_TILL_YESTERDAY = { startDate: '-7d', endDate: 'yesterday' };
const CHECKOUTS = ['Checkout – desktop', 'Checkout – mobile'];

/** Questions that end in a decision. */
export const decisions: readonly Question[] = [
  {
    number: 36,
    asked: "Was Black Friday normal for us, and against last year? Which of the last ten weeks weren't?",
    calls: [
      ['query_metrics', { metrics: ['visits', 'revenueSum'], expected: true, startDate: '{black_friday}', endDate: '{black_friday}' }],
      [
        'query_metrics',
        { metrics: ['visits'], expected: true, breakdown: ['week'], startDate: '{ten_weeks_start}', endDate: '{last_sunday}' },
      ],
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

/** Questions about speed, as engineers ask them. */
export const engineers: readonly Question[] = [
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
        {
          view: 'levels',
          metrics: ['largestContentfulPaint', 'totalBlockingTime', 'cumulativeLayoutShift'],
          orderBy: 'largestContentfulPaint',
        },
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
        {
          scenarioIds: ['Product page – mobile'],
          breakdown: 'week',
          view: 'levels',
          metrics: ['cumulativeLayoutShift'],
          startDate: '-28d',
        },
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

/** Questions that this interface does not answer. */
export const notHere: readonly Question[] = [
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
