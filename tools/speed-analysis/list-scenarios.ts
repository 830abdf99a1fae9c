import * as z from 'zod';
import { scenario } from '../../src/api/operations/records.ts';
import { listScenarios } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { hint } from '../../src/lib/hint.ts';
import { scenarioReports } from '../../src/resources/scenarios.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_scenarios',
  title: 'List scenarios',
  description:
    'Pages and journeys we monitor, measure or watch: names of monitored synthetic scenarios, speed tests.' +
    hint('list_scenario_reports', ' Runs: list_scenario_reports.'),
  annotations: READ,
  searchHint: 'measured, monitored, watched, check, list of tests',
  operation: listScenarios,
  input: z.strictObject({ name: text.describe('Partial name').optional() }),
  output: z.object({ scenarios: z.array(scenario.extend({ uri: z.string().optional() })) }),
  async handler(input, { call, projectId }) {
    const { scenarios } = await call(input);
    const project = await projectId();
    return {
      scenarios: scenarios.map(({ id, name }) => ({
        id,
        name,
        ...(id && { uri: scenarioReports.uri({ projectId: project, scenarioId: id }) }),
      })),
    };
  },
});
