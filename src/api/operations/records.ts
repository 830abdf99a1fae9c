import * as z from 'zod';
import { aggregateMetricNames, stepReportTimingNames, stepTimingNames } from '../metric-names.ts';

// Answers are read loosely: unknown members are kept, and a documented member may be null or absent,
// because the reference is silent about both. Required is only that without which nothing can be done with a record: a value of a
// metric without its name is no value of anything.

/** A number of an answer; null where the platform has none, never zero instead. */
const number = z.number().nullish();
export const text = z.string().nullish();
/** An id of an answer; text where it exceeds 2^53. */
export const recordId = z.union([z.number(), z.string()]);
const optionalId = recordId.nullish();

/** An object with these number members, each nullable. */
function numbers<const Name extends string>(names: readonly Name[]) {
  return z.looseObject(Object.fromEntries(names.map((name) => [name, number])) as Record<Name, typeof number>);
}

export const scenario = z.looseObject({ id: optionalId, name: text });

const summary = z.looseObject({
  fail: number,
  unavailableResource: number,
  browserError: number,
  sum: numbers(aggregateMetricNames).nullish(),
  average: numbers(aggregateMetricNames).nullish(),
});

const customTiming = z.looseObject({ type: text, name: text, startTime: number, duration: number });

export const stepResult = z.looseObject({
  stepId: optionalId,
  stepResultId: optionalId,
  name: text,
  description: text,
  fail: number,
  unavailableResource: number,
  browserError: number,
  timings: numbers(stepTimingNames).nullish(),
  weight: number,
  requestsCount: number,
  loadTime: number,
  customTimings: z.array(customTiming).nullish(),
});

export const reportEntry = z.looseObject({
  resultId: optionalId,
  date: z.number(),
  viewOnTheWeb: text,
  summary: summary.nullish(),
  steps: z.array(stepResult).nullish(),
});

export const scenarioReport = z.looseObject({ scenarioId: optionalId, name: text, ...reportEntry.shape });

export const stepReport = z.looseObject({
  id: optionalId,
  previousStepId: optionalId,
  nextStepId: optionalId,
  stepResultId: optionalId,
  date: number,
  timings: numbers(stepReportTimingNames).nullish(),
  browserError: z.unknown().optional(),
  unavailableResource: z.unknown().optional(),
  actionsResult: z.array(z.looseObject({ id: optionalId, time: number, status: text, message: text })).nullish(),
  customTimings: z.array(customTiming).nullish(),
});

export const speedEvent = z.looseObject({ key: z.string(), text, date: text });

export const exportJob = z.looseObject({
  jobId: recordId,
  name: text,
  ownerId: optionalId,
  lastUpdatorId: optionalId,
  accountId: optionalId,
  nextFrom: text,
  nextTo: text,
  projectIds: z.array(recordId).nullish(),
  state: text,
  createdAt: text,
  format: text,
  scope: text,
  frequency: text,
  fields: z.array(z.looseObject({ fieldName: text, aliasName: text })).nullish(),
  lastRunTime: text,
  nextRunTime: text,
  updatedAt: text,
  filters: z.looseObject({ deviceId: number }).nullish(),
});

export const exportRun = z.looseObject({
  jobRunId: optionalId,
  startDate: text,
  state: text,
  endDate: text,
  completionRate: number,
});

const exportFile = z.looseObject({ partId: optionalId, fileSize: number, url: z.string(), expirationDate: text });

/** The id is in the question. */
export const exportJobAlone = exportJob.extend({ jobId: optionalId });

export const exportRunWithFiles = exportRun.extend({ files: z.array(exportFile).nullish() });

export const successfulRun = z.looseObject({
  jobId: recordId,
  jobRunId: recordId,
  name: text,
  projectIds: z.array(recordId).nullish(),
  from: text,
  to: text,
  completionTime: text,
  format: text,
  scope: text,
  frequency: text,
  nbOfFiles: number,
});

export const exportableField = z.looseObject({
  name: z.string(),
  description: text,
  example: text,
  aliases: z.array(z.string()).nullish(),
  parameters: z.array(z.string()).nullish(),
});

export const customVariable = z.looseObject({ position: z.number(), key: text, values: z.array(z.string()).nullish() });
export const dynamicVariableKey = z.looseObject({ key: z.string(), type: text });

export const metricValue = z.looseObject({
  startDate: text,
  endDate: text,
  value: number,
  name: z.string(),
  currency: text,
});
export const zoneMetricValue = metricValue.extend({ device: text });

export const segment = z.looseObject({ id: optionalId, name: text, source: text, createdAt: text, updatedAt: text });
export const goal = z.looseObject({ id: optionalId, name: text, type: text, createdAt: text, updatedAt: text });
export const mapping = z.looseObject({ id: optionalId, name: text, description: text, createdAt: text, updatedAt: text });
export const pageGroup = z.looseObject({ id: optionalId, name: text, category: text });
export const pageGroupWithMappings = pageGroup.extend({ mappings: z.array(mapping).nullish() });
export const zoning = z.looseObject({ id: optionalId, name: text, createdAt: text, lastUpdatedAt: text });
export const zone = z.looseObject({ id: optionalId, name: text });
