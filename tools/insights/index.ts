import type { Toolset } from '../../src/tooling/tool.ts';
import analyzeHar from './analyze-har.ts';
import analyzeScenario from './analyze-scenario.ts';
import applyExportPlan from './apply-export-plan.ts';
import checkSpeedBudgets from './check-speed-budgets.ts';
import compareHars from './compare-hars.ts';
import compareMetrics from './compare-metrics.ts';
import downloadExportRun from './download-export-run.ts';
import findChanges from './find-changes.ts';
import findExportGaps from './find-export-gaps.ts';
import findObjects from './find-objects.ts';
import listWorkspace from './list-workspace.ts';
import planExport from './plan-export.ts';
import purgeWorkspace from './purge-workspace.ts';
import queryExport from './query-export.ts';
import queryMetrics from './query-metrics.ts';
import syncExports from './sync-exports.ts';

export default {
  name: 'insights',
  description: 'Answers to questions: what changed, since when, and what is to blame',
  tools: [
    findObjects,
    findChanges,
    queryMetrics,
    compareMetrics,
    analyzeScenario,
    checkSpeedBudgets,
    analyzeHar,
    compareHars,
    planExport,
    applyExportPlan,
    findExportGaps,
    downloadExportRun,
    syncExports,
    queryExport,
    listWorkspace,
    purgeWorkspace,
  ],
} satisfies Toolset;
