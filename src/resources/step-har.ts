import { ApiError } from '../api/errors.ts';
import { getStepHar } from '../api/operations/speed-analysis.ts';
import { defineResource } from '../mcp/resource.ts';

/** Beyond this a file is no reading matter for a model. */
const MAX_RESOURCE_BYTES = 8_000_000;

export default defineResource({
  name: 'step_har',
  title: 'HAR file of a step',
  description:
    'The HAR 1.2 file of one step of a scenario report; cookies, authorization, bodies and query values removed. Summary: get_step_har.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/steps/{stepResultId}/har',
  async read({ stepResultId }, { ask, session }) {
    const { har } = await ask(getStepHar, { scenarioStepResultId: stepResultId });
    const text = session.options.rawHar ? rawText(har) : await sanitisedText(har);
    if (text.length > MAX_RESOURCE_BYTES) {
      const megabytes = (text.length / 1e6).toFixed(1);
      throw new ApiError('invalid', `The HAR file has ${megabytes} MB; at most 8 MB are delivered. get_step_har sums it up.`);
    }
    return text;
  },
});

function rawText(har: unknown): string {
  return typeof har === 'string' ? har : JSON.stringify(har);
}

async function sanitisedText(har: unknown): Promise<string> {
  const { readHar, sanitiseHar } = await import('../analysis/har/index.ts');
  return JSON.stringify(sanitiseHar(readHar(har)));
}
