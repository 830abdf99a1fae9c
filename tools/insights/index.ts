import type { Toolset } from '../../src/mcp/tool.ts';
import analyzeScenario from './analyze-scenario.ts';
import checkSpeedBudgets from './check-speed-budgets.ts';
import queryMetrics from './query-metrics.ts';

export default {
  name: 'insights',
  title: 'Insights',
  description: 'Answers to questions: what changed, since when, and what is to blame',
  tools: [queryMetrics, analyzeScenario, checkSpeedBudgets],
} satisfies Toolset;
