import type { SearchQuestion } from './questions.ts';
/** An eighth set, by a third writer who had seen no text of the server. */
export const eighth: readonly (SearchQuestion & { readonly searched: string })[] = [
  {
    asked: 'back from 2 wks holiday, did i miss anything on the shop?? anything weird going on',
    searched: 'recent anomalies overview site',
    tools: ['find_changes'],
  },
  {
    asked:
      'Monday standup in 10 min. give me the five things on the banking app that look different from usual, I ' +
      'have no particular topic',
    searched: 'notable changes summary app',
    tools: ['find_changes'],
  },
  {
    asked: 'was ist los auf der seite heute? something feels off but cant say what',
    searched: 'detect unusual changes today',
    tools: ['find_changes', 'query_metrics'],
  },
  {
    asked:
      'Revenue on the shoe category is down 14% on last week, is it fewer people coming, lower conversion or ' +
      'smaller baskets?',
    searched: 'revenue drop decomposition traffic conversion basket',
    tools: ['compare_metrics'],
  },
  {
    asked: 'iphone vs android users of the app: login success, bounce, time spent. side by side pls',
    searched: 'compare devices metrics iOS Android',
    tools: ['compare_metrics'],
  },
  {
    asked: 'black friday this year against last year, visits orders and AOV',
    searched: 'compare periods year over year sales',
    tools: ['compare_metrics'],
  },
  {
    asked: 'why did the completion rate of the loan application fall since the 3rd?',
    searched: 'explain conversion rate decline',
    tools: ['compare_metrics'],
  },
  {
    asked: 'new customers versus loyalty card holders - who spends more and how do they behave differently',
    searched: 'compare segments behaviour metrics',
    tools: ['compare_metrics'],
  },
  {
    asked: 'bounce on mobile jumped after the app banner came. whats driving it, source? device? country? landing page?',
    searched: 'bounce rate increase root cause dimensions',
    tools: ['compare_metrics', 'find_changes'],
  },
  {
    asked: 'how many people opened the mortgage calculator last month',
    searched: 'visits page group last month',
    tools: ['query_metrics', 'query_export'],
  },
  {
    asked: 'daily orders and turnover for the TV & audio pages since 1 october, as a table',
    searched: 'daily purchases revenue by page category',
    tools: ['query_metrics', 'query_export'],
  },
  {
    asked: 'Can you project our traffic till end of the month-ish, 4 weeks out, I must plan callcentre shifts',
    searched: 'traffic forecast next weeks',
    tools: ['query_metrics'],
  },
  { asked: 'top 20 landing pages by bounces mobile only', searched: 'top pages bounce rate mobile', tools: ['query_export'] },
  {
    asked: 'what percent of our visits comes from tablet nowadays? boss wants to kill the tablet layout',
    searched: 'device share of sessions',
    tools: ['query_metrics'],
  },
  {
    asked: 'were yesterdays 1,840 checkouts normal for a tuesday or is that low',
    searched: 'expected value versus actual metric',
    tools: ['query_metrics', 'find_changes', 'compare_metrics'],
  },
  {
    asked: 'weekly numbers of the quarter pls: sessions, conv rate, cart abandonment, avg order',
    searched: 'weekly metrics report time series',
    tools: ['query_metrics'],
  },
  {
    asked: 'the robot that logs into online banking every 15 min has been red since last night, what is it failing on',
    searched: 'synthetic monitoring scenario failures reason',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'is our checkout monitor getting slower over the last weeks or am i imagining',
    searched: 'synthetic test performance trend regression',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'LCP and CLS from the last few runs of the homepage check please',
    searched: 'latest lab runs web vitals',
    tools: ['analyze_scenario', 'list_scenario_reports', 'get_scenario_report'],
  },
  {
    asked: 'product page test: did it move to another plateau after the tag manager cleanup? when exactly',
    searched: 'performance level shift change point monitor',
    tools: ['analyze_scenario', 'compare_metrics'],
  },
  {
    asked: "depuis quand le scénario 'virement' est plus lent ?? we have pressure from the CIO",
    searched: 'scenario slowdown since when',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'I saved the network tab from chrome for our PLP, takes 9 sec on 4g. what is to blame',
    searched: 'analyze HAR slow page load',
    tools: ['analyze_har'],
  },
  {
    asked: 'which external scripts weigh the most in this capture (checkout_nov.har)? chat widget, criteo, klarna ...',
    searched: 'HAR third-party scripts size',
    tools: ['analyze_har'],
  },
  {
    asked: 'waterfall of the account overview attached, tell my devs what to fix first and how much it would bring',
    searched: 'waterfall optimisation recommendations',
    tools: ['analyze_har'],
  },
  {
    asked: 'have one har from before the release and one from after, what new calls appeared and what got laggier',
    searched: 'compare two HAR files requests',
    tools: ['compare_hars', 'analyze_har'],
  },
  { asked: 'diff waterfall prod vs staging of the basket page', searched: 'waterfall diff before after', tools: ['compare_hars'] },
  {
    asked: 'fail the pipeline when LCP goes over 2.5s or page is heavier than 3MB on any of our monitored pages',
    searched: 'performance budget check CI',
    tools: ['check_speed_budgets'],
  },
  {
    asked: 'do all our tested journeys stay below the thresholds we agreed with marketing (CLS .1, TBT 300)?',
    searched: 'web vitals thresholds check scenarios',
    tools: ['check_speed_budgets', 'analyze_scenario'],
  },
  {
    asked:
      'listing > product > add to bag > checkout > thank you. where do we loose them, split by device, out of ' +
      'the raw visit dumps',
    searched: 'conversion funnel drop-off steps',
    tools: ['analyze_funnel'],
  },
  {
    asked: 'how many who start opening an account online get through to the video ident step and then to the end',
    searched: 'onboarding funnel step completion',
    tools: ['analyze_funnel', 'analyze_paths'],
  },
  {
    asked: 'where do folks go after the no-results search page? leave? home? filter?',
    searched: 'next pages user path after page',
    tools: ['analyze_paths'],
  },
  {
    asked: "what did people look at right before they landed on 'block my card'",
    searched: 'previous pages journey before page',
    tools: ['analyze_paths'],
  },
  {
    asked: 'of those who bought for the first time in the summer sale how many came again in Sept, Oct, Nov',
    searched: 'cohort retention returning visitors',
    tools: ['analyze_retention'],
  },
  {
    asked: 'stickiness of the app: week 1, week 2, week 4 after first login',
    searched: 'app retention weekly cohorts',
    tools: ['analyze_retention'],
  },
  {
    asked: "js error 'cannot read price of undefined' on the product page - how many euros is it costing us",
    searched: 'error impact lost revenue',
    tools: ['measure_impact'],
  },
  {
    asked: 'variant B of the new delivery-options AB test, did it actually sell more or is it noise',
    searched: 'A/B test variant conversion impact',
    tools: ['measure_impact', 'compare_metrics'],
  },
  {
    asked: 'do slow pages really lose us customers? I need a number for the budget meeting, e.g. over 4s vs under 2s',
    searched: 'page speed impact on conversion',
    tools: ['measure_impact', 'compare_metrics'],
  },
  {
    asked:
      'our data team wants the raw clicks + pageviews of the app in snowflake. which columns should we take and ' +
      'can I see a sample before commiting',
    searched: 'export fields preview planning raw data',
    tools: ['plan_export', 'list_exportable_fields'],
  },
  {
    asked: 'what would a nightly feed with order id, basket value and device look like? dont create anything yet',
    searched: 'preview export configuration',
    tools: ['plan_export'],
  },
  {
    asked: 'ok looks good, go ahead and set up the daily dump like we drafted',
    searched: 'create scheduled export job',
    tools: ['apply_export_plan'],
  },
  {
    asked: 'please schedule an hourly extract of sessions to our s3 bucket, project retail DE',
    searched: 'create recurring data export',
    tools: ['apply_export_plan', 'plan_export'],
  },
  { asked: 'which of our feeds are broken or late right now', searched: 'list export jobs status', tools: ['list_export_jobs'] },
  {
    asked: 'overview of all scheduled extracts, who runs how often, last success',
    searched: 'data export jobs health list',
    tools: ['list_export_jobs'],
  },
  {
    asked:
      'BI says there is a hole in the session data around 12-14 nov. which hours exactly are absent and how do ' +
      'we get them again',
    searched: 'missing export hours backfill',
    tools: ['find_export_gaps', 'list_export_jobs'],
  },
  {
    asked: 'is the pageview delivery complete for october, no gaps?',
    searched: 'check export completeness gaps',
    tools: ['find_export_gaps'],
  },
  {
    asked: 'pull down last weeks files from the visits job so i can work with them',
    searched: 'download export files',
    tools: ['sync_exports', 'download_export_run'],
  },
  { asked: 'load the october dumps into bigquery', searched: 'load export files into warehouse', tools: ['sync_exports'] },
  {
    asked:
      "select count distinct users who saw page like '%/ratenkredit%' and converted, group by day, on the files " +
      'we have got',
    searched: 'SQL query exported data',
    tools: ['query_export'],
  },
  {
    asked: 'what are the columns in the session files, and is there something like the customer number hash',
    searched: 'exported file schema columns',
    tools: ['query_export', 'list_workspace', 'list_exportable_fields'],
  },
  {
    asked: "whats the id of the 'Returning sneakerheads' audience",
    searched: 'find segment id by name',
    tools: ['find_objects', 'list_segments'],
  },
  {
    asked: 'need the number for the page group called Checkout - Payment (I think), the app asks me for it',
    searched: 'lookup page group id name',
    tools: ['find_objects', 'list_page_groups'],
  },
  {
    asked: 'what did we already download, how big is it all and from which days',
    searched: 'list local workspace files',
    tools: ['list_workspace', 'query_export'],
  },
  {
    asked: 'throw away the extracts of september they eat my disk and GDPR..',
    searched: 'delete downloaded export files',
    tools: ['purge_workspace'],
  },
  {
    asked: 'we know from crm who returned the parcel. can we push that back on the sessions so we can filter on it',
    searched: 'import CRM data enrich sessions',
    tools: ['send_enrichments'],
  },
  {
    asked: "why do i get 'not allowed', which login is this running under and how many calls do I have left today",
    searched: 'current account permissions quota',
    tools: ['get_credential'],
  },
  {
    asked: 'we go live with v8.4 of the app at 22:00, pls put a marker so we see it in the speed graphs',
    searched: 'create deployment event annotation',
    tools: ['create_speed_event'],
  },
  {
    asked: "remove the double 'Singles Day' line on the charts and show me what others are there",
    searched: 'list delete events speed charts',
    tools: ['delete_speed_event', 'list_speed_events'],
  },
  {
    asked: 'how far down do ppl scroll and how often is the hero teaser tapped vs seen on the homepage, iphone',
    searched: 'zone click rate exposure scroll',
    tools: ['get_zone_metrics', 'query_metrics', 'get_zone_tap_rate', 'query_export'],
  },
  {
    asked: "which goals do we have defined on the bank app? there must be one for 'termin vereinbart'",
    searched: 'list defined conversion goals',
    tools: ['list_goals', 'find_objects'],
  },
  {
    asked: 'give me all custom vars we send along, I look for the one with store stock',
    searched: 'list custom variables',
    tools: ['list_custom_variables'],
  },
];
