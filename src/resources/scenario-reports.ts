import { defineResource } from '../tooling/resource.ts';
import scenarioReport from './scenario-report.ts';
import { complete, integer } from './variables.ts';

export default defineResource({
  name: 'scenario_reports',
  title: 'Latest reports of a scenario',
  description:
    'The latest 30 reports of one speed analysis scenario, newest first, one row each, JSON: date, failures, usual metrics as averages over the steps. Can be subscribed to: told when a newer report is there.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/scenarios/{scenarioId}',
  complete: { projectId: complete.projectId, scenarioId: complete.scenarioId },
  list: ({ projectId, scenarios }) =>
    scenarios.map(({ id, name }) => ({
      variables: { projectId, scenarioId: id },
      name: `scenario_${id}`,
      title: `${name}: latest reports`,
    })),
  async newest({ scenarioId }, { ask }, known) {
    const id = integer('scenarioId', scenarioId);
    const [{ listScenarioReports }, { latestDate }] = await Promise.all([
      import('../api/operations/speed-analysis.ts'),
      import('../usecases/speed/scenario-reports.ts'),
    ]);
    if (known === undefined) return latestDate(id, ask);
    const { scenario } = await ask(listScenarioReports, { scenarioId: id, limit: 0, dateFrom: new Date(known).toISOString() });
    return Math.max(known, ...scenario.reports.map(({ date }) => date));
  },
  async read({ projectId, scenarioId }, { ask, session }) {
    const [{ listScenarioReports }, { reportTable }, { SPEED_UNITS }] = await Promise.all([
      import('../api/operations/speed-analysis.ts'),
      import('../domain/speed/report-table.ts'),
      import('../domain/speed/speed-metrics.ts'),
    ]);
    const { scenario } = await ask(listScenarioReports, { scenarioId: integer('scenarioId', scenarioId) });
    return JSON.stringify({
      id: scenario.id,
      name: scenario.name,
      report: scenarioReport.template.replace('{projectId}', projectId).replace('{scenarioId}', scenarioId),
      ...reportTable(scenario.reports, undefined, session.options.timeZone),
      notes: [SPEED_UNITS],
    });
  },
});
