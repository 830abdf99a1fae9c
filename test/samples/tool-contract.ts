/** What assistants, prompts and documents rely on, typed by hand where no operation says it. */
export interface ToolContract {
  /** Parameters without `projectId`, which every tool has, and `confirm`, which every confirmed tool has; `!` marks the required ones. */
  readonly parameters: string;
  readonly write?: true;
  readonly confirmed?: true;
}

/** What all tools over visits take. */
const VISITS = 'jobIds startDate endDate devices visitorType countries browsers entryPages automated';

/** The tools that answer a question; each holds to this as soon as it exists. */
export const insightContract: Readonly<Record<string, ToolContract>> = {
  find_objects: { parameters: 'text! kinds limit' },
  find_changes: { parameters: 'startDate endDate days metrics devices segmentIds goalIds zoneIds include limit' },
  query_metrics: {
    parameters:
      'metrics! startDate! endDate! breakdown totals shares expected devices segmentIds compareSegments goalIds zoneIds projectIds orderBy ' +
      'limit chart',
  },
  compare_metrics: {
    parameters:
      'metrics startDate! endDate! baselineStartDate baselineEndDate baseline by devices segmentIds compareSegments goalId ' +
      'zoneIds projectIds detect explain chart',
  },
  analyze_scenario: {
    parameters: 'scenarioIds view breakdown startDate endDate baselineStartDate baselineEndDate step metrics orderBy limit cursor chart',
  },
  check_speed_budgets: { parameters: 'scenarioIds budgets since runs limit cursor' },
  analyze_har: {
    parameters:
      'scenarioStepResultId scenarioId step view problem url type domain status minDurationMs minBytes orderBy limit cursor chart',
  },
  compare_hars: { parameters: 'before after scenarioId step since' },
  plan_export: { parameters: 'fields! name scope format frequency startDate endDate deviceLabel segmentId' },
  apply_export_plan: { parameters: 'planId! allowDuplicate', write: true, confirmed: true },
  download_export_run: { parameters: 'jobId! runId waitSeconds' },
  sync_exports: { parameters: 'jobIds since waitSeconds' },
  find_export_gaps: { parameters: 'jobId startDate endDate' },
  query_export: { parameters: 'jobId jobIds sql limit chart' },
  list_workspace: { parameters: 'jobIds' },
  analyze_funnel: {
    parameters: `steps! order within withinDays breakdown baselineStartDate baselineEndDate ${VISITS} chart`,
  },
  analyze_paths: { parameters: `from! direction depth limit ${VISITS} chart` },
  analyze_retention: { parameters: `by periods breakdown ${VISITS} chart` },
  measure_impact: { parameters: `conditions outcome ${VISITS} limit chart` },
  purge_workspace: { parameters: 'jobIds before', write: true, confirmed: true },
};

/** Members of the objects inside parameters; no other parameter holds an object. The fields of an `enrichment` are free. */
export const nestedMembers: Readonly<Record<string, string>> = {
  'create_export_job.frequency': 'value! dateRange',
  'create_export_job.frequency.dateRange': 'from! to!',
  'create_export_job.fields[]': 'fieldName! aliasName customVarPosition dynamicVarKey',
  'send_enrichments.enrichments[]': 'sessionId userId sessionNumber enrichmentNumber enrichment!',
  'send_enrichments.enrichments[].enrichment': '',
  'check_speed_budgets.budgets[]': 'metric! limit!',
  'measure_impact.conditions[]': 'what! pages overSeconds over message name value',
};
