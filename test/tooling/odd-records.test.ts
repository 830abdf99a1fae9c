import { expect, test } from 'vitest';
import { type OperationName, operations } from '../../src/api/operations/index.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { alteredPlatform } from '../support/altered-platform.ts';
import { sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { someOf } from '../support/sample-size.ts';

const inner = sharedPlatform();
const altered = alteredPlatform(inner);
const assistant = sharedAssistant(altered.platform);

type Args = Record<string, unknown>;

/** Every tool whose answer is a list of the platform's records: its operation, what it is called with, and the member that holds them. */
const lists: readonly (readonly [tool: string, operation: OperationName, args: Args, member: string])[] = [
  ['list_segments', 'listSegments', {}, 'segments'],
  ['list_goals', 'listGoals', {}, 'goals'],
  ['list_mappings', 'listMappings', {}, 'mappings'],
  ['list_page_groups', 'listPageGroups', { mappingId: 21504 }, 'pageGroups'],
  ['list_zonings', 'listZonings', { pageGroupId: 210617 }, 'zonings'],
  ['list_zones', 'listZones', { zoningId: 910240 }, 'zones'],
  ['get_page_group', 'getPageGroup', { pageGroupId: 210617 }, 'pageGroup'],
  ['list_scenarios', 'listScenarios', {}, 'scenarios'],
  ['list_scenario_reports', 'listScenarioReports', { scenarioId: 4101, limit: 3 }, 'rows'],
  ['get_scenario_report', 'getScenarioReport', { scenarioId: 4101, date: 0 }, 'steps'],
  ['list_speed_events', 'listSpeedEvents', {}, 'events'],
  ['list_export_jobs', 'listExportJobs', { limit: 5 }, 'jobs'],
  ['list_successful_export_runs', 'listSuccessfulExportRuns', { limit: 5 }, 'runs'],
  ['get_export_job', 'getExportJob', { jobId: 0 }, 'job'],
  ['get_mapping', 'getMapping', { mappingId: 21504 }, 'mappings'],
  ['list_export_runs', 'listExportRuns', { jobId: 0, limit: 5 }, 'runs'],
  ['get_export_run', 'getExportRun', { jobId: 0, runId: 0 }, 'run'],
  ['list_exportable_fields', 'listExportableFields', { scope: 'views' }, 'fields'],
  ['list_custom_variables', 'listCustomVariables', {}, 'customVariables'],
  ['list_dynamic_variable_keys', 'listDynamicVariableKeys', {}, 'keys'],
  ['get_site_metrics', 'getSiteMetrics', { startDate: 'last_week', endDate: 'last_week' }, 'rows'],
];

/** The way to each leaf of the first record of each list. */
function leaves(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.length > 0 ? leaves(value[0], [...path, 0]) : [];
  if (isRecord(value)) {
    const members = Object.entries(value);
    // Metrics are alike: two of them stand for all.
    const chosen = members.length > 20 && members.every(([, member]) => typeof member === 'number') ? members.slice(0, 2) : members;
    return chosen.flatMap(([name, member]) => leaves(member, [...path, name]));
  }
  return [path];
}

/** A copy in which the leaf is null, or its member is missing. */
function without(payload: unknown, path: readonly (string | number)[], how: 'null' | 'missing'): unknown {
  const copy: unknown = structuredClone(payload);
  let holder: unknown = copy;
  for (const part of path.slice(0, -1)) holder = Reflect.get(Object(holder), part);
  const last = path.at(-1);
  if (last === undefined || typeof holder !== 'object' || holder === null) return copy;
  if (how === 'null') Reflect.set(holder, last, null);
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
  return copy;
}

/** Whether a request is one of this operation. */
function asks(operation: OperationName, target: string): boolean {
  const pattern = operations[operation].path.replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(target.split('?')[0] ?? '');
}

/** Ids and dates that depend on the day. */
async function complete(args: Args): Promise<Args> {
  const { ask, token } = inner();
  if ('date' in args) {
    const { scenario } = await ask('listScenarioReports', { scenarioId: 4101, limit: 1 }, await token());
    return { ...args, date: scenario.reports[0]?.date };
  }
  if (!('jobId' in args)) return args;
  const [run] = await ask('listSuccessfulExportRuns', { limit: 1 }, await token());
  return { ...args, jobId: run?.jobId, ...('runId' in args && { runId: Number(run?.jobRunId) }) };
}

const sizeOf = (value: unknown) => (Array.isArray(value) ? value.length : 1);

test.each(someOf(lists, 2))('one odd record never takes its whole list %s', async (tool, operation, args, member) => {
  const { call } = assistant();
  const asked = await complete(args);
  let sent: unknown;
  altered.alterBy((payload, target) => {
    if (asks(operation, target)) sent = payload;
    return payload;
  });
  const { structured } = await call(tool, asked);
  const records = sizeOf(structured[member]);
  const ways = leaves(sent);
  expect(ways.length).toBeGreaterThan(1);
  const faults: string[] = [];
  for (const way of ways) {
    for (const how of ['null', 'missing'] as const) {
      altered.alterBy((payload, target) => (asks(operation, target) ? without(payload, way, how) : payload));
      const answer = await call(tool, asked);
      const notes = JSON.stringify(answer.structured['notes'] ?? '');
      const isShorter = !answer.isError && sizeOf(answer.structured[member]) < records;
      // A record that is gone is counted and its reason named.
      const isCounted = new RegExp(`1 (of \\d+|entry of) .*left out, because .*${how}`).test(notes);
      if (answer.isError || answer.text.includes('undefined') || (isShorter && !isCounted))
        faults.push(`${way.join('.')} ${how}: ${answer.text}`);
    }
  }
  altered.alterBy(undefined);
  expect(faults).toEqual([]);
});
