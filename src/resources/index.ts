import exportQuery from './export-query.ts';
import exportRun from './export-run.ts';
import exports from './exports.ts';
import reference from './reference.ts';
import scenarioReport from './scenario-report.ts';
import scenarioReports from './scenario-reports.ts';
import scenarios from './scenarios.ts';
import stepHar from './step-har.ts';
import stepHarSummary from './step-har-summary.ts';
import stepReport from './step-report.ts';

/** All resources, in the order in which their templates are listed. */
export const resources = [
  scenarios,
  scenarioReports,
  scenarioReport,
  stepReport,
  stepHar,
  stepHarSummary,
  exports,
  exportRun,
  exportQuery,
  reference,
];
