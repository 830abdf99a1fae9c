import { defineResource } from '../tooling/resource.ts';
import scenarioReports from './scenario-reports.ts';
import { complete } from './variables.ts';

export default defineResource({
  name: 'scenarios',
  title: 'Scenarios',
  description: 'All speed analysis scenarios of a project, JSON: id, name and the address of the latest reports.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/scenarios',
  complete: { projectId: complete.projectId },
  list: ({ projectId, projectName }) => [
    { variables: { projectId }, name: `scenarios_${projectId}`, title: `Scenarios of ${projectName || `project ${projectId}`}` },
  ],
  async read({ projectId }, { ask }) {
    const { listScenarios } = await import('../api/operations/speed-analysis.ts');
    const { scenarios } = await ask(listScenarios, {});
    const rows = scenarios.map(({ id, name }) => ({ id, name, uri: scenarioReports.uri({ projectId, scenarioId: id }) }));
    return JSON.stringify({ scenarios: rows });
  },
});
