import type { SearchQuestion } from './questions.ts';
/** A sixth set: written by somebody who knew what the server can do in plain words and had seen none of its texts. */
export const sixth: readonly (SearchQuestion & { readonly searched: string })[] = [
  {
    asked: 'Back from two weeks of holiday, did anything weird happen on the site while I was out?',
    searched: 'anomalies recent metric changes overview',
    tools: ['find_changes'],
  },
  {
    asked: "numbers look off since Monday, what's going on",
    searched: 'detect unusual changes this week',
    tools: ['find_changes', 'compare_metrics'],
  },
  {
    asked: "Morning! anything I should worry about before the 10 o'clock standup?",
    searched: 'daily alert notable changes summary',
    tools: ['find_changes'],
  },
  {
    asked: 'Our CR on phones fell off a cliff last week vs the week before. Why??',
    searched: 'conversion rate drop mobile week over week',
    tools: ['compare_metrics'],
  },
  {
    asked: 'Is the bounce on product pages really worse after the redesign of 3 June or is that just noise',
    searched: 'bounce rate before after significance',
    tools: ['compare_metrics'],
  },
  {
    asked: 'How do returning customers behave against newcomers in terms of basket size, and what explains the gap',
    searched: 'compare segments average cart explain difference',
    tools: ['compare_metrics'],
  },
  {
    asked: 'black friday this year against last year please, turnover and orders, and what drove it',
    searched: 'year over year revenue comparison drivers',
    tools: ['compare_metrics'],
  },
  {
    asked:
      'Finance says we lost 80k in March compared with February. Which part of that is fewer people and which part is people buying less?',
    searched: 'revenue decomposition traffic conversion basket',
    tools: ['compare_metrics', 'query_metrics'],
  },
  {
    asked: 'How many people came to the site yesterday??',
    searched: 'visits count yesterday',
    tools: ['query_metrics', 'get_site_visits', 'get_site_metrics'],
  },
  {
    asked: 'Give me a daily line of sessions from 1 Jan to 31 Mar, tablets only',
    searched: 'daily visits time series by device',
    tools: ['query_metrics'],
  },
  { asked: 'which 20 pages get looked at the most this month?', searched: 'top pages by page views', tools: ['query_export'] },
  {
    asked: 'At this pace where will we land at the end of the month in turnover?',
    searched: 'revenue forecast month end',
    tools: ['query_metrics'],
  },
  {
    asked: 'Need average minutes spent per session split by desktop and mobile for my slide, Q2',
    searched: 'session duration breakdown by device quarter',
    tools: ['query_metrics', 'get_site_session_time_average'],
  },
  {
    asked: 'We made 1.2M in May. Which audiences and devices brought the money in?',
    searched: 'revenue contribution by segment device',
    tools: ['query_metrics', 'compare_metrics'],
  },
  {
    asked: 'what share of the orders during the summer sale can be traced to people who saw the landing page of the campaign',
    searched: 'order share by page group attribution',
    tools: ['query_export', 'measure_impact'],
  },
  {
    asked: 'Has the checkout monitor been getting slower lately?',
    searched: 'synthetic monitoring performance regression trend',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'The nightly robot on the search page keeps going red, since when and at which step?',
    searched: 'scenario failures error rate step',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'At what time of day is our homepage slowest in the lab tests?',
    searched: 'slow hours scenario load time by hour',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'show me the last 30 measurements of the basket journey test with their LCP',
    searched: 'list scenario runs LCP',
    tools: ['analyze_scenario', 'list_scenario_reports'],
  },
  {
    asked: 'We pushed 4.12 on Tuesday evening, did TTFB get hurt by it',
    searched: 'release impact TTFB before after',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'Why does the hero image on the category page take 4 seconds to show up?',
    searched: 'LCP breakdown HAR analysis',
    tools: ['analyze_har'],
  },
  {
    asked: 'biggest files downloaded on our landing page, and are third party tags to blame',
    searched: 'heaviest requests third parties waterfall',
    tools: ['analyze_har'],
  },
  {
    asked: "I've got a har file here from a customer complaining about slowness, can you diagnose it",
    searched: 'analyze HAR file diagnose slow page',
    tools: ['analyze_har'],
  },
  {
    asked: 'Same page, run of 8am was 2.1s and run of 9am 5.8s. What was different?',
    searched: 'diff two HAR runs',
    tools: ['compare_hars'],
  },
  {
    asked: 'Can you line up the network requests of staging and prod and tell me which ones are new or bigger',
    searched: 'compare HARs added larger requests',
    tools: ['compare_hars'],
  },
  {
    asked: "CI question: should this build be stopped because it's over our LCP or CLS limits?",
    searched: 'performance budget check CI pass fail',
    tools: ['check_speed_budgets'],
  },
  {
    asked: 'Are we within 2.5 sec largest paint and 200 ms blocking time everywhere?',
    searched: 'web vitals thresholds check all scenarios',
    tools: ['check_speed_budgets', 'analyze_scenario'],
  },
  {
    asked: 'Where do we lose shoppers between the product page and the thank-you page?',
    searched: 'funnel drop-off product to confirmation',
    tools: ['analyze_funnel'],
  },
  {
    asked: 'out of 100 folks who add something to the cart, how many enter their address, how many reach payment and how many pay',
    searched: 'checkout funnel step conversion',
    tools: ['analyze_funnel'],
  },
  {
    asked: 'PO here: does the sign-up flow (email, code, profile) leak more on Android than on iPhone?',
    searched: 'funnel by platform signup steps',
    tools: ['analyze_funnel'],
  },
  {
    asked: 'After seeing the delivery FAQ, where do visitors head next?',
    searched: 'next pages after page paths',
    tools: ['analyze_paths'],
  },
  {
    asked: 'What are the typical routes that bring people onto the store locator',
    searched: 'previous pages navigation paths before',
    tools: ['analyze_paths'],
  },
  {
    asked: 'do customers we gained in January still show up in the weeks after, or was it a flash in the pan',
    searched: 'cohort retention returning visitors weeks',
    tools: ['analyze_retention'],
  },
  { asked: '% of visitors seen again within 7 days?', searched: 'return rate within 7 days', tools: ['analyze_retention'] },
  {
    asked: 'We have this JS exception on the payment form, dev team wants to know how many euros it burns per week before they fix it',
    searched: 'lost revenue caused by javascript error',
    tools: ['measure_impact'],
  },
  {
    asked: 'variant B of the new PDP has been live for 3 weeks, can we call it?',
    searched: 'A/B test result winner significance',
    tools: ['measure_impact'],
  },
  {
    asked:
      "I'd like to get page-level rows with url, device, load time and custom vars every day; which " +
      "fields can I get and how big would it get?",
    searched: 'plan raw data export fields volume cost',
    tools: ['plan_export', 'list_exportable_fields'],
  },
  {
    asked:
      'Thinking of pulling hit-level data for our data science team, what would you recommend we include so we can build a churn model',
    searched: 'export design recommend columns',
    tools: ['plan_export', 'list_exportable_fields'],
  },
  {
    asked: 'ok the proposal for the sessions feed looks good, go ahead and set it up',
    searched: 'create export job from plan',
    tools: ['apply_export_plan', 'create_export_job'],
  },
  {
    asked: "Pause the events feed to the bucket until next Monday, it's flooding us",
    searched: 'suspend export job',
    tools: ['list_export_jobs', 'get_export_job'],
  },
  {
    asked: "did last night's feed finish, or is it stuck again?",
    searched: 'export job runs status',
    tools: ['list_export_runs', 'list_export_jobs', 'list_successful_export_runs', 'find_export_gaps'],
  },
  {
    asked: 'Which daily dumps do we currently have configured and who needs the old ones? I want to kill those nobody uses',
    searched: 'list export jobs delete unused',
    tools: ['list_export_jobs'],
  },
  {
    asked: 'my dashboard in BI has holes on 12, 13 and 19 April, are the source files there at all?',
    searched: 'missing days export gaps',
    tools: ['find_export_gaps'],
  },
  {
    asked: 'How can I backfill the page views for the week the pipeline was broken',
    searched: 'backfill missing export days',
    tools: ['find_export_gaps', 'plan_export'],
  },
  {
    asked: 'Is our history complete from 1 January on? auditors are asking',
    searched: 'export completeness check date range',
    tools: ['find_export_gaps'],
  },
  {
    asked: 'grab everything new from the past 3 days onto this laptop',
    searched: 'download new export files sync local',
    tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: 'I need the raw session files for the first half of May in /data/raw, skip what I already have',
    searched: 'sync export files to folder incremental',
    tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: 'select country, count(*) from the sessions dump group by 1 order by 2 desc, can you run that?',
    searched: 'run SQL query on exported files',
    tools: ['query_export'],
  },
  {
    asked: "From the raw data we've pulled: what's the median number of screens per visit for people whose browser is Samsung Internet?",
    searched: 'query local session files sql',
    tools: ['query_export'],
  },
  {
    asked: 'what columns are in those parquet/csv files and which one is the key I join views to sessions on',
    searched: 'exported files schema columns join key',
    tools: ['query_export', 'list_exportable_fields'],
  },
  {
    asked: 'Get the dumps into BigQuery with tables that refresh every morning, without duplicates pls',
    searched: 'load export files into warehouse',
    tools: ['sync_exports', 'query_export'],
  },
  {
    asked: `someone made an audience called "big spenders DE" or something like that, what's its id?`,
    searched: 'find segment by name',
    tools: ['find_objects', 'list_segments'],
  },
  {
    asked: "New in the team, what do we actually have in this account? which sites, what's being tracked?",
    searched: 'workspace overview projects',
    tools: ['list_workspace'],
  },
  {
    asked: 'Put a note at 14:30 today saying we switched CDN so it shows up on the perf charts',
    searched: 'create speed event annotation timeline',
    tools: ['create_speed_event'],
  },
  {
    asked: 'the marker for the spring newsletter has the wrong date, should be the 4th not the 14th',
    searched: 'update speed event date',
    tools: ['delete_speed_event', 'create_speed_event', 'list_speed_events'],
  },
  {
    asked: 'Can I push loyalty tier and store-return info from our CRM onto the visits?',
    searched: 'send session enrichment custom data',
    tools: ['send_enrichments'],
  },
  {
    asked: 'getting 403 all over the place, is my api key dead or am I missing some rights',
    searched: 'check credentials permissions health',
    tools: ['get_credential'],
  },
  {
    asked: "list every goal we've set up plus the page mappings that go with the UK site",
    searched: 'list goals and page mappings',
    tools: ['list_goals', 'list_mappings', 'list_workspace'],
  },
  {
    asked: 'Does anybody tap the big promo banner on the home page of the app?',
    searched: 'zone tap rate banner',
    tools: ['get_zone_tap_rate', 'get_zone_metrics', 'query_metrics'],
  },
  {
    asked: 'how far down do readers get on the size guide, do they even see the newsletter box at the bottom',
    searched: 'scroll depth zone exposure rate',
    tools: ['query_export'],
  },
];
