import { type Handlers } from '../handler.ts';
import { invalid, Refusal } from '../responses.ts';

/** The handler of enrichment. */
export const enrichmentHandlers: Handlers<'sendEnrichments'> = {
  sendEnrichments({ projectId, enrichments }, { world, project, nowMs }) {
    if (projectId !== project.id) throw new Refusal(403, 'FORBIDDEN', `The integration is not installed on project ${projectId}.`);
    try {
      world.exports.enrichments.receive(project.id, enrichments, nowMs);
    } catch (error) {
      if (error instanceof RangeError) throw invalid(error.message);
      throw error;
    }
    return { accepted: enrichments.length };
  },
};
