import { defineResource } from '../tooling/resource.ts';
import { complete, integer } from './variables.ts';

/** One run of a scenario with all timings. */
export const scenarioReport = defineResource({
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

/** One step of a run with all timings. */
export const stepReport = defineResource({
  name: 'step_report',
  title: 'Step report',
  description: 'One step of a scenario report: all timings, the actions that ran, browser errors, JSON.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/steps/{stepResultId}',
  complete: { projectId: complete.projectId, stepResultId: complete.stepResultId },
  async read({ stepResultId }, { ask }) {
    const { getStepReport } = await import('../api/operations/speed-analysis.ts');
    return JSON.stringify((await ask(getStepReport, { stepId: stepResultId })).step);
  },
});

/** Runs of a scenario as rows. */
export const scenarioReports = defineResource({
  name: 'scenario_reports',
  title: 'Latest reports of a scenario',
  description:
    'The latest 30 reports of one speed analysis scenario, newest first, one row each, JSON: date, failures, usual metrics as ' +
    'averages over the steps. Subscribe to be notified of newer reports.',
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
      import('../speed/scenario-reports.ts'),
    ]);
    if (known === undefined) return latestDate(id, ask);
    const { scenario } = await ask(listScenarioReports, { scenarioId: id, limit: 0, dateFrom: new Date(known).toISOString() });
    return Math.max(known, ...scenario.reports.map(({ date }) => date));
  },
  async read({ projectId, scenarioId }, { ask, session }) {
    const [{ listScenarioReports }, { reportTable }, { SPEED_UNITS }] = await Promise.all([
      import('../api/operations/speed-analysis.ts'),
      import('../speed/report-table.ts'),
      import('../speed/speed-metrics.ts'),
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

/** Scenarios of a project. */
export const scenarioList = defineResource({
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
    const rows = scenarios.map(({ id, name }) => ({ id, name, ...(id && { uri: scenarioReports.uri({ projectId, scenarioId: id }) }) }));
    return JSON.stringify({ scenarios: rows });
  },
});
