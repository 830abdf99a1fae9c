import * as z from 'zod';
import { defineOperation, LIST_KEEP_MS } from '../operation.ts';
import * as p from '../params.ts';
import { recordId, reportEntry, scenario, scenarioReport, speedEvent, stepReport } from './records.ts';

const common = { method: 'POST', base: 'service', scope: 'speed-analysis', section: '4.1' } as const;
const list = { ...common, safe: true, keepMs: LIST_KEEP_MS } as const;
/** Reports of past runs never change, so they are kept for good. */
const report = { ...common, safe: true, keepMs: Number.POSITIVE_INFINITY } as const;

/** Synthetic scenarios of the project. */
export const listScenarios = defineOperation({
  ...list,
  path: '/v1/speed-analysis/scenario/list',
  input: z.strictObject({ name: p.text.optional() }),
  payload: z.looseObject({ scenarios: z.array(scenario) }),
});

/** The newest run of a scenario, or that at a date. */
export const getScenarioReport = defineOperation({
  ...report,
  path: '/v1/speed-analysis/scenario/report',
  input: z.strictObject({ scenarioId: p.id, date: z.int().positive() }),
  payload: z.looseObject({ scenarioReport }),
});

/** Runs of a scenario between two dates. */
export const listScenarioReports = defineOperation({
  ...list,
  path: '/v1/speed-analysis/scenario/reports',
  input: z
    .strictObject({
      scenarioId: p.id,
      limit: z.int().min(0).optional(),
      lastDays: z.number().positive().optional(),
      dateFrom: p.isoDate.optional(),
      dateTo: p.isoDate.optional(),
      error: z.boolean().optional(),
    })
    .superRefine((input, context) => {
      p.requireOrder(context, [input.dateFrom, input.dateTo], ['dateFrom', 'dateTo']);
    }),
  payload: z.looseObject({
    scenario: z.looseObject({ id: recordId.nullish(), name: z.string().nullish(), reports: z.array(reportEntry) }),
  }),
});

/** Details of one step of one run. */
export const getStepReport = defineOperation({
  ...report,
  path: '/v1/speed-analysis/scenario/step/report',
  input: z.strictObject({ stepId: p.text }),
  payload: z.looseObject({ step: stepReport }),
});

/** The HAR file of one step of one run. */
export const getStepHar = defineOperation({
  ...report,
  path: '/v1/speed-analysis/scenario/report/har',
  input: z.strictObject({ scenarioStepResultId: p.text }),
  payload: z.looseObject({ har: z.union([z.string(), z.looseObject({})]) }),
});

/** Marked moments of the project. */
export const listSpeedEvents = defineOperation({
  ...list,
  path: '/v1/speed-analysis/event/list',
  input: z.strictObject({
    key: p.text.optional(),
    dateFrom: p.isoDate.optional(),
    monitoringId: p.id.optional(),
    scenarioId: p.id.optional(),
  }),
  payload: z.looseObject({ events: z.array(speedEvent) }),
});

/** Marks a moment on scenarios. */
export const createSpeedEvent = defineOperation({
  ...common,
  path: '/v1/speed-analysis/event/create',
  safe: false,
  input: z.strictObject({
    key: p.text,
    text: p.text,
    date: p.isoDate,
    monitorings: p.ids.optional(),
    scenarios: p.ids.optional(),
  }),
  payload: z.looseObject({ key: z.string() }),
});

/** Removes a marked moment for good. */
export const deleteSpeedEvent = defineOperation({
  ...common,
  path: '/v1/speed-analysis/event/delete',
  safe: false,
  input: z.strictObject({ key: p.text }),
  payload: z.looseObject({ key: z.string() }),
});
