import { getStepReport } from '../api/operations/speed-analysis.ts';
import { defineResource } from '../mcp/resource.ts';

export default defineResource({
  name: 'step_report',
  title: 'Step report',
  description: 'One step of a scenario report: all timings, the actions that ran, browser errors, JSON.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/steps/{stepResultId}',
  async read({ stepResultId }, { ask }) {
    return JSON.stringify((await ask(getStepReport, { stepId: stepResultId })).step);
  },
});
