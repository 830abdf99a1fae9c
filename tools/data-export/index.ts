import type { Toolset } from '../../src/tooling/tool.ts';
import createExportJob from './create-export-job.ts';
import getExportJob from './get-export-job.ts';
import getExportRun from './get-export-run.ts';
import listCustomVariables from './list-custom-variables.ts';
import listDynamicVariableKeys from './list-dynamic-variable-keys.ts';
import listExportJobs from './list-export-jobs.ts';
import listExportRuns from './list-export-runs.ts';
import listExportableFields from './list-exportable-fields.ts';
import listSuccessfulExportRuns from './list-successful-export-runs.ts';

export default {
  name: 'data-export',
  description: 'Export jobs, runs and files; exportable fields and variables',
  tools: [
    createExportJob,
    listExportJobs,
    listSuccessfulExportRuns,
    getExportJob,
    listExportRuns,
    getExportRun,
    listExportableFields,
    listCustomVariables,
    listDynamicVariableKeys,
  ],
} satisfies Toolset;
