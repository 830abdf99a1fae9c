import type { SearchQuestion } from './questions.ts';
/** A seventh set, by another writer who had seen no text of the server either. */
export const seventh: readonly (SearchQuestion & { readonly searched: string })[] = [
  {
    asked: 'just back from 2 weeks holiday, anything weird on the shop I should know before the 10am?',
    searched: 'unusual recent changes site overview',
    tools: ['find_changes'],
  },
  { asked: 'morning. is everything ok', searched: 'health check recent anomalies', tools: ['find_changes'] },
  {
    asked:
      "boss has a feeling something broke over the weekend but can't say what. can you sniff around " +
      "all the numbers and flag whatever looks off",
    searched: 'detect anomalies across metrics weekend',
    tools: ['find_changes'],
  },
  {
    asked: 'Give me 5 bullets for the Monday standup, what moved',
    searched: 'weekly movers summary metrics',
    tools: ['find_changes', 'compare_metrics'],
  },
  {
    asked: 'why did we sell less on iphone than android last month??',
    searched: 'explain conversion gap iOS Android',
    tools: ['compare_metrics'],
  },
  {
    asked: "conv rate dropped like 0.4pt since the 12th, what's behind it",
    searched: 'conversion drop root cause drivers',
    tools: ['compare_metrics'],
  },
  {
    asked: 'Black Friday this year against last year pls, same 4 days, and tell me where the extra money came from',
    searched: 'year over year revenue comparison contribution',
    tools: ['compare_metrics'],
  },
  {
    asked: 'logged in people vs guests – do they behave any different in the basket',
    searched: 'compare two segments cart behaviour',
    tools: ['compare_metrics'],
  },
  {
    asked: 'Our client insists the new homepage killed engagement. Week before launch vs week after: true or not?',
    searched: 'before after period comparison engagement',
    tools: ['compare_metrics'],
  },
  {
    asked: 'how many visits yesterday',
    searched: 'visits count single day',
    tools: ['query_metrics', 'get_site_visits', 'get_site_metrics'],
  },
  {
    asked: 'need AOV per country-ish segment for q3, table I can paste in slides',
    searched: 'average cart value by segment quarter',
    tools: ['query_metrics', 'get_site_cart_average', 'compare_metrics'],
  },
  {
    asked: 'which 10 page types make people leave straight away on mobile',
    searched: 'top page groups bounce rate mobile',
    tools: ['query_export'],
  },
  { asked: 'at this pace where do we land on turnover by dec 31', searched: 'revenue forecast end of year', tools: ['query_metrics'] },
  {
    asked: 'daily line of time spent on site since january, desktop only thanks',
    searched: 'daily session duration trend desktop',
    tools: ['query_metrics'],
  },
  {
    asked: 'wanna see newsletter signups day by day for the last 6 wks split tablet / phone / pc',
    searched: 'goal completions daily by device',
    tools: ['query_metrics'],
  },
  {
    asked: 'is the product page getting slower or am I imagining it',
    searched: 'page load time trend regression',
    tools: ['analyze_scenario'],
  },
  {
    asked: "LCP on checkout went from 2.1 to 3.4 since tuesday's deploy, confirm + which exact run it started",
    searched: 'LCP step change run detection',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'got an alert at 3am that the search results robot check is red, what happened',
    searched: 'synthetic monitor failed runs reason',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'are we worse in the evenings? thinking TTFB, server load around 8-9pm',
    searched: 'TTFB by hour of day',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'CLS keeps flapping between two values on the landing page, noise or real?',
    searched: 'CLS variance bimodal lab runs',
    tools: ['analyze_scenario'],
  },
  {
    asked: 'what third party junk is hogging our homepage load',
    searched: 'third party requests weight waterfall',
    tools: ['analyze_har'],
  },
  {
    asked: 'Can you open the waterfall of the last test of the PDP and tell me the three things my devs should fix first?',
    searched: 'analyze HAR page load bottlenecks',
    tools: ['analyze_har'],
  },
  {
    asked: 'tbt is 1900ms on the category page lol, which scripts',
    searched: 'total blocking time heaviest scripts',
    tools: ['analyze_har', 'analyze_scenario'],
  },
  {
    asked: 'too many images? how many MB do we ship on first view of /sale',
    searched: 'page weight images bytes by type',
    tools: ['analyze_har'],
  },
  {
    asked: "what did they add to the page between this morning's test and last friday's? new tags, bigger files, whatever",
    searched: 'diff two page loads requests',
    tools: ['compare_hars'],
  },
  {
    asked: 'staging load vs prod load of the same basket page, request by request',
    searched: 'compare two HAR files',
    tools: ['compare_hars'],
  },
  {
    asked: 'I want the pipeline to go red if LCP > 2.5s or JS over 400 kB',
    searched: 'performance budget check CI',
    tools: ['check_speed_budgets'],
  },
  {
    asked: 'did we pass our perf thresholds this week, yes/no per page is enough',
    searched: 'budget pass fail status scenarios',
    tools: ['check_speed_budgets', 'analyze_scenario'],
  },
  {
    asked: 'out of 100 people who put something in the basket how many reach payment and where do the rest vanish',
    searched: 'cart to payment step drop-off',
    tools: ['analyze_funnel'],
  },
  {
    asked: 'Steps home > listing > product > add to cart > thank you, on the files from october, in order, same session',
    searched: 'ordered step conversion exported sessions',
    tools: ['analyze_funnel'],
  },
  {
    asked: 'where do folks go after the size guide? back to product or out',
    searched: 'next pages after given page',
    tools: ['analyze_paths'],
  },
  {
    asked: "what's the most common route to a purchase, and does the blog show up in it at all",
    searched: 'common page sequences before purchase',
    tools: ['analyze_paths'],
  },
  {
    asked: 'do first time buyers from the january sale ever come back',
    searched: 'cohort returning visitors over weeks',
    tools: ['analyze_retention'],
  },
  {
    asked: '% of users still around after 7 / 14 / 30 days in the app',
    searched: 'day 7 day 30 return rate',
    tools: ['analyze_retention'],
  },
  {
    asked: 'promo code box throws a js error for some. how many € did that burn last month?',
    searched: 'revenue lost to javascript error',
    tools: ['measure_impact'],
  },
  {
    asked: 'variant B of the PDP test: winner or do we need more traffic? 14 days in',
    searched: 'experiment significance variant uplift',
    tools: ['measure_impact'],
  },
  {
    asked: 'what would I have to ask for to get every page view with url, device and errors for the app, and roughly how big is it',
    searched: 'design export fields size estimate',
    tools: ['plan_export', 'list_exportable_fields'],
  },
  {
    asked:
      'data science wants raw sessions w/ custom variables from sept onwards. help me figure out the ' +
      'right setup before we switch anything on',
    searched: 'recommend raw data job configuration',
    tools: ['plan_export'],
  },
  {
    asked: 'ok that setup looks good, go ahead and create it, hourly, parquet',
    searched: 'create recurring export job',
    tools: ['apply_export_plan', 'create_export_job', 'plan_export'],
  },
  {
    asked: 'yep do it, one-off pull of 1-7 nov, jsonl, gzip',
    searched: 'create one-time export job',
    tools: ['apply_export_plan', 'create_export_job', 'plan_export'],
  },
  {
    asked: "did last night's dump finish?",
    searched: 'latest export run status',
    tools: ['list_export_jobs', 'list_export_runs', 'list_successful_export_runs', 'find_export_gaps'],
  },
  {
    asked: "which feeds do we have running at all, who's daily and who's hourly, anything paused",
    searched: 'list export jobs frequency state',
    tools: ['list_export_jobs'],
  },
  {
    asked: "job stuck on 'processing' since 6 hours, is that normal for this one",
    searched: 'export run pending duration history',
    tools: ['list_export_runs', 'list_export_jobs', 'get_export_job'],
  },
  {
    asked: 'my dashboard has a hole around 3–5 march, did the files never come or did I lose them',
    searched: 'missing export days detection',
    tools: ['find_export_gaps', 'list_export_jobs'],
  },
  {
    asked: "Check we've got every single hour for the past quarter and rerun/backfill whatever isn't there",
    searched: 'find gaps backfill export',
    tools: ['find_export_gaps'],
  },
  {
    asked: 'grab the newest pageview files onto my laptop',
    searched: 'download latest export files',
    tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: "only fetch what I don't have yet, last time it pulled 40 gigs again 😩",
    searched: 'incremental sync export files',
    tools: ['sync_exports', 'download_export_run'],
  },
  {
    asked: 'count distinct users per browser version where the session had >1 rage click, from the parquet we pulled',
    searched: 'query exported files SQL',
    tools: ['query_export'],
  },
  {
    asked: 'can i just write a select against the session files? need a join with page views on session id',
    searched: 'SQL join sessions pageviews local',
    tools: ['query_export'],
  },
  {
    asked: 'push all this to bigquery, table per day, no dupes if it reruns',
    searched: 'load export files BigQuery',
    tools: ['sync_exports', 'query_export'],
  },
  {
    asked: "We're on Snowflake. what's the COPY INTO + create table for those files, nested columns included",
    searched: 'Snowflake DDL load script export',
    tools: ['sync_exports', 'query_export'],
  },
  {
    asked: "there's something called like 'checkout v2 – NEW' somewhere, no clue if it's a goal or a mapping, what's its id",
    searched: 'find object by name id',
    tools: ['find_objects'],
  },
  {
    asked: 'how much disk am I using with all these exports and can I bin the old ones',
    searched: 'local workspace disk usage cleanup',
    tools: ['list_workspace', 'purge_workspace'],
  },
  {
    asked: 'we shipped 4.18.0 at 14:20 today, put a pin on the perf graphs',
    searched: 'add deployment marker speed monitoring',
    tools: ['create_speed_event'],
  },
  {
    asked: 'oops wrong date on that deploy marker, remove it. and which others are in there for nov?',
    searched: 'delete list release events',
    tools: ['delete_speed_event', 'list_speed_events'],
  },
  {
    asked: 'got a csv of crm loyalty tiers, can we attach it to the visits so I can filter gold customers',
    searched: 'upload CRM attributes to sessions',
    tools: ['send_enrichments'],
  },
  {
    asked: 'getting 403 on everything to do with speed tests but metrics work fine, is my key missing something?',
    searched: 'api key scopes check 403',
    tools: ['get_credential'],
  },
  {
    asked: 'what audiences have been set up on the FR project',
    searched: 'list saved segments project',
    tools: ['list_segments', 'find_objects'],
  },
  {
    asked: 'show me the names of all lab tests and which urls they hit',
    searched: 'list synthetic scenarios urls',
    tools: ['list_scenarios'],
  },
  {
    asked: 'Hero banner: of everyone who saw it how many actually tapped? and does it do better than the carousel under it',
    searched: 'banner click rate exposure zone',
    tools: ['get_zone_tap_rate', 'get_zone_metrics', 'query_metrics'],
  },
];
