import * as z from 'zod';
import { getStepHar } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { harDigest } from '../../src/har/answer/har-answer.ts';
import { hint } from '../../src/lib/hint.ts';
import { stepHar } from '../../src/resources/step-har.ts';
import { readStepResult } from '../../src/speed/run-neighbours.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_step_har',
  title: 'Get the HAR of a step',
  description: 'HAR of one step.' + hint('analyze_har', ' Findings: analyze_har.'),
  annotations: READ,
  searchHint: 'HAR file',
  operation: getStepHar,
  idsFrom: 'get_scenario_report',
  input: z.strictObject({ scenarioStepResultId: text.describe('stepResultId of report') }),
  output: harDigest.extend({ uri: z.string() }),
  async handler(input, { call, remember, projectId, link, note, ownDomains }) {
    const { har } = await readStepResult(input.scenarioStepResultId, () => call(input));
    const project = await projectId();
    const { digest, notes } = await remember(['HAR digest', project, input, ownDomains], async () => {
      const { digestHar, readHar, studyHar } = await import('../../src/har/index.ts');
      return digestHar(studyHar(readHar(har, { firstParty: ownDomains }), () => null));
    });
    for (const sentence of notes) note(sentence);
    return { ...digest, uri: link(stepHar, { projectId: project, stepResultId: input.scenarioStepResultId }) };
  },
});
