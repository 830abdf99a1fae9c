import * as z from 'zod';
import { stepReport as record } from '../../src/api/operations/records.ts';
import { getStepReport } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { stepReport } from '../../src/resources/scenarios.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import { parsedOrText } from '../../src/speed/report-table.ts';
import { readStepResult } from '../../src/speed/run-neighbours.ts';
import { metricsOfOthers, pickMetrics, SPEED_UNITS } from '../../src/speed/speed-metrics.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_step_report',
  title: 'Get a step report',
  description: 'One step of a run: timings, clicks, failed actions, browser errors, missing resources.',
  annotations: READ,
  searchHint: 'failed action, click, browser errors',
  operation: getStepReport,
  idsFrom: 'get_scenario_report',
  input: z.strictObject({ stepId: text.describe('stepResultId of report'), metrics: p.speedMetrics }),
  output: record.extend({ uri: z.string(), harUri: z.string() }),
  async handler({ stepId, metrics }, { call, projectId, link, note }) {
    const { step } = await readStepResult(stepId, () => call({ stepId }));
    const at = { projectId: await projectId(), stepResultId: stepId };
    const uri = link(stepReport, at, 'All timings of this step');
    note(SPEED_UNITS);
    for (const sentence of metricsOfOthers('A step report', metrics)) note(sentence);
    return {
      ...step,
      timings: pickMetrics(step.timings, metrics),
      browserError: await parsedOrText(step.browserError),
      unavailableResource: await parsedOrText(step.unavailableResource),
      uri,
      harUri: stepHar.uri(at),
    };
  },
});
