import type { SearchQuestion } from './questions.ts';
/** A tenth set, by a fifth writer who had seen no text of the server. */
export const tenth: readonly (SearchQuestion & { readonly searched: string })[] = [
  {
    asked: 'morning! was off for two weeks, anything weird going on with the booking site i should know before standup?',
    searched: 'overview recent changes anomalies site', tools: ['find_changes'],
  },
  {
    asked: 'Give me a health check of our quote portal for the last 7 days - anything that stands out, good or bad',
    searched: 'weekly health check summary anomalies', tools: ['find_changes'],
  },
  {
    asked: 'something feels off since monday but i cant put my finger on it. can u just scan everything',
    searched: 'detect unusual changes all metrics', tools: ['find_changes'],
  },
  {
    asked: 'why did hotel bookings drop last week vs the week before??',
    searched: 'conversion drop explain week comparison', tools: ['compare_metrics'],
  },
  {
    asked: 'mobile vs desktop, converison rate and bounce for black friday weekend, side by side pls',
    searched: 'compare mobile desktop conversion bounce', tools: ['compare_metrics'],
  },
  {
    asked: 'Loyalty card holders against guest shoppers in the app: average basket, orders, time per session for October',
    searched: 'compare segments orders basket session time', tools: ['compare_metrics'],
  },
  {
    asked:
      'CFO asks what drove the revenue decline in Q3, was it less traffic, fewer people buying or smaller baskets. Need the ' +
      'decomposition',
    searched: 'revenue change decomposition traffic conversion basket', tools: ['compare_metrics'],
  },
  {
    asked: 'how did easter this year do against easter last year, policies sold and visits',
    searched: 'year over year comparison visits sales', tools: ['compare_metrics'],
  },
  {
    asked: 'Can you tell me whether the new flight search (live since 12 Nov) moved the needle? before/after on purchases and bounces',
    searched: 'before after comparison conversion impact', tools: ['compare_metrics'],
  },
  { asked: 'how many visits did we have yesterday', searched: 'visits count yesterday', tools: ['query_metrics'] },
  {
    asked: 'daily sales and revenue for november as table, split by phone/tablet/computer',
    searched: 'daily revenue by device', tools: ['query_metrics'],
  },
  {
    asked: 'will we reach 40k orders in december if it goes on like this? need a projection for the next weeks',
    searched: 'forecast orders next weeks', tools: ['query_metrics'],
  },
  {
    asked: 'What share of the traffic comes from tablets nowadays, is it worth testing on ipads at all',
    searched: 'traffic share by device', tools: ['query_metrics'],
  },
  {
    asked: "bounce rate of the segment 'came from newsletter' week by week since september",
    searched: 'bounce rate segment weekly trend', tools: ['query_metrics'],
  },
  {
    asked: "Was yesterday's 2,310 completed quotes within the normal range or should it have been more for a tuesday?",
    searched: 'expected value goal completions normal range', tools: ['query_metrics', 'find_changes'],
  },
  {
    asked: 'which of our goals gets reached most often? top 5 of last month w/ conversion rate',
    searched: 'top goals conversion rate ranking', tools: ['query_metrics'],
  },
  {
    asked: 'is the synthetic check on the hotel detail page slower since the release of thursday?',
    searched: 'synthetic test regression slower since release', tools: ['analyze_scenario'],
  },
  {
    asked: 'our robot for the login journey is red since 3 am, what is it failing on',
    searched: 'synthetic scenario failures errors cause', tools: ['analyze_scenario'],
  },
  { asked: 'lcp of the product page in the lab test, last 10 runs', searched: 'LCP latest synthetic runs', tools: ['analyze_scenario'] },
  {
    asked:
      "The monitored 'motor insurance quote' scenario seems to have jumped up at some point around mid october, can you find " +
      'exactly when the level changed and by how much',
    searched: 'scenario load time level shift detection', tools: ['analyze_scenario'],
  },
  {
    asked: 'why does flight checkout bot time out every second time, is it our side or the probe',
    searched: 'synthetic monitoring timeout run errors', tools: ['analyze_scenario'],
  },
  {
    asked: 'current speed index, TTFB and cls for homepage check on 4G please',
    searched: 'synthetic web vitals speed index TTFB CLS', tools: ['analyze_scenario', 'list_scenario_reports', 'get_scenario_report'],
  },
  {
    asked: "got a .har from a customer in spain, claims page takes 14 secs. what's eating the time",
    searched: 'analyze HAR file slow page cause', tools: ['analyze_har'],
  },
  {
    asked: 'heaviest images and scripts in the attached waterfall, sorted by size',
    searched: 'HAR largest resources size', tools: ['analyze_har'],
  },
  {
    asked:
      'How much of this recording is tag manager junk / ad pixels / chat widget? agency wants to know which 3rd parties to kick ' +
      'out first',
    searched: 'third party requests HAR impact', tools: ['analyze_har'],
  },
  {
    asked: 'I have one network capture from before the CDN switch and one after. which calls are slower now and which are new',
    searched: 'compare two HAR files requests slower new', tools: ['compare_hars'],
  },
  {
    asked: 'diff yesterdays waterfall with todays, something got added that blocks rendering i think',
    searched: 'HAR diff added requests waterfall', tools: ['compare_hars'],
  },
  {
    asked: 'we want the pipeline to fail if LCP > 2.5s or page weight > 1.8MB on any of the five checks. can you give me pass/fail',
    searched: 'performance budget check CI LCP page weight', tools: ['check_speed_budgets'],
  },
  {
    asked: 'are we within the perf limits agreed with the vendor (cls 0.1, tbt 300ms, js under 500k) on all monitored pages?',
    searched: 'performance budget thresholds vitals pass fail', tools: ['check_speed_budgets'],
  },
  {
    asked: 'where do people give up in the quote flow: vehicle > driver > cover > payment, from the raw visits',
    searched: 'funnel drop-off steps visits', tools: ['analyze_funnel'],
  },
  {
    asked: 'checkout step by step for the app, % who move on from cart to delivery to pay, android vs ios',
    searched: 'checkout funnel step conversion by platform', tools: ['analyze_funnel'],
  },
  {
    asked: 'what do visitors do right after the size guide page, go on to basket or leave?',
    searched: 'next page navigation path after page', tools: ['analyze_paths'],
  },
  {
    asked: 'From where do folks arrive on the cancellation page, i mean the 3-4 pages seen before it',
    searched: 'previous pages path before page', tools: ['analyze_paths'],
  },
  {
    asked: 'of the people who first came in the january sale how many came back in feb, march, april',
    searched: 'cohort retention returning visitors monthly', tools: ['analyze_retention'],
  },
  {
    asked: 'do travellers who book a flight return within 30 days or is it one and done. retention table by first week would be great',
    searched: 'retention cohort repeat visitors weekly', tools: ['analyze_retention'],
  },
  {
    asked: "how much money do we lose b/c of that 'payment could not be processed' js error",
    searched: 'revenue loss javascript error impact', tools: ['measure_impact'],
  },
  {
    asked: 'Do slow result pages really cost us bookings? need € figure for the steering comittee',
    searched: 'slow pages cost conversion revenue impact', tools: ['measure_impact'],
  },
  {
    asked: 'A/B test new baggage upsell: variant B vs control, purchases and turnover per visitor, significant or not',
    searched: 'ab test variant conversion revenue significance', tools: ['measure_impact', 'compare_metrics'],
  },
  {
    asked:
      "I'd need hit level data with url, page load, customer id and the cart value. what would such a feed look like, which " +
      'columns do i have to pick',
    searched: 'plan data export fields preview', tools: ['plan_export'],
  },
  {
    asked:
      'before we order anything: design me a daily session dump for the insurance portal (device, campaign, policy type) and show' +
      ' a few sample rows',
    searched: 'design daily session export preview sample', tools: ['plan_export'],
  },
  {
    asked: 'ok the draft of the hourly pageview feed looks fine, set it up for real',
    searched: 'create export job from plan', tools: ['apply_export_plan'],
  },
  {
    asked: 'which data feeds are running on our account and are they all green?',
    searched: 'list export jobs status health', tools: ['list_export_jobs'],
  },
  {
    asked: 'Data eng here. BI says nothing arrived since sunday, is one of the scheduled extracts broken or paused?',
    searched: 'export jobs status failed paused', tools: ['list_export_jobs', 'find_export_gaps'],
  },
  {
    asked: 'are there any holes in the visits feed for october? if so how do we get the missing days redone',
    searched: 'export missing days gaps backfill', tools: ['find_export_gaps'],
  },
  {
    asked: 'dashboard shows 0 rows between 02:00 and 05:00 on the 27th, i suspect hours were never delivered. check and propose a re-run',
    searched: 'missing hours export backfill plan', tools: ['find_export_gaps'],
  },
  {
    asked: 'pull last weeks session files down so i can work with them',
    searched: 'download export files workspace', tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: 'load the november booking dump into our bigquery pls, only the new files',
    searched: 'load export files into warehouse BigQuery', tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: 'from the extracted data: the 20 urls with most rage clicks on iphone last week',
    searched: 'SQL query exported data rage clicks', tools: ['query_export'],
  },
  {
    asked: "what's the average load time per page group, e.g. hotel list vs hotel detail vs checkout?",
    searched: 'load time by page group', tools: ['query_export'],
  },
  {
    asked: "what is the id of the segment called something like 'Young drivers UK'",
    searched: 'find segment id by name', tools: ['find_objects', 'list_segments'],
  },
  {
    asked: "i need the number of the page group 'running shoes PLP' for an api call, dont have it at hand",
    searched: 'look up page group id by name', tools: ['find_objects'],
  },
  {
    asked: 'what have we already got lying around here in terms of downloaded data, how big and from which days',
    searched: 'list workspace files size dates', tools: ['list_workspace'],
  },
  { asked: "get rid of the august csvs, disk's nearly full", searched: 'delete files workspace', tools: ['purge_workspace'] },
  {
    asked:
      "We've got a csv with crm tier (gold/silver) per customer id + later cancellations. can that be pushed in so we can segment" +
      ' by it',
    searched: 'upload visitor data enrichment CRM import', tools: ['send_enrichments'],
  },
  {
    asked: 'who am i logged in as and how many api calls do we have left this month',
    searched: 'current account permissions quota', tools: ['get_credential'],
  },
  {
    asked: 'put a marker on the speed graphs: release 24.11.2 went live today 14:30',
    searched: 'create deployment marker annotation performance chart', tools: ['create_speed_event'],
  },
  {
    asked:
      'the tv spot annotation on saturday is wrong (campaign got moved), remove it - and show me which others are there for ' +
      'november',
    searched: 'list delete event annotations campaign', tools: ['delete_speed_event', 'list_speed_events'],
  },
  { asked: 'what goals are configured in the sports app', searched: 'list goals', tools: ['list_goals'] },
  {
    asked: 'which custom vars do we send and what are they called, policy no, tarif etc',
    searched: 'list custom variables', tools: ['list_custom_variables'],
  },
  {
    asked: "the 'add insurance' box on the pax page: how many taps, how far do ppl scroll to it, how long is it seen",
    searched: 'zone metrics tap rate exposure scroll', tools: ['get_zone_metrics', 'query_metrics', 'get_zone_tap_rate', 'query_export'],
  },
];
