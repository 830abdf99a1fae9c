import { listGoals } from '../../src/api/operations/objects.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';

export default defineRecordTool({
  name: 'list_goals',
  title: 'List goals',
  description: 'Goals defined, conversions counted: type, dates.',
  searchHint: 'goals, conversions defined',
  operation: listGoals,
  input: {},
  member: 'goals',
  only: 'type',
});
