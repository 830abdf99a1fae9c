import * as z from 'zod';
import { refuse } from '../../src/api/errors.ts';
import { getStepHar } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { comparisonShape } from '../../src/domain/har/compare/har-comparison.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { readStepResult } from '../../src/usecases/speed/step-number.ts';

const run = z.object({ time: z.string(), stepResultId: z.string() });

/** A HAR file as it came. */
interface HarFile {
  readonly stepResultId: string;
  readonly har: unknown;
}

export default defineAnsweringTool({
  name: 'compare_hars',
  title: 'Compare HARs',
  description:
    'What differs between two runs of a page, the slowest and the fastest, or before and after a release: requests added, ' +
    'removed, grown, slower, what newly blocks rendering, and the net effect.',
  annotations: READ,
  searchHint: 'difference of two runs, before and after a deploy, new requests, page grew',
  scope: 'speed-analysis',
  idsFrom: 'get_scenario_report',
  input: z.strictObject({
    before: text.describe('stepResultId of the earlier run').optional(),
    after: text.describe('stepResultId of the later run').optional(),
    scenarioId: p.ref('scenario', 'Chooses the runs itself').optional(),
    step: text.describe('Step name or number').optional(),
    since: text.describe('Instant, or key or text of an event; default where load time moved most').optional(),
  }),
  output: comparisonShape.extend({
    step: z.string().optional(),
    since: z.string().optional(),
    runs: z.object({ before: z.array(run), after: z.array(run) }).optional(),
    beforeUri: z.string(),
    afterUri: z.string(),
  }),
  async handler({ before, after, scenarioId, step, since }, context) {
    const { ask, remember, projectId, link, note, ownDomains: firstParty } = context;
    const { compareHars, loadEntities, readHar } = await import('../../src/domain/har/index.ts');
    const entities = await loadEntities();
    const project = { projectId: await projectId() };
    const compared = (was: readonly HarFile[], is: readonly HarFile[]) => {
      const [wasIds, isIds] = [was, is].map((files) => files.map(({ stepResultId }) => stepResultId));
      return remember(['HAR files', project, wasIds, isIds, firstParty], async () => {
        const [earlier = [], later = []] = [was, is].map((files) => files.map(({ har }) => readHar(har, { firstParty })));
        return compareHars(earlier, later, entities);
      });
    };
    const uriOf = (stepResultId: string, title: string) => {
      const uri = stepHar.uri({ ...project, stepResultId });
      link({ uri, name: stepHar.name, title, mimeType: stepHar.mimeType });
      return uri;
    };
    const urisOf = (earlier: string, later: string) => ({
      beforeUri: uriOf(earlier, 'The earlier HAR file'),
      afterUri: uriOf(later, 'The later HAR file'),
    });
    if (scenarioId !== undefined) {
      if (before !== undefined || after !== undefined) refuse('before: pass before and after, or scenarioId and step, not both.');
      const { chooseHarRuns } = await import('../../src/usecases/speed/choose-har-runs.ts');
      const chosen = await chooseHarRuns({ scenarioId, step, since }, context);
      const { comparison, notes } = await compared(chosen.before, chosen.after);
      for (const sentence of notes) note(sentence);
      const timesOf = (runs: typeof chosen.before) =>
        runs.map(({ date, stepResultId }) => ({ time: new Date(date).toISOString(), stepResultId }));
      return {
        ...comparison,
        step: chosen.step,
        since: new Date(chosen.sinceMs).toISOString(),
        runs: { before: timesOf(chosen.before), after: timesOf(chosen.after) },
        ...urisOf(chosen.before[0]?.stepResultId ?? '', chosen.after[0]?.stepResultId ?? ''),
      };
    }
    if (step !== undefined || since !== undefined) refuse('scenarioId: is required with step and since.');
    if (before === undefined) refuse('before: is required with after (string); or pass scenarioId and step.');
    if (after === undefined) refuse('after: is required with before (string); or pass scenarioId and step.');
    const [earlier, later] = await Promise.all(
      [before, after].map((id) => readStepResult(id, ask, () => ask(getStepHar, { scenarioStepResultId: id }))),
    );
    const { comparison, notes } = await compared([{ stepResultId: before, har: earlier?.har }], [{ stepResultId: after, har: later?.har }]);
    if (before === after) note('Both ids are the same: the file is compared with itself.');
    for (const sentence of notes) note(sentence);
    return { ...comparison, ...urisOf(before, after) };
  },
});
