import type { SearchedQuestion } from './questions.ts';
/** A tenth set, by a fifth writer who had seen no text of the server. */
export const tenth: readonly SearchedQuestion[] = [
  [
    'morning! was off for two weeks, anything weird going on with the booking site i should know before standup?',
    'overview recent changes anomalies site',
    'find_changes',
  ],
  [
    'Give me a health check of our quote portal for the last 7 days - anything that stands out, good or bad',
    'weekly health check summary anomalies',
    'find_changes',
  ],
  [
    'something feels off since monday but i cant put my finger on it. can u just scan everything',
    'detect unusual changes all metrics',
    'find_changes',
  ],
  ['why did hotel bookings drop last week vs the week before??', 'conversion drop explain week comparison', 'compare_metrics'],
  [
    'mobile vs desktop, converison rate and bounce for black friday weekend, side by side pls',
    'compare mobile desktop conversion bounce',
    'compare_metrics',
  ],
  [
    'Loyalty card holders against guest shoppers in the app: average basket, orders, time per session for October',
    'compare segments orders basket session time',
    'compare_metrics',
  ],
  [
    'CFO asks what drove the revenue decline in Q3, was it less traffic, fewer people buying or smaller baskets. Need the ' +
      'decomposition',
    'revenue change decomposition traffic conversion basket',
    'compare_metrics',
  ],
  [
    'how did easter this year do against easter last year, policies sold and visits',
    'year over year comparison visits sales',
    'compare_metrics',
  ],
  [
    'Can you tell me whether the new flight search (live since 12 Nov) moved the needle? before/after on purchases and bounces',
    'before after comparison conversion impact',
    'compare_metrics',
  ],
  ['how many visits did we have yesterday', 'visits count yesterday', 'query_metrics'],
  ['daily sales and revenue for november as table, split by phone/tablet/computer', 'daily revenue by device', 'query_metrics'],
  [
    'will we reach 40k orders in december if it goes on like this? need a projection for the next weeks',
    'forecast orders next weeks',
    'query_metrics',
  ],
  [
    'What share of the traffic comes from tablets nowadays, is it worth testing on ipads at all',
    'traffic share by device',
    'query_metrics',
  ],
  ["bounce rate of the segment 'came from newsletter' week by week since september", 'bounce rate segment weekly trend', 'query_metrics'],
  [
    "Was yesterday's 2,310 completed quotes within the normal range or should it have been more for a tuesday?",
    'expected value goal completions normal range',
    'query_metrics',
    'find_changes',
  ],
  [
    'which of our goals gets reached most often? top 5 of last month w/ conversion rate',
    'top goals conversion rate ranking',
    'query_metrics',
  ],
  [
    'is the synthetic check on the hotel detail page slower since the release of thursday?',
    'synthetic test regression slower since release',
    'analyze_scenario',
  ],
  [
    'our robot for the login journey is red since 3 am, what is it failing on',
    'synthetic scenario failures errors cause',
    'analyze_scenario',
  ],
  ['lcp of the product page in the lab test, last 10 runs', 'LCP latest synthetic runs', 'analyze_scenario'],
  [
    "The monitored 'motor insurance quote' scenario seems to have jumped up at some point around mid october, can you find " +
      'exactly when the level changed and by how much',
    'scenario load time level shift detection',
    'analyze_scenario',
  ],
  [
    'why does flight checkout bot time out every second time, is it our side or the probe',
    'synthetic monitoring timeout run errors',
    'analyze_scenario',
  ],
  [
    'current speed index, TTFB and cls for homepage check on 4G please',
    'synthetic web vitals speed index TTFB CLS',
    'analyze_scenario',
    'list_scenario_reports',
    'get_scenario_report',
  ],
  [
    "got a .har from a customer in spain, claims page takes 14 secs. what's eating the time",
    'analyze HAR file slow page cause',
    'analyze_har',
  ],
  ['heaviest images and scripts in the attached waterfall, sorted by size', 'HAR largest resources size', 'analyze_har'],
  [
    'How much of this recording is tag manager junk / ad pixels / chat widget? agency wants to know which 3rd parties to kick ' +
      'out first',
    'third party requests HAR impact',
    'analyze_har',
  ],
  [
    'I have one network capture from before the CDN switch and one after. which calls are slower now and which are new',
    'compare two HAR files requests slower new',
    'compare_hars',
  ],
  [
    'diff yesterdays waterfall with todays, something got added that blocks rendering i think',
    'HAR diff added requests waterfall',
    'compare_hars',
  ],
  [
    'we want the pipeline to fail if LCP > 2.5s or page weight > 1.8MB on any of the five checks. can you give me pass/fail',
    'performance budget check CI LCP page weight',
    'check_speed_budgets',
  ],
  [
    'are we within the perf limits agreed with the vendor (cls 0.1, tbt 300ms, js under 500k) on all monitored pages?',
    'performance budget thresholds vitals pass fail',
    'check_speed_budgets',
  ],
  [
    'where do people give up in the quote flow: vehicle > driver > cover > payment, from the raw visits',
    'funnel drop-off steps visits',
    'analyze_funnel',
  ],
  [
    'checkout step by step for the app, % who move on from cart to delivery to pay, android vs ios',
    'checkout funnel step conversion by platform',
    'analyze_funnel',
  ],
  [
    'what do visitors do right after the size guide page, go on to basket or leave?',
    'next page navigation path after page',
    'analyze_paths',
  ],
  [
    'From where do folks arrive on the cancellation page, i mean the 3-4 pages seen before it',
    'previous pages path before page',
    'analyze_paths',
  ],
  [
    'of the people who first came in the january sale how many came back in feb, march, april',
    'cohort retention returning visitors monthly',
    'analyze_retention',
  ],
  [
    'do travellers who book a flight return within 30 days or is it one and done. retention table by first week would be great',
    'retention cohort repeat visitors weekly',
    'analyze_retention',
  ],
  [
    "how much money do we lose b/c of that 'payment could not be processed' js error",
    'revenue loss javascript error impact',
    'measure_impact',
  ],
  [
    'Do slow result pages really cost us bookings? need € figure for the steering comittee',
    'slow pages cost conversion revenue impact',
    'measure_impact',
  ],
  [
    'A/B test new baggage upsell: variant B vs control, purchases and turnover per visitor, significant or not',
    'ab test variant conversion revenue significance',
    'measure_impact',
    'compare_metrics',
  ],
  [
    "I'd need hit level data with url, page load, customer id and the cart value. what would such a feed look like, which " +
      'columns do i have to pick',
    'plan data export fields preview',
    'plan_export',
  ],
  [
    'before we order anything: design me a daily session dump for the insurance portal (device, campaign, policy type) and show' +
      ' a few sample rows',
    'design daily session export preview sample',
    'plan_export',
  ],
  ['ok the draft of the hourly pageview feed looks fine, set it up for real', 'create export job from plan', 'apply_export_plan'],
  ['which data feeds are running on our account and are they all green?', 'list export jobs status health', 'list_export_jobs'],
  [
    'Data eng here. BI says nothing arrived since sunday, is one of the scheduled extracts broken or paused?',
    'export jobs status failed paused',
    'list_export_jobs',
    'find_export_gaps',
  ],
  [
    'are there any holes in the visits feed for october? if so how do we get the missing days redone',
    'export missing days gaps backfill',
    'find_export_gaps',
  ],
  [
    'dashboard shows 0 rows between 02:00 and 05:00 on the 27th, i suspect hours were never delivered. check and propose a re-run',
    'missing hours export backfill plan',
    'find_export_gaps',
  ],
  ['pull last weeks session files down so i can work with them', 'download export files workspace', 'sync_exports', 'download_export_run'],
  [
    'load the november booking dump into our bigquery pls, only the new files',
    'load export files into warehouse BigQuery',
    'sync_exports',
    'download_export_run',
  ],
  ['from the extracted data: the 20 urls with most rage clicks on iphone last week', 'SQL query exported data rage clicks', 'query_export'],
  ["what's the average load time per page group, e.g. hotel list vs hotel detail vs checkout?", 'load time by page group', 'query_export'],
  ["what is the id of the segment called something like 'Young drivers UK'", 'find segment id by name', 'find_objects', 'list_segments'],
  [
    "i need the number of the page group 'running shoes PLP' for an api call, dont have it at hand",
    'look up page group id by name',
    'find_objects',
  ],
  [
    'what have we already got lying around here in terms of downloaded data, how big and from which days',
    'list workspace files size dates',
    'list_workspace',
  ],
  ["get rid of the august csvs, disk's nearly full", 'delete files workspace', 'purge_workspace'],
  [
    "We've got a csv with crm tier (gold/silver) per customer id + later cancellations. can that be pushed in so we can segment" + ' by it',
    'upload visitor data enrichment CRM import',
    'send_enrichments',
  ],
  ['who am i logged in as and how many api calls do we have left this month', 'current account permissions quota', 'get_credential'],
  [
    'put a marker on the speed graphs: release 24.11.2 went live today 14:30',
    'create deployment marker annotation performance chart',
    'create_speed_event',
  ],
  [
    'the tv spot annotation on saturday is wrong (campaign got moved), remove it - and show me which others are there for ' + 'november',
    'list delete event annotations campaign',
    'delete_speed_event',
    'list_speed_events',
  ],
  ['what goals are configured in the sports app', 'list goals', 'list_goals'],
  ['which custom vars do we send and what are they called, policy no, tarif etc', 'list custom variables', 'list_custom_variables'],
  [
    "the 'add insurance' box on the pax page: how many taps, how far do ppl scroll to it, how long is it seen",
    'zone metrics tap rate exposure scroll',
    'get_zone_metrics',
    'query_metrics',
    'get_zone_tap_rate',
    'query_export',
  ],
];
