/** What assistants, prompts and documents rely on: typed by hand, so that a renamed tool or parameter is noticed here. */
export interface ToolContract {
  /** Parameters without `projectId`, which every tool has, and `confirm`, which every confirmed tool has; `!` marks the required ones. */
  readonly parameters: string;
  readonly write?: true;
  readonly confirmed?: true;
}

const site = 'startDate! endDate! device segmentIds';
const zone = `zoneId! ${site} period`;

/** The tools that stand for one operation each, by toolset, in the order of the documents. */
export const toolContract: Readonly<Record<string, Readonly<Record<string, ToolContract>>>> = {
  account: {
    authenticate: { parameters: 'scope renew' },
    get_credential: { parameters: '' },
  },
  'speed-analysis': {
    list_scenarios: { parameters: 'name' },
    get_scenario_report: { parameters: 'scenarioId! date metrics' },
    list_scenario_reports: { parameters: 'scenarioId! limit lastDays dateFrom dateTo error metrics' },
    get_step_report: { parameters: 'stepId! metrics' },
    get_step_har: { parameters: 'scenarioStepResultId!' },
    list_speed_events: { parameters: 'key dateFrom monitoringId scenarioId' },
    create_speed_event: { parameters: 'key! text! date! monitorings scenarios', write: true },
    delete_speed_event: { parameters: 'key!', write: true, confirmed: true },
  },
  'data-export': {
    create_export_job: {
      parameters: 'name! format! scope frequency! fields! deviceLabel! segmentId',
      write: true,
      confirmed: true,
    },
    list_export_jobs: { parameters: 'format frequency limit order page scope state' },
    list_successful_export_runs: { parameters: 'page order limit' },
    get_export_job: { parameters: 'jobId!' },
    list_export_runs: { parameters: 'jobId! limit order page state' },
    get_export_run: { parameters: 'jobId! runId!' },
    list_exportable_fields: { parameters: 'scope!' },
    list_custom_variables: { parameters: '' },
    list_dynamic_variable_keys: { parameters: 'from to' },
  },
  objects: {
    list_segments: { parameters: 'ids' },
    list_goals: { parameters: '' },
    list_mappings: { parameters: 'ids' },
    get_mapping: { parameters: 'mappingId!' },
    list_page_groups: { parameters: 'mappingId!' },
    get_page_group: { parameters: 'pageGroupId!' },
    list_zonings: { parameters: 'pageGroupId!' },
    list_zones: { parameters: 'zoningId!' },
  },
  metrics: {
    get_site_metrics: { parameters: `${site} period goalId` },
    get_site_bounce_rate: { parameters: `${site} period` },
    get_site_cart_average: { parameters: site },
    get_site_conversions: { parameters: `${site} period goalId` },
    get_site_conversion_rate: { parameters: `${site} period goalId` },
    get_site_pageview_average: { parameters: `${site} period` },
    get_site_revenue: { parameters: `${site} period` },
    get_site_session_time_average: { parameters: `${site} period` },
    get_site_visits: { parameters: `${site} period` },
    get_zone_metrics: { parameters: zone },
    get_zone_conversion_rate_per_tap: { parameters: `${zone} goalId` },
    get_zone_revenue: { parameters: zone },
    get_zone_revenue_per_tap: { parameters: zone },
    get_zone_swipe_rate: { parameters: zone },
    get_zone_swipe_recurrence: { parameters: zone },
    get_zone_tap_rate: { parameters: zone },
    get_zone_tap_recurrence: { parameters: zone },
    get_zone_time_before_first_tap: { parameters: zone },
  },
  enrichment: {
    send_enrichments: { parameters: 'enrichments! skipInvalid integrationVersion encoding', write: true, confirmed: true },
  },
};

/** The tools that answer a question; each holds to this as soon as it exists. */
export const insightContract: Readonly<Record<string, ToolContract>> = {
  find_objects: { parameters: 'text! kinds limit' },
  query_metrics: {
    parameters: 'metrics! startDate! endDate! breakdown devices segmentIds compareSegments goalIds zoneIds chart',
  },
  compare_metrics: {
    parameters:
      'metrics startDate! endDate! baselineStartDate baselineEndDate baseline by devices segmentIds compareSegments goalId explain chart',
  },
  analyze_scenario: { parameters: 'scenarioId! startDate endDate baselineStartDate baselineEndDate step metrics chart' },
  check_speed_budgets: { parameters: 'scenarioIds budgets runs' },
  analyze_har: {
    parameters: 'scenarioStepResultId! view url type domain status minDurationMs minBytes limit cursor chart',
  },
  compare_hars: { parameters: 'before! after!' },
  plan_export: { parameters: 'fields! name scope format frequency startDate endDate deviceLabel segmentId' },
  apply_export_plan: { parameters: 'planId!', write: true, confirmed: true },
  download_export_run: { parameters: 'jobId! runId waitSeconds' },
  sync_exports: { parameters: 'jobIds since waitSeconds' },
  find_export_gaps: { parameters: 'jobId! startDate endDate' },
  query_export: { parameters: 'jobId jobIds sql limit chart' },
  list_workspace: { parameters: 'jobIds' },
  purge_workspace: { parameters: 'jobIds before', write: true, confirmed: true },
};

/** Members of the objects inside parameters; no other parameter holds an object. The fields of an `enrichment` are free. */
export const nestedMembers: Readonly<Record<string, string>> = {
  'create_export_job.frequency': 'value! dateRange',
  'create_export_job.frequency.dateRange': 'from! to!',
  'create_export_job.fields[]': 'fieldName! aliasName customVarPosition dynamicVarKey',
  'send_enrichments.enrichments[]': 'userId! sessionNumber! enrichmentNumber! enrichment!',
  'send_enrichments.enrichments[].enrichment': '',
  'check_speed_budgets.budgets[]': 'metric! limit!',
};
