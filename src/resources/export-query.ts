import { ApiError } from '../api/errors.ts';
import { defineResource } from '../tooling/resource.ts';
import { complete, integer } from './variables.ts';

export default defineResource({
  name: 'export_query',
  title: 'Result of a query',
  description: 'All rows of a recent query_export, up to 50,000, as CSV; the latest ten are kept, for a day.',
  mimeType: 'text/csv',
  template: 'analytics://{projectId}/exports/queries/{queryId}',
  complete: {
    projectId: complete.projectId,
    async queryId({ session, projectId }) {
      const { resultsOf } = await import('../workspace/query/query-results.ts');
      const ids = await resultsOf(await session.workspace(await projectId()), session.options.clock.now()).ids();
      return ids.map((id) => ({ value: id }));
    },
  },
  async read({ projectId, queryId }, { session }) {
    const { resultsOf } = await import('../workspace/query/query-results.ts');
    const workspace = await session.workspace(integer('projectId', projectId));
    const result = await resultsOf(workspace, session.options.clock.now()).find(queryId);
    if (result === undefined) throw new ApiError('missing', `there is no result ${queryId} any more; call query_export again.`);
    return result;
  },
});
