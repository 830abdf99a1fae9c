import * as z from 'zod';
import { LIST_KEEP_MS, operationsWith } from '../operation.ts';
import * as p from '../params.ts';
import { recordId, reportEntry, scenario, scenarioReport, speedEvent, stepReport } from './records.ts';

const common = { method: 'POST', base: 'service', scope: 'speed-analysis', section: '4.1' } as const;
const list = operationsWith({ ...common, safe: true, keepMs: LIST_KEEP_MS });
/** Reports of past runs never change, so they are kept for good. */
const report = operationsWith({ ...common, safe: true, keepMs: Number.POSITIVE_INFINITY });
const write = operationsWith({ ...common, safe: false });

/** Synthetic scenarios of the project. */
export const listScenarios = list(
  '/v1/speed-analysis/scenario/list',
  z.strictObject({ name: p.text.optional() }),
  z.looseObject({ scenarios: z.array(scenario) }),
);

/** The newest run of a scenario, or that at a date. */
export const getScenarioReport = report(
  '/v1/speed-analysis/scenario/report',
  z.strictObject({ scenarioId: p.id, date: z.int().positive() }),
  z.looseObject({ scenarioReport }),
);

/** Runs of a scenario between two dates. */
export const listScenarioReports = list(
  '/v1/speed-analysis/scenario/reports',
  z
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
  z.looseObject({
    scenario: z.looseObject({ id: recordId.nullish(), name: z.string().nullish(), reports: z.array(reportEntry) }),
  }),
);

/** Details of one step of one run. */
export const getStepReport = report(
  '/v1/speed-analysis/scenario/step/report',
  z.strictObject({ stepId: p.text }),
  z.looseObject({ step: stepReport }),
);

/** The HAR file of one step of one run. */
export const getStepHar = report(
  '/v1/speed-analysis/scenario/report/har',
  z.strictObject({ scenarioStepResultId: p.text }),
  z.looseObject({ har: z.union([z.string(), z.looseObject({})]) }),
);

/** Marked moments of the project. */
export const listSpeedEvents = list(
  '/v1/speed-analysis/event/list',
  z.strictObject({
    key: p.text.optional(),
    dateFrom: p.isoDate.optional(),
    monitoringId: p.id.optional(),
    scenarioId: p.id.optional(),
  }),
  z.looseObject({ events: z.array(speedEvent) }),
);

/** Marks a moment on scenarios. */
export const createSpeedEvent = write(
  '/v1/speed-analysis/event/create',
  z.strictObject({
    key: p.text,
    text: p.text,
    date: p.isoDate,
    monitorings: p.ids.optional(),
    scenarios: p.ids.optional(),
  }),
  z.looseObject({ key: z.string() }),
);

/** Removes a marked moment for good. */
export const deleteSpeedEvent = write(
  '/v1/speed-analysis/event/delete',
  z.strictObject({ key: p.text }),
  z.looseObject({ key: z.string() }),
);
