import { getScenarioReport } from '../api/operations/speed-analysis.ts';
import { defineResource } from '../mcp/resource.ts';
import { integer } from './variables.ts';

export default defineResource({
  name: 'scenario_report',
  title: 'Scenario report',
  description: 'One report of a speed analysis scenario with all timings of all steps, JSON. `date` is the timestamp of the report in ms.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/scenarios/{scenarioId}/reports/{date}',
  async read({ scenarioId, date }, { ask }) {
    const input = { scenarioId: integer('scenarioId', scenarioId), date: integer('date', date) };
    return JSON.stringify((await ask(getScenarioReport, input)).scenarioReport);
  },
});
