import { ApiError } from '../api/errors.ts';
import { defineResource } from '../mcp/resource.ts';
import { complete, integer } from './variables.ts';

export default defineResource({
  name: 'export_query',
  title: 'Result of a query',
  description: 'All rows of a recent query_export of this session, up to 50,000, as CSV.',
  mimeType: 'text/csv',
  template: 'analytics://{projectId}/exports/queries/{queryId}',
  complete: {
    projectId: complete.projectId,
    async queryId({ session, projectId }) {
      const { resultsOf } = await import('../mcp/query-results.ts');
      const ids = resultsOf(await session.workspace(await projectId())).ids();
      return ids.map((id) => ({ value: String(id) }));
    },
  },
  async read({ projectId, queryId }, { session }) {
    const { resultsOf } = await import('../mcp/query-results.ts');
    await session.client();
    const result = resultsOf(await session.workspace(integer('projectId', projectId))).find(integer('queryId', queryId));
    if (result === undefined) throw new ApiError('missing', `there is no result ${queryId} any more; call query_export again.`);
    return result;
  },
});
