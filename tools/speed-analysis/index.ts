import type { Toolset } from '../../src/tooling/tool.ts';
import createSpeedEvent from './create-speed-event.ts';
import deleteSpeedEvent from './delete-speed-event.ts';
import getScenarioReport from './get-scenario-report.ts';
import getStepHar from './get-step-har.ts';
import getStepReport from './get-step-report.ts';
import listScenarioReports from './list-scenario-reports.ts';
import listScenarios from './list-scenarios.ts';
import listSpeedEvents from './list-speed-events.ts';

export default {
  name: 'speed-analysis',
  description: 'Scenarios, reports, HAR files and events of synthetic measurements',
  tools: [
    listScenarios,
    getScenarioReport,
    listScenarioReports,
    getStepReport,
    getStepHar,
    listSpeedEvents,
    createSpeedEvent,
    deleteSpeedEvent,
  ],
} satisfies Toolset;
