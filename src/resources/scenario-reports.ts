import { listScenarioReports } from '../api/operations/speed-analysis.ts';
import { defineResource } from '../mcp/resource.ts';
import { integer } from './variables.ts';

export default defineResource({
  name: 'scenario_reports',
  title: 'Latest reports of a scenario',
  description: 'The latest 30 reports of one speed analysis scenario, newest first, JSON: date, failures and the averages over the steps.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/scenarios/{scenarioId}',
  async read({ scenarioId }, { ask }) {
    const { scenario } = await ask(listScenarioReports, { scenarioId: integer('scenarioId', scenarioId) });
    const reports = scenario.reports.map(({ steps: _, ...report }) => report).toSorted((a, b) => b.date - a.date);
    return JSON.stringify({ ...scenario, reports });
  },
});
