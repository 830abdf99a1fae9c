import * as z from 'zod';
import { scenarioReport as record, stepResult } from '../../src/api/operations/records.ts';
import { getScenarioReport } from '../../src/api/operations/speed-analysis.ts';
import { either } from '../../src/lib/hint.ts';
import { scenarioReport } from '../../src/resources/scenarios.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import { resultIdOf } from '../../src/speed/runs.ts';
import { findReport } from '../../src/speed/scenario-reports.ts';
import { metricsOfOthers, pickMetrics, SPEED_UNITS } from '../../src/speed/speed-metrics.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_scenario_report',
  title: 'Get a scenario report',
  description:
    'Details of one run of synthetic scenarios, steps included, newest unless dated; stepResultId: ' +
    either('get_step_report', 'get_step_har') +
    '.',
  annotations: READ,
  searchHint: 'newest measurement of scenario',
  operation: getScenarioReport,
  idsFrom: 'list_scenarios',
  input: z.strictObject({
    scenarioId: p.ref('scenario'),
    date: p.timestampOf('Timestamp (ms) or ISO; default latest').optional(),
    metrics: p.speedMetrics,
  }),
  output: record.extend({
    time: z.string(),
    uri: z.string(),
    steps: z.array(stepResult.extend({ harUri: z.string().optional() })),
  }),
  async handler({ scenarioId, date, metrics }, { ask, projectId, link, note, nowMs }) {
    const report = await findReport({ scenarioId, date, nowMs }, ask);
    const project = await projectId();
    const uri = link(scenarioReport, { projectId: project, scenarioId, date: report.date }, 'All timings of this report');
    note(SPEED_UNITS);
    for (const sentence of metricsOfOthers('A step', metrics)) note(sentence);
    const { summary } = report;
    const steps = (report.steps ?? []).map((step) => {
      const stepResultId = resultIdOf(step);
      const harUri = stepResultId === undefined ? {} : { harUri: stepHar.uri({ projectId: project, stepResultId }) };
      return { ...step, timings: pickMetrics(step.timings, metrics), ...harUri };
    });
    return {
      ...report,
      time: new Date(report.date).toISOString(),
      uri,
      summary: summary && { ...summary, sum: pickMetrics(summary.sum, metrics), average: pickMetrics(summary.average, metrics) },
      steps,
    };
  },
});
