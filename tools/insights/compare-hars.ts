import * as z from 'zod';
import { getStepHar } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { comparisonShape } from '../../src/domain/har/compare/har-comparison.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'compare_hars',
  title: 'Compare two HARs',
  description:
    'What changed between two runs of a step: requests added, removed, grown, slower, by party and type, what newly blocks ' +
    'rendering, and the net effect.',
  annotations: READ,
  scope: 'speed-analysis',
  idsFrom: 'get_scenario_report',
  input: z.strictObject({
    before: text.describe('stepResultId of the earlier run'),
    after: text.describe('stepResultId of the later run'),
  }),
  output: comparisonShape.extend({ beforeUri: z.string(), afterUri: z.string() }),
  async handler({ before, after }, { ask, projectId, link, note }) {
    const [earlier, later] = await Promise.all([before, after].map((scenarioStepResultId) => ask(getStepHar, { scenarioStepResultId })));
    const { compareHars, loadEntities, readHar } = await import('../../src/domain/har/index.ts');
    const { comparison, notes } = compareHars(readHar(earlier?.har), readHar(later?.har), await loadEntities());
    if (before === after) note('Both ids are the same: the file is compared with itself.');
    for (const sentence of notes) note(sentence);
    const project = { projectId: await projectId() };
    const uriOf = (stepResultId: string, title: string) => {
      const uri = stepHar.uri({ ...project, stepResultId });
      link({ uri, name: stepHar.name, title, mimeType: stepHar.mimeType });
      return uri;
    };
    return { ...comparison, beforeUri: uriOf(before, 'The earlier HAR file'), afterUri: uriOf(after, 'The later HAR file') };
  },
});
