import { type Assistant } from './assistant.ts';

/** A call of a tool: its name and arguments. */
export type ToolCall = readonly [tool: string, args: Record<string, unknown>];

const WEEK = { startDate: 'last_week', endDate: 'last_week' };
const APP = { projectId: '1202', zoneId: '8120447' };

/** Site metrics by operation, whose tools take the same. */
const GETTERS = [
  'metrics',
  'bounce_rate',
  'cart_average',
  'conversions',
  'conversion_rate',
  'pageview_average',
  'revenue',
  'session_time_average',
  'visits',
].map((name): ToolCall => [`get_site_${name}`, WEEK]);

const ZONE_GETTERS = [
  'metrics',
  'conversion_rate_per_tap',
  'revenue',
  'revenue_per_tap',
  'swipe_rate',
  'swipe_recurrence',
  'tap_rate',
  'tap_recurrence',
  'time_before_first_tap',
].map((name): ToolCall => [`get_zone_${name}`, { ...WEEK, ...APP }]);

/** Calls of tools that answer at once, in the forms that people ask for; those of exports expect `fetchExports` before. */
const QUICK: readonly ToolCall[] = [
  ...GETTERS,
  ...ZONE_GETTERS,
  ['get_site_visits', { ...WEEK, period: 'daily' }],
  ['get_site_metrics', { ...WEEK, device: 'mobile', segmentIds: ['Returning visitors'] }],
  ['authenticate', {}],
  ['get_credential', {}],
  ['list_scenarios', {}],
  ['get_scenario_report', { scenarioId: 4101 }],
  ['get_scenario_report', { scenarioId: 4101, metrics: ['all'] }],
  ['list_scenario_reports', { scenarioId: 4101, limit: 3 }],
  ['list_scenario_reports', { scenarioId: 4103, lastDays: 7, error: true }],
  ['list_speed_events', {}],
  [
    'create_export_job',
    { name: 'A', fields: [{ fieldName: 'user_id' }], frequency: { value: 'daily' }, format: 'CSV', scope: 'sessions', deviceLabel: 'all' },
  ],
  ['delete_speed_event', { key: 'no-such-key' }],
  ['list_export_jobs', {}],
  ['list_export_jobs', { limit: 100 }],
  ['list_export_jobs', { state: 'active' }],
  ['list_successful_export_runs', {}],
  ['list_successful_export_runs', { expiresBefore: '2030-01-01', limit: 10 }],
  ['get_export_job', { jobId: 'Daily sessions' }],
  ['list_export_runs', { jobId: 'Daily sessions', limit: 5 }],
  ['list_exportable_fields', { scope: 'sessions' }],
  ['list_custom_variables', {}],
  ['list_dynamic_variable_keys', { from: '-7d', to: 'today' }],
  ['list_segments', {}],
  ['list_goals', {}],
  ['list_mappings', {}],
  ['get_mapping', { mappingId: 21504 }],
  ['list_page_groups', { mappingId: 21504 }],
  ['get_page_group', { pageGroupId: 210617 }],
  ['list_zonings', { pageGroupId: 210617 }],
  ['list_zones', { zoningId: 910240 }],
  ['find_objects', { text: 'checkout' }],
  ['find_objects', { text: 'browser' }],
  ['query_metrics', { ...WEEK, metrics: ['all'] }],
  ['query_metrics', { ...WEEK, metrics: ['visits', 'conversionRate', 'revenueSum'], breakdown: ['device'], totals: true, shares: true }],
  [
    'query_metrics',
    { startDate: '2026-01-01', endDate: '2026-10-31', metrics: ['visits', 'revenueSum', 'cartAverage'], breakdown: ['month'] },
  ],
  ['query_metrics', { startDate: '2026-08-01', endDate: '2026-10-31', metrics: ['revenueSum'], breakdown: ['day'] }],
  ['query_metrics', { ...WEEK, metrics: ['conversionRate'], breakdown: ['segment'], orderBy: 'conversionRate', limit: 3 }],
  ['query_metrics', { ...WEEK, metrics: ['visits'], breakdown: ['day'], expected: true }],
  ['query_metrics', { ...WEEK, metrics: ['tapRate', 'revenuePerTap'], projectId: '1202', zoneIds: ['8120447'] }],
  ['query_metrics', { ...WEEK, metrics: ['visits', 'revenueSum'], projectIds: ['all'], breakdown: ['project'] }],
  [
    'check_speed_budgets',
    {
      budgets: [
        { metric: 'LCP', limit: 2500 },
        { metric: 'weight', limit: 2_600_000 },
      ],
    },
  ],
  ['analyze_har', { scenarioId: 4101, step: '1' }],
  ['analyze_har', { scenarioId: 4101, step: '1', view: 'waterfall' }],
  ['analyze_har', { scenarioId: 4101, step: '1', view: 'third_parties' }],
  ['analyze_har', { scenarioId: 4101, step: '1', view: 'problems' }],
  ['analyze_har', { scenarioId: 4101, step: '1', view: 'requests', orderBy: 'bytes', limit: 5 }],
  ['compare_hars', { scenarioId: 4101, step: '1', since: '-7d' }],
  ['plan_export', { fields: ['browser', 'device', 'revenue', 'plan'], name: 'Kept sessions', frequency: 'daily', format: 'JSONL' }],
  ['plan_export', { fields: ['browser'], startDate: '2026-07-01', endDate: '2026-10-31', scope: 'sessions' }],
  ['apply_export_plan', { planId: 'no-such-plan' }],
  ['sync_exports', { since: 'now' }],
  ['find_export_gaps', {}],
  ['find_export_gaps', { jobId: 'Daily sessions' }],
  ['query_export', {}],
  [
    'query_export',
    { sql: 'SELECT device_id, count(*) AS n, sum(session_transactions_revenue) AS revenue FROM sessions GROUP BY ALL ORDER BY n DESC' },
  ],
  ['query_export', { sql: 'SELECT session_time, session_transactions_revenue FROM sessions ORDER BY ALL LIMIT 5' }],
  ['list_workspace', {}],
  ['purge_workspace', { jobIds: ['Daily views'] }],
  ['analyze_funnel', { steps: ['/p/*', '/cart', 'purchase'], breakdown: 'device' }],
  ['analyze_paths', { from: '/cart', depth: 2 }],
  ['analyze_retention', { by: 'day' }],
  ['measure_impact', {}],
  [
    'send_enrichments',
    {
      enrichments: [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { agent: 'Mia' } }],
      integrationVersion: '1',
    },
  ],
];

/** Calls that judge hundreds of series. */
export const SLOW_CALLS: readonly ToolCall[] = [
  ['find_changes', {}],
  ['find_changes', { days: 60, include: ['site', 'speed'] }],
  ['compare_metrics', WEEK],
  ['compare_metrics', { ...WEEK, metrics: ['all'], by: 'period', baseline: 'previous_year' }],
  ['compare_metrics', { ...WEEK, by: 'device', metrics: ['conversionRate'] }],
  ['compare_metrics', { ...WEEK, by: 'segment', metrics: ['conversionRate', 'revenueSum'] }],
  ['analyze_scenario', {}],
  ['analyze_scenario', { view: 'levels', orderBy: 'largestContentfulPaint' }],
  ['analyze_scenario', { view: 'failures' }],
  ['analyze_scenario', { view: 'runs', scenarioIds: ['4103'] }],
  ['analyze_scenario', { scenarioIds: ['4103'], breakdown: 'week', startDate: '-28d' }],
];

/** Fetches the last days of some exports into the workspace, until all are here and read; a call that ends sooner is joined by the next. */
export async function fetchExports(assistant: Assistant, jobIds = ['Daily sessions', 'Daily views']): Promise<void> {
  const { structured } = await assistant.call('sync_exports', { jobIds, since: '-4d', waitSeconds: 40 });
  if (structured['state'] === 'under way') return fetchExports(assistant, jobIds);
  const workspace = await assistant.workspace(1201);
  await workspace.converted();
}

/** `QUICK` with the calls whose arguments only the world knows: a step result and a run. */
export async function quickCalls({ call }: Pick<Assistant, 'call'>): Promise<ToolCall[]> {
  const { structured: report } = await call('get_scenario_report', { scenarioId: 4101 });
  const [step] = report['steps'] as { stepResultId: string }[];
  const { structured: older } = await call('list_scenario_reports', { scenarioId: 4101, lastDays: 3 });
  const { structured: listed } = await call('list_successful_export_runs', { limit: 1 });
  const [run] = listed['runs'] as { jobId: number; jobRunId: number }[];
  const stepResultId = step?.stepResultId;
  return [
    ...QUICK,
    ['get_step_report', { stepId: stepResultId, metrics: ['all'] }],
    ['get_step_har', { scenarioStepResultId: stepResultId }],
    ['get_export_run', { jobId: run?.jobId, runId: run?.jobRunId }],
    ['download_export_run', { jobId: run?.jobId, runId: run?.jobRunId, waitSeconds: 20 }],
    ['create_speed_event', { key: `mark-${Object.keys(older).length}`, text: 'A release', date: '-1d', scenarios: ['4101'] }],
  ];
}
