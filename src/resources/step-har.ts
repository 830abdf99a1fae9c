import { ApiError } from '../api/errors.ts';
import { hint } from '../lib/hint.ts';
import { defineResource } from '../tooling/resource.ts';
import { complete } from './variables.ts';

/** Largest HAR file that is delivered as a resource; a model cannot read a larger one. */
export const MAX_RESOURCE_BYTES = 8_000_000;

/** The HAR file of a step, sanitised unless the settings say otherwise. */
export const stepHar = defineResource({
  name: 'step_har',
  title: 'HAR file of a step',
  description:
    'The HAR 1.2 file of one step of a scenario report; without cookies, authorization, bodies and query values that may be secret, ' +
    'unless WEB_ANALYTICS_RAW_HAR is set. Summary: …/har/summary.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/steps/{stepResultId}/har',
  complete: { projectId: complete.projectId, stepResultId: complete.stepResultId },
  verbatim: ({ options }) => options.rawHar,
  async read({ stepResultId }, { ask, session }) {
    const { getStepHar } = await import('../api/operations/speed-analysis.ts');
    const { har } = await ask(getStepHar, { scenarioStepResultId: stepResultId });
    const text = session.options.rawHar ? rawText(har) : await sanitisedText(har);
    if (text.length > MAX_RESOURCE_BYTES) {
      const megabytes = (text.length / 1e6).toFixed(1);
      throw new ApiError(
        'invalid',
        `The HAR file has ${megabytes} MB; at most ${MAX_RESOURCE_BYTES / 1e6} MB are delivered.` +
          hint('analyze_har', ' analyze_har reads all of it.'),
      );
    }
    return text;
  },
});

function rawText(har: unknown): string {
  return typeof har === 'string' ? har : JSON.stringify(har);
}

async function sanitisedText(har: unknown): Promise<string> {
  const { readHar, sanitiseHar } = await import('../har/index.ts');
  return JSON.stringify(sanitiseHar(readHar(har)));
}

/** The summary of a HAR file as Markdown. */
export const stepHarSummary = defineResource({
  name: 'step_har_summary',
  title: 'HAR summary of a step',
  description:
    'What an engineer would write about the HAR file of a step, Markdown: document, redirects, blocking, weight, third parties, ' +
    `caching, errors.${hint('analyze_har', ' Any single request: analyze_har.')}`,
  mimeType: 'text/markdown',
  template: 'analytics://{projectId}/steps/{stepResultId}/har/summary',
  complete: { projectId: complete.projectId, stepResultId: complete.stepResultId },
  async read({ stepResultId }, { ask, session }) {
    const [{ getStepHar }, { harReport, loadEntities, readHar, studyHar }] = await Promise.all([
      import('../api/operations/speed-analysis.ts'),
      import('../har/index.ts'),
    ]);
    const { har } = await ask(getStepHar, { scenarioStepResultId: stepResultId });
    return harReport(studyHar(readHar(har, { firstParty: session.options.ownDomains }), await loadEntities()));
  },
});
