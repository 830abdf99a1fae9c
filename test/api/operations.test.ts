import { describe, expect, test } from 'vitest';
import { checkInput } from '../../src/api/check-input.ts';
import { type OperationName, operations } from '../../src/api/operations/index.ts';
import { exportJob } from '../samples/export-job.ts';

type Input = Record<string, unknown>;

const START = '2026-03-01T00:00:00.000Z';
const after = (hours: number, ms = 0) => new Date(Date.parse(START) + hours * 3_600_000 + ms).toISOString();

const job: Input = exportJob('Job', 'city');
const once = (from: string, to: string) => ({ ...job, frequency: { value: 'once', dateRange: { from, to } } });
const fields = (...selectors: Input[]) => ({ ...job, fields: selectors });
const range = (endDate: string, more: Input = {}) => ({ startDate: START, endDate, ...more });

/** Both sides of each limit of sections 4 and 8. */
const accepted: Partial<Record<OperationName, Input[]>> = {
  createExportJob: [
    job,
    once(START, after(168)),
    once('2026-03-28T00:00:00.000+01:00', '2026-04-04T01:00:00.000+02:00'),
    fields({ fieldName: 'custom_var', customVarPosition: 1 }, { fieldName: 'custom_var', customVarPosition: '20' }),
    fields({ fieldName: 'dynamic_var', dynamicVarKey: 'a' }, { fieldName: 'dynamic_var', dynamicVarKey: 'b', aliasName: 'B' }),
    { ...job, scope: 'x'.repeat(255), segmentId: '12' },
    { ...job, frequency: { value: 'hourly' }, segmentId: 12 },
  ],
  getSiteVisits: [range(after(2_208)), range(after(24, 1), { period: 'daily' }), range(after(1), { period: 'none', segmentIds: [1, 2] })],
  getZoneTapRate: [range(after(2_208), { zoneId: 1, device: 'tablet' })],
  listExportJobs: [
    { limit: 1, page: 0 },
    { limit: 100, order: 'ASC' },
  ],
  listScenarioReports: [
    { scenarioId: 1, limit: 0 },
    { scenarioId: 1, dateFrom: START, dateTo: after(0, 1) },
  ],
};

const refused: Partial<Record<OperationName, (readonly [Input, string])[]>> = {
  createExportJob: [
    [once(START, after(168, 1)), 'frequency.dateRange.to: at most 7 days'],
    [once('2026-03-28T00:00:00.000+01:00', '2026-04-04T01:00:00.001+02:00'), 'frequency.dateRange.to: at most 7 days'],
    [once(START, START), 'frequency.dateRange.to: must be after from'],
    [{ ...job, frequency: { value: 'once' } }, 'frequency.dateRange: required for "once"'],
    [
      { ...once(START, after(1)), frequency: { value: 'hourly', dateRange: { from: START, to: after(1) } } },
      'frequency.dateRange: only for "once"',
    ],
    [fields({ fieldName: 'city' }, { fieldName: 'city', aliasName: 'b' }), 'fields[1].fieldName: "city" is listed twice'],
    [fields({ fieldName: 'custom_var' }), 'fields[0].customVarPosition: required with fieldName "custom_var"'],
    [fields({ fieldName: 'dynamic_var' }), 'fields[0].dynamicVarKey: required with fieldName "dynamic_var"'],
    [fields({ fieldName: 'city', customVarPosition: 1 }), 'fields[0].customVarPosition: only with fieldName "custom_var"'],
    [
      fields({ fieldName: 'custom_var', customVarPosition: 1, dynamicVarKey: 'a' }),
      'fields[0].dynamicVarKey: only with fieldName "dynamic_var"',
    ],
    ...[0, 21, '0', '21', '1.5', ''].map(
      (customVarPosition) => [fields({ fieldName: 'custom_var', customVarPosition }), 'fields[0].customVarPosition: '] as const,
    ),
    [fields(), 'fields: '],
    [{ ...job, scope: 'x'.repeat(256) }, 'scope: '],
    [{ ...job, frequency: { value: 'weekly' } }, 'frequency.value: '],
    [{ ...job, name: ' ' }, 'name: must not be empty'],
    [{ ...job, format: 'XML' }, 'format: '],
    [{ ...job, deviceLabel: 'watch' }, 'deviceLabel: '],
    [{ ...job, segmentId: 'Buyers' }, 'segmentId: '],
  ],
  getSiteVisits: [
    [range(after(2_208, 1)), 'endDate: at most 92 days (2,208 hours)'],
    [range(START), 'endDate: must be after startDate'],
    [range(after(24), { period: 'daily' }), 'period: daily needs a range longer than one day'],
    [range(after(48), { goalId: 1 }), 'goalId: is not known here'],
    [range(after(48), { segmentIds: [] }), 'segmentIds: '],
  ],
  getZoneTapRate: [
    [range(after(2_208, 1), { zoneId: 1 }), 'endDate: at most 92 days'],
    [range(after(48)), 'zoneId: '],
  ],
  getSiteCartAverage: [[range(after(48), { period: 'daily' }), 'period: is not known here']],
  listExportJobs: [
    [{ limit: 0 }, 'limit: '],
    [{ limit: 101 }, 'limit: '],
    [{ order: 'asc' }, 'order: '],
  ],
  listScenarioReports: [
    [{ scenarioId: 1, limit: -1 }, 'limit: '],
    [{ scenarioId: 1, dateFrom: START, dateTo: START }, 'dateTo: must be after dateFrom'],
  ],
  listDynamicVariableKeys: [[{ from: after(1), to: START }, 'to: must be after from']],
  getScenarioReport: [
    [{ scenarioId: 1 }, 'date: is required'],
    [{ date: 1 }, 'scenarioId: is required'],
  ],
  createSpeedEvent: [
    [{ text: 'a', date: START }, 'key: is required'],
    [{ key: 'a', date: START }, 'text: is required'],
    [{ key: 'a', text: 'a' }, 'date: is required'],
  ],
  deleteSpeedEvent: [[{}, 'key: is required']],
  listExportableFields: [[{}, 'scope: is required']],
  requestToken: [
    [{ client_id: 'a', client_secret: 'b', grant_type: 'password', scope: 'metrics' }, 'grant_type: '],
    [{ client_secret: 'b', grant_type: 'client_credentials', scope: 'metrics' }, 'client_id: is required'],
    [{ client_id: 'a', grant_type: 'client_credentials', scope: 'metrics' }, 'client_secret: is required'],
    [{ client_id: 'a', client_secret: 'b', grant_type: 'client_credentials', scope: 'metrics enrichment' }, 'scope: '],
  ],
  sendEnrichments: [[{ enrichments: [] }, 'enrichments: ']],
};

describe('the rules of an input', () => {
  const rows = <T>(table: Partial<Record<OperationName, T[]>>) =>
    (Object.entries(table) as [OperationName, T[]][]).flatMap(([name, each]) => each.map((row) => [name, row] as const));

  test.each(rows(accepted))('of %s let pass %j', (name, input) => {
    expect(checkInput(operations[name], input)).toEqual(input);
  });

  test.each(rows(refused))('of %s refuse %j', (name, [input, words]) => {
    expect(() => checkInput(operations[name], input)).toThrow(new RegExp(`(^|; )${words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`));
  });
});
