// The field tables of the reference of the REST interface, copied by hand: sections 2 and 5 for the records, section 4 for what each
// operation answers.

import { forEachMetricOperation } from './metric-endpoints.ts';

/**
 * JSON type of one field; `iso` is an ISO 8601 date in a string, `integer` a number without a fraction.
 * The reference is silent about what stands where there is no such instant (the end of a run that goes on, the next run of a finished job):
 * null.
 */
export type Type = 'number' | 'integer' | 'string' | 'string or null' | 'iso' | 'iso or null' | 'anything';
/** A record has exactly these fields, those with `?` only where there is a value; an array holds records or values of one kind. */
export type Shape = Type | readonly [Shape] | { readonly [field: string]: Shape };

// 2.1 Speed analysis

const scenarioListItem = { id: 'number', name: 'string' } as const;

/** The last timings of reports and of steps. */
const contentTimings = {
  largestContentfulPaint: 'number',
  totalBlockingTime: 'number',
  maxPotentialFirstInputDelay: 'number',
  totalLongTasks: 'number',
  lastLongTask: 'number',
  nbLongTasks: 'number',
  cumulativeLayoutShift: 'number',
} as const;

const aggregateMetrics = {
  firstPaint: 'number',
  request: 'number',
  startRender: 'number',
  lastByte: 'number',
  weight: 'number',
  domInteractive: 'number',
  domContentLoadedEventStart: 'number',
  domComplete: 'number',
  loadEvent: 'number',
  firstContentfulPaint: 'number',
  loadTime: 'number',
  loadEventStart: 'number',
  firstConsistentlyInteractive: 'number',
  visuallyComplete: 'number',
  speedIndex: 'number',
  firstByte: 'number',
  domContentLoadedEventEnd: 'number',
  domLoading: 'number',
  ...contentTimings,
} as const;

const summary = {
  fail: 'number',
  unavailableResource: 'number',
  browserError: 'number',
  sum: aggregateMetrics,
  average: aggregateMetrics,
} as const;

const timingsWithoutNavigationStart = {
  firstByte: 'number',
  firstPaint: 'number',
  domInteractive: 'number',
  loadEvent: 'number',
  startRender: 'number',
  speedIndex: 'number',
  visuallyComplete: 'number',
  oldVisuallyComplete: 'number',
  loadEventStart: 'number',
  lastByte: 'number',
  domLoading: 'number',
  domContentLoadedEventStart: 'number',
  domContentLoadedEventEnd: 'number',
  domComplete: 'number',
  firstContentfulPaint: 'number',
  firstConsistentlyInteractive: 'number',
  ...contentTimings,
} as const;

const customTiming = { type: 'string', name: 'string', startTime: 'number', duration: 'number' } as const;

const stepResult = {
  stepId: 'number',
  stepResultId: 'string',
  name: 'string',
  description: 'string',
  fail: 'number',
  unavailableResource: 'number',
  browserError: 'number',
  timings: { navigationStart: 'number', ...timingsWithoutNavigationStart },
  weight: 'number',
  requestsCount: 'number',
  loadTime: 'number',
  customTimings: [customTiming],
} as const;

const reportEntry = { resultId: 'number', date: 'number', viewOnTheWeb: 'string', summary, steps: [stepResult] } as const;

const stepReport = {
  id: 'string',
  previousStepId: 'string',
  nextStepId: 'string',
  stepResultId: 'number',
  date: 'number',
  timings: timingsWithoutNavigationStart,
  browserError: 'string',
  unavailableResource: 'string',
  actionsResult: [{ id: 'number', time: 'number', status: 'string', message: 'string' }],
  customTimings: [customTiming],
} as const;

const speedEvent = { key: 'string', text: 'string', date: 'iso' } as const;

// 2.2 Data export

const exportJob = {
  jobId: 'integer',
  name: 'string',
  ownerId: 'integer',
  lastUpdatorId: 'integer',
  accountId: 'integer',
  nextFrom: 'iso or null',
  nextTo: 'iso or null',
  projectIds: ['integer'],
  state: 'string',
  createdAt: 'iso',
  format: 'string',
  scope: 'string',
  frequency: 'string',
  fields: [{ fieldName: 'string', 'aliasName?': 'string' }],
  lastRunTime: 'iso or null',
  nextRunTime: 'iso or null',
  updatedAt: 'iso',
  filters: { deviceId: 'integer' },
} as const;

const exportRun = { jobRunId: 'integer', startDate: 'iso', state: 'string', endDate: 'iso or null', completionRate: 'number' } as const;

const successfulRun = {
  jobId: 'integer',
  jobRunId: 'integer',
  name: 'string',
  projectIds: ['integer'],
  from: 'iso',
  to: 'iso',
  completionTime: 'iso',
  format: 'string',
  scope: 'string',
  frequency: 'string',
  nbOfFiles: 'integer',
} as const;

const exportableField = { name: 'string', description: 'string', example: 'string', aliases: ['string'], parameters: ['string'] } as const;

// 2.3 Metrics

const metricValue = { startDate: 'iso', endDate: 'iso', value: 'number', name: 'string', currency: 'string' } as const;
const siteMetric = { values: [metricValue] } as const;
const zoneMetric = { values: [{ ...metricValue, device: 'string' }] } as const;

// 2.4 Objects

const mapping = { id: 'integer', name: 'string', description: 'string or null', createdAt: 'iso', updatedAt: 'iso' } as const;
const pageGroup = { id: 'integer', name: 'string', category: 'string' } as const;

/** What each operation answers: `payload` of the envelope, or the whole body of the two OAuth operations. */
export const reference = {
  // Section 5
  requestToken: {
    access_token: 'string',
    token_type: 'string',
    expires_in: 'integer',
    scope: 'string',
    project_id: 'integer',
    endpoint: 'string',
  },
  readCredential: { scopes: 'string', permissions: { projects: [{ id: 'integer', name: 'string' }] } },
  // Section 4.1
  listScenarios: { scenarios: [scenarioListItem] },
  getScenarioReport: { scenarioReport: { scenarioId: 'number', name: 'string', ...reportEntry } },
  listScenarioReports: { scenario: { id: 'number', name: 'string', reports: [reportEntry] } },
  getStepReport: { step: stepReport },
  getStepHar: { har: 'string' },
  listSpeedEvents: { events: [speedEvent] },
  createSpeedEvent: { key: 'string' },
  deleteSpeedEvent: { key: 'string' },
  // Section 4.2
  createExportJob: { jobId: 'integer' },
  listExportJobs: [exportJob],
  listSuccessfulExportRuns: [successfulRun],
  getExportJob: exportJob,
  listExportRuns: [exportRun],
  getExportRun: { ...exportRun, files: [{ partId: 'integer', fileSize: 'integer', url: 'string', expirationDate: 'iso' }] },
  listExportableFields: [exportableField],
  listCustomVariables: [{ position: 'integer', key: 'string', values: ['string'] }],
  listDynamicVariableKeys: [{ key: 'string', type: 'string' }],
  // Section 4.3
  listSegments: [{ id: 'integer', name: 'string', source: 'string', createdAt: 'iso', updatedAt: 'iso' }],
  listGoals: [{ id: 'integer', name: 'string', type: 'string', createdAt: 'iso', updatedAt: 'iso' }],
  listMappings: [mapping],
  getMapping: [mapping],
  listPageGroups: [pageGroup],
  getPageGroup: { ...pageGroup, mappings: [mapping] },
  listZonings: [{ id: 'integer', name: 'string', createdAt: 'iso', lastUpdatedAt: 'iso' }],
  listZones: [{ id: 'integer', name: 'string' }],
  // Section 4.4
  ...forEachMetricOperation(({ of }) => (of === 'site' ? siteMetric : zoneMetric)),
  // Section 4.5: not shown by the reference
  sendEnrichments: 'anything',
} as const satisfies Record<string, Shape>;
