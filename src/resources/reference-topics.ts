import { ApiError } from '../api/errors.ts';
import { aggregateMetricNames, stepTimingNames } from '../api/metric-names.ts';
import type { PayloadOf } from '../api/operation.ts';
import { listExportableFields } from '../api/operations/data-export.ts';
import { getSiteMetrics, getZoneMetrics } from '../api/operations/metrics.ts';
import * as p from '../api/params.ts';
import { PAGE_MEDIANS, thresholds } from '../har/page-limits.ts';
import { MAX_HAR_BYTES } from '../har/read/decode-har.ts';
import { conditionKinds, FRUSTRATION_SCORES, SLOW_SECONDS } from '../journeys/impact/conditions.ts';
import { MANY_SIBLINGS } from '../journeys/page-groups.ts';
import { WEEK_START } from '../lib/calendar.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { ACCEPTED_DATES } from '../lib/date-texts.ts';
import { resolveDate, todayIn } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { formatBytes } from '../lib/number-text.ts';
import { markdownTable } from '../lib/text-table.ts';
import { siteMetricDefinitions, zoneMetricDefinitions, zoneMetricNames } from '../metrics/metric-definitions.ts';
import type { Combination, RangeMetricDefinition } from '../metrics/range-metric-definition.ts';
import { unanswerable } from '../metrics/unanswerable.ts';
import { type SpeedMetricDefinition, speedMetricDefinitions } from '../speed/speed-metric-definitions.ts';
import { SPEED_UNITS, usualSpeedMetrics } from '../speed/speed-metrics.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';
import { listingTools } from '../tooling/name-lists.ts';
import type { ResourceContext } from '../tooling/resource.ts';
import { MAX_RESOURCE_BYTES } from './step-har.ts';

const SETTINGS: readonly (readonly [name: string, words: string])[] = [
  ['WEB_ANALYTICS_DATA_DIR', 'folder of the workspace on the disk of this server'],
  ['WEB_ANALYTICS_DATA_QUOTA_MB', 'how much may lie there'],
  ['WEB_ANALYTICS_WAREHOUSE_URL', 'ClickHouse of a team; without it the embedded engine answers from the disk'],
  ['WEB_ANALYTICS_WAREHOUSE_PASSWORD (or …_PASSWORD_FILE)', 'of the user that loads'],
  ['WEB_ANALYTICS_WAREHOUSE_READER, …_READER_PASSWORD', 'the read-only user that statements run as'],
  ['WEB_ANALYTICS_WAREHOUSE_ENGINE', 'ReplacingMergeTree, or ReplicatedReplacingMergeTree in a cluster'],
];

const WORKSPACE =
  hint('sync_exports', 'sync_exports fetches every run that is not here yet. ') +
  hint('download_export_run', 'download_export_run fetches a single one. ') +
  'Runs are kept on the disk of the server, apart by caller, project, job and run, and become tables (Parquet). ' +
  hint('query_export', 'query_export answers SQL from there, the tools over visits too. ') +
  hint('list_workspace', 'list_workspace shows what is there. ') +
  hint('purge_workspace', 'purge_workspace makes room. ') +
  hint('find_export_gaps', 'find_export_gaps says which days are missing, and fills them. ') +
  'The folder of a run has a manifest.json beside its files: other programs may read both.';

const CLICKHOUSE =
  'With WEB_ANALYTICS_WAREHOUSE_URL set, runs are loaded there once they are fetched: tables export_sessions and export_views, each row ' +
  'once, as the last export has it. Statements are then in the dialect of ClickHouse. Replicas share one copy. docs/warehouse.md has ' +
  'users, grants and tables.';

const OTHERS =
  'From the files: JSONL (gzip, a row a line) or CSV (with a header) are read by BigQuery, Snowflake, Redshift, Databricks, DuckDB and ' +
  'Power BI alike. ' +
  hint('sync_exports', 'Run sync_exports daily, for instance by `web-analytics-mcp call sync_exports` in a build job, and load ') +
  'the new runs of the data folder. Rules for the load: user_id is a number above 2^53 and must stay text; amounts are cents; the key of ' +
  'a row is project_id, user_id, session_id (and view_number); the last export of a row wins, because app sessions may change for a ' +
  'week. ' +
  'Power BI: Get data, Folder, the folder of the job; or its ClickHouse connector on the tables above.';

/** The reference page about where exported data go: the platform's files, the workspace, a warehouse, other tools. */
export function writeWhereExportsGo(): string {
  return [
    'An export job makes **files** at the platform, one or several parts a run. They are deleted at their expirationDate, about a week ' +
      'after the run. The platform itself sends them nowhere: someone has to fetch them.',
    '## 1. Into the workspace of this server',
    WORKSPACE,
    '## 2. Into ClickHouse, by this server',
    CLICKHOUSE,
    '## 3. Into another warehouse, or Power BI',
    OTHERS,
    '## Settings',
    markdownTable(['setting', 'what it says'], SETTINGS),
  ].join('\n\n');
}

/** Writes one topic of the reference as Markdown, without its title. */
export type WriteTopic = (context: ResourceContext) => string | Promise<string>;

function table(definitions: Readonly<Record<string, SpeedMetricDefinition>>): string {
  const rows = Object.entries(definitions).map(([name, { unit, words }]) => [name, unit, words]);
  return markdownTable(['metric', 'unit', 'what it is'], rows);
}

function combined(combination: Combination): string {
  if (combination.by === 'sum') return 'add';
  if (combination.by === 'ratio') return `recompute from ${combination.numerator} and ${combination.denominator}`;
  if (combination.by === 'mean') return `mean weighted by ${combination.weight}`;
  return combination.by === 'quotient'
    ? `sum of ${combination.numerator} / sum of (${combination.numerator} / value)`
    : 'ask for the whole';
}

function rangeTable(definitions: Readonly<Record<string, RangeMetricDefinition>>): string {
  const rows = Object.entries(definitions).map(([name, { unit, words, combination }]) => [name, unit, words, combined(combination)]);
  return markdownTable(['metric', 'unit', 'what it is', 'of several ranges'], rows);
}

/** Names of one list that the other lacks. */
function lacking(names: readonly string[], others: readonly string[]): string {
  return names.filter((name) => !others.includes(name)).join(', ');
}

/** Members of a step itself, without its timings. */
const STEP_MEMBERS = ['weight', 'loadTime', 'requestsCount'];

/** Every metric with its unit and meaning. */
export function writeMetrics(): string {
  const ofSteps = [...stepTimingNames, ...STEP_MEMBERS];
  const beyondAll = lacking(Object.keys(zoneMetricDefinitions), zoneMetricNames);
  return `Rates are percents (93.0 is 93 %). Never average rates or averages of days, devices or segments: ask for the whole range. \
null is no value, never 0.

## Site metrics (\`${getSiteMetrics.path}\`; tool get_site_metrics)

${rangeTable(siteMetricDefinitions)}

## Zone metrics of apps (\`${getZoneMetrics.path}\`; tool get_zone_metrics)

${rangeTable(zoneMetricDefinitions)}

get_zone_metrics gives all but ${beyondAll}, which only get_zone_conversion_rate_per_tap gives. The last 7 days may still change.

## Speed metrics (tools get_scenario_report, list_scenario_reports, get_step_report)

${SPEED_UNITS} Without \`metrics\` an answer holds ${usualSpeedMetrics.join(', ')}. In a summary, \`sum\` adds over the steps and \
\`average\` is per step: sums compare only between reports with as many finished steps. Leave runs with fail > 0 out of averages.

${table(speedMetricDefinitions)}

Only in summaries: ${lacking(aggregateMetricNames, ofSteps)}. Only in steps: ${lacking(ofSteps, aggregateMetricNames)}.`;
}

const units: Readonly<Record<string, { readonly unit: string } | undefined>> = speedMetricDefinitions;

function pair(limits: readonly [number, number] | undefined): string {
  return limits ? `${limits[0]} / ${limits[1]}` : '–';
}

/** Good and poor limits of speed metrics, and how to use them. */
export function writeThresholds(): string {
  const rows = Object.entries(thresholds).map(([metric, { field, desktop, mobile }]) => [
    metric,
    units[metric]?.unit ?? '',
    pair(field),
    pair(desktop),
    pair(mobile),
  ]);
  const { desktop, mobile } = PAGE_MEDIANS;
  return `Each cell: good up to / poor above; between the two: needs improvement.

${markdownTable(['metric', 'unit', 'field p75', 'lab desktop', 'lab mobile'], rows)}

- Field limits (Core Web Vitals) are for the 75th percentile of real visits. Reports here are lab runs: say so when a lab value is held \
against a field limit, and prefer the lab limit of the device where there is one.
- INP has no lab value; totalBlockingTime is its stand-in.
- One run proves nothing (totalBlockingTime scatters up to 3 times). Compare medians of at least 3 runs on each side, and claim a change \
only when it stands out from the scatter; otherwise it is "steady", "unstable" or "not enough data". analyze_scenario does this.
- Median page of the web (2024): desktop ${formatBytes(desktop.transferBytes)} and ${desktop.requests} requests, mobile \
${formatBytes(mobile.transferBytes)} and ${mobile.requests}.`;
}

const EXAMPLES = ['yesterday', 'monday', '-7d', '-3mo', 'last_week', 'this_month', 'last_quarter', '2026-11'];

/** The grammar of dates, resolved for today, and the rules by which names stand for ids. */
export const writeDatesAndNames: WriteTopic = ({ session }) => {
  const { clock, timeZone } = session.options;
  const nowMs = clock.now();
  const at = (text: string, edge: 'start' | 'end') => resolveDate(text, { edge, timeZone, nowMs, allowFuture: edge === 'start' }).iso;
  const resolved = EXAMPLES.map((text) => [text, at(text, 'start'), at(text, 'end')]);
  return `## Dates

Accepted wherever a parameter is a date: ${ACCEPTED_DATES}.

Time zone ${timeZone}, today ${todayIn(timeZone, nowMs)}. ${WEEK_START}; -7d is the calendar day seven days ago; months are clipped to \
their length. A day, week, month, quarter or year is its first instant as a start and its last millisecond as an end (in exports the next \
midnight, so that ranges meet). An end in the future is cut to now, and noted.

${markdownTable(['text', 'as a start', 'as an end'], resolved)}

## Names

Where a parameter takes an id it also takes a name; case and accents do not matter. An exact name is used, else the only name that begins \
so; the answer notes what was taken. Several matches, or none, are an error that lists candidates: nothing is guessed. A number is always \
an id.

${markdownTable(['kind', 'listed by'], Object.entries(listingTools))}

zoneId takes a path, "Home / Header / Search bar" (page group / zoning / zone, also with the mapping before it); a step may be left out \
where the rest is unique. Other parameters named …Id of exports and reports (stepResultId, runId) take ids only.`;
};

function daysAndHours(ms: number): string {
  return `${ms / (24 * HOUR_MS)} days (${(ms / HOUR_MS).toLocaleString('en')} hours)`;
}

/** Source: the documentation of the interface. */
const REFERENCE = 'documented';
/** Source: public pages of deployments, where the documentation is silent. */
const PUBLIC = 'stated publicly, not documented';

/** Limits as rows: what, how much, where it is stated: the documentation of the interface, public pages, or this server's own choice. */
function limitRows(): string[][] {
  return [
    ['access token', '1 hour (expires_in 3600); this server renews it', REFERENCE],
    ['credential', '1 year, then it must be generated anew', REFERENCE],
    ['page of jobs or runs', `${p.DEFAULT_PAGE_SIZE} by default, at most ${p.MAX_PAGE_SIZE}; ordered by jobId, not by date`, REFERENCE],
    ['reports of a scenario', `${p.DEFAULT_REPORTS} by default, limit 0 for all`, REFERENCE],
    ['range of a once export', `to at most ${daysAndHours(p.MAX_EXPORT_RANGE_MS)} after from; from within the data retention`, REFERENCE],
    ['custom variables in an export', 'customVarPosition 1 to 20', REFERENCE],
    ['scope of an export', 'at most 255 characters', REFERENCE],
    ['files of an export run', 'until their expirationDate', REFERENCE],
    ['how long files are kept', 'about 7 days', PUBLIC],
    ['period daily', `only on a range longer than ${p.ONE_DAY_MS / HOUR_MS} hours; not for get_site_cart_average`, REFERENCE],
    ['range of one metrics query', `at most ${daysAndHours(p.MAX_METRICS_RANGE_MS)}`, PUBLIC],
    ['several segmentIds', 'visitors in all of them; a union cannot be asked (visits: A + B − both; rates: not at all)', REFERENCE],
    ['goalId', 'required for conversions of projects without e-commerce; revenue and cart only for e-commerce', REFERENCE],
    ['ids of monitorings', 'not listed by the interface: the console shows them', REFERENCE],
    ['enrichments', 'no transactions; the scope enrichment goes with no other', REFERENCE],
    ['records of an enrichment', 'at most 3 per session; one bad record rejects the batch', PUBLIC],
    ['export job', 'cannot be changed, suspended or deleted through the interface: look for an equal one first', PUBLIC],
    ['calls at a time', '10 per project, shared by all its credentials', PUBLIC],
    ['calls to speed analysis', 'one at a time', 'this server'],
    ['HAR file', `read up to ${MAX_HAR_BYTES / 2 ** 20} MB; delivered as a resource up to ${MAX_RESOURCE_BYTES / 1e6} MB`, 'this server'],
  ];
}

/** Limits of the interface, and what it cannot answer at all. */
export function writeLimits(): string {
  return `${markdownTable(['what', 'limit', 'where stated'], limitRows())}

Rate limits and the status codes of refusals are not documented.

## No metric answers these

Say so where the interface has nothing, and offer the nearest.

${markdownTable(
  ['asked for', 'nearest'],
  unanswerable.map(({ asked, nearest }) => [asked, nearest]),
)}`;
}

/** How enrichment is set up, from nothing to the first batch. */
export function writeEnrichment(): string {
  return `Enrichment adds data that a server knows, such as a phone call, to sessions that were tracked.

1. The provider of the data hands in an integration schema, and is listed in the catalogue of integrations.
2. A customer installs the integration in the console. That makes an integration_id and a credential of its own (client_id, \
client_secret), which go to the provider. Neither can be made through this interface.
3. In the browser or the app the provider collects the project id and the session id: by these its records find their session. An export \
of sessions holds them too, as project_id, user_id, session_number and session_id.
4. Here the credential goes into WEB_ANALYTICS_ENRICHMENT_CLIENT_ID and WEB_ANALYTICS_ENRICHMENT_CLIENT_SECRET; without them the main \
credential is used. authenticate with scope enrichment tries it: its token lasts 1 hour and names the address of enrichment.
5. send_enrichments shows what would be sent, and sends it when it is confirmed. A record names its session by sessionId, or by userId and \
sessionNumber.

| what | rule | where stated |
| --- | --- | --- |
| scope | enrichment is asked for alone | ${REFERENCE} |
| transactions | not supported | ${REFERENCE} |
| body | form-encoded by default, JSON with encoding json | ${REFERENCE}; JSON: a public example |
| payload and answer | not shown by the reference; any 2xx counts as taken, and what came is handed back | this server |
| enrichmentNumber | 1 to 3; a record with the same number overwrites the former | ${PUBLIC} |
| a bad record | rejects the whole batch | ${PUBLIC} |`;
}

/** The scopes that request shapes of the reference show; deployments may know others. */
const SCOPES = ['sessions', 'views'];

function fieldTable(fields: PayloadOf<typeof listExportableFields>): string {
  const rows = fields.map(({ name, description, example, parameters }) => [
    name,
    `${description ?? ''}${parameters && parameters.length > 0 ? ` (needs ${parameters.join(', ')})` : ''}`,
    example ?? '',
  ]);
  return markdownTable(['fieldName', 'meaning', 'example'], rows);
}

const CONVENTIONS = `- A fieldName may appear once, except custom_var (with customVarPosition 1 to 20) and dynamic_var (with \
dynamicVarKey): list_custom_variables and list_dynamic_variable_keys show them.
- The names say the unit: …_cents is money in cents, …_msec is milliseconds, …_ind is yes or no.
- user_id is a number above 2^53: keep it as text. Fields with a dot are parallel arrays: errors.message[2] belongs to errors.error_time[2].
- A session ends after 30 idle minutes and is not cut at midnight. App sessions may change for 7 days: the last export wins.`;

/** The fields of the default project, or how to get them where they cannot be read now. */
export const writeExportableFields: WriteTopic = async ({ ask }) => {
  const sections = await Promise.all(
    SCOPES.map(async (scope) => {
      try {
        const fields = await ask(listExportableFields, { scope });
        return `## Scope ${scope}: ${fields.length} fields\n\n${fieldTable(fields)}`;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const reason = error.message;
        return (
          `## Scope ${scope}\n\nThe fields of the project could not be read: ${reason}\nlist_exportable_fields with scope ${scope} ` +
          'reads them.'
        );
      }
    }),
  );
  return `Fields depend on the project and the scope (\`${listExportableFields.path}\`).\n\n${CONVENTIONS}\n\n` + sections.join('\n\n');
};

type Kind = (typeof conditionKinds)[number];

const KINDS: Readonly<Record<Kind, readonly [members: string, words: string]>> = {
  slow_page: [
    'pages, overSeconds',
    `loading (fully_loaded) longer than overSeconds; left out: the least of ${SLOW_SECONDS.join(', ')} s that at most a fifth of the ` +
      'views of the page exceed',
  ],
  js_error: [
    'pages, message',
    'a JavaScript error, each text for itself; message is a part of it, `*` stands for any characters. Texts that differ in numbers ' +
      '(#) and addresses ({address}) alone are one',
  ],
  api_error: ['pages', 'a call of the page failed'],
  rage_click: ['pages', 'any element was clicked in rage'],
  frustration: [
    'pages, over',
    `a frustration score of at least over; left out: the least of ${FRUSTRATION_SCORES.join(', ')} that at most a fifth of the views reach`,
  ],
  page: ['pages', 'the visitor goes to this page next; the choice of visitors, so the difference is no effect of the page'],
  variable: [
    'name, value',
    'variants of a test, from a custom or dynamic variable: each value against the one called control, original, a, else the first by name',
  ],
};

const VERDICTS = [
  [
    'lowers, raises',
    `the difference stands out at a false discovery rate of ${100 * FALSE_DISCOVERY_RATES.conditions} % over all that was looked at ` +
      '(losses and gains apart), and other findings do not explain it',
  ],
  ['within noise', 'no effect beyond chance, or none of its own: the same sessions met a clearer condition'],
  ['too few', 'fewer than 20 sessions, or fewer than 5 conversions to be expected without the condition: numbers without a verdict'],
  [
    'no fair comparison',
    'fewer than half of the sessions have others like them, more is bought or fewer visits end where there is trouble, which is hardly ' +
      'its doing, or visitors of a test split otherwise than planned',
  ],
] as const;

/** The reference page about `measure_impact`: what it compares, and how to read its figures. */
export function writeImpact(): string {
  const kinds = conditionKinds.map((kind) => [kind, ...KINDS[kind]]);
  return [
    'measure_impact compares sessions in which a condition held at their **first view of a page** with sessions whose first view of ' +
      'the same page was without it and which were alike until then: device, visitor type, usual or rare browser version, source, ' +
      'number of the view. The outcome is what came after. A long visit, which meets more of everything, is never held against a ' +
      'short one.',
    '## Conditions',
    markdownTable(['what', 'takes', 'holds where'], kinds),
    '## Verdicts',
    markdownTable(['verdict', 'meaning'], VERDICTS),
    '## Figures',
    '`withPercent`: share of the outcome among the sessions with it; `withoutPercent`: what the same sessions would have had without ' +
      'it. `lost…`: over the days, of the comparable sessions, with a 95 % interval; negative where more was sold. `plainPoints`: all ' +
      'sessions with it at that view less all without, which is what a plain comparison says. Costs of several rows do not add up where ' +
      'the same sessions met both and neither explains the other. What the files do not know stays unknown: the list is a rank, no proof.',
  ].join('\n\n');
}

const FORMS = [
  ['`/cart`', 'that path; host, query and fragment are no part of it, capital letters are'],
  ['`/p/*`', 'a path in which `*` stands for any characters, `/` among them, or none: `/p/12`, `/p/12/reviews`'],
  ['`event:add_to_cart`', 'an app event of that name; `*` works here too'],
  ['`purchase`', 'a session with a transaction; the files do not say when in the session, so it can only be the last step'],
  ['`/cart | /basket`', 'one of several, each in any form above; spaces around the bar'],
  ['`entry`', 'where paths begin, and there alone: the first page of the session'],
] as const;

const COUNTED = [
  ['a session', 'lies on the day (UTC) on which it began, with all its views, also those after midnight'],
  ['a page loaded again right after itself', 'is one page'],
  ['a step', 'is done once, the first time that it comes after the step before; `order: direct` asks for the very next page'],
  ['a visitor', 'is a browser or device; with `within: visitor` the steps lie within `withinDays` of the first, over several sessions'],
  ['a visitor whose window is not over', 'is left out and counted as `immature`'],
  ['a day that one of the needed files lacks', 'is left out, named, and its rows are counted'],
  ['an automated session', 'counts, as in the metrics, and the share is named; `automated: exclude` leaves them out'],
] as const;

/** The reference page about steps: how they are written, and what the tools over visits count. */
export function writeSteps(): string {
  return [
    'A step is a text. It takes part in the steps of a funnel, in where paths begin, in filters by entry page and in outcomes.',
    markdownTable(['step', 'is fulfilled by'], FORMS),
    'A step that nothing in the files fulfils is an error that names the closest pages or events with their counts.',
    '## What is counted',
    markdownTable(['what', 'how'], COUNTED),
    '## Names of pages in answers',
    `Siblings from ${MANY_SIBLINGS} on are a list, such as products: \`/p/*\`. One that has a tenth of the views of all keeps its own ` +
      'name, and so does a word without a digit that has a fiftieth.' +
      hint('query_export', ' Any other grouping: query_export.'),
  ].join('\n\n');
}
