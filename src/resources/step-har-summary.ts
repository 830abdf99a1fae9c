import { defineResource } from '../tooling/resource.ts';
import { complete } from './variables.ts';

export default defineResource({
  name: 'step_har_summary',
  title: 'HAR summary of a step',
  description:
    'What an engineer would write about the HAR file of a step, Markdown: document, redirects, blocking, weight, third parties, caching, errors. Any single request: analyze_har.',
  mimeType: 'text/markdown',
  template: 'analytics://{projectId}/steps/{stepResultId}/har/summary',
  complete: { projectId: complete.projectId, stepResultId: complete.stepResultId },
  async read({ stepResultId }, { ask }) {
    const [{ getStepHar }, { readHar }, { studyHar }, { loadEntities }, { harReport }] = await Promise.all([
      import('../api/operations/speed-analysis.ts'),
      import('../domain/har/index.ts'),
      import('../domain/har/analyse/study-har.ts'),
      import('../domain/har/analyse/third-parties.ts'),
      import('../domain/har/report/har-report.ts'),
    ]);
    const { har } = await ask(getStepHar, { scenarioStepResultId: stepResultId });
    return harReport(studyHar(readHar(har), await loadEntities()));
  },
});
