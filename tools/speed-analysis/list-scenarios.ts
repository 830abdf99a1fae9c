import * as z from 'zod';
import { recordId } from '../../src/api/operations/records.ts';
import { listScenarios } from '../../src/api/operations/speed-analysis.ts';
import { text } from '../../src/api/params.ts';
import { scenarioReports } from '../../src/resources/scenarios.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_scenarios',
  title: 'List scenarios',
  description: 'Synthetic scenarios of the project. Reports: list_scenario_reports.',
  annotations: READ,
  operation: listScenarios,
  input: z.strictObject({ name: text.describe('Part of the name').optional() }),
  output: z.object({ scenarios: z.array(z.object({ id: recordId, name: z.string(), uri: z.string() })) }),
  async handler(input, { call, projectId }) {
    const { scenarios } = await call(input);
    const project = await projectId();
    return { scenarios: scenarios.map(({ id, name }) => ({ id, name, uri: scenarioReports.uri({ projectId: project, scenarioId: id }) })) };
  },
});
