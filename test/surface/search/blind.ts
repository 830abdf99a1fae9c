import type { SearchQuestion } from './questions.ts';

/**
 * A third set, written from what the tools can do, before any search was run over it. No description is reworded for it: once one is, the
 * set is seen and the next one has to be written.
 */
export const blind: readonly (SearchQuestion & { readonly searched: string })[] = [
  {
    asked: 'our sales are down 10 percent, what happened?',
    searched: 'revenue decline root cause',
    tools: ['compare_metrics', 'find_changes'],
  },
  {
    asked: 'did the homepage redesign hurt conversion?',
    searched: 'compare conversion rate before and after date',
    tools: ['compare_metrics', 'find_changes'],
  },
  {
    asked: 'was the dip on Thursday just chance?',
    searched: 'statistical significance of metric change',
    tools: ['compare_metrics', 'find_changes', 'query_metrics'],
  },
  { asked: 'visits per country segment in the last 30 days', searched: 'visits by segment', tools: ['query_metrics', 'get_site_visits'] },
  { asked: 'how did October do against September', searched: 'month over month comparison revenue visits', tools: ['compare_metrics'] },
  {
    asked: 'what part of our turnover comes from tablets',
    searched: 'revenue share by device type',
    tools: ['query_metrics', 'compare_metrics'],
  },
  { asked: 'anything I should worry about this morning?', searched: 'anomaly detection across all metrics', tools: ['find_changes'] },
  { asked: 'what went wrong on Cyber Monday', searched: 'explain metric drop on single day', tools: ['compare_metrics', 'find_changes'] },
  { asked: 'when do most people buy, morning or evening?', searched: 'conversions by hour of day', tools: ['query_metrics'] },
  { asked: 'average order value by month', searched: 'cart average monthly', tools: ['query_metrics', 'get_site_cart_average'] },
  {
    asked: 'how many pages does a visitor look at',
    searched: 'pageviews per visit average',
    tools: ['query_metrics', 'get_site_pageview_average'],
  },
  { asked: 'what will revenue be in the next four weeks', searched: 'revenue forecast', tools: ['query_metrics'] },
  {
    asked: 'how soon do users touch the banner after the screen opens',
    searched: 'time before first tap zone metric',
    tools: ['get_zone_time_before_first_tap', 'query_metrics', 'get_zone_metrics'],
  },
  {
    asked: 'does anybody swipe the carousel',
    searched: 'zone swipe rate',
    tools: ['get_zone_swipe_rate', 'query_metrics', 'get_zone_metrics'],
  },
  {
    asked: 'the app feels sluggish since the weekend',
    searched: 'performance regression detection synthetic scenario',
    tools: ['analyze_scenario', 'find_changes'],
  },
  {
    asked: 'is the login page quick enough?',
    searched: 'web vitals against thresholds',
    tools: ['check_speed_budgets', 'analyze_scenario'],
  },
  { asked: 'since when is the product page slow', searched: 'LCP change point date', tools: ['analyze_scenario', 'find_changes'] },
  {
    asked: 'our synthetic monitoring keeps failing, where?',
    searched: 'failed scenario runs by step',
    tools: ['analyze_scenario', 'list_scenario_reports'],
  },
  { asked: 'which script on the cart page is the heaviest', searched: 'largest javascript files in HAR', tools: ['analyze_har'] },
  { asked: 'how much do tag managers and ads slow the home page', searched: 'third party blocking time and bytes', tools: ['analyze_har'] },
  { asked: 'are we caching our static files properly', searched: 'cache headers of requests in page load', tools: ['analyze_har'] },
  {
    asked: 'what did they add to the page between Monday and today',
    searched: 'diff two HAR files requests added removed',
    tools: ['compare_hars'],
  },
  { asked: 'give me the raw HAR of the payment step', searched: 'HAR file of a step', tools: ['get_step_har', 'analyze_har'] },
  {
    asked: 'note that version 4.2 was rolled out at noon',
    searched: 'annotate deployment on scenario timeline',
    tools: ['create_speed_event'],
  },
  { asked: 'I marked the wrong release, take it away', searched: 'remove deployment annotation', tools: ['delete_speed_event'] },
  { asked: 'which releases were noted in November?', searched: 'list deployment markers', tools: ['list_speed_events'] },
  { asked: 'what do we monitor for speed at the moment', searched: 'list monitored scenarios', tools: ['list_scenarios'] },
  {
    asked: 'details of the last synthetic run on the checkout',
    searched: 'single run report with step timings',
    tools: ['get_scenario_report', 'list_scenario_reports', 'get_step_report'],
  },
  {
    asked: 'our data team needs every page view with url and scroll depth, each night',
    searched: 'create recurring pageview export',
    tools: ['plan_export', 'create_export_job'],
  },
  { asked: 'go ahead and create the export we just planned', searched: 'apply planned export', tools: ['apply_export_plan'] },
  {
    asked: 'which export jobs have been failing lately',
    searched: 'export job health status',
    tools: ['list_export_jobs', 'list_export_runs', 'find_export_gaps'],
  },
  {
    asked: 'get the newest data onto this computer',
    searched: 'download all pending export files',
    tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: 'do we have all days of October in the export?',
    searched: 'check export completeness for missing dates',
    tools: ['find_export_gaps'],
  },
  {
    asked: 'when will last week’s files be deleted on the server',
    searched: 'export files expiration date',
    tools: ['list_successful_export_runs', 'get_export_run', 'list_export_runs'],
  },
  { asked: 'count sessions by browser version with a query', searched: 'run SQL over downloaded exports', tools: ['query_export'] },
  { asked: 'free some disk space', searched: 'delete downloaded exports from disk', tools: ['purge_workspace'] },
  { asked: 'how much have we downloaded so far', searched: 'workspace contents and size', tools: ['list_workspace'] },
  {
    asked: 'what information about a session can we get out',
    searched: 'available export fields for sessions',
    tools: ['list_exportable_fields'],
  },
  { asked: 'in which step of the order form do mobile users give up', searched: 'funnel drop-off by device', tools: ['analyze_funnel'] },
  { asked: 'from which page do people leave the site', searched: 'exit pages user journeys', tools: ['analyze_paths'] },
  { asked: 'what do visitors do right before they buy', searched: 'paths leading to purchase', tools: ['analyze_paths'] },
  {
    asked: 'how many first-time customers visit again after a month',
    searched: 'cohort retention new visitors',
    tools: ['analyze_retention'],
  },
  { asked: 'how much money do crashes lose us', searched: 'revenue impact of errors', tools: ['measure_impact'] },
  { asked: 'was the green button better than the red one', searched: 'A/B test winner evaluation', tools: ['measure_impact'] },
  { asked: 'do visitors with failed API calls buy less', searched: 'impact of api errors on conversion', tools: ['measure_impact'] },
  { asked: 'what am I allowed to see with this key', searched: 'credential permissions', tools: ['get_credential', 'authenticate'] },
  { asked: 'is there something called summer campaign in our account', searched: 'search objects by name', tools: ['find_objects'] },
  { asked: 'which conversion goals are defined', searched: 'list of goals', tools: ['list_goals', 'find_objects'] },
  { asked: 'which groups of visitors have we saved', searched: 'list saved segments', tools: ['list_segments', 'find_objects'] },
  {
    asked: 'add the loyalty level from our CRM to yesterday’s sessions',
    searched: 'upload CRM data to sessions',
    tools: ['send_enrichments'],
  },
];
