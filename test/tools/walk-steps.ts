import type { OperationName } from '../../src/api/operations/index.ts';
import { type MetricEndpoint, metricEndpoints } from '../samples/metric-endpoints.ts';

/** Records of the emulated world that the walk names; looked up, because they depend on seed and clock. */
export interface Known {
  /** A report of scenario 4101, and the result of one of its steps. */
  readonly date: number;
  readonly stepResultId: string;
  /** A job and one of its runs. */
  readonly jobId: number;
  readonly runId: number;
  /** As the emulator records them: the secret as a short hash. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** One operation: the tool that sends it, and what has to arrive at the platform. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly operation: OperationName;
  readonly path: string;
  /** Query, decoded; or body of a POST. */
  readonly input: Readonly<Record<string, unknown>>;
}

const dates = { startDate: '2026-11-09', endDate: '2026-11-15' };
const paris = { startDate: '2026-11-09T00:00:00.000+01:00', endDate: '2026-11-15T23:59:59.999+01:00' };
const shop = { projectId: '1201' };
const app = { projectId: '1202' };

/** Arguments of metrics tools, each way at least once, with what is sent where that differs. */
const METRIC_ARGUMENTS: Partial<Record<OperationName, readonly [args: Record<string, unknown>, sent?: Record<string, unknown>]>> = {
  getSiteMetrics: [
    { period: 'daily', goalId: 'Add to cart' },
    { period: 'daily', goalId: '75118' },
  ],
  getSiteBounceRate: [{ device: 'tablet' }],
  getSiteCartAverage: [{ segmentIds: ['Germany', 431902] }, { segmentIds: '440156,431902' }],
  getSiteConversions: [{ goalId: 75118 }, { goalId: '75118' }],
  getSiteConversionRate: [{ period: 'none' }],
  getSitePageviewAverage: [{ device: 'all' }],
  getSiteRevenue: [{ device: 'mobile', period: 'daily' }],
  getSiteVisits: [{ device: 'desktop' }],
  getZoneMetrics: [{ period: 'daily' }],
  getZoneConversionRatePerTap: [{ goalId: 'wish list filled' }, { goalId: '89574' }],
  getZoneRevenue: [{ device: 'mobile' }],
  getZoneRevenuePerTap: [{ device: 'tablet' }],
  getZoneSwipeRate: [{ segmentIds: ['iOS'] }, { segmentIds: '524466' }],
  getZoneTapRate: [{ period: 'none' }],
};

function metricStep({ of, tool, operation, path }: MetricEndpoint): Step {
  const [more = {}, sent = more] = METRIC_ARGUMENTS[operation] ?? [];
  const [own, where, from] =
    of === 'site' ? [{}, 'site', shop] : [{ zoneId: 'Home / Header / Search bar', projectId: 1202 }, 'zone/8120447', app];
  return {
    tool,
    operation,
    path: `/v1/metrics/${where}${path}`,
    args: { ...dates, ...own, ...more },
    input: { ...from, ...paris, ...sent },
  };
}

function speed(tool: string, operation: OperationName, path: string, args: Record<string, unknown>, input = args): Step {
  return { tool, operation, path: `/v1/speed-analysis/${path}`, args, input };
}

function read(
  tool: string,
  operation: OperationName,
  path: string,
  args: Record<string, unknown> = {},
  input: Record<string, unknown> = shop,
): Step {
  return { tool, operation, path: `/v1/${path}`, args, input };
}

const fields = [
  { fieldName: 'user_id', aliasName: 'user' },
  { fieldName: 'custom_var', customVarPosition: 3 },
  { fieldName: 'dynamic_var', dynamicVarKey: 'search_term' },
];
const enrichments = [{ userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 2, enrichment: { agent: 'Mia' } }];

/** Operations of the reference, in an order in which each can succeed; one that is not here is walked with its sample arguments. */
export function stepsOf({ date, stepResultId, jobId, runId, clientId, clientSecret }: Known): Step[] {
  const credential = { client_id: clientId, client_secret: clientSecret };
  const paging = { limit: 5, order: 'ASC', page: 1 };
  const paged = { limit: '5', order: 'ASC', page: '1' };
  return [
    { tool: 'get_credential', operation: 'readCredential', path: '/v1/oauth/me', args: {}, input: credential },
    {
      tool: 'authenticate',
      operation: 'requestToken',
      path: '/v1/oauth/token',
      args: { renew: true },
      input: { ...credential, grant_type: 'client_credentials', scope: 'data-export metrics speed-analysis', project_id: 1201 },
    },
    speed('list_scenarios', 'listScenarios', 'scenario/list', { name: 'Checkout' }),
    speed(
      'get_scenario_report',
      'getScenarioReport',
      'scenario/report',
      { scenarioId: 'checkout – desktop', date, metrics: ['all'] },
      { scenarioId: 4101, date },
    ),
    speed(
      'list_scenario_reports',
      'listScenarioReports',
      'scenario/reports',
      { scenarioId: 4101, dateFrom: '2026-11-18', dateTo: 'yesterday', error: false, limit: 9 },
      // "After" and "before" of the interface exclude what is named.
      { scenarioId: 4101, dateFrom: '2026-11-17T22:59:59.999Z', dateTo: '2026-11-19T23:00:00.000Z', error: false, limit: 9 },
    ),
    speed('get_step_report', 'getStepReport', 'scenario/step/report', { stepId: stepResultId }),
    speed('get_step_har', 'getStepHar', 'scenario/report/har', { scenarioStepResultId: stepResultId }),
    speed(
      'create_speed_event',
      'createSpeedEvent',
      'event/create',
      { key: 'walk', text: 'Walked', date: 'now', monitorings: [12], scenarios: [4101, 'Checkout – mobile'] },
      { key: 'walk', text: 'Walked', date: '2026-11-20T11:00:00.000+01:00', monitorings: [12], scenarios: [4101, 4102] },
    ),
    speed(
      'list_speed_events',
      'listSpeedEvents',
      'event/list',
      { key: 'walk', dateFrom: '2026-11-01', monitoringId: 12, scenarioId: 'Checkout – mobile' },
      { key: 'walk', dateFrom: '2026-10-31T22:59:59.999Z', monitoringId: 12, scenarioId: 4102 },
    ),
    speed('delete_speed_event', 'deleteSpeedEvent', 'event/delete', { key: 'walk', confirm: true }, { key: 'walk' }),
    {
      tool: 'create_export_job',
      operation: 'createExportJob',
      path: '/v1/exports',
      args: {
        name: 'Walk',
        format: 'JSONL',
        scope: 'sessions',
        frequency: { value: 'once', dateRange: { from: '2026-11-09', to: '2026-11-15' } },
        fields,
        deviceLabel: 'desktop',
        segmentId: 'France',
        confirm: true,
      },
      input: {
        name: 'Walk',
        format: 'JSONL',
        scope: 'sessions',
        frequency: { value: 'once', dateRange: { from: '2026-11-09T00:00:00.000+01:00', to: '2026-11-16T00:00:00.000+01:00' } },
        fields: [fields[0], { fieldName: 'custom_var', customVarPosition: '3' }, fields[2]],
        deviceLabel: 'desktop',
        segmentId: '440158',
      },
    },
    read(
      'list_export_jobs',
      'listExportJobs',
      'exports',
      { ...paging, state: 'COMPLETED', scope: 'sessions', frequency: 'once', format: 'CSV' },
      { ...paged, state: 'completed', scope: 'sessions', frequency: 'once', format: 'CSV' },
    ),
    read('list_successful_export_runs', 'listSuccessfulExportRuns', 'exports/successful-runs', paging, paged),
    read('get_export_job', 'getExportJob', `exports/${jobId}`, { jobId: String(jobId) }, {}),
    read(
      'list_export_runs',
      'listExportRuns',
      `exports/${jobId}/runs`,
      { jobId, ...paging, state: 'Success' },
      { ...paged, state: 'SUCCESS' },
    ),
    read('get_export_run', 'getExportRun', `exports/${jobId}/runs/${runId}`, { jobId, runId }, {}),
    read('list_exportable_fields', 'listExportableFields', 'exportable-fields', { scope: 'sessions' }, { scope: 'sessions' }),
    read('list_custom_variables', 'listCustomVariables', 'custom-vars', {}, {}),
    read(
      'list_dynamic_variable_keys',
      'listDynamicVariableKeys',
      'dynamic-var-keys',
      { from: '-7d', to: 'yesterday' },
      { from: '2026-11-13T00:00:00.000+01:00', to: '2026-11-19T23:59:59.999+01:00' },
    ),
    read('list_segments', 'listSegments', 'segments', { ids: [440156, 440158] }, { ...shop, ids: '440156,440158' }),
    read('list_goals', 'listGoals', 'goals'),
    read('list_mappings', 'listMappings', 'mappings', { ids: [21504] }, { ...shop, ids: '21504' }),
    read('get_mapping', 'getMapping', 'mappings/21504', { mappingId: 'Shop pages' }),
    read('list_page_groups', 'listPageGroups', 'mappings/21504/page-groups', { mappingId: 21504 }),
    read('get_page_group', 'getPageGroup', 'page-groups/210622', { pageGroupId: 'Shop pages / Cart' }),
    read('list_zonings', 'listZonings', 'page-groups/210617/zonings', { pageGroupId: 210617 }),
    read('list_zones', 'listZones', 'zonings/910240/zones', { zoningId: 'Home page, spring' }),
    ...metricEndpoints.map(metricStep),
    {
      tool: 'send_enrichments',
      operation: 'sendEnrichments',
      path: '/v1/enrichments',
      args: { enrichments, integrationVersion: 2, encoding: 'json', confirm: true },
      input: { projectId: 1201, integrationVersion: '2', enrichments },
    },
  ];
}
