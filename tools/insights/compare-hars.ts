import * as z from 'zod';
import { text } from '../../src/api/params.ts';
import { comparisonShape } from '../../src/har/compare/har-comparison.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

const run = z.object({ time: z.string(), stepResultId: z.string() });

export default defineAnsweringTool({
  name: 'compare_hars',
  title: 'Compare HARs',
  description:
    'HAR comparison, page diff: differences of two runs or loads, the slow and the fast run, before and after a ' +
    'release, deployment, today. Which requests, hosts, scripts, tags, trackers, pixels, third parties are different:' +
    ' came in new, were added, put in or removed, got bigger, heavier, slower, newly block? Weight gained, net ' +
    'increase.',
  annotations: READ,
  searchHint: 'diff, page diff, changed, difference, came in, new pixel, grew, gained, weight, growth, culprit',
  scope: 'speed-analysis',
  idsFrom: 'get_scenario_report',
  input: z.strictObject({
    before: text.describe('Earlier stepResultId').optional(),
    after: text.describe('Later stepResultId').optional(),
    scenarioId: p.ref('scenario', 'Chooses both runs').optional(),
    step: text.describe('Step name or number').optional(),
    since: p.momentOf('Instant or event; default biggest change').optional(),
  }),
  output: comparisonShape.extend({
    step: z.string().optional(),
    since: z.string().optional(),
    runs: z.object({ before: z.array(run), after: z.array(run) }).optional(),
    beforeUri: z.string(),
    afterUri: z.string(),
  }),
  async handler(asked, context) {
    const { compareHarRuns } = await import('../../src/speed/compare-har-runs.ts');
    const { comparison, before, after, chosen } = await compareHarRuns(asked, context);
    const projectId = await context.projectId();
    return {
      ...comparison,
      ...chosen,
      beforeUri: context.link(stepHar, { projectId, stepResultId: before }, 'The earlier HAR file'),
      afterUri: context.link(stepHar, { projectId, stepResultId: after }, 'The later HAR file'),
    };
  },
});
