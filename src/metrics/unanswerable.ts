import { hint } from '../lib/hint.ts';
/**
 * Frequent questions to such platforms that no metric answers, each with the nearest that there is. `ofExports`: a tool answers it from
 * downloaded exports.
 */
export const unanswerable: readonly { readonly asked: string; readonly nearest: string; readonly ofExports?: true }[] = [
  {
    asked: 'funnels',
    ofExports: true,
    nearest: `they are counted from exports of views and sessions${hint('analyze_funnel', ' by analyze_funnel')}`,
  },
  {
    asked: 'journeys',
    ofExports: true,
    nearest: `they are followed in exports of views${hint('analyze_paths', ' by analyze_paths')}`,
  },
  {
    asked: 'page-level metrics',
    nearest:
      'export of scope views (url_no_query_param, view_duration_msec, scroll_rate, is_first, is_last); for app screens the zone metrics',
  },
  { asked: 'heatmaps', nearest: 'zone metrics of apps (tap and swipe rates); nothing for the web' },
  { asked: 'replay', nearest: 'none; the scope session-replay has no operation in this interface' },
  {
    asked: 'cost of errors',
    ofExports: true,
    nearest: `it is measured in exports of views and sessions${hint('measure_impact', ' by measure_impact')}`,
  },
  { asked: 'unique users', nearest: 'visits, or an export of scope sessions: count(DISTINCT user_id) over the days of its files' },
  {
    asked: 'long forecasts',
    nearest: `visits and the like up to 28 days ahead${hint('query_metrics', ' (query_metrics with expected)')}`,
  },
  {
    asked: 'scores of other tools',
    nearest: `lab runs against the limits of Lighthouse${hint('check_speed_budgets', ' (check_speed_budgets)')}`,
  },
  {
    asked: 'real-user vitals',
    nearest: 'scenario reports (lab runs), or an export of scope views (dom_interactive_after_msec, start_render, fully_loaded)',
  },
];

const NO_USERS =
  'visitors are not counted; the nearest is visits (sessions), or count(DISTINCT user_id) over the days of an export of sessions';
const NO_ORDERS = 'orders are not counted; the nearest are conversionCount (sessions with a purchase) and revenueSum / cartAverage';
const NO_CLICKS = 'clicks are not counted; the nearest are tapRate and tapRecurrence of app zones';
const NO_PAGES = 'pages are not measured one by one; the nearest is';
const NO_VITALS =
  'real visitors are not timed; the nearest are speed metrics of lab runs' +
  hint('analyze_scenario', ' (analyze_scenario)') +
  ', such as largestContentfulPaint';
const NO_NEW = 'the nearest are visits of the segments of new and returning visitors (compareSegments)';

/** Frequent names that are no metric of the interface, folded, each with the nearest metric. */
export const missingMetrics: Readonly<Record<string, string>> = {
  users: NO_USERS,
  visitors: NO_USERS,
  uniqueusers: NO_USERS,
  uniquevisitors: NO_USERS,
  uniques: NO_USERS,
  activeusers: NO_USERS,
  dau: NO_USERS,
  mau: NO_USERS,
  newusers: NO_NEW,
  newvisitors: NO_NEW,
  returningusers: NO_NEW,
  returningvisitors: NO_NEW,
  retention: `retention is not measured; ${NO_NEW}`,
  retentionrate: `retention is not measured; ${NO_NEW}`,
  uniquepageviews: 'page views are given per session only: pageviewAverage, times visits for their number',
  transactions: NO_ORDERS.replace('orders', 'transactions'),
  orders: NO_ORDERS,
  purchases: 'purchases are not counted; the nearest is conversionCount (sessions with a purchase)',
  itemssold: NO_ORDERS.replace('orders', 'items'),
  unitssold: NO_ORDERS.replace('orders', 'items'),
  revenuepervisit: 'the nearest are revenueSum and visits: divide them',
  revenuepersession: 'the nearest are revenueSum and visits: divide them',
  rpv: 'the nearest are revenueSum and visits: divide them',
  lifetimevalue: 'buyers are not followed; the nearest are revenueSum and cartAverage',
  ltv: 'buyers are not followed; the nearest are revenueSum and cartAverage',
  exitrate: 'there is no exit rate; the nearest is bounceRate',
  exits: 'exits are not counted; the nearest is bounceRate',
  dropoffrate: 'there is no drop-off rate; the nearest is bounceRate, or an export of scope views for the steps of a funnel',
  abandonmentrate: 'there is no abandonment rate; the nearest is conversionRate of a goal such as the start of the checkout (goalIds)',
  cartabandonmentrate: 'there is no abandonment rate; the nearest is conversionRate of a goal such as the start of the checkout (goalIds)',
  engagementrate: 'there is no engagement rate; the nearest is bounceRate (engagement is about 100 minus that)',
  engagedsessions: 'engaged sessions are not counted; the nearest are visits and bounceRate',
  engagementtime: 'the nearest is sessionTimeAverage',
  timeonpage: `${NO_PAGES} sessionTimeAverage, or an export of scope views (view_duration_msec)`,
  averagetimeonpage: `${NO_PAGES} sessionTimeAverage, or an export of scope views (view_duration_msec)`,
  scrolldepth: `${NO_PAGES} an export of scope views (scroll_rate)`,
  scrollrate: `${NO_PAGES} an export of scope views (scroll_rate)`,
  rageclicks: 'frustration is not measured here; the nearest is an export of scope views (rage_click_all_targets_ind)',
  frustrationscore: 'frustration is not measured here; the nearest is an export of scope views (frustration_score)',
  errorrate: 'errors are not measured here; the nearest is an export of scope views (any_js_error_ind, any_api_error_ind)',
  errors: 'errors are not measured here; the nearest is an export of scope views (any_js_error_ind, any_api_error_ind)',
  impressions: 'impressions are not measured; the nearest is visits',
  taps: 'taps are not counted; the nearest are tapRate and tapRecurrence of a zone',
  clicks: NO_CLICKS,
  clickrate: 'clicks are not measured; the nearest is tapRate of app zones',
  clickthroughrate: 'clicks are not measured; the nearest is tapRate of app zones',
  ctr: 'clicks are not measured; the nearest is tapRate of app zones',
  webvitals: NO_VITALS,
  corewebvitals: NO_VITALS,
  realuservitals: NO_VITALS,
  realusermetrics: NO_VITALS,
  realusermonitoring: NO_VITALS,
  fieldvitals: NO_VITALS,
  rum: NO_VITALS,
};

/** What the metrics count that answer in place of others. */
export const standInWords = {
  conversionCount: 'sessions with a purchase, unless another goal is named; several orders of one session count once',
  pageviewAverage: 'page views are given per session; times visits they are their number',
} as const;

/** Of these the metric that answers in their place: what most people who ask for orders or page views want to know. */
export const metricStandIns: Readonly<Record<string, keyof typeof standInWords>> = {
  orders: 'conversionCount',
  numberoforders: 'conversionCount',
  ordercount: 'conversionCount',
  transactions: 'conversionCount',
  numberoftransactions: 'conversionCount',
  purchases: 'conversionCount',
  pageviews: 'pageviewAverage',
  views: 'pageviewAverage',
  screenviews: 'pageviewAverage',
};
