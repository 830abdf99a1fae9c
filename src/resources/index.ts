import { exportQuery, exportRun, exportsResource } from './exports.ts';
import reference from './reference.ts';
import { scenarioList, scenarioReport, scenarioReports, stepReport } from './scenarios.ts';
import { stepHar, stepHarSummary } from './step-har.ts';

/** All resources, in the order in which their templates are listed. */
export const resources = [
  scenarioList,
  scenarioReports,
  scenarioReport,
  stepReport,
  stepHar,
  stepHarSummary,
  exportsResource,
  exportRun,
  exportQuery,
  reference,
];
