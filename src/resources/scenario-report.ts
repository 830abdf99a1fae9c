import { defineResource } from '../tooling/resource.ts';
import { complete, integer } from './variables.ts';

export default defineResource({
  name: 'scenario_report',
  title: 'Scenario report',
  description: 'One report of a speed analysis scenario with all timings of all steps, JSON. `date` is the timestamp of the report in ms.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/scenarios/{scenarioId}/reports/{date}',
  complete: { projectId: complete.projectId, scenarioId: complete.scenarioId, date: complete.date },
  async read({ scenarioId, date }, { ask }) {
    const { getScenarioReport } = await import('../api/operations/speed-analysis.ts');
    const input = { scenarioId: integer('scenarioId', scenarioId), date: integer('date', date) };
    return JSON.stringify((await ask(getScenarioReport, input)).scenarioReport);
  },
});
