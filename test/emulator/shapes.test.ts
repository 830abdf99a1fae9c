import { beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { type CredentialName, shop } from '../../src/emulator/credentials.ts';
import { forEachMetricOperation, metricEndpoints } from '../samples/metric-endpoints.ts';
import { reference, type Shape, type Type } from '../samples/reference-fields.ts';
import { type Answer, type Platform, sharedPlatform, withPlatform } from '../support/emulator.ts';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/;

const isIso = (value: unknown) => typeof value === 'string' && ISO.test(value) && !Number.isNaN(Date.parse(value));
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);

const matches: Record<Type, (value: unknown) => boolean> = {
  number: isNumber,
  integer: Number.isSafeInteger,
  string: (value) => typeof value === 'string',
  'string or null': (value) => value === null || typeof value === 'string',
  iso: isIso,
  'iso or null': (value) => value === null || isIso(value),
  anything: () => true,
};

/**
 * What of `value` is not as `stated` says, one sentence each; empty arrays are reported too where `filled` lacks them, as
 * nothing was compared.
 */
function differences(value: unknown, stated: Shape, at = 'payload'): { wrong: string[]; filled: Set<string>; empty: Set<string> } {
  const found = { wrong: [] as string[], filled: new Set<string>(), empty: new Set<string>() };
  compare(value, stated, at);
  return found;

  function compare(actual: unknown, expected: Shape, path: string): void {
    if (typeof expected === 'string') {
      if (!matches[expected](actual)) found.wrong.push(`${path}: expected ${expected}, found ${JSON.stringify(actual)}`);
    } else if (isList(expected)) {
      if (!Array.isArray(actual)) found.wrong.push(`${path}: expected an array, found ${JSON.stringify(actual)}`);
      else compareItems(actual, expected[0], `${path}[]`);
    } else if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
      found.wrong.push(`${path}: expected an object, found ${JSON.stringify(actual)}`);
    } else compareFields(new Map(Object.entries(actual)), expected, path);
  }

  function compareItems(items: readonly unknown[], item: Shape, path: string): void {
    (items.length > 0 ? found.filled : found.empty).add(path);
    for (const each of items) compare(each, item, path);
  }

  function compareFields(actual: ReadonlyMap<string, unknown>, expected: { readonly [field: string]: Shape }, path: string): void {
    const known = new Map(Object.entries(expected).map(([name, shape]) => [name.replace('?', ''), shape]));
    for (const name of actual.keys()) if (!known.has(name)) found.wrong.push(`${path}.${name}: no such field in the reference`);
    for (const [name, shape] of known) {
      if (actual.has(name)) compare(actual.get(name), shape, `${path}.${name}`);
      else if (!Object.hasOwn(expected, `${name}?`)) found.wrong.push(`${path}.${name}: is missing`);
    }
  }
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

const platform = sharedPlatform();
const range = { startDate: '2026-10-01T00:00:00.000Z', endDate: '2026-11-01T00:00:00.000Z' };
const names = Object.keys(reference).filter(isDocumented);
const siteMetrics = operations.getSiteMetrics.payload;

/** Operations that the reference has a table for. */
type Documented = keyof typeof reference;

function isDocumented(name: string): name is Documented {
  return Object.hasOwn(operations, name);
}

/** Ids of one record of each kind, found by walking the platform as a client would. */
async function walk({ ask, token }: Platform) {
  const bearer = await token('shop');
  const { scenarios } = await ask('listScenarios', {}, bearer);
  const scenarioId = first(scenarios).id;
  const { scenario } = await ask('listScenarioReports', { scenarioId, limit: 1 }, bearer);
  const report = first(scenario.reports);
  const step = first((report.steps ?? []).filter(({ customTimings }) => customTimings && customTimings.length > 0));
  const run = first(await ask('listSuccessfulExportRuns', { limit: 1 }, bearer));
  const appBearer = await token('app');
  const mappingId = first(await ask('listMappings', {}, appBearer)).id;
  const zoned = [];
  for (const { id: pageGroupId } of await ask('listPageGroups', { mappingId }, appBearer)) {
    for (const { id: zoningId } of await ask('listZonings', { pageGroupId }, appBearer)) {
      for (const { id: zoneId } of await ask('listZones', { zoningId }, appBearer)) zoned.push({ pageGroupId, zoningId, zoneId });
    }
  }
  return {
    scenarioId,
    date: report.date,
    stepResultId: step.stepResultId,
    jobId: run.jobId,
    runId: run.jobRunId,
    mappingId,
    ...first(zoned),
  };
}

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('The list is empty.');
  return item;
}

type Sample = readonly [CredentialName, Record<string, unknown>];

/** An input for each operation that brings back at least one record. */
function samplesOf({ credentials }: Platform, ids: Awaited<ReturnType<typeof walk>>): Record<Documented, Sample> {
  const { scenarioId, date, stepResultId, jobId, runId, mappingId, pageGroupId, zoningId, zoneId } = ids;
  const secrets = { client_id: credentials.shop.clientId, client_secret: credentials.shop.clientSecret };
  const daily: Sample = ['shop', { ...range, period: 'daily' }];
  const zone: Sample = ['app', { ...range, zoneId }];
  const frequency = { value: 'once', dateRange: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-08T00:00:00.000Z' } };
  const job = { name: 'Visits', format: 'CSV', scope: 'sessions', frequency, fields: [{ fieldName: 'session_id' }], deviceLabel: 'all' };
  const enrichments = [{ userId: '12345678901234567890', sessionNumber: 1, enrichmentNumber: 1, enrichment: { agent: 'Kim' } }];
  return {
    requestToken: ['shop', { ...secrets, grant_type: 'client_credentials', scope: 'metrics' }],
    readCredential: ['shop', secrets],
    listScenarios: ['shop', {}],
    getScenarioReport: ['shop', { scenarioId, date }],
    listScenarioReports: ['shop', { scenarioId }],
    getStepReport: ['shop', { stepId: stepResultId }],
    getStepHar: ['shop', { scenarioStepResultId: stepResultId }],
    listSpeedEvents: ['shop', {}],
    createSpeedEvent: ['shop', { key: 'release-7', text: 'Release 7', date: '2026-11-19T08:00:00.000Z', scenarios: [scenarioId] }],
    deleteSpeedEvent: ['shop', { key: 'release-7' }],
    createExportJob: ['shop', job],
    listExportJobs: ['shop', { limit: 100 }],
    listSuccessfulExportRuns: ['shop', {}],
    getExportJob: ['shop', { jobId }],
    listExportRuns: ['shop', { jobId }],
    getExportRun: ['shop', { jobId, runId }],
    listExportableFields: ['shop', { scope: 'sessions' }],
    listCustomVariables: ['shop', {}],
    listDynamicVariableKeys: ['shop', {}],
    listSegments: ['shop', {}],
    listGoals: ['shop', {}],
    listMappings: ['app', {}],
    getMapping: ['app', { mappingId }],
    listPageGroups: ['app', { mappingId }],
    getPageGroup: ['app', { pageGroupId }],
    listZonings: ['app', { pageGroupId }],
    listZones: ['app', { zoningId }],
    ...forEachMetricOperation(({ of }) => (of === 'site' ? daily : zone)),
    getSiteCartAverage: ['shop', range],
    sendEnrichments: ['enrichment', { projectId: shop.id, enrichments }],
  };
}

/** Answers of all operations, in the order of the reference. */
async function answersOf(on: Platform): Promise<Record<string, Answer>> {
  const samples = samplesOf(on, await walk(on));
  const answers: Record<string, Answer> = {};
  for (const name of names) {
    const [credential, input] = samples[name];
    answers[name] = await on.call(name, input, await on.token(credential));
  }
  return answers;
}

let answers: Record<string, Answer>;
beforeAll(async () => {
  answers = await answersOf(platform());
});

/** The payload of a successful answer, or the whole body where it travels without the envelope. */
function payloadOf(name: Documented): unknown {
  const { status, body } = answers[name] ?? {};
  if (operations[name].base === 'auth') return status === 200 ? body : undefined;
  expect({ status, body }).toEqual({ status: 200, body: { success: true, payload: expect.anything() } });
  return isEnvelope(body) ? body.payload : undefined;
}

function isEnvelope(body: unknown): body is { payload: unknown } {
  return typeof body === 'object' && body !== null && 'payload' in body;
}

it('the answer to each operation is described by a table for operations that there are', () => {
  expect(Object.keys(reference).toSorted()).toEqual(names.toSorted());
});

it.each(names)('the answer to each operation %s has exactly the fields of the reference', (name) => {
  const { wrong, filled, empty } = differences(payloadOf(name), reference[name]);
  expect(wrong).toEqual([]);
  // Custom timings, parameters and aliases are empty for many records; what is compared must occur at least once.
  expect([...empty].filter((path) => !filled.has(path))).toEqual([]);
});

it.each(metricEndpoints)('the answer to each operation $operation returns the metrics of the reference', ({ operation, metrics }) => {
  const { values } = siteMetrics.parse(payloadOf(operation));
  expect([...new Set(values.map((value) => value.name))].toSorted()).toEqual(metrics.toSorted());
});

it('the world is the same to the byte for two starts within a minute', async () => {
  const written = (start: string) =>
    withPlatform(
      async ({ ask, token }) => {
        const bearer = await token('shop');
        const jobs = await ask('listExportJobs', { limit: 100 }, bearer);
        const { scenarios } = await ask('listScenarios', {}, bearer);
        const { scenario } = await ask('listScenarioReports', { scenarioId: first(scenarios).id, limit: 1 }, bearer);
        const step = first(first(scenario.reports).steps ?? []);
        const { har } = await ask('getStepHar', { scenarioStepResultId: step.stepResultId }, bearer);
        return JSON.stringify({ jobs, scenarios, har });
      },
      { start },
    );
  expect(await written('2026-11-20T10:00:03.417Z')).toBe(await written('2026-11-20T10:00:01.002Z'));
});

it('the world answers for another start of the clock as well', () =>
  withPlatform(
    async (early) => {
      const { values } = await early.ask(
        'getSiteVisits',
        { startDate: '2025-02-01T00:00:00.000Z', endDate: '2025-03-01T00:00:00.000Z' },
        await early.token('shop'),
      );
      expect(Number(first(values).value)).toBeGreaterThan(10_000);
    },
    { start: '2025-03-14T23:30:00.000Z', seed: 77 },
  ));
