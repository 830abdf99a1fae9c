import * as z from 'zod';
import { defineOperation, LIST_KEEP_MS, operationsWith } from '../operation.ts';
import * as p from '../params.ts';
import {
  customVariable,
  dynamicVariableKey,
  exportableField,
  exportJob,
  exportJobAlone,
  exportRun,
  exportRunWithFiles,
  recordId,
  successfulRun,
} from './records.ts';

const common = { base: 'service', scope: 'data-export', section: '4.2' } as const;
const read = operationsWith({ ...common, method: 'GET', safe: true });
const list = operationsWith({ ...common, method: 'GET', safe: true, keepMs: LIST_KEEP_MS });
const paging = { limit: p.pageSize.optional(), order: p.order.optional(), page: p.page.optional() };

const frequency = z
  .strictObject({
    value: z.enum(['once', 'daily', 'hourly']),
    dateRange: z.strictObject({ from: p.isoDate, to: p.isoDate }).optional(),
  })
  .superRefine(({ value, dateRange }, context) => {
    if (value !== 'once') {
      if (dateRange) p.complain(context, `only for "once"; a ${value} job chooses its own range`, 'dateRange');
      return;
    }
    if (!dateRange) {
      p.complain(context, 'required for "once": {from, to}, at most 7 days apart', 'dateRange');
      return;
    }
    const rangeMs = p.requireOrder(context, [dateRange.from, dateRange.to], ['from', 'to'], ['dateRange']);
    if (rangeMs !== undefined && rangeMs > p.MAX_EXPORT_RANGE_MS) {
      p.complain(context, 'at most 7 days (168 hours) after from; split a longer range', 'dateRange', 'to');
    }
  });

/** Fields that may be chosen several times, each time for another variable. */
const repeatable = new Set(['custom_var', 'dynamic_var']);

/** One column of an export; which extra member is needed depends on `fieldName` (section 4.2). */
const fieldSelector = z
  .strictObject({
    fieldName: p.text,
    aliasName: p.text.optional(),
    customVarPosition: z.union([z.int().min(1).max(20), z.string().regex(/^([1-9]|1\d|20)$/, 'a position from 1 to 20')]).optional(),
    dynamicVarKey: p.text.optional(),
  })
  .superRefine((field, context) => {
    for (const [owner, member] of [
      ['custom_var', 'customVarPosition'],
      ['dynamic_var', 'dynamicVarKey'],
    ] as const) {
      const given = field[member] !== undefined;
      if (field.fieldName === owner && !given) p.complain(context, `required with fieldName "${owner}"`, member);
      if (field.fieldName !== owner && given) p.complain(context, `only with fieldName "${owner}"`, member);
    }
  });

const fields = z
  .array(fieldSelector)
  .min(1)
  .superRefine((selectors, context) => {
    const seen = new Set<string>();
    for (const [index, { fieldName }] of selectors.entries()) {
      if (seen.has(fieldName) && !repeatable.has(fieldName)) {
        p.complain(context, `"${fieldName}" is listed twice`, index, 'fieldName');
      }
      seen.add(fieldName);
    }
  });

/** Creates a job; the interface has no operation that changes or deletes one. */
export const createExportJob = defineOperation({
  ...common,
  method: 'POST',
  path: '/v1/exports',
  safe: false,
  input: z.strictObject({
    name: p.text,
    format: p.exportFormat,
    scope: p.exportScope.optional(),
    frequency,
    fields,
    deviceLabel: p.device,
    segmentId: z.union([p.id, z.string().regex(/^\d+$/, 'a segment id')]).optional(),
  }),
  payload: z.looseObject({ jobId: recordId }),
});

/** Jobs in any state, in pages. */
export const listExportJobs = list(
  '/v1/exports',
  z.strictObject({
    ...paging,
    format: p.text.optional(),
    frequency: p.text.optional(),
    scope: p.text.optional(),
    state: p.text.optional(),
  }),
  z.array(exportJob),
);

/** Runs of all jobs that produced files, the newest first. */
export const listSuccessfulExportRuns = list('/v1/exports/successful-runs', z.strictObject(paging), z.array(successfulRun));

/** One job by its id. */
export const getExportJob = read('/v1/exports/{jobId}', z.strictObject({ jobId: p.id }), exportJobAlone);

/** Runs of one job in any state. */
export const listExportRuns = list(
  '/v1/exports/{jobId}/runs',
  z.strictObject({ jobId: p.id, ...paging, state: p.text.optional() }),
  z.array(exportRun),
);

/** One run with the addresses of its files, which expire. */
export const getExportRun = read('/v1/exports/{jobId}/runs/{runId}', z.strictObject({ jobId: p.id, runId: p.id }), exportRunWithFiles);

/** Fields of a scope that jobs can export. */
export const listExportableFields = list('/v1/exportable-fields', z.strictObject({ scope: p.exportScope }), z.array(exportableField));

/** Custom variables of the project by position, 1 to 20. */
export const listCustomVariables = list('/v1/custom-vars', z.strictObject({}), z.array(customVariable));

/** Keys of dynamic variables seen in a range. */
export const listDynamicVariableKeys = list(
  '/v1/dynamic-var-keys',
  z.strictObject({ from: p.isoDate.optional(), to: p.isoDate.optional() }).superRefine((input, context) => {
    p.requireOrder(context, [input.from, input.to], ['from', 'to']);
  }),
  z.array(dynamicVariableKey),
);
