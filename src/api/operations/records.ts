import * as z from 'zod';
import { members } from '../../lib/members.ts';
import { aggregateMetricNames, stepReportTimingNames, stepTimingNames } from '../metric-names.ts';

// Answers are read loosely: unknown members are kept, and a documented member may be null or absent,
// because the reference is silent about both. Required is only that without which nothing can be done with a record: a value of a
// metric without its name is no value of anything.

/** A number of an answer; null where the platform has none, never zero instead. */
const number = z.number().nullish();
/** A text that may be null or missing. */
export const text = z.string().nullish();
/** An id of an answer; text where it exceeds 2^53. */
export const recordId = z.union([z.number(), z.string()]);
const optionalId = recordId.nullish();

/** An object with these number members, each nullable. */
function numbers<const Name extends string>(names: readonly Name[]) {
  return z.looseObject(members(number, ...names));
}

/** A synthetic scenario. */
export const scenario = z.looseObject({ id: optionalId, name: text });

const summary = z.looseObject({
  fail: number,
  unavailableResource: number,
  browserError: number,
  sum: numbers(aggregateMetricNames).nullish(),
  average: numbers(aggregateMetricNames).nullish(),
});

const customTiming = z.looseObject({ type: text, name: text, startTime: number, duration: number });

/** One step of a run, with its timings in ms. */
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

/** One run of a scenario with its steps; `date` in ms since 1970. */
export const reportEntry = z.looseObject({
  resultId: optionalId,
  date: z.number(),
  viewOnTheWeb: text,
  summary: summary.nullish(),
  steps: z.array(stepResult).nullish(),
});

/** A run together with the scenario that it belongs to. */
export const scenarioReport = z.looseObject({ scenarioId: optionalId, name: text, ...reportEntry.shape });

/** Details of one step: long tasks, actions and timings. */
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

/** A marked moment, such as a release. */
export const speedEvent = z.looseObject({ key: z.string(), text, date: text });

/** An export job; it shows neither segment nor positions and keys of variables. */
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

/** One run of a job, without its files. */
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

/** One run of a job, with the addresses of its files. */
export const exportRunWithFiles = exportRun.extend({ files: z.array(exportFile).nullish() });

/** A run that produced files, with the range that they cover. */
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

/** A field that jobs can export. */
export const exportableField = z.looseObject({
  name: z.string(),
  description: text,
  example: text,
  aliases: z.array(z.string()).nullish(),
  parameters: z.array(z.string()).nullish(),
});

/** A custom variable with some of its values. */
export const customVariable = z.looseObject({ position: z.number(), key: text, values: z.array(z.string()).nullish() });
/** A dynamic variable with its type. */
export const dynamicVariableKey = z.looseObject({ key: z.string(), type: text });

/** One metric of one range; null means no value. */
export const metricValue = z.looseObject({
  startDate: text,
  endDate: text,
  value: number,
  name: z.string(),
  currency: text,
});
/** One zone metric of one range and device. */
export const zoneMetricValue = metricValue.extend({ device: text });

/** A segment of visits. */
export const segment = z.looseObject({ id: optionalId, name: text, source: text, createdAt: text, updatedAt: text });
/** A goal of the project. */
export const goal = z.looseObject({ id: optionalId, name: text, type: text, createdAt: text, updatedAt: text });
/** A division of pages into page groups. */
export const mapping = z.looseObject({ id: optionalId, name: text, description: text, createdAt: text, updatedAt: text });
/** A group of pages or screens. */
export const pageGroup = z.looseObject({ id: optionalId, name: text, category: text });
/** A page group with the mappings that hold it. */
export const pageGroupWithMappings = pageGroup.extend({ mappings: z.array(mapping).nullish() });
/** A division of a page into zones. */
export const zoning = z.looseObject({ id: optionalId, name: text, createdAt: text, lastUpdatedAt: text });
/** A zone of a page. */
export const zone = z.looseObject({ id: optionalId, name: text });
