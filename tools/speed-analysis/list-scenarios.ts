import * as z from 'zod';
import { scenario } from '../../src/api/operations/records.ts';
import { listScenarios } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { hint } from '../../src/lib/hint.ts';
import { scenarioReports } from '../../src/resources/scenarios.ts';
import { documented } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_scenarios',
  title: 'List scenarios',
  description:
    'Pages and journeys that we measure (monitor): synthetic scenarios of the project.' +
    hint('list_scenario_reports', ' Runs: list_scenario_reports.'),
  annotations: READ,
  searchHint: 'names and ids of scenarios, what we measure, monitored pages',
  operation: listScenarios,
  input: z.strictObject({ name: text.describe('Part of the name').optional() }),
  output: z.object({ scenarios: z.array(documented(scenario).extend({ uri: z.string().optional() })) }),
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
