import * as z from 'zod';
import { listScenarioReports } from '../../src/api/operations/speed-analysis.ts';
import { DEFAULT_REPORTS, instantOf } from '../../src/api/params.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { hint } from '../../src/lib/hint.ts';
import { ofAnswer } from '../../src/lib/note-mark.ts';
import { scenarioReports } from '../../src/resources/scenarios.ts';
import { beyond, isWithin } from '../../src/speed/date-bounds.ts';
import { errorDisagreement } from '../../src/speed/error-filter.ts';
import { reportTable } from '../../src/speed/report-table.ts';
import { webPageOf } from '../../src/speed/runs.ts';
import { metricsOfOthers, notIn, SPEED_UNITS } from '../../src/speed/speed-metrics.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

/** The part of the range between the two dates that `lastDays` leaves; undefined where nothing of it is left, or without it. */
function lastDaysOf(input: { lastDays?: number | undefined; dateFrom?: string | undefined; dateTo?: string | undefined }, nowMs: number) {
  if (input.lastDays === undefined) return undefined;
  const startMs = Math.max(nowMs - input.lastDays * DAY_MS, input.dateFrom === undefined ? 0 : instantOf(input.dateFrom));
  const endMs = input.dateTo === undefined ? nowMs : instantOf(input.dateTo);
  return startMs < endMs ? { startMs, endMs } : undefined;
}

export default defineTool({
  name: 'list_scenario_reports',
  title: 'List reports of a scenario',
  description:
    'Scenario runs as rows, newest first: failures, average metrics of the steps (judged: ' +
    hint('analyze_scenario', 'analyze_scenario', 'elsewhere') +
    ').' +
    hint('get_scenario_report', ' One whole: get_scenario_report, by date.'),
  annotations: READ,
  searchHint: 'measurements of scenario as rows',
  operation: listScenarioReports,
  idsFrom: 'list_scenarios',
  input: z.strictObject({
    scenarioId: p.ref('scenario'),
    dateFrom: p.startOf('First day').optional(),
    dateTo: p.endOf('Last day').optional(),
    lastDays: z.number().positive().describe('Last days').optional(),
    limit: z.int().min(0).describe('Rows; 0 all').optional(),
    error: z.boolean().describe('true: errors; false: none').optional(),
    metrics: p.speedMetrics,
  }),
  output: z.object({
    scenarioId: z.number(),
    name: z.string().nullish(),
    uri: z.string(),
    viewOnTheWeb: z.string().optional(),
    ...p.table,
  }),
  async handler({ metrics, ...input }, { call, ask, projectId, note, covers, nowMs, timeZone }) {
    const windowed = input.lastDays !== undefined || input.dateFrom !== undefined || input.dateTo !== undefined;
    const query = { ...input, ...beyond(input), ...(windowed && input.limit === undefined && { limit: 0 }) };
    const { scenario } = await call(query);
    const reports = scenario.reports.filter(({ date }) => isWithin(date, input));
    const disagreement = input.error === undefined ? undefined : await errorDisagreement(ask, query, reports);
    if (disagreement) note(disagreement);
    const range = lastDaysOf(input, nowMs);
    if (range) covers(range.startMs, range.endMs);
    if (!windowed && input.limit === undefined && reports.length === DEFAULT_REPORTS) {
      note(ofAnswer(`Exactly ${DEFAULT_REPORTS} reports came, the default of the platform: there may be more; pass limit or dates.`));
    }
    note(SPEED_UNITS);
    for (const sentence of metricsOfOthers('A summary', metrics)) note(sentence);
    const columns = metrics?.filter((name) => !notIn('A summary', metrics).includes(name));
    const uri = scenarioReports.uri({ projectId: await projectId(), scenarioId: input.scenarioId });
    const viewOnTheWeb = webPageOf(reports);
    return { scenarioId: input.scenarioId, name: scenario.name, uri, viewOnTheWeb, ...reportTable(reports, columns, timeZone) };
  },
});
