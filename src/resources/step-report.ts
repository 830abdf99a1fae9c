import { defineResource } from '../tooling/resource.ts';
import { complete } from './variables.ts';

export default defineResource({
  name: 'step_report',
  title: 'Step report',
  description: 'One step of a scenario report: all timings, the actions that ran, browser errors, JSON.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/steps/{stepResultId}',
  complete: { projectId: complete.projectId, stepResultId: complete.stepResultId },
  async read({ stepResultId }, { ask }) {
    const { getStepReport } = await import('../api/operations/speed-analysis.ts');
    return JSON.stringify((await ask(getStepReport, { stepId: stepResultId })).step);
  },
});
