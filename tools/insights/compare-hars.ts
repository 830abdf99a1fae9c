import * as z from 'zod';
import { text } from '../../src/api/params.ts';
import { comparisonShape } from '../../src/domain/har/compare/har-comparison.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

const run = z.object({ time: z.string(), stepResultId: z.string() });

export default defineAnsweringTool({
  name: 'compare_hars',
  title: 'Compare HARs',
  description:
    'What is different between two runs of a page, the slowest and the fastest, or before and after a release or deployment: ' +
    'requests, hosts, scripts, trackers that came in, were added, removed, got bigger or heavier in bytes, what newly blocks ' +
    'rendering, and the net effect.',
  annotations: READ,
  searchHint: 'difference of two runs, diff, before and after a deploy, new requests, new scripts, page grew',
  scope: 'speed-analysis',
  idsFrom: 'get_scenario_report',
  input: z.strictObject({
    before: text.describe('stepResultId of the earlier run').optional(),
    after: text.describe('stepResultId of the later run').optional(),
    scenarioId: p.ref('scenario', 'Without before and after: chooses the runs itself').optional(),
    step: text.describe('Step name or number').optional(),
    since: text.describe('Instant, or key or text of an event; default where speed moved most').optional(),
  }),
  output: comparisonShape.extend({
    step: z.string().optional(),
    since: z.string().optional(),
    runs: z.object({ before: z.array(run), after: z.array(run) }).optional(),
    beforeUri: z.string(),
    afterUri: z.string(),
  }),
  async handler(asked, context) {
    const { compareHarRuns } = await import('../../src/usecases/speed/compare-har-runs.ts');
    const { comparison, before, after, chosen } = await compareHarRuns(asked, context);
    const projectId = await context.projectId();
    const uriOf = (stepResultId: string, title: string) => {
      const uri = stepHar.uri({ projectId, stepResultId });
      context.link({ uri, name: stepHar.name, title, mimeType: stepHar.mimeType });
      return uri;
    };
    return {
      ...comparison,
      ...chosen,
      beforeUri: uriOf(before, 'The earlier HAR file'),
      afterUri: uriOf(after, 'The later HAR file'),
    };
  },
});
